//! Blocks in the vectors of a SIMD level.

use fearless_simd::{Simd, SimdBase, SimdMask, i8x64, mask8x64, u8x16, u8x64};

use super::bits::{BLOCK, Bits, Block, QUARTER, Wide};

/// The vectors of a level that this machine has: its token is the proof.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector<S>(pub(crate) S);

impl<S: Simd> Vector<S> {
    #[inline(always)]
    fn load(self, bytes: &[u8; BLOCK]) -> u8x64<S> {
        u8x64::load_array_ref(self.0, bytes)
    }

    #[inline(always)]
    fn is(self, v: u8x64<S>, byte: u8) -> mask8x64<S> {
        v.simd_eq(u8x64::splat(self.0, byte))
    }

    #[inline(always)]
    fn from(self, v: u8x64<S>, low: u8) -> mask8x64<S> {
        v.simd_ge(u8x64::splat(self.0, low))
    }
}

impl<S: Simd> Bits for Vector<S> {
    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        self.0.vectorize(work)
    }

    #[inline(always)]
    fn block(self, bytes: &[u8; BLOCK]) -> Block {
        let v = self.load(bytes);
        // As signed numbers, what is below 0x20 and what is from 0x80 on are both less than 0x20.
        let signed = i8x64::load_array_ref(self.0, &bytes.map(|byte| byte as i8));
        Block {
            quotes: self.is(v, b'"').to_bitmask(),
            slashes: self.is(v, b'\\').to_bitmask(),
            odd: signed.simd_lt(i8x64::splat(self.0, 0x20)).any_true(),
        }
    }

    #[inline(always)]
    fn controls(self, bytes: &[u8; BLOCK]) -> u64 {
        self.load(bytes).simd_le(u8x64::splat(self.0, 0x1F)).to_bitmask()
    }

    #[inline(always)]
    fn plain_escapes(self, bytes: &[u8; BLOCK]) -> u64 {
        let v = self.load(bytes);
        (self.is(v, b'n') | self.is(v, b't')).to_bitmask()
    }

    #[inline(always)]
    fn wide(self, bytes: &[u8; BLOCK]) -> Wide {
        let v = self.load(bytes);
        let rare =
            self.from(v, 0xF0) | self.is(v & u8x64::splat(self.0, 0xFE), 0xC0) | self.is(v, 0xE0) | self.is(v, 0xED);
        Wide {
            high: self.from(v, 0x80).to_bitmask(),
            tails: self.is(v & u8x64::splat(self.0, 0xC0), 0x80).to_bitmask(),
            three: self.from(v, 0xE0).to_bitmask(),
            rare: rare.to_bitmask(),
        }
    }

    #[inline(always)]
    fn slashes(self, bytes: &[u8; BLOCK]) -> u64 {
        self.is(self.load(bytes), b'\\').to_bitmask()
    }

    #[inline(always)]
    fn specials(self, bytes: &[u8; QUARTER]) -> u32 {
        let v = u8x16::load_array_ref(self.0, bytes);
        let is = |byte| v.simd_eq(u8x16::splat(self.0, byte));
        let odd = v.simd_le(u8x16::splat(self.0, 0x1F)) | v.simd_ge(u8x16::splat(self.0, 0x80));
        (is(b'"') | is(b'\\') | odd).to_bitmask() as u32
    }
}
