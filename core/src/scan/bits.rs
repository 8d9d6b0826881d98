//! Sixty-four bytes in, one bit a byte out. Knows bytes, not JSON.
//!
//! Two implementations with the same results: [`Simd`](super::simd::Simd) (the vectors of the target's baseline) and [`Swar`](super::swar::Swar) (eight bytes at a
//! time in plain integers) for targets whose baseline has none. Both are always compiled, so that tests can hold one against
//! the other.

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
    /// What needs a closer look: 0xF0 and above (three more bytes, or never part of UTF-8), 0xC0 and 0xC1 (never), 0xE0 and
    /// 0xED (the second byte's range is narrower than usual).
    pub(crate) rare: u64,
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
    /// `\` alone, for texts that were checked.
    fn slashes(bytes: &[u8; BLOCK]) -> u64;
    /// Of a quarter of a block, what ends a plain string or makes it other than plain: quotes, backslashes, what is below 0x20,
    /// 0x80 and above.
    fn specials(bytes: &[u8; QUARTER]) -> u32;
}

/// The faster one for this target: without vectors in its baseline, `wide` would go byte by byte.
#[cfg(any(target_feature = "sse2", target_feature = "simd128", all(target_feature = "neon", target_arch = "aarch64")))]
pub(crate) type Best = super::simd::Simd;
/// The faster one for this target: without vectors in its baseline, `wide` would go byte by byte.
#[cfg(not(any(
    target_feature = "sse2",
    target_feature = "simd128",
    all(target_feature = "neon", target_arch = "aarch64")
)))]
pub(crate) type Best = super::swar::Swar;

#[cfg(test)]
mod tests {
    use super::super::{simd::Simd, swar::Swar};
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
            rare: naive(bytes, |b| b >= 0xF0 || matches!(b, 0xC0 | 0xC1 | 0xE0 | 0xED)),
        };
        let plain = naive(bytes, |b| b == b'n' || b == b't');
        assert_eq!((Simd::block(bytes), Swar::block(bytes)), (block, block));
        assert_eq!((Simd::controls(bytes), Swar::controls(bytes)), (controls, controls));
        assert_eq!((Simd::wide(bytes), Swar::wide(bytes)), (wide, wide));
        assert_eq!((Simd::plain_escapes(bytes), Swar::plain_escapes(bytes)), (plain, plain));
        assert_eq!((Simd::slashes(bytes), Swar::slashes(bytes)), (block.slashes, block.slashes));
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
