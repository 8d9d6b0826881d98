//! Sixty-four bytes in, one bit a byte out. Knows bytes, not JSON.
//!
//! Two implementations with the same results: [`Simd`] (the vectors of the target's baseline) and [`Swar`] (eight bytes at a
//! time in plain integers) for targets whose baseline has none. Both are always compiled, so that tests can hold one against
//! the other.

use wide::u8x16;

/// How many bytes one block covers: one bit of a `u64` each.
pub(crate) const BLOCK: usize = 64;

/// Half a block, for texts: their runs between escapes are short.
pub(crate) const HALF: usize = BLOCK / 2;

/// A quarter of a block, for the many short strings.
pub(crate) const QUARTER: usize = BLOCK / 4;

/// The classes of a block that every string needs. Bit `i` stands for byte `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// `"`
    pub(crate) quotes: u64,
    /// `\`
    pub(crate) slashes: u64,
    /// Whether there are bytes below 0x20.
    pub(crate) controls: bool,
    /// Whether there are bytes of 0x80 and above.
    pub(crate) high: bool,
}

/// The classes of a block that only matter when it holds bytes of 0x80 and above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wide {
    /// 0x80 and above.
    pub(crate) high: u64,
    /// 0x80 to 0xBF: continues a character.
    pub(crate) tails: u64,
    /// 0xE0 and above: at least two more bytes follow.
    pub(crate) three: u64,
    /// 0xF0 and above: three more bytes follow.
    pub(crate) four: u64,
    /// Never part of UTF-8: 0xC0, 0xC1, 0xF5 and above.
    pub(crate) never: u64,
    /// 0xE0, 0xED, 0xF0, 0xF4: the second byte's range is narrower than usual.
    pub(crate) narrow: u64,
}

/// One way to classify a block.
pub(crate) trait Bits {
    /// The classes that every block needs.
    fn block(bytes: &[u8; BLOCK]) -> Block;
    /// Below 0x20.
    fn controls(bytes: &[u8; BLOCK]) -> u64;
    /// `n` and `t`: with quote and backslash the bulk of what follows a backslash.
    fn plain_escapes(bytes: &[u8; BLOCK]) -> u64;
    /// The classes of a block with bytes of 0x80 and above.
    fn wide(bytes: &[u8; BLOCK]) -> Wide;
    /// The backslashes of a half block.
    fn slashes(bytes: &[u8; HALF]) -> u32;
    /// Of a quarter of a block, what ends a plain string or makes it other than plain: quotes, backslashes, what is below 0x20,
    /// 0x80 and above.
    fn specials(bytes: &[u8; QUARTER]) -> u32;
}

/// Vectors of sixteen bytes.
pub(crate) struct Simd;

/// Eight bytes at a time in a `u64`.
pub(crate) struct Swar;

/// The faster one for this target: without vectors in its baseline, `wide` would go byte by byte.
#[cfg(any(
    target_feature = "sse2",
    target_feature = "simd128",
    all(target_feature = "neon", target_arch = "aarch64")
))]
pub(crate) type Best = Simd;
/// The faster one for this target: without vectors in its baseline, `wide` would go byte by byte.
#[cfg(not(any(
    target_feature = "sse2",
    target_feature = "simd128",
    all(target_feature = "neon", target_arch = "aarch64")
)))]
pub(crate) type Best = Swar;

impl Simd {
    #[inline(always)]
    fn load(bytes: &[u8; BLOCK]) -> [u8x16; 4] {
        let (parts, _) = bytes.as_chunks::<16>();
        core::array::from_fn(|i| u8x16::new(parts[i]))
    }

    #[inline(always)]
    fn mask(lanes: [u8x16; 4], class: impl Fn(u8x16) -> u8x16) -> u64 {
        let bits = |i: usize| u64::from(class(lanes[i]).to_bitmask());
        bits(0) | bits(1) << 16 | bits(2) << 32 | bits(3) << 48
    }
}

impl Bits for Simd {
    #[inline(always)]
    fn block(bytes: &[u8; BLOCK]) -> Block {
        let lanes = Self::load(bytes);
        Block {
            quotes: Self::mask(lanes, |v| v.simd_eq(u8x16::splat(b'"'))),
            slashes: Self::mask(lanes, |v| v.simd_eq(u8x16::splat(b'\\'))),
            controls: {
                let least = lanes[0].min(lanes[1]).min(lanes[2].min(lanes[3]));
                least.min(u8x16::splat(0x1F)).simd_eq(least).to_bitmask() != 0
            },
            high: (lanes[0] | lanes[1] | (lanes[2] | lanes[3])).to_bitmask() != 0,
        }
    }

    #[inline(always)]
    fn controls(bytes: &[u8; BLOCK]) -> u64 {
        Self::mask(Self::load(bytes), |v| v.min(u8x16::splat(0x1F)).simd_eq(v))
    }

    #[inline(always)]
    fn plain_escapes(bytes: &[u8; BLOCK]) -> u64 {
        Self::mask(Self::load(bytes), |v| {
            v.simd_eq(u8x16::splat(b'n')) | v.simd_eq(u8x16::splat(b't'))
        })
    }

    #[inline(always)]
    fn wide(bytes: &[u8; BLOCK]) -> Wide {
        let lanes = Self::load(bytes);
        let from = |v: u8x16, low: u8| v.max(u8x16::splat(low)).simd_eq(v);
        let is = |v: u8x16, byte: u8| v.simd_eq(u8x16::splat(byte));
        Wide {
            high: Self::mask(lanes, |v| v),
            tails: Self::mask(lanes, |v| is(v & u8x16::splat(0xC0), 0x80)),
            three: Self::mask(lanes, |v| from(v, 0xE0)),
            four: Self::mask(lanes, |v| from(v, 0xF0)),
            never: Self::mask(lanes, |v| is(v & u8x16::splat(0xFE), 0xC0) | from(v, 0xF5)),
            narrow: Self::mask(lanes, |v| is(v, 0xE0) | is(v, 0xED) | is(v, 0xF0) | is(v, 0xF4)),
        }
    }

    #[inline(always)]
    fn slashes(bytes: &[u8; HALF]) -> u32 {
        let (parts, _) = bytes.as_chunks::<16>();
        let bits = |i: usize| u8x16::new(parts[i]).simd_eq(u8x16::splat(b'\\')).to_bitmask();
        bits(0) | bits(1) << 16
    }

    #[inline(always)]
    fn specials(bytes: &[u8; QUARTER]) -> u32 {
        let v = u8x16::new(*bytes);
        // Only top bits count: 0x20 less gives one to what is below 0x20 (and to some that have one already).
        let other = v | (v - u8x16::splat(0x20));
        (v.simd_eq(u8x16::splat(b'"')) | v.simd_eq(u8x16::splat(b'\\')) | other).to_bitmask()
    }
}

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
    fn block(bytes: &[u8; BLOCK]) -> Block {
        Block {
            quotes: Self::mask(bytes, |w| Self::is(w, b'"')),
            slashes: Self::mask(bytes, |w| Self::is(w, b'\\')),
            controls: Self::any(bytes, Self::control),
            high: Self::any(bytes, |w| w),
        }
    }

    #[inline(always)]
    fn controls(bytes: &[u8; BLOCK]) -> u64 {
        Self::mask(bytes, Self::control)
    }

    #[inline(always)]
    fn plain_escapes(bytes: &[u8; BLOCK]) -> u64 {
        Self::mask(bytes, |w| Self::is(w, b'n') | Self::is(w, b't'))
    }

    #[inline(always)]
    fn wide(bytes: &[u8; BLOCK]) -> Wide {
        Wide {
            high: Self::mask(bytes, |w| w),
            tails: Self::mask(bytes, |w| w & !(w << 1)),
            three: Self::mask(bytes, |w| Self::from(w, 0xE0)),
            four: Self::mask(bytes, |w| Self::from(w, 0xF0)),
            never: Self::mask(bytes, |w| Self::is(w, 0xC0) | Self::is(w, 0xC1) | Self::from(w, 0xF5)),
            narrow: Self::mask(bytes, |w| {
                Self::is(w, 0xE0) | Self::is(w, 0xED) | Self::is(w, 0xF0) | Self::is(w, 0xF4)
            }),
        }
    }

    #[inline(always)]
    fn slashes(bytes: &[u8; HALF]) -> u32 {
        Self::mask(bytes, |w| Self::is(w, b'\\')) as u32
    }

    #[inline(always)]
    fn specials(bytes: &[u8; QUARTER]) -> u32 {
        Self::mask(bytes, |w| Self::is(w, b'"') | Self::is(w, b'\\') | Self::control(w) | w) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slow and obvious way.
    fn naive(bytes: &[u8; BLOCK], class: impl Fn(u8) -> bool) -> u64 {
        (0..BLOCK).filter(|&i| class(bytes[i])).fold(0, |mask, i| mask | 1 << i)
    }

    fn check(bytes: &[u8; BLOCK]) {
        let block = Block {
            quotes: naive(bytes, |b| b == b'"'),
            slashes: naive(bytes, |b| b == b'\\'),
            controls: bytes.iter().any(|b| *b < 0x20),
            high: bytes.iter().any(|b| *b >= 0x80),
        };
        let controls = naive(bytes, |b| b < 0x20);
        let wide = Wide {
            high: naive(bytes, |b| b >= 0x80),
            tails: naive(bytes, |b| (0x80..0xC0).contains(&b)),
            three: naive(bytes, |b| b >= 0xE0),
            four: naive(bytes, |b| b >= 0xF0),
            never: naive(bytes, |b| b == 0xC0 || b == 0xC1 || b >= 0xF5),
            narrow: naive(bytes, |b| matches!(b, 0xE0 | 0xED | 0xF0 | 0xF4)),
        };
        let plain = naive(bytes, |b| b == b'n' || b == b't');
        assert_eq!((Simd::block(bytes), Swar::block(bytes)), (block, block));
        assert_eq!((Simd::controls(bytes), Swar::controls(bytes)), (controls, controls));
        assert_eq!((Simd::wide(bytes), Swar::wide(bytes)), (wide, wide));
        assert_eq!((Simd::plain_escapes(bytes), Swar::plain_escapes(bytes)), (plain, plain));
        let half = bytes.first_chunk().unwrap();
        let slashes = block.slashes as u32;
        assert_eq!((Simd::slashes(half), Swar::slashes(half)), (slashes, slashes));
        let quarter = bytes.first_chunk().unwrap();
        let specials = (block.quotes | block.slashes | controls | wide.high) as u16;
        assert_eq!((Simd::specials(quarter), Swar::specials(quarter)), (specials.into(), specials.into()));
    }

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=255 {
            for at in 0..BLOCK {
                let mut bytes = [b'a'; BLOCK];
                bytes[at] = byte;
                check(&bytes);
            }
        }
    }

    proptest! {
        #[test]
        fn any_block(bytes: [u8; 32], more: [u8; 32]) {
            let mut block = [0; BLOCK];
            block[..32].copy_from_slice(&bytes);
            block[32..].copy_from_slice(&more);
            check(&block);
        }
    }
}
