//! The time limits of a run.

use super::request::Request;
use super::spec::TimerSpec;
use core::time::Duration;

/// The time limits of a run. `None` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timers {
    /// The whole run, from its start (no limit by default). The run then fails as timed out.
    pub total: Option<Duration>,
    /// Without any output, on standard output or standard error (no limit by default). Stands still while the host
    /// does not read, and once the terminal record is there.
    pub idle: Option<Duration>,
    /// From the start to the first event (no limit by default).
    pub first_event: Option<Duration>,
    /// Between the terminal record and the exit (10 s by default): then the process is ended, which is no failure.
    /// Started again by every later record, held while the executor says that background work goes on.
    ///
    /// Executors linger for up to 5 s after their terminal record, some for ever.
    pub after_terminal: Option<Duration>,
    /// Between the exit and the end of the pipes (2 s by default): what was started by the executor may hold them for
    /// ever. Stands still while the read-ahead is full.
    pub drain: Option<Duration>,
    /// Between a question of the executor and the host's answer (no limit by default: people take their time). Then it is
    /// denied, and told why; the run goes on. Only where the profile says how to deny.
    pub answer: Option<Duration>,
    /// Between the polite signal and the end of the whole tree (5 s by default; zero: no polite signal).
    ///
    /// Executors save their session when they are asked to stop.
    pub grace: Duration,
    /// How long ending the tree may take before it is given up (5 s by default): a process may be stuck in the system.
    pub kill: Duration,
}

impl Default for Timers {
    fn default() -> Self {
        Timers {
            total: None,
            idle: None,
            first_event: None,
            after_terminal: Some(Duration::from_secs(10)),
            drain: Some(Duration::from_secs(2)),
            answer: None,
            grace: Duration::from_secs(5),
            kill: Duration::from_secs(5),
        }
    }
}

impl Timers {
    /// The usual limits, then the profile's, then the caller's.
    pub(crate) fn of(spec: &TimerSpec, request: &Request) -> Self {
        let usual = Timers::default();
        let millis = |value: Option<u64>| value.map(Duration::from_millis);
        Timers {
            total: request.total.or(millis(spec.total_ms)),
            idle: request.idle.or(millis(spec.idle_ms)),
            first_event: request.first_event.or(millis(spec.first_event_ms)),
            after_terminal: request.after_terminal.unwrap_or(millis(spec.after_terminal_ms).or(usual.after_terminal)),
            drain: request.drain.unwrap_or(millis(spec.drain_ms).or(usual.drain)),
            answer: request.answer_within.or(millis(spec.answer_ms)),
            grace: request.grace.or(millis(spec.grace_ms)).unwrap_or(usual.grace),
            kill: usual.kill,
        }
    }
}
