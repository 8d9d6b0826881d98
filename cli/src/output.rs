//! Standard output: collected in one buffer, written in large pieces, and quiet when the reader has gone.

use crate::failure::Failure;
use crate::transcript::Paint;
use anstream::{AutoStream, ColorChoice};
use std::io::{self, Write};

/// The buffer is written when it holds this much, at the latest.
const WRITE: usize = 128 << 10;
/// What one huge event made of the buffer is given back above this.
const KEEP: usize = 1 << 20;

/// Where the output goes.
pub(crate) struct Output {
    sink: Box<dyn Write>,
    buffer: Vec<u8>,
}

impl Output {
    /// Output for programs: never coloured.
    pub(crate) fn plain() -> Self {
        Output { sink: Box::new(io::stdout().lock()), buffer: Vec::with_capacity(WRITE + (WRITE >> 1)) }
    }

    /// Output for people, and whether it is coloured: on a terminal, unless `NO_COLOR` or `CLICOLOR` say otherwise;
    /// elsewhere where `CLICOLOR_FORCE` says so.
    pub(crate) fn for_people() -> (Self, Paint) {
        let stdout = io::stdout().lock();
        match AutoStream::choice(&stdout) {
            ColorChoice::Never => (Output::plain(), Paint::plain()),
            // The wrapper knows how to make an old Windows console understand colours.
            choice => {
                let sink = Box::new(AutoStream::new(stdout, choice));
                (Output { sink, buffer: Vec::with_capacity(WRITE) }, Paint::coloured())
            }
        }
    }

    /// The buffer to append to; [`relieve`](Output::relieve) or [`flush`](Output::flush) write it.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes the buffer if it has become large.
    pub(crate) fn relieve(&mut self) -> Result<(), Failure> {
        if self.buffer.len() >= WRITE { self.flush() } else { Ok(()) }
    }

    /// Writes the buffer, so that the reader sees it now.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.send().map_err(|error| Failure::writing(&error))
    }

    /// The same, with the system's own reason.
    pub(crate) fn send(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let written = self.sink.write_all(&self.buffer).and_then(|()| self.sink.flush());
        self.buffer.clear();
        self.buffer.shrink_to(KEEP);
        written
    }
}
