//! How a run ended, told to the core as plain data by whoever saw it.

use alloc::string::String;

/// The facts about the end of a run that the stream itself does not hold.
///
/// ```
/// let mut exit = turnline::Exit::code(1);
/// exit.stderr_truncated = true;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exit {
    /// The exit code, where the process ended with one.
    pub code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// Set when the process could not be started at all.
    pub spawn_error: Option<SpawnError>,
    /// Set when a pipe to or from the process broke: what the system said.
    pub stream_error: Option<String>,
    /// True when only writing the prompt broke. It does not count against an executor that then ended clean with its
    /// terminal record, and is the last of the errors else. A [run](crate::run) tells it of prompts of more than 64 KiB alone: what a
    /// pipe takes by itself is taken or not by chance.
    pub prompt_pipe_only: bool,
    /// True when the host cancelled the run and the process had not ended by itself before.
    pub cancelled: bool,
    /// Set when a time limit of the host ended the run: which one.
    pub timed_out: Option<TimeLimit>,
    /// True when the driver itself ended a process that had printed its terminal record and would not go.
    pub ended_by_driver: bool,
    /// True when standard output was cut at a capture limit.
    pub stdout_truncated: bool,
    /// True when standard error was cut at a capture limit.
    pub stderr_truncated: bool,
    /// The command that was run where it is not the profile's own: errors name it.
    pub program: Option<String>,
    /// What to make of a non-zero exit after a clean terminal record.
    pub nonzero: NonzeroExit,
}

impl Exit {
    /// The process ended with this code.
    #[must_use]
    pub fn code(code: i32) -> Self {
        Exit { code: Some(code), ..Exit::default() }
    }

    /// The process was ended by this signal.
    #[must_use]
    pub fn signal(signal: i32) -> Self {
        Exit { signal: Some(signal), ..Exit::default() }
    }
}

/// Why a process could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpawnError {
    /// What is at fault.
    pub kind: SpawnErrorKind,
    /// What the system said.
    pub message: String,
}

impl SpawnError {
    /// A reason with the system's own words.
    #[must_use]
    pub fn new(kind: SpawnErrorKind, message: impl Into<String>) -> Self {
        SpawnError { kind, message: message.into() }
    }
}

/// What is at fault when a process could not be started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SpawnErrorKind {
    /// There is no such program.
    ProgramNotFound,
    /// The program may not be executed.
    NotExecutable,
    /// The working directory does not exist.
    WorkingDirectoryNotFound,
    /// The working directory is not a directory.
    NotADirectory,
    /// The working directory may not be entered.
    WorkingDirectoryDenied,
    /// The command line is longer than the system takes.
    ArgumentTooLong,
    /// Anything else.
    #[default]
    Other,
}

/// The time limits that can end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeLimit {
    /// The whole run took too long.
    Total,
    /// Nothing was printed for too long.
    Idle,
    /// The first event did not come in time.
    FirstEvent,
}

/// What a non-zero exit after a clean terminal record means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NonzeroExit {
    /// The run failed.
    #[default]
    Fails,
    /// The terminal record is believed.
    TerminalRecordWins,
}
