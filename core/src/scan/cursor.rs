//! Reads the tokens of one record: strings through block masks, everything else byte by byte. Knows no paths.
//!
//! It has no state: what was noticed comes back with each token, so that the loops that read keep everything in registers.

use super::Malformed;
use super::bits::{Bits, QUARTER};
use super::blocks;

/// A string that was read, in one word: where its closing quote is (31 bits), and what is in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Str(u64);

impl Str {
    /// Bits above the place.
    const ESCAPED: u64 = 1 << 32;
    pub(super) const REPAIRED: u64 = 1 << 33;
    const FAULT: u64 = 1 << 34;

    #[inline(always)]
    pub(super) fn plain(end: usize) -> Self {
        Self(end as u64)
    }

    #[inline(always)]
    pub(super) fn new(end: usize, escaped: bool, repaired: bool) -> Self {
        Self(end as u64 | u64::from(escaped) << 32 | u64::from(repaired) << 33)
    }

    /// It is none: `at` is the place where that became clear.
    #[inline(always)]
    pub(super) fn fault(at: usize) -> Self {
        Self(at as u64 | Self::FAULT)
    }

    #[inline(always)]
    pub(super) fn end(self) -> usize {
        self.0 as u32 as usize
    }

    /// Whether escapes are in it.
    #[inline(always)]
    pub(super) fn escaped(self) -> bool {
        self.0 & Self::ESCAPED != 0
    }

    /// Its bits, of which [`REPAIRED`](Self::REPAIRED) tells that something in it has to be repaired.
    #[inline(always)]
    pub(super) fn bits(self) -> u64 {
        self.0
    }
}

/// The text that a record is read from. What is behind the record may be there too: the text of more lines.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'l, B> {
    text: &'l [u8],
    /// The line ends at an LF: one is no white space.
    lines: bool,
    bits: B,
}

impl<'l, B: Bits> Cursor<'l, B> {
    pub(super) fn new(bits: B, text: &'l [u8], lines: bool) -> Self {
        Self { text, lines, bits }
    }

    #[inline(always)]
    pub(super) fn bits(self) -> B {
        self.bits
    }

    #[inline(always)]
    pub(super) fn text(self) -> &'l [u8] {
        self.text
    }

    /// The byte at `at`; 0, which no token begins with, at the end.
    #[inline(always)]
    pub(super) fn byte(self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// Skips white space from `at` on and tells the byte after it.
    #[inline(always)]
    pub(super) fn token(self, at: &mut usize) -> u8 {
        let byte = self.byte(*at);
        if byte > b' ' {
            return byte;
        }
        *at = self.behind_space(*at);
        self.byte(*at)
    }

    #[inline(never)]
    fn behind_space(self, mut at: usize) -> usize {
        loop {
            match self.byte(at) {
                b' ' | b'\t' | b'\r' => at += 1,
                b'\n' if !self.lines => at += 1,
                _ => return at,
            }
        }
    }

    /// Reads the string whose opening quote is at `open`.
    #[inline(always)]
    pub(super) fn string(self, open: usize) -> Result<Str, Malformed> {
        let from = open + 1;
        if let Some(bytes) = self.text.get(from..).and_then(|rest| rest.first_chunk::<QUARTER>()) {
            let specials = self.bits.specials(bytes);
            if specials != 0 {
                let end = from + specials.trailing_zeros() as usize;
                if self.byte(end) == b'"' {
                    return Ok(Str::plain(end));
                }
            }
        }
        let string = longer_string(self.bits, self.text, from);
        if string.0 & Str::FAULT != 0 { Err(Malformed { at: string.end() }) } else { Ok(string) }
    }

    /// Reads a number that begins at `at` and tells its end.
    #[inline(always)]
    pub(super) fn number(self, mut at: usize) -> Result<usize, Malformed> {
        if self.byte(at) == b'-' {
            at += 1;
        }
        match self.byte(at) {
            b'0' => at += 1,
            b'1'..=b'9' => at = self.digits(at),
            _ => return Err(Malformed { at }),
        }
        if matches!(self.byte(at), b'.' | b'e' | b'E') { self.fraction(at) } else { Ok(at) }
    }

    /// Reads the rest of a number that is not whole.
    #[inline(never)]
    fn fraction(self, mut at: usize) -> Result<usize, Malformed> {
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
    fn digits(self, mut at: usize) -> usize {
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        at
    }

    #[inline(always)]
    fn some_digits(self, at: usize) -> Result<usize, Malformed> {
        let end = self.digits(at);
        if end == at { Err(Malformed { at }) } else { Ok(end) }
    }

    /// Reads `word`, whose first byte was seen at `at`, and tells its end.
    #[inline(always)]
    pub(super) fn word<const N: usize>(self, at: usize, word: &[u8; N]) -> Result<usize, Malformed> {
        let bytes = self.text.get(at..).and_then(|rest| rest.first_chunk::<N>());
        if bytes == Some(word) { Ok(at + N) } else { Err(Malformed { at }) }
    }
}

/// Reads a string that is not both short and plain; its inside begins at `from`.
#[inline(always)]
fn longer_string<B: Bits>(bits: B, text: &[u8], from: usize) -> Str {
    bits.run(
        #[inline(always)]
        || blocks::string(bits, text, from),
    )
}
