//! Bytes to lines. Knows line ends and bounds, nothing of what is on a line.
//!
//! One buffer: new bytes go behind the old ones, lines are spans of it. The search for a line end never starts over; only
//! what is not consumed yet is ever moved, and only when room is needed.

use alloc::vec::Vec;
use core::ops::Range;

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
    /// Always as long as the room that there is, so that reading into it costs no clearing; `start..end` is what counts.
    buffer: Vec<u8>,
    start: usize,
    /// No line end is before it.
    searched: usize,
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
/// Room over this much is given back when a line that needed it is gone.
const KEEP: usize = 1024 * 1024;

impl Framer {
    /// `limit`: bytes of the longest line; `preview`: how many first bytes of a longer one are kept.
    pub(crate) fn new(framing: Framing, limit: usize, preview: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            end: 0,
            framing,
            // Spans are 32 bits wide.
            limit: limit.min(u32::MAX as usize - 1),
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
        self.space(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.filled(bytes.len());
    }

    /// Room for at least `min` bytes, to be read into; what it holds is arbitrary.
    pub(crate) fn space(&mut self, min: usize) -> &mut [u8] {
        if self.buffer.len() - self.end < min || self.buffer.len() > KEEP {
            self.make_room(min);
        }
        &mut self.buffer[self.end..]
    }

    /// The first `count` bytes of the room were filled.
    pub(crate) fn filled(&mut self, count: usize) {
        let count = count.min(self.buffer.len() - self.end);
        self.end += count;
        self.bytes += count as u64;
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
        if let Some(found) = memchr::memchr(b'\n', &self.buffer[self.searched..self.end]) {
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
        (self.start < self.end || self.discarding).then(|| self.line(self.end, false, self.end))
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
        let room = self.buffer.len();
        let too_large = room > KEEP && needed < room / 4;
        if !too_large && room - self.end >= min {
            return;
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.searched -= self.start;
        self.end = held;
        self.start = 0;
        if too_large {
            self.buffer.truncate(needed.max(FIRST));
            self.buffer.shrink_to_fit();
        } else if needed > room {
            // Twice as much, so that moving stays linear, but never more than the longest line and what comes now need.
            let most = self.limit.saturating_add(min).saturating_add(2);
            let grown = needed.max(FIRST).max(most.min(room.saturating_mul(2)));
            self.buffer.reserve_exact(grown - room);
            self.buffer.resize(grown, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};
    use alloc::vec;
    use proptest::prelude::*;

    const LIMIT: usize = 8;
    const PREVIEW: usize = 3;

    /// Number, text, and the size of those over the limit.
    type Lines = Vec<(u64, String, Option<u64>)>;

    fn take(framer: &mut Framer, lines: &mut Lines) {
        while let Some(line) = framer.next_line() {
            let text = String::from_utf8_lossy(&framer.buffer()[line.span()]).into_owned();
            assert!(line.oversize || line.size == line.span().len() as u64);
            lines.push((line.number, text, line.oversize.then_some(line.size)));
        }
    }

    /// The lines of `bytes` cut into chunks of the sizes given (over and over), then all counters.
    fn cut(framing: Framing, bytes: &[u8], sizes: &[usize]) -> (Lines, u64, u64) {
        let mut framer = Framer::new(framing, LIMIT, PREVIEW);
        let mut lines = Lines::new();
        let mut rest = bytes;
        for size in sizes.iter().cycle() {
            let (chunk, behind) = rest.split_at((*size).min(rest.len()));
            if size % 2 == 0 {
                framer.push(chunk);
            } else {
                framer.space(chunk.len())[..chunk.len()].copy_from_slice(chunk);
                framer.filled(chunk.len());
            }
            take(&mut framer, &mut lines);
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        framer.eof();
        take(&mut framer, &mut lines);
        assert_eq!(framer.next_line(), None);
        (lines, framer.bytes(), framer.lines())
    }

    fn check(bytes: &[u8], expected: &[(u64, &str, Option<u64>)], lines: u64) {
        let expected: Lines = expected.iter().map(|(n, text, over)| (*n, text.to_string(), *over)).collect();
        for sizes in [&[1000][..], &[1], &[2], &[3, 1], &[7, 2]] {
            let got = cut(Framing::Lines, bytes, sizes);
            assert_eq!(got, (expected.clone(), bytes.len() as u64, lines), "{sizes:?}");
        }
    }

    #[test]
    fn lines_end_at_lf_and_one_cr_is_dropped() {
        check(b"a\nb\r\nc\r\r\n\n", &[(1, "a", None), (2, "b", None), (3, "c\r", None), (4, "", None)], 4);
        check(b"a\rb\x0b\x0c\n", &[(1, "a\rb\x0b\x0c", None)], 1);
        check("a\u{2028}b\u{85}\n".as_bytes(), &[(1, "a\u{2028}b\u{85}", None)], 1);
    }

    #[test]
    fn a_last_line_without_lf_counts() {
        check(b"a\nb", &[(1, "a", None), (2, "b", None)], 2);
        check(b"", &[], 0);
        check(b"a\n", &[(1, "a", None)], 1);
        check(b"\r", &[(1, "\r", None)], 1);
    }

    #[test]
    fn a_byte_order_mark_is_dropped_at_the_start_only() {
        check(b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb\n", &[(1, "a", None), (2, "\u{FEFF}b", None)], 2);
        check(b"\xEF\xBB\xBF", &[], 0);
        check(b"\xEF\xBB", &[(1, "\u{FFFD}", None)], 1);
        check(b"\xEF\nb", &[(1, "\u{FFFD}", None), (2, "b", None)], 2);
        check(b"\xEF\xBB\xBF\n\xEF", &[(1, "", None), (2, "\u{FFFD}", None)], 2);
    }

    #[test]
    fn a_line_over_the_limit_is_told_once_with_its_first_bytes() {
        check(b"12345678\n", &[(1, "12345678", None)], 1);
        check(b"12345678\r\n", &[(1, "12345678", None)], 1);
        check(b"123456789\nb\n", &[(1, "123", Some(9)), (2, "b", None)], 2);
        check(b"12345678\r", &[(1, "123", Some(9))], 1);
        check(b"12\r456789abcdefghijklmnopqrst\nb", &[(1, "12\r", Some(29)), (2, "b", None)], 2);
        check(b"12345678\r\r\n", &[(1, "123", Some(9))], 1);
        check(b"1234567890123456789", &[(1, "123", Some(19))], 1);
    }

    #[test]
    fn a_document_is_one_line() {
        for sizes in [&[1000][..], &[1], &[2], &[3, 1]] {
            let document = |bytes: &[u8]| cut(Framing::Document, bytes, sizes);
            let one = |text: &str, over: Option<u64>| vec![(1, text.to_string(), over)];
            assert_eq!(document(b"{\n1\r\n}"), (one("{\n1\r\n}", None), 6, 3));
            assert_eq!(document(b"\xEF\xBB\xBF{}\n"), (one("{}\n", None), 6, 1));
            assert_eq!(document(b"1\n3\n5\n7\n9\n1"), (one("1\n3", Some(11)), 11, 6));
            assert_eq!(document(b"1\n3\n5\n7\n9\n"), (one("1\n3", Some(10)), 10, 5));
            assert_eq!(document(b"").0, vec![]);
        }
    }

    #[test]
    fn nothing_kept_is_nothing_shown() {
        let mut framer = Framer::new(Framing::Lines, 4, 0);
        framer.push(b"0123456789");
        assert_eq!(framer.next_line(), None);
        framer.eof();
        assert_eq!(framer.next_line(), Some(Line { start: 0, end: 0, number: 1, oversize: true, size: 10 }));
        assert_eq!(framer.next_line(), None);
    }

    #[test]
    fn memory_is_bounded_and_given_back() {
        let limit = 4 << 20;
        let mut framer = Framer::new(Framing::Lines, limit, 256);
        let chunk = [b'x'; 4096];
        for _ in 0..4 * limit / chunk.len() {
            framer.push(&chunk);
            assert_eq!(framer.next_line(), None);
            assert!(framer.buffer.capacity() <= limit + 2 * chunk.len());
        }
        framer.push(b"\na\n");
        let line = framer.next_line().unwrap();
        assert!(line.oversize && framer.buffer()[line.span()] == [b'x'; 256]);
        assert!(!framer.next_line().unwrap().oversize);
        framer.push(b"b\n");
        assert_eq!(framer.next_line().unwrap().number, 3);
        assert!(framer.buffer.capacity() <= KEEP);
        assert_eq!(framer.bytes(), 4 * limit as u64 + 5);
    }

    #[test]
    fn lines_stay_readable_until_more_comes() {
        let mut framer = Framer::new(Framing::Lines, 100, 10);
        framer.push(b"one\ntwo\nthree");
        let spans: Vec<_> = core::iter::from_fn(|| framer.next_line()).map(|line| line.span()).collect();
        let texts: Vec<_> = spans.into_iter().map(|span| &framer.buffer()[span]).collect();
        assert_eq!(texts, [&b"one"[..], b"two"]);
    }

    proptest! {
        #[test]
        fn chunks_change_nothing(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'a'), Just(0xEF), Just(0xBB), Just(0xBF)], 0..60),
            sizes in proptest::collection::vec(1_usize..12, 1..6),
        ) {
            for framing in [Framing::Lines, Framing::Document] {
                prop_assert_eq!(cut(framing, &bytes, &sizes), cut(framing, &bytes, &[1000]));
            }
        }
    }
}
