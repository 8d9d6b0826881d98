//! The session and its turns: how they begin, what becomes of them on the way, how they end.

use super::group::group;
use super::open_enum::open_enum;
use crate::text::{Json, Text};

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
}
