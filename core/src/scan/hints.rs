//! Which key came after which. Records of a kind mostly have the same keys in the same order, and comparing a line with the key
//! that is to be expected is much quicker than looking for a key's end and looking it up.
//!
//! Only ever a guess: a key counts as seen when all of it, quotes and colon included, stands in the line. Keys that no path
//! uses are remembered too, a few of them.

use alloc::vec::Vec;

use super::trie::{Entry, NONE, Target, Trie, head};

/// A key as it mostly stands in a line, `"key":`, and what was behind it last time.
#[derive(Clone, Copy, Debug)]
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

/// In a number of a place: it is the one before the first key of a node, which is the rest of the number.
const FIRST: u32 = 1 << 31;

#[derive(Default)]
pub(super) struct Hints {
    /// The trie that they are for.
    trie: u64,
    /// The trie's keys, as numbered there; then keys that no path uses.
    keys: Vec<Key>,
    /// For each of the trie's nodes the key that came first last time.
    first: Vec<u32>,
    /// For each hash of a key that no path uses its number.
    unused: Vec<u32>,
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
        self.keys.extend_from_slice(&trie.keys);
        self.first.clear();
        self.first.resize(trie.nodes.len(), NONE);
        self.unused.clear();
    }

    /// What stands for the place before a node's first key.
    #[inline(always)]
    pub(super) fn first(&self, node: u32) -> u32 {
        FIRST | node
    }

    /// The number of the key that is to be expected after key number `last`; `NONE` if none is.
    #[inline(always)]
    pub(super) fn after(&self, last: u32) -> u32 {
        let next = match last & FIRST {
            0 => self.keys.get(last as usize).map(|key| key.next),
            _ => self.first.get((last ^ FIRST) as usize).copied(),
        };
        next.unwrap_or(NONE)
    }

    /// All keys, by number.
    #[inline(always)]
    pub(super) fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// After `last` came the trie's key number `key`.
    #[inline(always)]
    pub(super) fn learn(&mut self, last: &mut u32, key: u32) {
        let next = match *last & FIRST {
            0 => self.keys.get_mut(*last as usize).map(|key| &mut key.next),
            _ => self.first.get_mut((*last ^ FIRST) as usize),
        };
        if let Some(next) = next {
            *next = key;
        }
        *last = key;
    }

    /// After `last` came a key of `node` that no path uses: `line[start..end]`, which has no escapes.
    pub(super) fn learn_unused(&mut self, last: &mut u32, node: u32, line: &[u8], start: usize, end: usize) {
        let len = end - start;
        let Some(text) = line.get(start - 1..end + 2).filter(|text| text.len() <= LONGEST) else {
            return;
        };
        // What has to be repaired has to be seen each time.
        if !text.is_ascii() || text.last() != Some(&b':') {
            return;
        }
        let hash = (head(line, start, len) ^ (len as u64) << 56 ^ u64::from(node)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if self.unused.is_empty() {
            self.unused.resize(UNUSED, NONE);
        }
        let Some(number) = self.unused.get_mut((hash >> 58) as usize) else { return };
        if *number == NONE {
            *number = self.keys.len() as u32;
            self.keys.push(Key { number: *number, ..Key::NONE });
        }
        let number = *number;
        if let Some(key) = self.keys.get_mut(number as usize) {
            let mut other = Key { parent: node, number, ..Key::NONE };
            other.set_text(text);
            if !key.is(&other) {
                *key = other;
            }
            self.learn(last, number);
        }
    }
}

impl Key {
    /// The key of a trie's entry, which gets this number.
    pub(super) fn new(entry: &Entry, number: u32) -> Self {
        let parent = if entry.text.len() > LONGEST { NONE } else { entry.parent };
        let mut key = Key { parent, target: entry.target, number, ..Key::NONE };
        key.set_text(&entry.text);
        key
    }

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

    /// Whether it is the same key of the same node.
    fn is(&self, other: &Key) -> bool {
        (self.parent, self.len, self.start, self.end) == (other.parent, other.len, other.start, other.end)
    }

    fn set_text(&mut self, text: &[u8]) {
        let whole = |bytes: Option<&[u8; 16]>| bytes.map(|bytes| u128::from_le_bytes(*bytes));
        (self.start, self.counts) = whole(text.first_chunk()).map_or_else(
            || {
                let mut start = [0; 16];
                start[..text.len()].copy_from_slice(text);
                (u128::from_le_bytes(start), (1 << (8 * text.len())) - 1)
            },
            |start| (start, u128::MAX),
        );
        self.end = whole(text.last_chunk()).unwrap_or(0);
        self.len = text.len() as u32;
    }
}
