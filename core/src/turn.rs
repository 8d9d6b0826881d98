//! What one turn came to, and what a session is doing between two records.

use crate::envelope::{Envelope, ErrorClass, ExitStatus, ModelUsage, Status, TokenUsage};
use crate::event::StopReason;
use crate::event::open_enum::open_enum;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

open_enum! {
    /// What a session is doing, as far as its records were read.
    State {
        /// No turn runs: it waits for the next one, or for its end.
        Idle = "idle",
        /// A turn runs, or one was sent and has not begun.
        #[default] Working = "working",
        /// It waits for the host: a permission request is open.
        Waiting = "waiting",
        /// Its output has ended.
        Ended = "ended",
    }
}

open_enum! {
    /// The verdict on one turn.
    TurnStatus {
        /// It ended, and reported no failure.
        Ok = "ok",
        /// It reported a failure; the error says which.
        #[default] Failed = "failed",
        /// It was interrupted.
        Cancelled = "cancelled",
        /// The stream ended before it did.
        Killed = "killed",
    }
}

/// Why a turn failed, in the executor's words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct TurnFailure {
    /// What a caller can do about it.
    pub class: ErrorClass,
    /// What happened.
    pub message: String,
}

/// What one turn came to.
///
/// [`Parser::take_turn`](crate::Parser::take_turn) hands each finished one over once while the run goes on, and
/// [`Envelope::turn_reports`](crate::Envelope::turn_reports) lists them at the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct TurnReport {
    /// Its number, from 0: the `turn` of its events.
    pub turn: u32,
    /// The verdict.
    pub status: TurnStatus,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// Why it is not `ok`, where anything was said.
    pub error: Option<TurnFailure>,
    /// Its answer, by the profile's rule, at most [`Limits::turn_text`](crate::Limits::turn_text) bytes; blank is absent. A
    /// turn that failed has none.
    pub result: Option<String>,
    /// True when the answer was longer than what is kept of it.
    pub result_cut: bool,
    /// Its own tokens; null where unknown or partial.
    pub usage: Option<TokenUsage>,
    /// What each model used in it, sub-agents included, where the vendor reports that.
    pub model_usage: Vec<ModelUsage>,
    /// Its own money in US dollars.
    pub cost_usd: Option<f64>,
    /// The line of the record that ended it; of a turn that never ended the last line of the stream.
    pub last_line: u64,
    /// How the process ended; only where it ended with this turn, known when the run is over.
    pub exit: Option<ExitStatus>,
}

impl TurnReport {
    /// The report of a run that was one turn: what its envelope says, in a report's form.
    ///
    /// It lets a host that starts one process a turn drive such an executor like one with a lasting session. `turn` is the
    /// turn's number in that session.
    #[must_use]
    pub fn of_run(envelope: &Envelope, turn: u32) -> Self {
        let last = envelope.turn_reports.last();
        let ended_itself = envelope.exit.signal.is_none() && envelope.exit.code.is_some();
        let status = match envelope.status {
            Status::Ok => TurnStatus::Ok,
            Status::Cancelled => TurnStatus::Cancelled,
            _ if !ended_itself => TurnStatus::Killed,
            _ => TurnStatus::Failed,
        };
        let error = envelope.errors.first();
        TurnReport {
            turn,
            status,
            stop_reason: last.map(|last| last.stop_reason).unwrap_or_default(),
            error: error.map(|error| TurnFailure { class: error.class, message: error.message.clone() }),
            result: envelope.result.clone(),
            result_cut: false,
            usage: envelope.usage,
            model_usage: envelope.run_model_usage.clone(),
            cost_usd: envelope.run_cost_usd,
            last_line: envelope.stream.lines,
            exit: Some(envelope.exit),
        }
    }
}
