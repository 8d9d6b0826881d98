//! Reads the tokens of one line: strings through block masks, everything else byte by byte. Knows no paths.

use super::Malformed;
use super::bits::{BLOCK, Bits};
use super::blocks::{Blocks, Masks};

/// A string's end, and whether escapes are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Str {
    /// Where its closing quote is.
    pub(super) end: usize,
    pub(super) escaped: bool,
}

pub(super) struct Cursor<'l, B> {
    line: &'l [u8],
    /// Where the block that was read last begins.
    base: usize,
    /// Its masks, without the first byte: that one is an opening quote, or passed already.
    masks: Masks,
    blocks: Blocks<'l, B>,
}

/// Far from any place in a line.
const NO_BLOCK: usize = usize::MAX / 2;

impl<'l, B: Bits> Cursor<'l, B> {
    pub(super) fn new(line: &'l [u8]) -> Self {
        Self { line, base: NO_BLOCK, masks: Masks { marks: 0, slashes: 0 }, blocks: Blocks::new(line) }
    }

    #[inline(always)]
    pub(super) fn line(&self) -> &'l [u8] {
        self.line
    }

    /// Whether something before `end` has to be repaired when it is read as text.
    pub(super) fn repaired(&self, end: usize) -> bool {
        self.blocks.repaired(end)
    }

    /// Forgets the block, so that a place before it may be read again.
    pub(super) fn rewind(&mut self) {
        self.base = NO_BLOCK;
    }

    /// The byte at `at`; 0, which no token begins with, at the end.
    #[inline(always)]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.line.get(at).copied().unwrap_or(0)
    }

    /// Skips white space from `at` on and tells the byte after it.
    #[inline(always)]
    pub(super) fn token(&self, at: &mut usize) -> u8 {
        let byte = self.byte(*at);
        if byte > b' ' {
            return byte;
        }
        *at = super::skip_ws(self.line, *at);
        self.byte(*at)
    }

    /// Reads the string whose opening quote is at `open`.
    #[inline(always)]
    pub(super) fn string(&mut self, open: usize) -> Result<Str, Malformed> {
        let offset = open.wrapping_sub(self.base);
        if offset < BLOCK - 1 {
            let marks = self.masks.marks >> offset;
            let end = open + 1 + marks.trailing_zeros() as usize;
            if marks != 0 && self.byte(end) == b'"' {
                let slashes = self.masks.slashes >> offset;
                return Ok(Str { end, escaped: slashes & (marks ^ (marks - 1)) != 0 });
            }
        }
        self.long_string(open)
    }

    /// The same for a string that goes on behind the block, begins behind it or has a fault.
    #[inline(never)]
    fn long_string(&mut self, open: usize) -> Result<Str, Malformed> {
        let offset = open.wrapping_sub(self.base);
        let mut base = self.base;
        // The masks from the first byte of the block on, what is before the string taken out.
        let mut masks = Masks { marks: 0, slashes: 0 };
        if offset < BLOCK - 1 {
            masks.marks = self.masks.marks >> offset << offset << 1;
            masks.slashes = self.masks.slashes >> offset << offset << 1;
        } else {
            base = open;
            masks = self.blocks.first(base);
            masks.marks &= !1;
        }
        let mut escaped = 0;
        while masks.marks == 0 {
            escaped |= masks.slashes;
            base += BLOCK;
            if base >= self.line.len() {
                return Err(Malformed { at: self.line.len() });
            }
            masks = self.blocks.next(base);
        }
        self.base = base;
        self.masks = Masks { marks: masks.marks >> 1, slashes: masks.slashes >> 1 };
        let end = base + masks.marks.trailing_zeros() as usize;
        if self.byte(end) != b'"' {
            return Err(Malformed { at: end });
        }
        escaped |= masks.slashes & (masks.marks ^ (masks.marks - 1));
        Ok(Str { end, escaped: escaped != 0 })
    }

    /// Reads a number that begins at `at` and tells its end.
    #[inline(always)]
    pub(super) fn number(&self, mut at: usize) -> Result<usize, Malformed> {
        if self.byte(at) == b'-' {
            at += 1;
        }
        match self.byte(at) {
            b'0' => at += 1,
            b'1'..=b'9' => at = self.digits(at),
            _ => return Err(Malformed { at }),
        }
        if self.byte(at) == b'.' {
            at = self.some_digits(at + 1)?;
        }
        if matches!(self.byte(at), b'e' | b'E') {
            at += 1;
            if matches!(self.byte(at), b'+' | b'-') {
                at += 1;
            }
            at = self.some_digits(at)?;
        }
        Ok(at)
    }

    #[inline(always)]
    fn digits(&self, mut at: usize) -> usize {
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        at
    }

    #[inline(always)]
    fn some_digits(&self, at: usize) -> Result<usize, Malformed> {
        let end = self.digits(at);
        if end == at { Err(Malformed { at }) } else { Ok(end) }
    }

    /// Reads `word`, whose first byte was seen at `at`, and tells its end.
    #[inline(always)]
    pub(super) fn word<const N: usize>(&self, at: usize, word: &[u8; N]) -> Result<usize, Malformed> {
        let bytes = self.line().get(at..).and_then(|rest| rest.first_chunk::<N>());
        if bytes == Some(word) { Ok(at + N) } else { Err(Malformed { at }) }
    }
}
