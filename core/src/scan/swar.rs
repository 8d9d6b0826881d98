//! Blocks in plain integers of eight bytes.

use super::bits::{BLOCK, Bits, Block, QUARTER, Wide};

/// Eight bytes at a time in a `u64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swar;

const ONES: u64 = 0x0101_0101_0101_0101;
const LOW: u64 = 0x7F * ONES;

impl Swar {
    /// The top bit of each byte of `class`'s result becomes one bit of the mask.
    #[inline(always)]
    fn mask<const N: usize>(bytes: &[u8; N], class: impl Fn(u64) -> u64) -> u64 {
        let (parts, _) = bytes.as_chunks::<8>();
        let mut mask = 0;
        for (i, part) in parts.iter().enumerate() {
            let tops = (class(u64::from_le_bytes(*part)) >> 7) & ONES;
            // Byte i of `tops` (0 or 1) lands in bit 56 + i, and nothing below carries into it.
            mask |= (tops.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
        }
        mask
    }

    /// Whether the top bit of any byte of `class`'s results is set.
    #[inline(always)]
    fn any(bytes: &[u8; BLOCK], class: impl Fn(u64) -> u64) -> bool {
        let (parts, _) = bytes.as_chunks::<8>();
        parts.iter().fold(0, |any, part| any | class(u64::from_le_bytes(*part))) & !LOW != 0
    }

    /// Top bit set where the byte is below 0x20.
    #[inline(always)]
    fn control(word: u64) -> u64 {
        !(((word & LOW) + 0x60 * ONES) | word)
    }

    /// Top bit set where the byte equals `byte` (exact for every byte, no carry between bytes).
    #[inline(always)]
    fn is(word: u64, byte: u8) -> u64 {
        let x = word ^ (u64::from(byte) * ONES);
        !(((x & LOW) + LOW) | x)
    }

    /// Top bit set where the byte is at least `low` (0x80 or above).
    #[inline(always)]
    fn from(word: u64, low: u8) -> u64 {
        // Only the low seven bits are compared: adding what lifts `low` to 0x80 sets the top bit exactly from there on.
        ((word & LOW) + u64::from(0x80 - (low & 0x7F)) * ONES) & word
    }
}

impl Bits for Swar {
    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }

    #[inline(always)]
    fn block(self, bytes: &[u8; BLOCK]) -> Block {
        Block {
            quotes: Self::mask(bytes, |w| Self::is(w, b'"')),
            slashes: Self::mask(bytes, |w| Self::is(w, b'\\')),
            odd: Self::any(bytes, |w| Self::control(w) | w),
        }
    }

    #[inline(always)]
    fn controls(self, bytes: &[u8; BLOCK]) -> u64 {
        Self::mask(bytes, Self::control)
    }

    #[inline(always)]
    fn plain_escapes(self, bytes: &[u8; BLOCK]) -> u64 {
        Self::mask(bytes, |w| Self::is(w, b'n') | Self::is(w, b't'))
    }

    #[inline(always)]
    fn wide(self, bytes: &[u8; BLOCK]) -> Wide {
        Wide {
            high: Self::mask(bytes, |w| w),
            tails: Self::mask(bytes, |w| w & !(w << 1)),
            three: Self::mask(bytes, |w| Self::from(w, 0xE0)),
            rare: Self::mask(bytes, |w| {
                Self::from(w, 0xF0) | Self::is(w & (0xFE * ONES), 0xC0) | Self::is(w, 0xE0) | Self::is(w, 0xED)
            }),
        }
    }

    #[inline(always)]
    fn slashes(self, bytes: &[u8; BLOCK]) -> u64 {
        Self::mask(bytes, |w| Self::is(w, b'\\'))
    }

    #[inline(always)]
    fn specials(self, bytes: &[u8; QUARTER]) -> u32 {
        Self::mask(bytes, |w| Self::is(w, b'"') | Self::is(w, b'\\') | Self::control(w) | w) as u32
    }
}
