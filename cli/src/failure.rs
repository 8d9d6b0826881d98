//! Why a command could not do its work.

use crate::transcript::clean;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;
use turnline::ProfileError;

/// What ends a command before its verdict.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of standard output has gone; nothing is wrong.
    ReaderGone,
    /// A sentence for people.
    Message(String),
}

impl Failure {
    /// A file, or a stream, that could not be read.
    pub(crate) fn reading(what: impl Display, error: &io::Error) -> Self {
        Failure::Message(format!("cannot read {what}: {error}"))
    }

    /// Standard output that could not be written.
    pub(crate) fn writing(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Message(format!("cannot write to standard output: {error}")),
        }
    }

    /// A profile that was refused; `origin` is its file, where it came from one.
    pub(crate) fn profile(origin: Option<&Path>, error: &ProfileError) -> Self {
        let origin = origin.map(|path| format!("{}: ", path.display())).unwrap_or_default();
        Failure::Message(format!("{origin}{error}"))
    }
}

/// Writes a reason to standard error. Where that is closed too there is nobody to tell.
pub(crate) fn report(message: &str) {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "{style}error{style:#}: {}", clean::block(message));
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Failure::ReaderGone => "the reader has gone",
            Failure::Message(message) => message,
        })
    }
}
