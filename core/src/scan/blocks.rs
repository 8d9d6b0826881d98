//! Finds the end of a string that is not short and plain, 64 bytes at a time, and checks what is in it: escapes, control
//! characters, UTF-8, surrogates.

use super::bits::{BLOCK, Bits};
use super::cursor::Str;
use super::escape::hex;

/// Reads the string whose inside begins at `from`, or goes on there.
#[inline(always)]
pub(super) fn string<B: Bits>(bits: B, text: &[u8], from: usize) -> Str {
    let mut blocks = Blocks { bits, text, escape: 0, owed: 0, pair: usize::MAX, repair: usize::MAX };
    let mut escaped = 0;
    let mut base = from;
    while base < text.len() {
        let Masks { marks, slashes } = blocks.masks(base);
        if marks != 0 {
            let end = base + marks.trailing_zeros() as usize;
            if blocks.byte(end) != b'"' {
                return Str::fault(end);
            }
            escaped |= slashes & (marks ^ (marks - 1));
            // What was noticed behind the string is no part of it; at the quote a character that was cut off is.
            return Str::new(end, escaped != 0, blocks.repair <= end);
        }
        escaped |= slashes;
        base += BLOCK;
    }
    Str::fault(text.len())
}

/// A string that is being read.
struct Blocks<'l, B> {
    bits: B,
    text: &'l [u8],
    /// 1 when the next block's first byte is escaped.
    escape: u64,
    /// Bit `i`: byte `i` of the next block has to continue a character.
    owed: u64,
    /// The place of the second half of a surrogate pair whose first half was just seen.
    pair: usize,
    /// The first place where something has to be repaired: invalid UTF-8 or a lone surrogate.
    repair: usize,
}

/// What is where in a block.
struct Masks {
    /// Where a string ends: at a quote that is not escaped, or at what may not stand in it: a control character, an escape
    /// that is none.
    marks: u64,
    slashes: u64,
}

impl<B: Bits> Blocks<'_, B> {
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// The masks of the block at `base`, right behind the one before.
    #[inline(always)]
    fn masks(&mut self, base: usize) -> Masks {
        match self.text.get(base..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
            Some(bytes) => self.classify(base, bytes, 0),
            None => self.last(base),
        }
    }

    /// The last, incomplete block: the text's last 64 bytes moved down, or a short text's copy.
    #[inline(always)]
    fn last(&mut self, base: usize) -> Masks {
        let rest = self.text.get(base..).unwrap_or_default();
        match self.text.last_chunk::<BLOCK>() {
            Some(bytes) if !rest.is_empty() => self.classify(base, bytes, (BLOCK - rest.len()) as u32),
            _ => {
                let mut bytes = [b' '; BLOCK];
                bytes[..rest.len()].copy_from_slice(rest);
                self.classify(base, &bytes, 0)
            }
        }
    }

    /// The masks of a block whose bytes are `bytes` after the first `shift`.
    #[inline(always)]
    fn classify(&mut self, base: usize, bytes: &[u8; BLOCK], shift: u32) -> Masks {
        let block = self.bits.block(bytes);
        let (mut marks, slashes) = (block.quotes >> shift, block.slashes >> shift);
        if slashes | self.escape != 0 {
            let escaped = self.escaped(slashes);
            let usual = marks | slashes | self.bits.plain_escapes(bytes) >> shift;
            marks &= !escaped;
            let unusual = escaped & !usual;
            if unusual != 0 {
                marks |= self.unusual_escapes(base, unusual);
            }
        }
        if block.odd || self.owed != 0 {
            marks |= self.bits.controls(bytes) >> shift;
            self.utf8(base, bytes, shift);
        }
        Masks { marks, slashes }
    }

    /// Which bytes stand behind a backslash that is not itself escaped.
    #[inline(always)]
    fn escaped(&mut self, slashes: u64) -> u64 {
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        // A run of backslashes escapes every second one and, if its length is odd, what follows it. Subtracting a run's first
        // bit from the run moved up carries through the run; against the odd places that tells which way it ended.
        let starts = slashes & !self.escape;
        let pattern = ((starts << 1) | ODD).wrapping_sub(starts) ^ ODD;
        let escaped = pattern ^ (slashes | self.escape);
        self.escape = (pattern & slashes) >> 63;
        escaped
    }

    /// Looks at what follows a backslash and is not one of the usual characters; tells the faulty ones.
    #[inline(never)]
    fn unusual_escapes(&mut self, base: usize, mut places: u64) -> u64 {
        let mut faults = 0;
        while places != 0 {
            let bit = places & places.wrapping_neg();
            let at = base + places.trailing_zeros() as usize;
            places ^= bit;
            match self.byte(at) {
                b'u' => match hex(self.text, at + 1) {
                    Some(unit) => self.surrogate(at, unit),
                    None => faults |= bit,
                },
                b'r' | b'/' | b'b' | b'f' => {}
                _ => faults |= bit,
            }
        }
        faults
    }

    /// Notes a surrogate without its other half; `at` is the place of the `u`.
    fn surrogate(&mut self, at: usize, unit: u16) {
        let lone = match unit {
            0xD800..=0xDBFF => {
                let low = at + 6;
                let paired = self.text.get(at + 5..at + 7) == Some(b"\\u")
                    && hex(self.text, low + 1).is_some_and(|unit| (0xDC00..0xE000).contains(&unit));
                if paired {
                    self.pair = low;
                }
                !paired
            }
            0xDC00..=0xDFFF => self.pair != at,
            _ => false,
        };
        if lone {
            self.repair = self.repair.min(at);
        }
    }

    /// Notes the first place that is not UTF-8.
    #[inline(always)]
    fn utf8(&mut self, base: usize, bytes: &[u8; BLOCK], shift: u32) {
        let wide = self.bits.wide(bytes);
        if wide.high | self.owed == 0 {
            return;
        }
        let (tails, three) = (wide.tails >> shift, wide.three >> shift);
        let heads = wide.high >> shift & !tails;
        let mut owed = heads << 1 | three << 2 | self.owed;
        self.owed = heads >> 63 | three >> 62;
        let mut wrong = 0;
        let mut rare = wide.rare >> shift;
        while rare != 0 {
            let bit = rare & rare.wrapping_neg();
            let at = base + rare.trailing_zeros() as usize;
            rare ^= bit;
            let second = self.byte(at + 1);
            let fits = match self.byte(at) {
                0xE0 => second >= 0xA0,
                0xED => second < 0xA0,
                0xF0 => second >= 0x90,
                0xF1..=0xF3 => true,
                0xF4 => second < 0x90,
                _ => false,
            };
            if !fits {
                wrong |= bit;
            } else if self.byte(at) >= 0xF0 {
                owed |= bit << 3;
                self.owed |= bit >> 61;
            }
        }
        wrong |= owed ^ tails;
        if wrong != 0 {
            self.repair = self.repair.min(base + wrong.trailing_zeros() as usize);
        }
    }
}
