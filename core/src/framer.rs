//! Bytes to lines. Knows line ends and bounds, nothing of what is on a line.
//!
//! One buffer: new bytes go behind the old ones, lines are spans of it. The search for a line end never starts over; only
//! what is not consumed yet is ever moved, and only when room is needed.

use alloc::vec::Vec;
use core::ops::Range;

#[cfg(test)]
mod tests;

/// How a stream is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// At every LF.
    Lines,
    /// Not at all: the whole stream is one line.
    Document,
}

/// A line: a span of [`Framer::buffer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) start: usize,
    /// Without the LF and one CR before it.
    pub(crate) end: usize,
    /// From 1, blank lines counted.
    pub(crate) number: u64,
    /// It was longer than the limit: the span holds only its first bytes.
    pub(crate) oversize: bool,
    /// Bytes of the whole line, those that were discarded among them.
    pub(crate) size: u64,
}

impl Line {
    pub(crate) fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Cuts a stream into lines, whatever the chunks it comes in.
///
/// Lines stay readable in [`buffer`](Self::buffer) until bytes are put in again. Between two calls that put bytes in,
/// [`next_line`](Self::next_line) is to be called until it has none: then no more than the limit and one chunk are held.
pub(crate) struct Framer {
    /// `start..end` is what counts; it is never cut to that, so that what is behind costs no clearing when it is read into.
    buffer: Vec<u8>,
    start: usize,
    /// No line end is before it.
    searched: usize,
    /// Behind the last line end; of lines before it no part is missing.
    complete: usize,
    end: usize,
    framing: Framing,
    limit: usize,
    preview: usize,
    /// The line is over the limit: what comes of it is dropped, its first bytes are at `start..searched`.
    discarding: bool,
    /// How many bytes of it were dropped so far.
    dropped: u64,
    /// Whether a byte order mark may still come.
    at_start: bool,
    /// Of a document: whether the last byte seen was an LF.
    ends_in_lf: bool,
    /// Of a line over the limit: whether the last byte dropped was a CR.
    ends_in_cr: bool,
    eof: bool,
    bytes: u64,
    lines: u64,
}

const BOM: &[u8] = b"\xEF\xBB\xBF";
/// The first room that is made: a pipe's usual read.
const FIRST: usize = 8 * 1024;
/// Room over this much is given back when a line that needed it is gone. Lines of some megabytes are not rare (files read by
/// tools): making room for each of them anew would cost more than reading them.
const KEEP: usize = 4 * 1024 * 1024;

impl Framer {
    /// `limit`: bytes of the longest line; `preview`: how many first bytes of a longer one are kept.
    pub(crate) fn new(framing: Framing, limit: usize, preview: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            complete: 0,
            end: 0,
            framing,
            // The scanner reads no longer ones.
            limit: limit.min(i32::MAX as usize),
            preview: preview.min(limit),
            discarding: false,
            dropped: 0,
            at_start: true,
            ends_in_lf: false,
            ends_in_cr: false,
            eof: false,
            bytes: 0,
            lines: 0,
        }
    }

    /// Takes bytes in.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
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

    /// So many bytes came in behind the others.
    #[inline]
    fn came(&mut self, count: usize) {
        let new = self.buffer.get(self.end..self.end + count).unwrap_or_default();
        if let Some(last) = memchr::memrchr(b'\n', new) {
            self.complete = self.end + last + 1;
        }
        self.end += count;
        self.bytes += count as u64;
    }

    /// Room for at least `min` bytes, to be read into; what it holds is arbitrary.
    pub(crate) fn space(&mut self, min: usize) -> &mut [u8] {
        self.reserve(min);
        if self.buffer.len() - self.end < min {
            // All there is at once: it is cleared only now, and never again.
            self.buffer.resize(self.buffer.capacity(), 0);
        }
        &mut self.buffer[self.end..]
    }

    #[inline]
    fn reserve(&mut self, min: usize) {
        let room = self.buffer.capacity();
        if room - self.end < min || room > KEEP {
            self.make_room(min);
        }
    }

    /// The first `count` bytes of the room were filled.
    pub(crate) fn filled(&mut self, count: usize) {
        self.came(count.min(self.buffer.len() - self.end));
    }

    /// Nothing more comes: what is left is the last line.
    pub(crate) fn eof(&mut self) {
        self.eof = true;
    }

    /// The next line, blank ones included; none until more bytes come.
    pub(crate) fn next_line(&mut self) -> Option<Line> {
        if self.at_start && !self.drop_bom() {
            return None;
        }
        match self.framing {
            Framing::Lines => self.cut_line(),
            Framing::Document => self.whole(),
        }
    }

    /// All lines that are there with their ends, if they begin with an object: mostly the next line is that object, and to look
    /// for its end first would be to read it twice.
    #[inline]
    pub(crate) fn objects(&self) -> Option<&[u8]> {
        let lines = self.buffer.get(self.start..self.complete)?;
        let usual = self.framing == Framing::Lines && !self.at_start && !self.discarding;
        (usual && lines.first() == Some(&b'{')).then_some(lines)
    }

    /// The next line, of which `passed` bytes were read and hold no line end.
    #[inline]
    pub(crate) fn next_line_from(&mut self, passed: usize) -> Option<Line> {
        let at = self.start + passed;
        match self.buffer.get(at..self.end) {
            Some([b'\n', ..]) => {
                // A CR may have been passed as white space.
                let cr = self.buffer.get(self.start..at).is_some_and(|passed| passed.last() == Some(&b'\r'));
                Some(self.line(at, cr, at + 1))
            }
            Some([b'\r', b'\n', ..]) => Some(self.line(at + 1, true, at + 2)),
            _ => {
                self.searched = self.searched.max(at.min(self.end));
                self.next_line()
            }
        }
    }

    /// What the spans of lines are of.
    pub(crate) fn buffer(&self) -> &[u8] {
        &self.buffer[..self.end]
    }

    /// All bytes that came.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// All lines that were cut so far, blank ones and one without LF at the end included. Of a document, its lines.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// Whether the stream's beginning is behind us; drops a byte order mark there.
    fn drop_bom(&mut self) -> bool {
        let head = &self.buffer[self.start..self.end];
        if head.starts_with(BOM) {
            self.start += BOM.len();
            self.searched = self.start;
        } else if BOM.starts_with(head) && !self.eof {
            return false;
        }
        self.at_start = false;
        true
    }

    fn cut_line(&mut self) -> Option<Line> {
        // Where no line end came there is none to look for.
        let unread = self.buffer.get(self.searched..self.complete).unwrap_or_default();
        if let Some(found) = memchr::memchr(b'\n', unread) {
            let lf = self.searched + found;
            // Of a line that is discarded the byte before may be gone.
            let cr = if lf == self.searched && self.discarding {
                self.ends_in_cr
            } else {
                self.buffer[self.start..lf].last() == Some(&b'\r')
            };
            return Some(self.line(lf, cr, lf + 1));
        }
        self.searched = self.end;
        if self.eof {
            return self.last_line();
        }
        // One byte more may be the CR of a line of exactly the limit.
        self.bound(self.limit.saturating_add(1));
        None
    }

    fn whole(&mut self) -> Option<Line> {
        let unseen = &self.buffer[self.searched..self.end];
        if let Some(last) = unseen.last() {
            self.ends_in_lf = *last == b'\n';
            self.lines += memchr::memchr_iter(b'\n', unseen).count() as u64;
        }
        self.searched = self.end;
        if !self.eof {
            self.bound(self.limit);
            return None;
        }
        let lines = self.lines;
        let line = self.last_line()?;
        self.lines = lines + u64::from(!self.ends_in_lf);
        Some(Line { number: 1, ..line })
    }

    /// What is left at the end of the stream.
    fn last_line(&mut self) -> Option<Line> {
        // A stream of nothing but a byte order mark has a line, with nothing on it.
        let only_mark = self.lines == 0 && self.bytes == BOM.len() as u64 && self.start == self.end;
        (self.start < self.end || self.discarding || only_mark).then(|| self.line(self.end, false, self.end))
    }

    /// The line that began at `start`, ended at `end` (a CR included) and has another behind it at `next`.
    fn line(&mut self, end: usize, cr: bool, next: usize) -> Line {
        let held = end - self.start;
        let size = held as u64 + core::mem::take(&mut self.dropped) - u64::from(cr);
        let oversize = size > self.limit as u64;
        let shown = if oversize { self.preview } else { held - usize::from(cr) };
        self.lines += 1;
        let line = Line { start: self.start, end: self.start + shown, number: self.lines, oversize, size };
        self.start = next;
        self.searched = next;
        self.discarding = false;
        line
    }

    /// Drops what came of a line that is over the limit, its first bytes apart.
    fn bound(&mut self, most: usize) {
        if self.discarding || self.end - self.start > most {
            self.discarding = true;
            let kept = self.end.min(self.start + self.preview);
            if kept < self.end {
                self.ends_in_cr = self.buffer[self.end - 1] == b'\r';
                self.dropped += (self.end - kept) as u64;
                self.end = kept;
            }
            self.searched = kept;
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
