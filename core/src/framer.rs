//! Bytes to lines. Knows line ends and bounds, nothing of what is on a line.
//!
//! Lines are spans of one buffer (see [`Source`]). The search for a line end never starts over.

mod source;

#[cfg(test)]
mod tests;

use core::ops::Range;
use source::Source;

/// How a stream is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// At every LF.
    Lines,
    /// Not at all: the whole stream is one line.
    Document,
}

/// A line: a span of the bytes that came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
/// A line stays readable until bytes are put in again. Between two calls that put bytes in,
/// [`next_line`](Self::next_line) is to be called until it has none: then no more than the limit and one chunk are held.
pub(crate) struct Framer {
    source: Source,
    /// The line at hand. It is written where it is read: moving what was just written costs more than the rest of a short line.
    line: Line,
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

impl Framer {
    /// `limit`: bytes of the longest line; `preview`: how many first bytes of a longer one are kept.
    pub(crate) fn new(framing: Framing, limit: usize, preview: usize) -> Self {
        // The scanner reads no longer ones.
        let limit = limit.min(i32::MAX as usize);
        Self {
            source: Source::new(limit),
            line: Line::default(),
            framing,
            limit,
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
        self.source.push(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// Room for at least `min` bytes, to be read into; what it holds is arbitrary.
    pub(crate) fn space(&mut self, min: usize) -> &mut [u8] {
        self.source.space(min)
    }

    /// The first `count` bytes of the room were filled.
    pub(crate) fn filled(&mut self, count: usize) {
        self.bytes += self.source.filled(count) as u64;
    }

    /// Nothing more comes: what is left is the last line.
    pub(crate) fn eof(&mut self) {
        self.eof = true;
    }

    /// Goes on to the next line, blank ones included; false until more bytes come.
    pub(crate) fn next_line(&mut self) -> bool {
        if self.at_start && !self.drop_bom() {
            return false;
        }
        match self.framing {
            Framing::Lines => self.cut_line(),
            Framing::Document => self.whole(),
        }
    }

    /// Whether the line that is coming goes on as usual: no line is there, and there is nothing to drop.
    #[inline]
    pub(crate) fn waits(&self) -> bool {
        let usual = self.framing == Framing::Lines && !self.at_start && !self.discarding && !self.eof;
        usual && !self.source.has_line_end() && self.source.unread().len() <= self.limit
    }

    /// All lines that are there with their ends, if they begin with an object: mostly the next line is that object, and to look
    /// for its end first would be to read it twice.
    #[inline]
    pub(crate) fn objects(&self) -> Option<&[u8]> {
        let lines = self.source.whole_lines();
        let usual = self.framing == Framing::Lines && !self.at_start && !self.discarding;
        (usual && lines.first() == Some(&b'{')).then_some(lines)
    }

    /// Goes on to the next line, of which `passed` bytes were read and hold no line end.
    #[inline]
    pub(crate) fn next_line_from(&mut self, passed: usize) -> bool {
        let unread = self.source.unread();
        match unread.get(passed..) {
            Some([b'\n', ..]) => {
                // A CR may have been passed as white space.
                let cr = unread.get(..passed).is_some_and(|passed| passed.last() == Some(&b'\r'));
                self.cut(passed, cr, 1)
            }
            Some([b'\r', b'\n', ..]) => self.cut(passed + 1, true, 1),
            _ => {
                self.source.searched_to(passed);
                self.next_line()
            }
        }
    }

    /// The line at hand.
    pub(crate) fn line(&self) -> &Line {
        &self.line
    }

    /// Its bytes.
    #[inline]
    pub(crate) fn line_bytes(&self) -> &[u8] {
        self.source.bytes().get(self.line.span()).unwrap_or_default()
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
        let head = self.source.unread();
        if head.starts_with(BOM) {
            self.source.consume(BOM.len());
        } else if BOM.starts_with(head) && !self.eof {
            return false;
        }
        self.at_start = false;
        true
    }

    fn cut_line(&mut self) -> bool {
        // Where no line end came there is none to look for.
        let lines = self.source.whole_lines();
        let searched = self.source.searched();
        if let Some(found) = memchr::memchr(b'\n', lines.get(searched..).unwrap_or_default()) {
            let lf = searched + found;
            // Of a line that is discarded the byte before may be gone.
            let cr = if found == 0 && self.discarding {
                self.ends_in_cr
            } else {
                lines.get(..lf).is_some_and(|line| line.last() == Some(&b'\r'))
            };
            return self.cut(lf, cr, 1);
        }
        self.source.searched_to(usize::MAX);
        if self.eof {
            return self.last_line();
        }
        // One byte more may be the CR of a line of exactly the limit.
        self.bound(self.limit.saturating_add(1));
        false
    }

    fn whole(&mut self) -> bool {
        let unseen = self.source.unread().get(self.source.searched()..).unwrap_or_default();
        if let Some(last) = unseen.last() {
            self.ends_in_lf = *last == b'\n';
            self.lines += memchr::memchr_iter(b'\n', unseen).count() as u64;
        }
        self.source.searched_to(usize::MAX);
        if !self.eof {
            self.bound(self.limit);
            return false;
        }
        let lines = self.lines;
        let last = self.last_line();
        self.line.number = 1;
        self.lines = lines + u64::from(last && !self.ends_in_lf);
        last
    }

    /// What is left at the end of the stream.
    fn last_line(&mut self) -> bool {
        let left = self.source.unread().len();
        // A stream of nothing but a byte order mark has a line, with nothing on it.
        let only_mark = self.lines == 0 && self.bytes == BOM.len() as u64 && left == 0;
        (left > 0 || self.discarding || only_mark) && self.cut(left, false, 0)
    }

    /// Makes what is not read yet, up to `end` (a CR included), the line at hand; `line_end` bytes are behind it.
    #[inline(always)]
    fn cut(&mut self, end: usize, cr: bool, line_end: usize) -> bool {
        let size = end as u64 + core::mem::take(&mut self.dropped) - u64::from(cr);
        let oversize = size > self.limit as u64;
        let shown = if oversize { self.preview } else { end - usize::from(cr) };
        self.lines += 1;
        let start = self.source.consume(end + line_end);
        self.line = Line { start, end: start + shown, number: self.lines, oversize, size };
        self.discarding = false;
        true
    }

    /// Drops what came of a line that is over the limit, its first bytes apart.
    fn bound(&mut self, most: usize) {
        let unread = self.source.unread();
        if self.discarding || unread.len() > most {
            self.discarding = true;
            if unread.len() > self.preview {
                self.ends_in_cr = unread.last() == Some(&b'\r');
                self.dropped += (unread.len() - self.preview) as u64;
            }
            self.source.keep(self.preview);
        }
    }
}
