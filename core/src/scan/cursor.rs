//! Reads the tokens of one line: strings through block masks, everything else byte by byte. Knows no paths.

use super::Malformed;
use super::bits::{Bits, QUARTER};
use super::blocks::Blocks;

/// A string's end, and whether escapes are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Str {
    /// Where its closing quote is.
    pub(super) end: usize,
    pub(super) escaped: bool,
}

pub(super) struct Cursor<'l, B> {
    line: &'l [u8],
    blocks: Blocks<'l, B>,
}

impl<'l, B: Bits> Cursor<'l, B> {
    pub(super) fn new(line: &'l [u8]) -> Self {
        Self { line, blocks: Blocks::new(line) }
    }

    #[inline(always)]
    pub(super) fn line(&self) -> &'l [u8] {
        self.line
    }

    /// Whether something before `end` has to be repaired when it is read as text.
    pub(super) fn repaired(&self, end: usize) -> bool {
        self.blocks.repaired(end)
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
        let from = open + 1;
        if let Some(bytes) = self.line.get(from..).and_then(|rest| rest.first_chunk::<QUARTER>()) {
            let end = from + B::specials(bytes).trailing_zeros() as usize;
            if end < from + QUARTER && self.byte(end) == b'"' {
                return Ok(Str { end, escaped: false });
            }
        }
        self.longer_string(from)
    }

    /// The same for what is not both short and plain.
    #[inline(never)]
    fn longer_string(&mut self, from: usize) -> Result<Str, Malformed> {
        let mut at = from;
        for _ in 0..4 {
            let Some(bytes) = self.line.get(at..).and_then(|rest| rest.first_chunk::<QUARTER>()) else {
                break;
            };
            let specials = B::specials(bytes);
            if specials != 0 {
                let end = at + specials.trailing_zeros() as usize;
                if self.byte(end) == b'"' {
                    return Ok(Str { end, escaped: false });
                }
                break;
            }
            at += QUARTER;
        }
        // What is plain so far need not be read again.
        self.blocks.string(at)
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
