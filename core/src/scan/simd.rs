//! Blocks in vectors of sixteen bytes.

use wide::u8x16;

use super::bits::{BLOCK, Bits, Block, QUARTER, Wide};

/// Vectors of sixteen bytes.
pub(crate) struct Simd;

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
        Self::mask(Self::load(bytes), |v| v.simd_eq(u8x16::splat(b'n')) | v.simd_eq(u8x16::splat(b't')))
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
            rare: Self::mask(lanes, |v| from(v, 0xF0) | is(v & u8x16::splat(0xFE), 0xC0) | is(v, 0xE0) | is(v, 0xED)),
        }
    }

    #[inline(always)]
    fn slashes(bytes: &[u8; BLOCK]) -> u64 {
        Self::mask(Self::load(bytes), |v| v.simd_eq(u8x16::splat(b'\\')))
    }

    #[inline(always)]
    fn specials(bytes: &[u8; QUARTER]) -> u32 {
        let v = u8x16::new(*bytes);
        // Only top bits count: 0x20 less gives one to what is below 0x20 (and to some that have one already).
        let other = v | (v - u8x16::splat(0x20));
        (v.simd_eq(u8x16::splat(b'"')) | v.simd_eq(u8x16::splat(b'\\')) | other).to_bitmask()
    }
}
