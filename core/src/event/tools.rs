//! What is done: tool calls, the plan they follow, and acts that matter.

use super::field::Known;
use super::group::group;
use super::list::{Changes, Locations, Plan};
use super::open_enum::open_enum;
use crate::text::{Json, Text};

open_enum! {
    /// What a tool does, in the Agent Client Protocol's words.
    ToolKind {
        /// Reads files or data.
        Read = "read",
        /// Changes files.
        Edit = "edit",
        /// Removes files.
        Delete = "delete",
        /// Moves or renames files.
        Move = "move",
        /// Searches files, code or the web.
        Search = "search",
        /// Runs commands.
        Execute = "execute",
        /// Plans, delegates or thinks.
        Think = "think",
        /// Fetches from outside.
        Fetch = "fetch",
        /// Anything else.
        #[default] Other = "other",
    }
}

open_enum! {
    /// How far a tool call has come. All but `in_progress` are final.
    ToolStatus {
        /// It runs.
        InProgress = "in_progress",
        /// It ended well.
        Completed = "completed",
        /// It ended with an error of its own.
        Failed = "failed",
        /// It was not allowed to run.
        Declined = "declined",
        /// It was stopped.
        Cancelled = "cancelled",
        /// The executor never said.
        #[default] Unknown = "unknown",
    }
}

impl ToolStatus {
    /// True for every status after which nothing more is said of the call.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        !matches!(self, ToolStatus::InProgress)
    }
}

group! {
    /// The model asks for a tool.
    ToolCall {
        /// The executor's id of the call; a synthetic one where it gives none.
        tool_call_id: Text<'a>,
        /// The vendor's name of the tool.
        name: Text<'a>,
        /// What the tool does.
        kind: ToolKind,
        /// The MCP server that offers it.
        server: Option<Text<'a>>,
        /// A line for people.
        title: Option<Text<'a>>,
        /// The input, as the executor printed it.
        input: Option<Json<'a>>,
        /// The files it is about.
        locations: Locations<'a>,
    }

    /// News of a tool call. Exactly one update of each call has a terminal status.
    ToolCallUpdate {
        /// The call.
        tool_call_id: Text<'a>,
        /// How far it has come.
        status: ToolStatus,
        /// What it gave back.
        output: Option<Text<'a>>,
        /// Why it failed.
        error: Option<Text<'a>>,
        /// The exit code of a command.
        exit_code: Option<i64>,
        /// The files it changed.
        changes: Changes<'a>,
        /// A piece of the input that is still being written.
        input_delta: Option<Text<'a>>,
        /// The whole input, where it came after the call was announced.
        input: Option<Json<'a>>,
    }

    /// The plan as it stands now; it replaces the one before.
    PlanUpdate {
        /// Its entries.
        entries: Plan<'a>,
    }

    /// A consequential act: something that is hard to take back or that others see.
    Act {
        /// Id of the act in this run.
        act_id: Text<'a>,
        /// What was done.
        kind: Text<'a>,
        /// To what.
        target: Option<Text<'a>>,
        /// The command, secrets redacted.
        command: Option<Text<'a>>,
        /// The call that did it.
        tool_call_id: Option<Text<'a>>,
        /// Whether it succeeded; absent when nothing told.
        ok: Option<Known>,
        /// True when it cannot be taken back.
        irreversible: bool,
    }
}
