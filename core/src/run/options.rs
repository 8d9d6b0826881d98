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
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            parser: Options::default(),
            read_ahead: 16 << 20,
            leave_background: false,
            nonzero: NonzeroExit::default(),
        }
    }
}
