//! The kinds of events and their fields.

pub use super::field::Known;
pub use super::list::{Changes, Locations, Plan};

use super::field::{FieldValue, Packer, Parts, write_member};
use super::open_enum::open_enum;
use crate::text::{Json, Text};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

open_enum! {
    /// How the session relates to the one that was asked for.
    Resumed {
        /// The session asked for goes on.
        #[default] Same = "same",
        /// Another id than the one asked for came back: the executor started a new session.
        Replaced = "replaced",
        /// A copy of the session asked for goes on, under an id of its own.
        Forked = "forked",
    }
}

open_enum! {
    /// Who speaks.
    Role {
        /// The model.
        #[default] Assistant = "assistant",
        /// The user, or the host in the user's name.
        User = "user",
    }
}

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

open_enum! {
    /// What a usage figure covers.
    UsageScope {
        /// One request to the model.
        Request = "request",
        /// One step of a turn.
        Step = "step",
        /// One turn.
        #[default] Turn = "turn",
        /// The whole process.
        Process = "process",
        /// The whole thread, earlier processes included.
        Thread = "thread",
    }
}

open_enum! {
    /// How figures of one scope add up.
    UsageMode {
        /// Each is an amount of its own: they are summed.
        #[default] Delta = "delta",
        /// Each is a running total: the last one counts.
        Cumulative = "cumulative",
    }
}

open_enum! {
    /// How grave a notice is.
    Severity {
        /// Worth showing.
        #[default] Info = "info",
        /// Something went wrong and was dealt with.
        Warning = "warning",
        /// Something failed; whether the run did, the envelope says.
        Error = "error",
    }
}

open_enum! {
    /// How a permission request ended.
    Outcome {
        /// It was allowed.
        Allowed = "allowed",
        /// It was denied.
        #[default] Denied = "denied",
        /// It was withdrawn.
        Cancelled = "cancelled",
    }
}

open_enum! {
    /// Where in its life something is.
    Phase {
        /// It began.
        Started = "started",
        /// It goes on.
        #[default] Progress = "progress",
        /// It is over.
        Ended = "ended",
    }
}

open_enum! {
    /// Why a turn ended.
    StopReason {
        /// The model had said all it wanted to.
        EndTurn = "end_turn",
        /// The model's output limit was reached.
        MaxTokens = "max_tokens",
        /// The limit of requests in one turn was reached.
        MaxTurnRequests = "max_turn_requests",
        /// The budget was spent.
        Budget = "budget",
        /// The model refused.
        Refusal = "refusal",
        /// It was interrupted.
        Cancelled = "cancelled",
        /// It failed.
        Error = "error",
        /// The executor did not say.
        #[default] Unknown = "unknown",
    }
}

open_enum! {
    /// Why a piece of the stream is handed over as it came.
    RawReason {
        /// A record that the profile does not map.
        #[default] Unmapped = "unmapped",
        /// A line, or the rest of one, that is not JSON.
        Malformed = "malformed",
        /// JSON, but not an object.
        NonObject = "non_object",
        /// More than a limit allows; what is over it was discarded.
        Oversize = "oversize",
        /// A line of text, of a profile that hands text over unread.
        Text = "text",
    }
}

/// Which part of a message a text is: the number of its block, or the executor's own id of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[non_exhaustive]
pub enum Part<'a> {
    /// The number of the block in its message, from 0.
    Index(u64),
    /// The executor's own id of the part.
    Id(Text<'a>),
}

impl FieldValue for Part<'_> {
    type Owned = Part<'static>;
    fn absent(&self) -> bool {
        false
    }
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Part::Index(index) => index.write(out),
            Part::Id(id) => id.write(out),
        }
    }
    fn measure(&self) -> usize {
        match self {
            Part::Index(_) => 0,
            Part::Id(id) => id.measure(),
        }
    }
    fn copy(&self, packer: &mut Packer) {
        if let Part::Id(id) = self {
            id.copy(packer);
        }
    }
    fn unpack(self, parts: &mut Parts) -> Part<'static> {
        match self {
            Part::Index(index) => Part::Index(index),
            Part::Id(id) => Part::Id(id.unpack(parts)),
        }
    }
}

/// The try that a retry notice announces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Retry {
    /// Which try it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
    /// How many there will be at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    /// How long the executor waits before it, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

impl FieldValue for Retry {
    type Owned = Retry;
    fn absent(&self) -> bool {
        false
    }
    fn write(&self, out: &mut Vec<u8>) {
        let at = out.len();
        write_member("attempt", &self.attempt, out);
        write_member("max", &self.max, out);
        write_member("delay_ms", &self.delay_ms, out);
        close_object(at, out);
    }
    fn unpack(self, _: &mut Parts) -> Retry {
        self
    }
}

/// Makes the members written from `at` on, each behind a comma, an object.
fn close_object(at: usize, out: &mut Vec<u8>) {
    match out.get_mut(at) {
        Some(comma) => *comma = b'{',
        None => out.push(b'{'),
    }
    out.push(b'}');
}

/// Declares a group of fields: the struct, serde both ways, and [`FieldValue`] over its fields in order.
macro_rules! group {
    ($($(#[$meta:meta])* $name:ident { $($(#[$fmeta:meta])* $field:ident: $ty:ty),+ $(,)? })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default)]
        #[non_exhaustive]
        pub struct $name<'a> {
            $($(#[$fmeta])* #[serde(skip_serializing_if = "FieldValue::absent")] pub $field: $ty,)+
        }

        impl $name<'_> {
            pub(crate) fn write_members(&self, out: &mut Vec<u8>) {
                $(write_member(stringify!($field), &self.$field, out);)+
            }
        }

        impl FieldValue for $name<'_> {
            type Owned = $name<'static>;
            fn absent(&self) -> bool {
                $(self.$field.absent())&&+
            }
            fn write(&self, out: &mut Vec<u8>) {
                let at = out.len();
                self.write_members(out);
                close_object(at, out);
            }
            fn measure(&self) -> usize {
                0 $(+ self.$field.measure())+
            }
            fn copy(&self, packer: &mut Packer) {
                $(self.$field.copy(packer);)+
            }
            fn unpack(self, parts: &mut Parts) -> $name<'static> {
                $name { $($field: self.$field.unpack(parts)),+ }
            }
        }
    )+};
}

group! {
    /// A session began, or goes on in this run. At most one event per session id.
    SessionStarted {
        /// The id to resume it with.
        session_id: Text<'a>,
        /// Set when a session was asked for: whether that one came back.
        resumed: Option<Resumed>,
        /// The model, by the executor's name.
        model: Option<Text<'a>>,
        /// The working directory that the executor reports.
        cwd: Option<Text<'a>>,
        /// The version of the CLI.
        cli_version: Option<Text<'a>>,
        /// The names of the tools on offer, as the executor lists them.
        tools: Option<Json<'a>>,
        /// The permission mode, in the vendor's word.
        permission_mode: Option<Text<'a>>,
    }

    /// A text, whole or a piece of one. A whole text replaces what the pieces with the same `message_id` and `part`
    /// built, so that a reader who keys on both sees each text once.
    Message {
        /// Who speaks.
        role: Role,
        /// The message it belongs to.
        message_id: Option<Text<'a>>,
        /// Which part of the message it is.
        part: Option<Part<'a>>,
        /// The text. Empty is said too.
        text: Text<'a>,
        /// True for a piece that continues the part.
        delta: bool,
        /// True where the executor took the text back: nothing replaces what was said under the same key.
        withdrawn: bool,
    }

    /// What the model thought; never part of an answer.
    Reasoning {
        /// The message it belongs to.
        message_id: Option<Text<'a>>,
        /// Which part of the message it is.
        part: Option<Part<'a>>,
        /// The thought, empty where it is redacted.
        text: Text<'a>,
        /// True for a piece that continues the part.
        delta: bool,
        /// True when the vendor withholds the text.
        redacted: bool,
        /// True where the executor took the thought back.
        withdrawn: bool,
    }

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

    /// Tokens and money, as the vendor counts them. Absent is unknown, never zero.
    Usage {
        /// What the figure covers.
        scope: UsageScope,
        /// How figures of that scope add up.
        mode: UsageMode,
        /// Input tokens that no cache served.
        input: Option<u64>,
        /// Input tokens read from a cache.
        cache_read: Option<u64>,
        /// Input tokens written to a cache.
        cache_write: Option<u64>,
        /// Output tokens, without reasoning where the vendor splits it.
        output: Option<u64>,
        /// Reasoning tokens.
        reasoning: Option<u64>,
        /// The vendor's own total, else the sum.
        total: Option<u64>,
        /// The model, where the figure is of one.
        model: Option<Text<'a>>,
        /// Money in US dollars.
        #[serde(serialize_with = "crate::event::field::number")]
        cost_usd: Option<f64>,
    }

    /// A reading of one of the vendor's limits, verbatim.
    RateLimit {
        /// The vendor's name of the window.
        name: Text<'a>,
        /// How much of it is used, as the vendor counts (most give a fraction).
        #[serde(serialize_with = "crate::event::field::number")]
        utilization: Option<f64>,
        /// When it starts anew, as the vendor says it (most give Unix seconds).
        #[serde(serialize_with = "crate::event::field::number")]
        resets_at: Option<f64>,
        /// The vendor's word for its state.
        status: Option<Text<'a>>,
    }

    /// Something worth showing that does not end the run.
    Notice {
        /// How grave it is.
        severity: Severity,
        /// The vendor's code for it.
        code: Option<Text<'a>>,
        /// What happened.
        message: Text<'a>,
        /// Set when the executor tries again.
        retry: Option<Retry>,
    }

    /// The executor waits for the host's word.
    PermissionRequest {
        /// The id to answer with.
        request_id: Text<'a>,
        /// What is asked, in the vendor's word.
        kind: Option<Text<'a>>,
        /// The call that waits.
        tool_call_id: Option<Text<'a>>,
        /// A line for people.
        title: Option<Text<'a>>,
        /// What the executor suggests as answers.
        options: Option<Json<'a>>,
        /// The input of the call that waits.
        input: Option<Json<'a>>,
    }

    /// A permission was decided.
    PermissionResolved {
        /// The request, where there was one.
        request_id: Option<Text<'a>>,
        /// The call it was about.
        tool_call_id: Option<Text<'a>>,
        /// How it ended.
        outcome: Outcome,
        /// Who decided, in the vendor's word.
        by: Option<Text<'a>>,
        /// Why.
        reason: Option<Text<'a>>,
    }

    /// News of a sub-agent.
    Subagent {
        /// Where in its life it is.
        phase: Phase,
        /// Its kind, by the vendor's name.
        name: Option<Text<'a>>,
        /// What it is for, or does now.
        description: Option<Text<'a>>,
        /// The vendor's word for its state.
        status: Option<Text<'a>>,
    }

    /// The executor shortens its context.
    Compaction {
        /// Where in its life it is.
        phase: Phase,
        /// Why, in the vendor's word.
        trigger: Option<Text<'a>>,
        /// Tokens in the context before.
        tokens_before: Option<u64>,
        /// Tokens in the context after.
        tokens_after: Option<u64>,
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

    /// Why a turn failed.
    TurnError {
        /// What a caller can do about it; the classes are those of the envelope's errors.
        class: Text<'a>,
        /// The executor's words.
        message: Text<'a>,
    }

    /// A turn is over. At most one per `turn_started`.
    TurnEnded {
        /// Why it ended.
        stop_reason: StopReason,
        /// Set when it failed.
        error: Option<TurnError<'a>>,
    }

    /// A piece of the stream as it came.
    Raw {
        /// Why it is handed over raw.
        reason: RawReason,
        /// The piece, or its beginning (bounded).
        text: Text<'a>,
        /// The size of the whole piece in bytes.
        bytes: u64,
    }
}

macro_rules! kinds {
    ($($(#[$meta:meta])* $variant:ident($group:ident) = $wire:literal),+ $(,)?) => {
        /// What happened.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(tag = "type")]
        #[non_exhaustive]
        pub enum EventKind<'a> {
            /// A turn began.
            #[serde(rename = "turn_started")]
            TurnStarted,
            $($(#[$meta])* #[serde(rename = $wire)] $variant($group<'a>),)+
        }

        impl EventKind<'_> {
            /// The kind's name on the wire.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    EventKind::TurnStarted => "turn_started",
                    $(EventKind::$variant(_) => $wire,)+
                }
            }

            pub(crate) fn write_members(&self, out: &mut Vec<u8>) {
                match self {
                    EventKind::TurnStarted => {}
                    $(EventKind::$variant(group) => group.write_members(out),)+
                }
            }

            pub(crate) fn measure(&self) -> usize {
                match self {
                    EventKind::TurnStarted => 0,
                    $(EventKind::$variant(group) => group.measure(),)+
                }
            }

            pub(crate) fn copy(&self, packer: &mut Packer) {
                match self {
                    EventKind::TurnStarted => {}
                    $(EventKind::$variant(group) => group.copy(packer),)+
                }
            }

            pub(crate) fn unpack(self, parts: &mut Parts) -> EventKind<'static> {
                match self {
                    EventKind::TurnStarted => EventKind::TurnStarted,
                    $(EventKind::$variant(group) => EventKind::$variant(group.unpack(parts)),)+
                }
            }
        }
    };
}

kinds! {
    /// See [`SessionStarted`].
    SessionStarted(SessionStarted) = "session_started",
    /// See [`Message`].
    Message(Message) = "message",
    /// See [`Reasoning`].
    Reasoning(Reasoning) = "reasoning",
    /// See [`ToolCall`].
    ToolCall(ToolCall) = "tool_call",
    /// See [`ToolCallUpdate`].
    ToolCallUpdate(ToolCallUpdate) = "tool_call_update",
    /// See [`PlanUpdate`].
    Plan(PlanUpdate) = "plan",
    /// See [`Usage`].
    Usage(Usage) = "usage",
    /// See [`RateLimit`].
    RateLimit(RateLimit) = "rate_limit",
    /// See [`Notice`].
    Notice(Notice) = "notice",
    /// See [`PermissionRequest`].
    PermissionRequest(PermissionRequest) = "permission_request",
    /// See [`PermissionResolved`].
    PermissionResolved(PermissionResolved) = "permission_resolved",
    /// See [`Subagent`].
    Subagent(Subagent) = "subagent",
    /// See [`Compaction`].
    Compaction(Compaction) = "compaction",
    /// See [`Act`].
    Act(Act) = "act",
    /// See [`TurnEnded`].
    TurnEnded(TurnEnded) = "turn_ended",
    /// See [`Raw`].
    Raw(Raw) = "raw",
}
