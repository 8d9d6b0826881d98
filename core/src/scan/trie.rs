//! The paths that a profile uses, compiled so that one pass over a record finds them all.
//!
//! A path's nodes before its first iteration live in the record's own frame; every iteration (the elements of an array, the
//! entries of an object) has a frame per element, with nodes of its own. Every node has a slot in its frame.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::escape::eq_key;
use super::hints::Key;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The value of this key of an object.
    Key(Box<str>),
    /// The elements of an array.
    Each,
    /// The values of an object, whatever their keys.
    Entries,
}

/// Where a path's value is found in the [`super::Frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    /// The iteration that it lives in; 0 is the record itself.
    pub(crate) each: u16,
    /// Its slot in a frame of that iteration.
    pub(crate) slot: u16,
}

/// No node, no slot, no iteration.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const NO_SLOT: u16 = u16::MAX;

#[derive(Debug)]
pub(super) struct Node {
    pub(super) slot: u16,
    /// The slot that remembers which frames were made below this node; only where there may be some.
    pub(super) span_slot: u16,
    /// The iteration over its elements; 0 for none.
    pub(super) each: u16,
    /// The iteration over its entries; 0 for none.
    pub(super) entries: u16,
    /// `table` has `1 << (64 - shift)` heads of chains for the keys.
    pub(super) table: u32,
    pub(super) shift: u32,
    pub(super) factor: u64,
    /// The slots of all nodes below it in the same frame: a range of `Trie::below`.
    pub(super) below: (u32, u32),
}

/// What a key stands for: its node, and of that what is needed at every value. One word, so that it stays in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target(u64);

impl Target {
    /// Nothing.
    pub(super) const NONE: Self = Self(NONE as u64);
    const OBJECT: u64 = 1 << 48;
    const ARRAY: u64 = 1 << 49;

    /// `object` and `array`: whether there are paths below the node where its value is one.
    pub(super) fn new(node: u32, slot: u16, object: bool, array: bool) -> Self {
        let flags = if object { Self::OBJECT } else { 0 } | if array { Self::ARRAY } else { 0 };
        Self(u64::from(node) | u64::from(slot) << 32 | flags)
    }

    #[inline(always)]
    pub(super) fn is_none(self) -> bool {
        self == Self::NONE
    }

    #[inline(always)]
    pub(super) fn node(self) -> u32 {
        self.0 as u32
    }

    #[inline(always)]
    pub(super) fn slot(self) -> u16 {
        (self.0 >> 32) as u16
    }

    /// Whether there are paths below it in a container.
    #[inline(always)]
    pub(super) fn goes_on(self, array: bool) -> bool {
        self.0 & if array { Self::ARRAY } else { Self::OBJECT } != 0
    }

    pub(super) fn bits(self) -> u64 {
        self.0
    }
}

/// A key of a node.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The node, if its key needs no escapes and may be expected as it stands.
    pub(super) parent: u32,
    pub(super) target: Target,
    /// Its place among [`Trie::keys`].
    pub(super) key: u32,
    /// The next one of the same chain.
    next: u32,
    len: u32,
    /// The first eight bytes and the last eight: all of a key of up to sixteen.
    head: u64,
    tail: u64,
    /// The key as it mostly stands in a line: `"key":`.
    pub(super) text: Box<[u8]>,
}

#[derive(Debug)]
pub(super) struct Iteration {
    pub(super) root: Target,
    /// How many slots a frame of it has.
    pub(super) slots: u16,
}

/// The compiled paths.
#[derive(Debug)]
pub(crate) struct Trie {
    pub(super) nodes: Vec<Node>,
    /// The first one is the record itself.
    pub(super) iterations: Vec<Iteration>,
    /// The nodes' tables, each with the rest of its chains behind it.
    pub(super) entries: Vec<Entry>,
    pub(super) below: Vec<u16>,
    /// The keys of the entries, for those who expect them: nothing has been seen yet.
    pub(super) keys: Vec<Key>,
    /// Of its keys and their numbers.
    pub(super) fingerprint: u64,
}

impl Trie {
    #[inline(always)]
    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    #[inline(always)]
    pub(super) fn iteration(&self, each: u16) -> &Iteration {
        &self.iterations[usize::from(each)]
    }

    /// The slots below a node, in its own frame.
    pub(super) fn below(&self, node: u32) -> &[u16] {
        let (from, to) = self.node(node).below;
        &self.below[from as usize..to as usize]
    }

    /// The entry of the key `line[start..end]` of a node, which has no escapes.
    #[inline(always)]
    pub(super) fn find(&self, node: u32, line: &[u8], start: usize, end: usize) -> Option<&Entry> {
        let node = self.node(node);
        let len = end - start;
        let head = head(line, start, len);
        let mut at = node.table + slot(head, len, node.factor, node.shift);
        while let Some(entry) = self.entries.get(at as usize) {
            if entry.head == head && entry.len as usize == len && (len <= 8 || entry.rest_is(line, end)) {
                return Some(entry);
            }
            at = entry.next;
        }
        None
    }

    /// What a key of a node with escapes stands for, compared as decoded.
    #[cold]
    pub(super) fn find_escaped(&self, node: u32, key: &[u8]) -> Target {
        let node = self.node(node);
        let table = &self.entries[node.table as usize..][..1 << (64 - node.shift)];
        for head in table {
            let mut entry = Some(head);
            while let Some(it) = entry {
                if !it.is_empty() && eq_key(key, it.key()) {
                    return it.target;
                }
                entry = self.entries.get(it.next as usize);
            }
        }
        Target::NONE
    }

    /// What the elements of an iteration stand for.
    #[inline(always)]
    pub(super) fn root(&self, each: u16) -> Target {
        self.iteration(each).root
    }
}

impl Entry {
    /// A place of a table without a key.
    pub(super) fn empty() -> Self {
        Self {
            parent: NONE,
            target: Target::NONE,
            key: NONE,
            next: NONE,
            len: u32::MAX,
            head: 0,
            tail: 0,
            text: Box::default(),
        }
    }

    pub(super) fn new(parent: u32, key: &str, target: Target) -> Self {
        let bytes = key.as_bytes();
        let plain = !bytes.iter().any(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
        Self {
            parent: if plain { parent } else { NONE },
            target,
            key: NONE,
            next: NONE,
            len: bytes.len() as u32,
            head: head(bytes, 0, bytes.len()),
            tail: bytes.last_chunk().map_or(0, |tail| u64::from_le_bytes(*tail)),
            text: [b"\"", bytes, b"\":"].concat().into(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.target.is_none()
    }

    pub(super) fn next(&self) -> u32 {
        self.next
    }

    pub(super) fn set_next(&mut self, next: u32) {
        self.next = next;
    }

    fn key(&self) -> &[u8] {
        &self.text[1..=self.len as usize]
    }

    /// Whether a key of more than eight bytes that ends at `end` is this one; the first eight bytes are.
    #[inline(always)]
    fn rest_is(&self, line: &[u8], end: usize) -> bool {
        let tail = line.get(end - 8..).and_then(|bytes| bytes.first_chunk::<8>());
        if tail.map(|bytes| u64::from_le_bytes(*bytes)) != Some(self.tail) {
            return false;
        }
        self.len <= 16 || line.get(end - self.len as usize..end) == Some(self.key())
    }
}

/// The first eight bytes of a key, zeroes where it has fewer.
#[inline(always)]
pub(super) fn head(line: &[u8], start: usize, len: usize) -> u64 {
    match line.get(start..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(bytes) => {
            let word = u64::from_le_bytes(*bytes);
            if len >= 8 { word } else { word & ((1 << (8 * len)) - 1) }
        }
        None => head_at_end(line, start, len),
    }
}

#[cold]
fn head_at_end(line: &[u8], start: usize, len: usize) -> u64 {
    let bytes = line.get(start..start + len).unwrap_or_default();
    bytes.iter().take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[inline(always)]
pub(super) fn slot(head: u64, len: usize, factor: u64, shift: u32) -> u32 {
    ((head ^ (len as u64) << 56).wrapping_mul(factor) >> shift) as u32
}

#[cfg(test)]
impl Trie {
    pub(super) fn iterations(&self) -> u16 {
        self.iterations.len() as u16
    }
}
