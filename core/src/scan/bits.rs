//! Sixty-four bytes in, one bit a byte out. Knows bytes, not JSON.
//!
//! Implementations with the same results: [`Vector`] for every level of SIMD and [`Swar`] (eight bytes at a time in plain
//! integers) for targets without any. Which one reads is decided where a scanner is made: [`Way`].

use fearless_simd::Level;
#[cfg(target_arch = "aarch64")]
use fearless_simd::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use fearless_simd::WasmSimd128;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::{Avx2, Avx512, Sse2};

use super::swar::Swar;
#[cfg(any(
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
use super::vector::Vector;

/// How many bytes one block covers: one bit of a `u64` each.
pub(crate) const BLOCK: usize = 64;

/// A quarter of a block, for the many short strings.
pub(crate) const QUARTER: usize = BLOCK / 4;

/// The classes of a block that every string needs. Bit `i` stands for byte `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// `"`
    pub(crate) quotes: u64,
    /// `\`
    pub(crate) slashes: u64,
    /// Whether there are bytes below 0x20, or of 0x80 and above.
    pub(crate) odd: bool,
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
    /// What needs a closer look: 0xF0 and above (three more bytes, or never part of UTF-8), 0xC0 and 0xC1 (never), 0xE0 and
    /// 0xED (the second byte's range is narrower than usual).
    pub(crate) rare: u64,
}

/// One way to classify a block.
pub(crate) trait Bits: Copy {
    /// Does work in code compiled for this way; the work has to be inlined into it to gain by that.
    fn run<R>(self, work: impl FnOnce() -> R) -> R;
    /// The classes that every block needs.
    fn block(self, bytes: &[u8; BLOCK]) -> Block;
    /// Below 0x20.
    fn controls(self, bytes: &[u8; BLOCK]) -> u64;
    /// `n` and `t`: with quote and backslash the bulk of what follows a backslash.
    fn plain_escapes(self, bytes: &[u8; BLOCK]) -> u64;
    /// The classes of a block with bytes of 0x80 and above.
    fn wide(self, bytes: &[u8; BLOCK]) -> Wide;
    /// `\` alone, for texts that were checked.
    fn slashes(self, bytes: &[u8; BLOCK]) -> u64;
    /// Of a quarter of a block, what ends a plain string or makes it other than plain: quotes, backslashes, what is below 0x20,
    /// 0x80 and above.
    fn specials(self, bytes: &[u8; QUARTER]) -> u32;
}

/// Which implementation reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// Plain integers, on any target.
    #[allow(dead_code, reason = "only targets without vectors make it outside of tests")]
    Swar(Swar),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Sse2(Vector<Sse2>),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx2(Vector<Avx2>),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512(Vector<Avx512>),
    #[cfg(target_arch = "aarch64")]
    Neon(Vector<Neon>),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128(Vector<WasmSimd128>),
}

impl Way {
    /// The fastest one of this machine, as far as that can be told: without `std` it is the target's baseline.
    #[inline]
    pub(crate) fn best() -> Self {
        Self::of(Level::try_detect().unwrap_or(Level::baseline()))
    }

    /// The target's own: known when compiling.
    #[inline(always)]
    pub(crate) fn baseline() -> Self {
        Self::of(Level::baseline())
    }

    #[inline(always)]
    #[allow(unused_variables, reason = "there are targets without any level")]
    fn of(level: Level) -> Self {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Some(token) = level.as_avx512() {
            return Way::Avx512(Vector(token));
        } else if let Some(token) = level.as_avx2() {
            return Way::Avx2(Vector(token));
        } else if let Some(token) = level.as_sse2() {
            return Way::Sse2(Vector(token));
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(token) = level.as_neon() {
            return Way::Neon(Vector(token));
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if let Some(token) = level.as_wasm_simd128() {
            return Way::Simd128(Vector(token));
        }
        Way::Swar(Swar)
    }

    /// All that this machine can run.
    #[cfg(test)]
    pub(crate) fn all() -> alloc::vec::Vec<Way> {
        let mut all = alloc::vec![Way::Swar(Swar), Way::baseline(), Way::best()];
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Some(token) = Level::try_detect().and_then(Level::as_avx2) {
            all.push(Way::Avx2(Vector(token)));
        }
        all
    }
}

/// `by!(way, bits => work)`: work with the implementation that a [`Way`] stands for.
macro_rules! by {
    ($way:expr, $bits:ident => $work:expr) => {
        match $way {
            $crate::scan::Way::Swar($bits) => $work,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::scan::Way::Sse2($bits) => $work,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::scan::Way::Avx2($bits) => $work,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            $crate::scan::Way::Avx512($bits) => $work,
            #[cfg(target_arch = "aarch64")]
            $crate::scan::Way::Neon($bits) => $work,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::scan::Way::Simd128($bits) => $work,
        }
    };
}
pub(crate) use by;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slow and obvious way.
    fn naive(bytes: &[u8; BLOCK], class: impl Fn(u8) -> bool) -> u64 {
        (0..BLOCK).filter(|&i| class(bytes[i])).fold(0, |mask, i| mask | 1 << i)
    }

    fn check(bytes: &[u8; BLOCK]) {
        let controls = naive(bytes, |b| b < 0x20);
        let block = Block {
            quotes: naive(bytes, |b| b == b'"'),
            slashes: naive(bytes, |b| b == b'\\'),
            odd: bytes.iter().any(|b| !(0x20..0x80).contains(b)),
        };
        let wide = Wide {
            high: naive(bytes, |b| b >= 0x80),
            tails: naive(bytes, |b| (0x80..0xC0).contains(&b)),
            three: naive(bytes, |b| b >= 0xE0),
            rare: naive(bytes, |b| b >= 0xF0 || matches!(b, 0xC0 | 0xC1 | 0xE0 | 0xED)),
        };
        let plain = naive(bytes, |b| b == b'n' || b == b't');
        let quarter = bytes.first_chunk().unwrap();
        let specials = u32::from((block.quotes | block.slashes | controls | wide.high) as u16);
        for way in Way::all() {
            by!(way, bits => {
                assert_eq!(bits.block(bytes), block, "{way:?}");
                assert_eq!(bits.controls(bytes), controls, "{way:?}");
                assert_eq!(bits.wide(bytes), wide, "{way:?}");
                assert_eq!(bits.plain_escapes(bytes), plain, "{way:?}");
                assert_eq!(bits.slashes(bytes), block.slashes, "{way:?}");
                assert_eq!(bits.specials(quarter), specials, "{way:?}");
            });
        }
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
