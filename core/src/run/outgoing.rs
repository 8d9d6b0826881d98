//! What is still to be written to standard input.

use super::facts::Action;

/// What a pipe takes without anybody reading it, at most, where its size was not changed.
const PIPE: usize = 64 << 10;

/// How far the writing has come. The bytes themselves are elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outgoing {
    len: usize,
    written: usize,
    /// The driver is asked to write.
    in_flight: bool,
    /// Nothing is added any more: closed when all is written.
    complete: bool,
    /// Nothing more is to be written.
    stopped: bool,
    open: bool,
    close_wanted: bool,
    /// The host goes on talking, or did.
    converses: bool,
}

impl Outgoing {
    /// There is no standard input to write to.
    pub(super) fn none() -> Self {
        Outgoing {
            len: 0,
            written: 0,
            in_flight: false,
            complete: true,
            stopped: false,
            open: false,
            close_wanted: false,
            converses: false,
        }
    }

    /// So many bytes, then it is closed.
    pub(super) fn prompt(len: usize) -> Self {
        Outgoing { len, open: true, ..Outgoing::none() }
    }

    /// It stays open until the host says that no more comes.
    pub(super) fn conversation() -> Self {
        Outgoing { complete: false, open: true, converses: true, ..Outgoing::none() }
    }

    /// Adds bytes; false when they can no longer be written.
    pub(super) fn add(&mut self, more: usize) -> bool {
        let takes = self.open && !self.complete && !self.stopped;
        if takes {
            self.len += more;
        }
        takes
    }

    pub(super) fn complete(&mut self) {
        self.complete = true;
    }

    pub(super) fn wrote(&mut self, bytes: usize) {
        if self.in_flight {
            self.in_flight = false;
            self.written = self.len.min(self.written.saturating_add(bytes));
        }
    }

    /// It broke; true when that is news.
    pub(super) fn broken(&mut self) -> bool {
        let news = self.open;
        self.close();
        news
    }

    /// Writes no more, but leaves it open: half a prompt must not look like a whole one.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    pub(super) fn close(&mut self) {
        if self.open {
            self.open = false;
            self.close_wanted = true;
        }
    }

    /// The host may still say something.
    pub(super) fn talks(&self) -> bool {
        self.open && !self.complete && !self.stopped
    }

    /// It is one that the host goes on talking to, or did.
    pub(super) fn converses(&self) -> bool {
        self.converses
    }

    /// All that was added is written, and the driver holds none of it.
    pub(super) fn is_flushed(&self) -> bool {
        self.written == self.len && !self.in_flight
    }

    /// What is not written yet.
    #[cfg(test)]
    pub(super) fn left(&self) -> Option<core::ops::Range<usize>> {
        (self.written < self.len).then_some(self.written..self.len)
    }

    /// It was to get more than it took.
    pub(super) fn is_cut(&self) -> bool {
        self.open && self.complete && !self.is_flushed()
    }

    /// It is more than a pipe takes by itself. Less is taken or refused as the other end is still there or no more, which is
    /// chance, and says nothing of what was read.
    pub(super) fn outgrows_a_pipe(&self) -> bool {
        self.len > PIPE
    }

    /// The bytes that were written are gone: counts from the beginning again.
    pub(super) fn rewind(&mut self) {
        if self.is_flushed() {
            self.len = 0;
            self.written = 0;
        }
    }

    pub(super) fn poll(&mut self) -> Option<Action> {
        if self.open && self.complete && !self.stopped && self.is_flushed() {
            self.close();
        }
        if self.close_wanted {
            self.close_wanted = false;
            return Some(Action::CloseStdin);
        }
        if self.open && !self.stopped && !self.in_flight && self.written < self.len {
            self.in_flight = true;
            return Some(Action::Write(self.written..self.len));
        }
        None
    }
}
