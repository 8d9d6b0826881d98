//! The ways of reading a stream that are compared.

mod ours;
mod texts;
mod usual;

pub use ours::{create, run, serialize};

use turnline::Profile;

/// A way of reading a stream. Each reads the whole of it and drops what it made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Splits lines with memchr and looks at nothing: the floor under all others.
    Floor,
    /// `tokio_util::codec::LinesCodec` and a `serde_json::Value` a line, errors skipped: what everybody writes first.
    Naive,
    /// memchr and `serde_json::IgnoredAny`: a check that each line is JSON, and nothing kept of it.
    IgnoredAny,
    /// turnline, all events seen, no text read.
    Lazy,
    /// turnline, each text of each event decoded into one buffer.
    Decoded,
    /// turnline, each event detached from the parser.
    Owned,
    /// turnline, each event written as JSON, as the command does.
    Json,
}

impl Reader {
    /// All of them, in the order of the tables.
    pub const ALL: [Reader; 7] =
        [Reader::Floor, Reader::Naive, Reader::IgnoredAny, Reader::Lazy, Reader::Decoded, Reader::Owned, Reader::Json];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Reader::Floor => "floor",
            Reader::Naive => "naive",
            Reader::IgnoredAny => "IgnoredAny",
            Reader::Lazy => "lazy",
            Reader::Decoded => "decoded",
            Reader::Owned => "owned",
            Reader::Json => "json",
        }
    }

    /// Reads the stream in chunks of `chunk` bytes; gives the number of lines, values or events.
    ///
    /// # Panics
    ///
    /// When `chunk` is 0.
    #[must_use]
    pub fn read(self, stream: &[u8], chunk: usize, profile: &Profile) -> usize {
        let chunks = stream.chunks(chunk);
        match self {
            Reader::Floor => usual::floor(chunks),
            Reader::Naive => usual::naive(chunks),
            Reader::IgnoredAny => usual::ignored_any(chunks),
            Reader::Lazy => ours::lazy(chunks, profile),
            Reader::Decoded => ours::decoded(chunks, profile),
            Reader::Owned => ours::owned(chunks, profile),
            Reader::Json => ours::json(chunks, profile),
        }
    }
}

/// The size in which streams are handed over where nothing else is said: what a pipe gives at once.
pub const CHUNK: usize = 64 << 10;
