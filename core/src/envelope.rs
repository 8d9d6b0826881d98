//! What one run came to.

use crate::text::Json;
use crate::turn::TurnReport;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::event::open_enum::open_enum;

open_enum! {
    /// The verdict on a run.
    Status {
        /// It did what was asked.
        Ok = "ok",
        /// It did not; the errors say why.
        #[default] Failed = "failed",
        /// The host ended it.
        Cancelled = "cancelled",
    }
}

open_enum! {
    /// What went wrong, in the few codes that a program branches on.
    ErrorCode {
        /// The executor could not be started.
        ExecutorUnavailable = "executor_unavailable",
        /// It ran and failed.
        #[default] ExecutorRunFailed = "executor_run_failed",
        /// The host ended it.
        ExecutorCancelled = "executor_cancelled",
        /// A time limit ended it.
        ExecutorTimedOut = "executor_timed_out",
        /// The host's budget has no room for the run: nothing was started.
        BudgetExceeded = "budget_exceeded",
        /// The host's service was shut down: nothing was started.
        ServiceClosed = "service_closed",
    }
}

open_enum! {
    /// What a caller can do about an error.
    ErrorClass {
        /// Log in, or give a valid key.
        Auth = "auth",
        /// Wait and try again.
        RateLimit = "rate_limit",
        /// Buy more, or wait for the quota's period to end.
        Quota = "quota",
        /// Shorten the conversation.
        ContextOverflow = "context_overflow",
        /// The provider is overloaded: try again later.
        Overloaded = "overloaded",
        /// The connection failed.
        Network = "network",
        /// The model does not exist or may not be used.
        Model = "model",
        /// The request was wrong.
        InvalidRequest = "invalid_request",
        /// A limit of turns or of money was reached.
        Limit = "limit",
        /// The model refused.
        Refusal = "refusal",
        /// The stream ended without its terminal event.
        Interrupted = "interrupted",
        /// The run ended without an answer.
        NoResult = "no_result",
        /// Output was cut.
        Truncated = "truncated",
        /// A pipe to or from the process broke.
        Stream = "stream",
        /// The process ended with a code or a signal that says failure, and nothing better is known.
        Exit = "exit",
        /// A time limit was reached.
        Timeout = "timeout",
        /// The program, or a file that it was given, does not exist.
        NotFound = "not_found",
        /// The session to resume does not exist: begin a new one.
        SessionNotFound = "session_not_found",
        /// The program may not be executed.
        NotExecutable = "not_executable",
        /// The working directory does not exist or is not a directory.
        WorkingDirectory = "working_directory",
        /// The prompt is too long for the command line.
        ArgumentTooLong = "argument_too_long",
        /// The program starts only through a command shell, where a prompt is not safe.
        ShellShim = "shell_shim",
        /// Nothing better is known.
        #[default] Unknown = "unknown",
    }
}

open_enum! {
    /// Where an error was seen.
    ErrorSource {
        /// In the executor's records.
        #[default] Stdout = "stdout",
        /// On its standard error.
        Stderr = "stderr",
        /// In how the process ended.
        Exit = "exit",
        /// In the host: the launch, the pipes, a limit, a cancel.
        Host = "host",
    }
}

/// One reason why a run is not `ok`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct RunError {
    /// The code to branch on.
    pub code: ErrorCode,
    /// What a caller can do about it.
    pub class: ErrorClass,
    /// A sentence for people; it names the command in single quotes.
    pub message: String,
    /// Where it was seen.
    pub source: ErrorSource,
}

/// Disjoint token counters. Absent is unknown, never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct TokenUsage {
    /// Input tokens that no cache served.
    pub input: Option<u64>,
    /// Input tokens read from a cache.
    pub cache_read: Option<u64>,
    /// Input tokens written to a cache.
    pub cache_write: Option<u64>,
    /// Output tokens, without reasoning where the vendor splits it.
    pub output: Option<u64>,
    /// Reasoning tokens.
    pub reasoning: Option<u64>,
    /// The vendor's own total where it states one, else the sum.
    pub total: Option<u64>,
}

/// What one model used, as the vendor reports it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct ModelUsage {
    /// The vendor's name of the model.
    pub model: String,
    /// Input tokens that no cache served.
    pub input: Option<u64>,
    /// Input tokens read from a cache.
    pub cache_read: Option<u64>,
    /// Input tokens written to a cache.
    pub cache_write: Option<u64>,
    /// Output tokens.
    pub output: Option<u64>,
    /// Money in US dollars.
    pub cost_usd: Option<f64>,
}

/// The last reading of one of the vendor's limits, verbatim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct RateLimitWindow {
    /// The vendor's name of the window.
    pub name: String,
    /// How much of it is used, as the vendor counts.
    pub utilization: Option<f64>,
    /// When it starts anew, as the vendor says it.
    #[serde(serialize_with = "crate::event::number")]
    pub resets_at: Option<f64>,
    /// The vendor's word for its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// How many tool calls came to what. Sub-agents' calls are among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct ToolCounts {
    /// Calls that were asked for.
    pub started: u64,
    /// Those that ended well.
    pub completed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that were not allowed.
    pub declined: u64,
    /// Those that were stopped.
    pub cancelled: u64,
    /// Those whose end the executor never told.
    pub unknown: u64,
}

/// A consequential act; the same as the event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct ActRecord {
    /// Id of the act in this run.
    pub act_id: String,
    /// What was done.
    pub kind: String,
    /// To what.
    pub target: Option<String>,
    /// The command, secrets redacted.
    pub command: Option<String>,
    /// The call that did it.
    pub tool_call_id: Option<String>,
    /// Whether it succeeded; null when nothing told.
    pub ok: Option<bool>,
    /// True when it cannot be taken back.
    pub irreversible: bool,
}

/// How the process ended, as far as is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct ExitStatus {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// What the stream was made of. Every line is accounted for here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct StreamCounts {
    /// All bytes of standard output.
    pub bytes: u64,
    /// All lines, blank ones and a last one without a line end among them.
    pub lines: u64,
    /// Records read.
    pub records: u64,
    /// Events made.
    pub events: u64,
    /// Lines that are not JSON, and rests of lines after their last record.
    pub malformed_lines: u64,
    /// JSON values that are not objects.
    pub non_object: u64,
    /// Records that the profile does not map.
    pub unmapped: u64,
    /// Lines over the limit; they are among the malformed ones.
    pub oversize_lines: u64,
    /// Lines read only after a repair: invalid UTF-8, lone surrogates, terminal escapes around a record.
    pub repaired_lines: u64,
}

/// What is kept of standard error: its first and last bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct StderrSummary {
    /// The first bytes; all of it where it is short.
    pub head: String,
    /// The last bytes, where the head does not hold all.
    pub tail: String,
    /// How many lines it had.
    pub lines: u64,
}

/// How long things took, in milliseconds, as the driver measured it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Timing {
    /// From the request to the running process.
    pub spawn_setup_ms: Option<f64>,
    /// From the start to the first byte of standard output.
    pub first_byte_ms: Option<f64>,
    /// From the start to the first event.
    pub first_event_ms: Option<f64>,
    /// From the start to the end of the run.
    pub run_ms: Option<f64>,
}

/// What a session had used when a run began that goes on with it.
///
/// [`Envelope::baseline`] gives it for the next run, [`Options::baseline`](crate::Options::baseline) takes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Baseline {
    /// Its tokens, where the vendor reports the session's running total.
    pub usage: Option<TokenUsage>,
    /// What each model used; empty: not known.
    pub model_usage: Vec<ModelUsage>,
    /// Its money in US dollars.
    pub cost_usd: Option<f64>,
}

/// What one run came to: exactly one per run, and its last word.
///
/// Built on every path: a failed, killed or cancelled run keeps the usage, rate limits, session id and texts that
/// arrived. [`errors`](Envelope::errors) is empty exactly when [`status`](Envelope::status) is [`Status::Ok`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename = "envelope", default)]
#[non_exhaustive]
pub struct Envelope {
    /// Id of the profile.
    pub executor: String,
    /// The verdict.
    pub status: Status,
    /// The answer; blank is absent.
    pub result: Option<String>,
    /// The first non-blank line of the answer (at most 200 characters), else the first error.
    pub summary: Option<String>,
    /// Why the run is not `ok`, the most telling reason first.
    pub errors: Vec<RunError>,
    /// How many notices there were.
    pub notices: u64,
    /// The id to resume the session with.
    pub session_id: Option<String>,
    /// This run's own tokens; absent when a figure would be partial.
    pub usage: Option<TokenUsage>,
    /// The running total of a resumed thread, where the vendor reports that.
    pub thread_usage: Option<TokenUsage>,
    /// What each model used, where the vendor reports it: of a resumed session often the session's total so far.
    pub model_usage: Vec<ModelUsage>,
    /// Money in US dollars, as the vendor states it: of a resumed session often the session's total so far.
    pub cost_usd: Option<f64>,
    /// What each model used in this run alone: the vendor's increments where it tells them, else its totals less what they
    /// were when the run began. Empty where that is not known.
    pub run_model_usage: Vec<ModelUsage>,
    /// The money of this run alone, known in the same way.
    pub run_cost_usd: Option<f64>,
    /// The vendor's limits, the last reading of each.
    pub rate_limits: Vec<RateLimitWindow>,
    /// The string fields that the profile names.
    pub metadata: BTreeMap<String, String>,
    /// The answer by the schema that was asked for, where the executor prints it apart.
    pub structured_output: Option<Json<'static>>,
    /// Whether the terminal record came.
    pub terminal: bool,
    /// How many turns began.
    pub turns: u64,
    /// What each turn came to, the last [`Limits::turns`](crate::Limits::turns) of them. Only of a run that is interactive
    /// or had more than one turn: of any other the envelope itself is the report.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turn_reports: Vec<TurnReport>,
    /// How many tool calls came to what.
    pub tools: ToolCounts,
    /// The consequential acts.
    pub acts: Vec<ActRecord>,
    /// How the process ended.
    pub exit: ExitStatus,
    /// What the stream was made of.
    pub stream: StreamCounts,
    /// The record types that the profile does not map, with their counts.
    pub unmapped_types: BTreeMap<String, u64>,
    /// Whether standard output was cut at a capture limit.
    pub stdout_truncated: bool,
    /// Whether standard error was cut: at a capture limit, or because its head and tail do not hold all of it.
    pub stderr_truncated: bool,
    /// What is kept of standard error.
    pub stderr: StderrSummary,
    /// The last text of the main agent, even when there is no answer.
    pub last_text: Option<String>,
    /// How long things took; absent where nobody measured.
    pub timing: Option<Timing>,
}

impl Envelope {
    /// What the session had used when this run ended: the baseline of a run that goes on with it.
    #[must_use]
    pub fn baseline(&self) -> Baseline {
        Baseline {
            usage: self.thread_usage.or(self.usage),
            model_usage: self.model_usage.clone(),
            cost_usd: self.cost_usd,
        }
    }
}
