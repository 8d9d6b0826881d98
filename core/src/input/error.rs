//! Why something was not said.

use alloc::format;
use alloc::string::String;
use core::fmt;

/// Why something was not said to an executor. Nothing of it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    kind: InputErrorKind,
    message: String,
}

/// What is wrong with saying something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InputErrorKind {
    /// The executor, or this run of it, takes one prompt and no more.
    NotInteractive,
    /// The executor can be spoken to, but not told this.
    Unsupported,
    /// A turn without a text, or an image without data.
    Empty,
    /// A turn runs, and the host wanted no queue; or the queue is full.
    Busy,
    /// The executor has asked nothing under this id.
    UnknownRequest,
    /// Its request was answered already, or it has withdrawn it.
    AlreadyAnswered,
    /// Nothing can be said any more: the input has ended, or the run is over or being ended.
    Ended,
}

impl InputErrorKind {
    /// All kinds.
    pub const ALL: &'static [InputErrorKind] = &[
        InputErrorKind::NotInteractive,
        InputErrorKind::Unsupported,
        InputErrorKind::Empty,
        InputErrorKind::Busy,
        InputErrorKind::UnknownRequest,
        InputErrorKind::AlreadyAnswered,
        InputErrorKind::Ended,
    ];

    /// Its stable code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            InputErrorKind::NotInteractive => "input_not_interactive",
            InputErrorKind::Unsupported => "input_unsupported",
            InputErrorKind::Empty => "input_empty",
            InputErrorKind::Busy => "input_busy",
            InputErrorKind::UnknownRequest => "input_unknown_request",
            InputErrorKind::AlreadyAnswered => "input_already_answered",
            InputErrorKind::Ended => "input_ended",
        }
    }
}

impl InputError {
    /// A refusal of one's own: for drivers that refuse something before it reaches a run. The message names the command, and says
    /// why.
    #[must_use]
    pub fn new(kind: InputErrorKind, command: &str, why: impl fmt::Display) -> Self {
        InputError { kind, message: format!("executor '{command}' was not told: {why}") }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> InputErrorKind {
        self.kind
    }

    /// The code to branch on: [`InputErrorKind::as_str`].
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.kind.as_str()
    }

    /// A sentence for people; it names the command in single quotes.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for InputError {}
