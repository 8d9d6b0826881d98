//! How a run is to be watched.

use crate::exit::NonzeroExit;
use crate::options::Options;

/// How a run is to be watched. The time limits are the plan's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunOptions {
    /// What the parser is told. The session to resume is taken from the plan where it is not said here.
    pub parser: Options,
    /// Bytes of standard output read ahead of the consumer (default 16 MiB); then the pipe is left to fill.
    ///
    /// Several executors end with a hard exit and lose what the pipe has not taken: the pipe holds 1 MiB at most.
    /// What is read ahead is kept as events, which take at most four times as much memory (and one chunk more).
    pub read_ahead: usize,
    /// Leaves alone what the executor started and left behind, when it ended by itself. A cancelled run ends all.
    pub leave_background: bool,
    /// What a non-zero exit after a clean terminal record means.
    pub nonzero: NonzeroExit,
    /// What becomes of a turn that is said while another one runs.
    pub when_busy: WhenBusy,
    /// Bytes of turns that wait for the one that runs (default 16 MiB): a host that goes on talking to an executor that has
    /// stopped listening is refused at last.
    pub queue: usize,
}

/// What becomes of a turn that is said while another one runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WhenBusy {
    /// It waits, and is written when that one is over: each turn has its own end and report.
    #[default]
    Queue,
    /// It is refused: the host is to ask again.
    Refuse,
    /// It is written at once. What the executor makes of it is its own: some take it into the turn that runs, so that two
    /// turns have one end.
    Write,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            parser: Options::default(),
            read_ahead: 16 << 20,
            leave_background: false,
            nonzero: NonzeroExit::default(),
            when_busy: WhenBusy::Queue,
            queue: 16 << 20,
        }
    }
}
