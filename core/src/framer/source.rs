//! The bytes that lines are cut from: one buffer. New bytes go behind the old ones; only what is not consumed yet is ever
//! moved, and only when room is needed.

use alloc::vec::Vec;

/// Holds what came and is not consumed.
pub(super) struct Source {
    /// It is never cut to what counts, so that what is behind costs no clearing when it is read into.
    buffer: Vec<u8>,
    /// `start..end` is not consumed.
    start: usize,
    /// No line end is before it.
    searched: usize,
    /// Behind the last line end; of lines before it no part is missing.
    complete: usize,
    end: usize,
    limit: usize,
}

/// The first room that is made: a pipe's usual read.
const FIRST: usize = 8 * 1024;
/// Room over this much is given back when a line that needed it is gone. Lines of some megabytes are not rare (files read by
/// tools): making room for each of them anew would cost more than reading them.
pub(super) const KEEP: usize = 4 * 1024 * 1024;

/// Of so few bytes each is looked at: a call takes longer.
const FEW: usize = 8;

impl Source {
    /// `limit`: bytes of the longest line that is wanted whole.
    pub(super) fn new(limit: usize) -> Self {
        Source { buffer: Vec::new(), start: 0, searched: 0, complete: 0, end: 0, limit }
    }

    /// What the places of lines are of.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// What is not consumed.
    #[inline]
    pub(super) fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Of that, the lines that are there with their ends.
    #[inline]
    pub(super) fn whole_lines(&self) -> &[u8] {
        self.buffer.get(self.start..self.complete).unwrap_or_default()
    }

    /// How much of what is unread holds no line end.
    #[inline]
    pub(super) fn searched(&self) -> usize {
        self.searched - self.start
    }

    /// So much of what is unread holds no line end.
    #[inline]
    pub(super) fn searched_to(&mut self, passed: usize) {
        self.searched = self.searched.max(self.start.saturating_add(passed).min(self.end));
    }

    /// Whether there is a line end behind what was searched.
    #[inline]
    pub(super) fn has_line_end(&self) -> bool {
        self.searched < self.complete
    }

    /// Consumes so many bytes and tells the place where they begin.
    #[inline]
    pub(super) fn consume(&mut self, count: usize) -> usize {
        let start = self.start;
        self.start = start + count;
        self.searched = self.start;
        start
    }

    /// Drops what is unread but for its first bytes.
    pub(super) fn keep(&mut self, first: usize) {
        self.end = self.end.min(self.start + first);
        self.searched = self.end;
    }

    /// How much the buffer has room for.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.buffer.capacity()
    }

    /// Copies bytes behind what is there.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        // What was in use before is written over; behind that nothing has to be cleared first.
        let used = self.buffer.len().min(self.end + bytes.len());
        let (there, behind) = bytes.split_at(used - self.end);
        self.buffer[self.end..used].copy_from_slice(there);
        if !behind.is_empty() {
            self.buffer.extend_from_slice(behind);
        }
        self.came(bytes.len());
    }

    /// Room for at least `min` bytes, to be read into; what it holds is arbitrary.
    pub(super) fn space(&mut self, min: usize) -> &mut [u8] {
        self.reserve(min);
        if self.buffer.len() - self.end < min {
            // All there is at once: it is cleared only now, and never again.
            self.buffer.resize(self.buffer.capacity(), 0);
        }
        &mut self.buffer[self.end..]
    }

    /// The first `count` bytes of the room were filled, or all of it; tells how many.
    pub(super) fn filled(&mut self, count: usize) -> usize {
        let count = count.min(self.buffer.len() - self.end);
        self.came(count);
        count
    }

    /// So many bytes came in behind the others.
    #[inline]
    fn came(&mut self, count: usize) {
        let new = self.buffer.get(self.end..self.end + count).unwrap_or_default();
        let last = if count < FEW { new.iter().rposition(|byte| *byte == b'\n') } else { memchr::memrchr(b'\n', new) };
        if let Some(last) = last {
            self.complete = self.end + last + 1;
        }
        self.end += count;
    }

    #[inline]
    fn reserve(&mut self, min: usize) {
        let room = self.buffer.capacity();
        if room - self.end < min || room > KEEP {
            self.make_room(min);
        }
    }

    /// Makes room behind `end`: moves what is not consumed to the front, then grows, or shrinks what has grown too large.
    #[cold]
    fn make_room(&mut self, min: usize) {
        let held = self.end - self.start;
        let needed = held.saturating_add(min);
        let room = self.buffer.capacity();
        let too_large = room > KEEP && needed < room / 4;
        if !too_large && room - self.end >= min {
            return;
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.searched -= self.start;
        self.complete = self.complete.saturating_sub(self.start);
        self.end = held;
        self.start = 0;
        if too_large {
            self.buffer.truncate(held);
            self.buffer.shrink_to(needed.max(FIRST));
        } else if needed > room {
            // Twice as much, so that moving stays linear, but never more than the longest line and what comes now need.
            let most = self.limit.saturating_add(min).saturating_add(2);
            let grown = needed.max(FIRST).max(most.min(room.saturating_mul(2)));
            self.buffer.reserve_exact(grown - self.buffer.len());
        }
    }
}
