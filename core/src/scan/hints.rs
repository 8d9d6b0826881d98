//! Which key came after which. Records of a kind mostly have the same keys in the same order, and comparing a line with the key
//! that is to be expected is much quicker than looking for a key's end and looking it up.
//!
//! Only ever a guess: a key counts as seen when all of it, quotes and colon included, stands in the line. Keys that no path
//! uses are remembered too, a few of them.

use alloc::vec::Vec;

use super::trie::{NONE, Target, Trie, head};

/// A key as it mostly stands in a line, `"key":`, and what was behind it last time.
#[derive(Clone, Copy)]
pub(super) struct Key {
    /// The first sixteen bytes, and which of them count; the last sixteen: all of a key of up to [`LONGEST`].
    start: u128,
    counts: u128,
    end: u128,
    pub(super) len: u32,
    /// The node whose key it is; `NONE` for what is not to be expected as it stands.
    parent: u32,
    pub(super) target: Target,
    /// Its own number, and that of the key that was behind it last time.
    pub(super) number: u32,
    pub(super) next: u32,
}

impl Key {
    const NONE: Self =
        Self { start: 0, counts: 0, end: 0, len: 0, parent: NONE, target: Target::NONE, number: 0, next: NONE };
}

/// The longest key that is ever expected, quotes and colon included.
const LONGEST: usize = 32;
/// Of the keys that no path uses so many are remembered.
const UNUSED: usize = 64;

#[derive(Default)]
pub(super) struct Hints {
    /// The trie that they are for.
    trie: u64,
    /// The trie's keys, as numbered there; for each of its nodes what is before its first key; keys that no path uses.
    keys: Vec<Key>,
    nodes: u32,
    unused: u32,
}

impl Hints {
    /// Makes room for the hints of a trie, if they are of another.
    #[inline(always)]
    pub(super) fn prepare(&mut self, trie: &Trie) {
        if self.trie != trie.fingerprint {
            self.rebuild(trie);
        }
    }

    #[cold]
    fn rebuild(&mut self, trie: &Trie) {
        self.trie = trie.fingerprint;
        self.keys.clear();
        for entry in &trie.entries {
            let parent = if entry.text.len() > LONGEST { NONE } else { entry.parent };
            let mut key = Key { parent, target: entry.target, ..Key::NONE };
            key.set_text(&entry.text);
            self.keys.push(key);
        }
        self.nodes = self.keys.len() as u32;
        self.keys.resize(self.keys.len() + trie.nodes.len(), Key::NONE);
        self.unused = self.keys.len() as u32;
        self.keys.resize(self.keys.len() + UNUSED, Key::NONE);
        for (number, key) in self.keys.iter_mut().enumerate() {
            key.number = number as u32;
        }
    }

    /// What stands for the place before a node's first key.
    #[inline(always)]
    pub(super) fn first(&self, node: u32) -> u32 {
        self.nodes + node
    }

    /// The number of the key that is to be expected after key number `last`; `NONE` if none is.
    #[inline(always)]
    pub(super) fn after(&self, last: u32) -> u32 {
        self.keys.get(last as usize).map_or(NONE, |key| key.next)
    }

    /// All keys, by number.
    #[inline(always)]
    pub(super) fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// After `last` came the trie's key number `key`.
    #[inline(always)]
    pub(super) fn learn(&mut self, last: &mut u32, key: u32) {
        if let Some(before) = self.keys.get_mut(*last as usize) {
            before.next = key;
        }
        *last = key;
    }

    /// After `last` came a key of `node` that no path uses: `line[start..end]`, which has no escapes.
    pub(super) fn learn_unused(&mut self, last: &mut u32, node: u32, line: &[u8], start: usize, end: usize) {
        let len = end - start;
        let Some(text) = line.get(start - 1..end + 2).filter(|text| text.len() <= 16) else {
            return;
        };
        // What has to be repaired has to be seen each time.
        if !text.is_ascii() || text.last() != Some(&b':') {
            return;
        }
        let hash = (head(line, start, len) ^ (len as u64) << 56 ^ u64::from(node)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let number = self.unused + (hash >> 58) as u32;
        if let Some(key) = self.keys.get_mut(number as usize) {
            if key.parent != node || key.len as usize != text.len() {
                key.next = NONE;
            }
            key.parent = node;
            key.set_text(text);
            self.learn(last, number);
        }
    }
}

impl Key {
    /// Key number `expected`, if it is one of `node` and has its quote at `at`.
    #[inline(always)]
    pub(super) fn expected<'k>(keys: &'k [Key], expected: u32, node: u32, text: &[u8], at: usize) -> Option<&'k Key> {
        let key = keys.get(expected as usize)?;
        let bytes = text.get(at..)?.first_chunk::<16>()?;
        let differs = (u128::from_le_bytes(*bytes) ^ key.start) & key.counts;
        let same = differs == 0 && key.parent == node && (key.len <= 16 || key.ends(text, at));
        same.then_some(key)
    }

    /// Whether a key of more than sixteen bytes, the first sixteen of which are at `at`, is all there.
    #[inline(always)]
    fn ends(&self, text: &[u8], at: usize) -> bool {
        let last = text.get(at + self.len as usize - 16..).and_then(|bytes| bytes.first_chunk::<16>());
        last.is_some_and(|last| u128::from_le_bytes(*last) == self.end)
    }

    fn set_text(&mut self, text: &[u8]) {
        let mut start = [0; 16];
        let mut counts = [0; 16];
        for ((byte, start), counts) in text.iter().zip(&mut start).zip(&mut counts) {
            (*start, *counts) = (*byte, 0xFF);
        }
        (self.start, self.counts) = (u128::from_le_bytes(start), u128::from_le_bytes(counts));
        self.end = text.last_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
        self.len = text.len() as u32;
    }
}
