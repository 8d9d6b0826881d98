//! Why a turn of a session was refused.

use std::fmt;
use std::path::PathBuf;
use turnline::input::InputError;
use turnline::launch::LaunchError;

/// Why a turn of a session was refused. Nothing of it was written, and nothing was started for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionError {
    /// The executor cannot be told this, or not now.
    Input(InputError),
    /// There is no plan to start the executor for it.
    Launch(LaunchError),
    /// The executor cannot go on with a session: it takes one turn and no more.
    CannotResume {
        /// The executor, as messages name it.
        command: String,
    },
    /// The turns before have named no session that could be gone on with.
    SessionUnknown {
        /// The executor, as messages name it.
        command: String,
    },
    /// Another session of this process works in the directory.
    DirectoryBusy {
        /// The directory.
        directory: PathBuf,
    },
    /// The session was closed.
    Closed,
}

impl SessionError {
    /// The code to branch on: that of the input or launch error, or `session_cannot_resume`, `session_unknown`,
    /// `session_directory_busy`, `session_closed`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            SessionError::Input(error) => error.code(),
            SessionError::Launch(error) => error.code(),
            SessionError::CannotResume { .. } => "session_cannot_resume",
            SessionError::SessionUnknown { .. } => "session_unknown",
            SessionError::DirectoryBusy { .. } => "session_directory_busy",
            SessionError::Closed => "session_closed",
        }
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionError::Input(error) => error.fmt(f),
            SessionError::Launch(error) => error.fmt(f),
            SessionError::CannotResume { command } => {
                write!(f, "executor '{command}' was not told: it cannot go on with a session")
            }
            SessionError::SessionUnknown { command } => {
                write!(f, "executor '{command}' was not told: its turns before have named no session to go on with")
            }
            SessionError::DirectoryBusy { directory } => {
                write!(f, "another session works in {}", directory.display())
            }
            SessionError::Closed => f.write_str("the session was closed"),
        }
    }
}

impl std::error::Error for SessionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SessionError::Input(error) => Some(error),
            SessionError::Launch(error) => Some(error),
            _ => None,
        }
    }
}

impl From<InputError> for SessionError {
    fn from(error: InputError) -> Self {
        SessionError::Input(error)
    }
}

impl From<LaunchError> for SessionError {
    fn from(error: LaunchError) -> Self {
        SessionError::Launch(error)
    }
}
