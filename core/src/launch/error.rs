//! Why a request became no plan.

use crate::envelope::{ErrorClass, ErrorCode, ErrorSource, RunError};
use alloc::format;
use alloc::string::String;
use core::fmt;

/// Why a request became no plan. Nothing was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    kind: LaunchErrorKind,
    message: String,
}

/// What is wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LaunchErrorKind {
    /// The caller asked for something that makes no sense or that the executor does not have.
    RequestInvalid,
    /// The working directory cannot be named.
    WorkingDirectory,
    /// What would go onto the command line is over the bound.
    ArgumentTooLong,
    /// The program starts only through a command shell.
    ShellShim,
}

impl LaunchErrorKind {
    /// Its stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            LaunchErrorKind::RequestInvalid => "request_invalid",
            LaunchErrorKind::WorkingDirectory => "working_directory",
            LaunchErrorKind::ArgumentTooLong => "argument_too_long",
            LaunchErrorKind::ShellShim => "shell_shim",
        }
    }
}

impl LaunchError {
    pub(crate) fn new(kind: LaunchErrorKind, command: &str, why: impl fmt::Display) -> Self {
        LaunchError { kind, message: format!("executor '{command}' was not started: {why}") }
    }

    pub(crate) fn invalid(command: &str, why: impl fmt::Display) -> Self {
        LaunchError::new(LaunchErrorKind::RequestInvalid, command, why)
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> LaunchErrorKind {
        self.kind
    }

    /// The code to branch on: `request_invalid`, `executor_run_failed` or `executor_unavailable`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.kind {
            LaunchErrorKind::RequestInvalid => "request_invalid",
            LaunchErrorKind::ArgumentTooLong => ErrorCode::ExecutorRunFailed.as_str(),
            LaunchErrorKind::WorkingDirectory | LaunchErrorKind::ShellShim => ErrorCode::ExecutorUnavailable.as_str(),
        }
    }

    /// What a caller can do about it.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self.kind {
            LaunchErrorKind::RequestInvalid => ErrorClass::InvalidRequest,
            LaunchErrorKind::WorkingDirectory => ErrorClass::WorkingDirectory,
            LaunchErrorKind::ArgumentTooLong => ErrorClass::ArgumentTooLong,
            LaunchErrorKind::ShellShim => ErrorClass::ShellShim,
        }
    }

    /// A sentence for people; it names the command in single quotes.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The same as an error of an envelope, for hosts that report every request with one. `None` for a request that
    /// was wrong in itself: that is the caller's error, not a run's.
    #[must_use]
    pub fn run_error(&self) -> Option<RunError> {
        let code = match self.kind {
            LaunchErrorKind::RequestInvalid => return None,
            LaunchErrorKind::ArgumentTooLong => ErrorCode::ExecutorRunFailed,
            LaunchErrorKind::WorkingDirectory | LaunchErrorKind::ShellShim => ErrorCode::ExecutorUnavailable,
        };
        Some(RunError { code, class: self.class(), message: self.message.clone(), source: ErrorSource::Host })
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for LaunchError {}
