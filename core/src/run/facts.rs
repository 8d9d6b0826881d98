//! What a driver tells the run machine, and what it is asked to do.

use crate::exit::SpawnError;
use crate::launch::Interrupt;
use alloc::string::String;
use core::ops::Range;
use core::time::Duration;

/// A fact of a run, told by the driver as soon as it knows it. Any order is taken; what can no longer matter is
/// ignored.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Input<'a> {
    /// The process was started.
    Started,
    /// It could not be started.
    SpawnFailed(SpawnError),
    /// Bytes of standard output.
    Stdout(&'a [u8]),
    /// So many bytes were read into [`Run::stdout_space`](super::Run::stdout_space).
    StdoutFilled(usize),
    /// Standard output has ended.
    StdoutClosed,
    /// Reading standard output failed: what the system said. It counts as ended.
    StdoutBroken(String),
    /// Bytes of standard error.
    Stderr(&'a [u8]),
    /// Standard error has ended, or cannot be read.
    StderrClosed,
    /// So many bytes of what [`Action::Write`] asked for were written.
    StdinWritten(usize),
    /// Writing standard input failed: what the system said.
    StdinBroken(String),
    /// The signal that [`Action::Interrupt`] or [`Action::KillTree`] asked for is sent, and the process had not
    /// ended by itself before.
    Signalled,
    /// The process has ended. It is *not* reaped: its number, and its group's, are still taken.
    Exited {
        /// Its exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// Nothing of the tree is left that could be ended.
    TreeGone,
    /// The process is reaped.
    Reaped,
    /// The host cancels the run: politely, then by force when the grace is over.
    Cancel,
    /// The host cancels the run at once, by force.
    CancelNow,
    /// Time has passed. Never wrong, however often.
    Tick,
}

/// What a driver is asked to do. Each is asked once; facts tell how it went.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Write some or all of [`Run::stdin`](super::Run::stdin) of this range to standard input, without waiting for
    /// it, and tell [`Input::StdinWritten`] or [`Input::StdinBroken`].
    Write(Range<usize>),
    /// Close standard input; a write that is still going on is given up.
    CloseStdin,
    /// Look for the exit: where the process has ended, tell [`Input::Exited`] and nothing else. Otherwise send this
    /// signal to its process group and tell [`Input::Signalled`].
    Interrupt(Interrupt),
    /// Look for the exit and tell [`Input::Exited`], else [`Input::Signalled`]. In both cases end the whole tree, by
    /// force, until nothing of it is left; then tell [`Input::TreeGone`]. Do not reap yet.
    KillTree,
    /// Reap the process, which has ended, and tell [`Input::Reaped`]. Ending the tree, where that still goes on, is
    /// given up first: nothing is signalled after this.
    Reap,
    /// Do not read standard output for now: the consumer is too far behind. Standard error is read on.
    StopReading,
    /// Read standard output again.
    ResumeReading,
    /// Tell [`Input::Tick`] at this time after the start, even if nothing else happens. It replaces earlier ones.
    SetTimer(Duration),
    /// Nothing more is asked: close what is still open, take the events that are left, and call
    /// [`Run::finish`](super::Run::finish).
    Done,
}
