//! A small pseudo-random generator, so that the same seed gives the same corpus on every machine and for ever.

use std::ops::RangeInclusive;

/// SplitMix64: one word of state, good enough for choosing words and lengths.
pub(in crate::corpus) struct Rng(u64);

impl Rng {
    pub(in crate::corpus) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0.0..1.0`.
    pub(in crate::corpus) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability.
    pub(in crate::corpus) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A number of this range, each as likely as the others.
    pub(in crate::corpus) fn within(&mut self, range: RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    pub(in crate::corpus) fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// `count` characters of base 64.
    pub(in crate::corpus) fn base64(&mut self, count: usize) -> String {
        self.string(BASE64, count)
    }

    pub(in crate::corpus) fn hex(&mut self, count: usize) -> String {
        self.string(b"0123456789abcdef", count)
    }

    /// The tail of an id as the vendors' APIs make them.
    pub(in crate::corpus) fn base62(&mut self, count: usize) -> String {
        self.string(&BASE64[..62], count)
    }

    pub(in crate::corpus) fn uuid(&mut self) -> String {
        let parts = [self.hex(8), self.hex(4), format!("4{}", self.hex(3)), format!("a{}", self.hex(3)), self.hex(12)];
        parts.join("-")
    }

    fn string(&mut self, alphabet: &[u8], count: usize) -> String {
        (0..count).map(|_| char::from(alphabet[self.below(alphabet.len())])).collect()
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
