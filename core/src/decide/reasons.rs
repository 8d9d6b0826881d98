//! The sentences: each names the command, says what happened, and quotes the best reason there is.

use super::Verdict;
use crate::envelope::{ErrorClass, ErrorCode, ErrorSource, RunError};
use crate::exit::{SpawnError, SpawnErrorKind, TimeLimit};
use crate::tally::failures::{Failure, class_of};
use crate::tally::truncate;
use alloc::format;
use alloc::string::{String, ToString};

/// Bytes of standard error that a message quotes at most.
const QUOTED: usize = 2048;

impl Verdict<'_> {
    pub(super) fn not_started(&self, error: &SpawnError) -> RunError {
        use SpawnErrorKind as Kind;
        let (class, fault) = match error.kind {
            Kind::ProgramNotFound => (ErrorClass::NotFound, "the program was not found"),
            Kind::NotExecutable => (ErrorClass::NotExecutable, "the program may not be executed"),
            Kind::WorkingDirectoryNotFound => (ErrorClass::WorkingDirectory, "the working directory does not exist"),
            Kind::NotADirectory => (ErrorClass::WorkingDirectory, "the working directory is not a directory"),
            Kind::WorkingDirectoryDenied => (ErrorClass::WorkingDirectory, "the working directory may not be entered"),
            Kind::ArgumentTooLong => (ErrorClass::ArgumentTooLong, "the command line is too long"),
            Kind::Other => (ErrorClass::Unknown, "it could not be started"),
        };
        RunError {
            code: ErrorCode::ExecutorUnavailable,
            class,
            message: format!("executor '{}' is unavailable: {fault}: {}", self.command, error.message),
            source: ErrorSource::Host,
        }
    }

    pub(super) fn cancelled(&self) -> RunError {
        RunError {
            code: ErrorCode::ExecutorCancelled,
            class: ErrorClass::Interrupted,
            message: format!("executor '{}' was cancelled by the host", self.command),
            source: ErrorSource::Host,
        }
    }

    pub(super) fn turn_cancelled(&self) -> RunError {
        RunError {
            code: ErrorCode::ExecutorCancelled,
            class: ErrorClass::Interrupted,
            message: format!("executor '{}': its last turn was interrupted", self.command),
            source: ErrorSource::Stdout,
        }
    }

    pub(super) fn timed_out(&self, limit: TimeLimit) -> RunError {
        let what = match limit {
            TimeLimit::Total => "the run took longer than its time limit",
            TimeLimit::Idle => "nothing was printed for longer than the idle limit",
            TimeLimit::FirstEvent => "the first event did not come in time",
        };
        RunError {
            code: ErrorCode::ExecutorTimedOut,
            class: ErrorClass::Timeout,
            message: format!("executor '{}' was ended: {what}", self.command),
            source: ErrorSource::Host,
        }
    }

    pub(super) fn reported(&self, failure: Failure) -> RunError {
        let label = if failure.label.is_empty() { String::new() } else { format!(" ({})", failure.label) };
        RunError {
            code: ErrorCode::ExecutorRunFailed,
            class: failure.class,
            message: format!("executor '{}' reported failure{label}: {}", self.command, failure.message),
            source: ErrorSource::Stdout,
        }
    }

    pub(super) fn killed(&self, signal: i32) -> RunError {
        let name = signal_name(signal).map(|name| format!(" ({name})")).unwrap_or_default();
        let what = format!("it was killed by signal {signal}{name} that nobody here sent");
        // What it said last is worth quoting, but a signal is its own class: the words may be about anything.
        let said =
            self.stderr_reason().map(|(reason, _)| format!("; standard error says: {reason}")).unwrap_or_default();
        self.error(ErrorClass::Exit, ErrorSource::Exit, what + &said)
    }

    pub(super) fn exited(&self, code: i32) -> RunError {
        match self.stderr_reason() {
            Some((reason, class)) => RunError {
                class: class.unwrap_or(ErrorClass::Exit),
                ..self.error(ErrorClass::Exit, ErrorSource::Stderr, format!("it exited with code {code}: {reason}"))
            },
            None => self.error(
                ErrorClass::Exit,
                ErrorSource::Exit,
                format!("it exited with code {code} and gave no reason"),
            ),
        }
    }

    pub(super) fn truncated(&self, what: &str) -> RunError {
        self.error(ErrorClass::Truncated, ErrorSource::Host, what.to_string())
    }

    pub(super) fn interrupted(&self) -> RunError {
        self.quoting(
            ErrorClass::Interrupted,
            "its stream ended without the terminal record, so there is no final result",
        )
    }

    pub(super) fn no_result(&self) -> RunError {
        self.quoting(ErrorClass::NoResult, "it ended without a result")
    }

    fn quoting(&self, class: ErrorClass, what: &str) -> RunError {
        match self.stderr_reason() {
            Some((reason, better)) => RunError {
                class: better.unwrap_or(class),
                ..self.error(class, ErrorSource::Stderr, format!("{what}; standard error says: {reason}"))
            },
            None => self.error(class, ErrorSource::Stdout, what.to_string()),
        }
    }

    /// What standard error says: the line that a rule of the profile names, else its tail. With the class where one
    /// is known.
    fn stderr_reason(&self) -> Option<(String, Option<ErrorClass>)> {
        let rules = self.profile.rules();
        let stderr = crate::ansi::strip(&self.stderr);
        for line in stderr.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some((_, class)) = rules.stderr.iter().find(|(pattern, _)| pattern.matches(line)) {
                let class = class.or_else(|| known(class_of(&rules.classes, "", line)));
                return Some((cut(line), class));
            }
        }
        let text = stderr.trim();
        (!text.is_empty()).then(|| (cut(text), known(class_of(&rules.classes, "", text))))
    }
}

fn known(class: ErrorClass) -> Option<ErrorClass> {
    Some(class).filter(|class| *class != ErrorClass::Unknown)
}

/// The end of a text that is too long to quote whole.
fn cut(text: &str) -> String {
    if text.len() <= QUOTED {
        return text.to_string();
    }
    let mut from = text.len() - QUOTED;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut quoted = format!("… {}", text.get(from..).unwrap_or_default());
    truncate(&mut quoted, QUOTED + 8);
    quoted
}

/// The names of the signals that end processes, as POSIX numbers them on the systems in use.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}
