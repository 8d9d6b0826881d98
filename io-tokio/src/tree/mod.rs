//! A child process and everything it starts: one run's *process tree*.
//!
//! Coding CLIs are started through shims, and run their tools in sessions of their own: killing the child, or its process
//! group, leaves the agent or its tools at work. This module finds the whole tree and ends it. It knows no runtime: every
//! call is plain and either returns at once or says how long it may block, so that an async driver and a thread driver share it.
//!
//! # The life of a tree
//!
//! ```text
//! Tree::spawn ──> wait / exit_watch ──> remember ──> interrupt ──> (grace) ──> end or end_step ──> reap
//!                 (nothing is reaped)   (any time)   (polite)                  (SIGKILL)           (the number is free again)
//! ```
//!
//! The order matters. A child's number, and its group's, stay taken until the child is reaped; so the exit is noticed *without*
//! reaping, the rest of the tree is ended while the group can still be named, and [`reap`](Tree::reap) comes last. After it nothing is signalled.
//! [`Tree`] looks for the exit just before it signals. Dropping an unreaped tree ends it (bounded, see [`Tree`]).
//!
//! # What belongs to the tree
//!
//! | | Linux, Android | other Unix | Windows |
//! |---|---|---|---|
//! | the child and its process group | yes | yes | yes (job object) |
//! | descendants by parent links, whatever group or session | yes (`/proc`) | no | yes (job object) |
//! | groups and sessions led by one of those | yes | no | yes (job object) |
//! | orphans that carry the [marker](MARKER_VARIABLE) in the environment they were started with | yes | no | yes (job object) |
//! | those seen by an earlier [`remember`](Tree::remember), re-parented since | yes | no | yes (job object) |
//!
//! Not found on Linux: a process that left the group and its leader's session, was started without the marker, *and* whose
//! line of parents up to a known process was already broken at every `remember` and every look so far. Processes of another user that the caller may not signal
//! (a setuid program) are found, and reported in [`Ended::left`]. Without a readable `/proc` Linux does what other Unix systems do.
//! On Unix systems other than Linux a descendant that leaves the process group (`setsid`) is *not* ended; there is no safe
//! interface for listing processes there. They are best effort: this code has been run on Linux only, Windows and
//! macOS are not run.
//!
//! # Never the wrong process
//!
//! A process is known by its number *and* its start time. A signal goes through a pidfd that is opened first and whose process is checked
//! afterwards, so that a number used again is never hit (kernels before 5.3: check, then `kill`). The caller itself and the numbers 0 and 1
//! are never signalled. Dead processes that are not yet reaped by their parent (zombies) count as dead.

#[cfg(unix)]
mod hunt;
mod marker;
#[cfg(unix)]
mod posix;
#[cfg(unix)]
mod select;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "linux.rs"]
mod sys;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
#[path = "unix.rs"]
mod sys;
#[cfg(windows)]
mod windows;

use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

pub use marker::{MARKER_VARIABLE, Marker};
#[cfg(unix)]
pub use posix::{ExitWatch, Tree, leftovers};
#[cfg(windows)]
pub use windows::{ExitWatch, Tree, leftovers};

/// What is asked of the system for the child's stdout pipe (bytes). Several CLIs end with a hard exit and lose what the pipe
/// has not taken yet. stdin and stderr keep the system's size: a large stdin pipe would hide a broken one.
pub const STDOUT_PIPE_BYTES: usize = 1 << 20;

/// How long a dropped, unreaped [`Tree`] blocks at most while it ends its processes.
pub const DROP_WITHIN: Duration = Duration::from_secs(2);

/// A started child: its tree, and our ends of the pipes that the command asked for.
#[derive(Debug)]
#[non_exhaustive]
pub struct Spawned {
    /// The child and what it starts.
    pub tree: Tree,
    /// Where to write the child's stdin, if it was piped.
    pub stdin: Option<ChildStdin>,
    /// Where to read the child's stdout, if it was piped.
    pub stdout: Option<ChildStdout>,
    /// Where to read the child's stderr, if it was piped.
    pub stderr: Option<ChildStderr>,
}

/// How the child ended. Both absent: it ended, but someone else in this process reaped it (a foreign `waitpid(-1)`, or `SIGCHLD` ignored).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exit {
    /// The exit status, if it exited by itself.
    pub code: Option<i32>,
    /// The signal that ended it (Unix only).
    pub signal: Option<i32>,
}

impl Exit {
    /// It ended, and nobody can tell how.
    pub const UNKNOWN: Self = Self { code: None, signal: None };
}

/// A polite signal: one that the executor can catch to clean up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Polite {
    /// `SIGINT`, as Ctrl-C at a terminal.
    Interrupt,
    /// `SIGTERM`.
    Terminate,
    /// `SIGHUP`, as a terminal that goes away.
    Hangup,
}

/// What became of a polite signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delivery {
    /// The process group got it; the child had not exited.
    Sent,
    /// The child had exited by itself before; what lives on of its group got it.
    SentAfterExit,
    /// Nothing was sent: the child had exited, and nothing lives on in its group.
    AlreadyOver,
    /// Nothing was sent: the system has no such signal (Windows).
    Unsupported,
}

/// What [`Tree::end_step`] wants next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndStep {
    /// Call again after this time (at most [`MAX_STEP_WAIT`]).
    Again(Duration),
    /// Nothing of the tree is alive any more.
    Done(Ended),
}

/// The longest pause that [`EndStep::Again`] asks for.
pub const MAX_STEP_WAIT: Duration = Duration::from_millis(20);

/// What ending a tree came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// How many processes were sent `SIGKILL` (Windows: 1 if the job was terminated).
    pub killed: usize,
    /// How many times the system's processes were looked through.
    pub rounds: u32,
    /// Process numbers that were still alive when the time was over; empty when all are gone.
    pub left: Vec<u32>,
}

// A tree may be ended in a blocking task or a thread of its own.
const _: () = {
    const fn can_move_and_be_shared<T: Send + Sync>() {}
    can_move_and_be_shared::<Tree>();
    can_move_and_be_shared::<ExitWatch>();
};
