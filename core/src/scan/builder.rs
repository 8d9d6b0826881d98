//! Compiles paths to a trie.

use alloc::{boxed::Box, vec, vec::Vec};

use super::hints::Key;
use super::trie::{Entry, Iteration, NO_SLOT, NONE, Node, Site, Step, Target, Trie, head, slot};

/// Collects paths and compiles them.
#[derive(Debug)]
pub(crate) struct TrieBuilder {
    nodes: Vec<Draft>,
    iterations: Vec<DraftIteration>,
}

#[derive(Debug)]
struct DraftIteration {
    root: u32,
    slots: u16,
}

#[derive(Debug, Default)]
struct Draft {
    iteration: u16,
    slot: u16,
    keys: Vec<(Box<str>, u32)>,
    each: u16,
    entries: u16,
}

impl TrieBuilder {
    pub(crate) fn new() -> Self {
        Self { nodes: vec![Draft::default()], iterations: vec![DraftIteration { root: 0, slots: 1 }] }
    }

    /// Where the value at `path` will be found. A path that ends in an iteration is the element itself; the same path twice
    /// is the same site. A path that would need more than 65,000 slots or iterations has a site at which nothing is ever found.
    pub(crate) fn add(&mut self, path: &[Step]) -> Site {
        match self.walk(path) {
            Some(node) => {
                let draft = &self.nodes[node as usize];
                Site { each: draft.iteration, slot: draft.slot }
            }
            None => Site { each: u16::MAX, slot: NO_SLOT },
        }
    }

    /// The iteration that `path` ends in; 0 (the record) if it does not end in one.
    pub(crate) fn each(&mut self, path: &[Step]) -> u16 {
        let ends_in_one = matches!(path.last(), Some(Step::Each | Step::Entries));
        if ends_in_one { self.add(path).each } else { 0 }
    }

    fn walk(&mut self, path: &[Step]) -> Option<u32> {
        let mut at = 0;
        for step in path {
            at = self.step(at, step)?;
        }
        Some(at)
    }

    fn step(&mut self, at: u32, step: &Step) -> Option<u32> {
        let draft = &self.nodes[at as usize];
        let known = match step {
            Step::Key(key) => draft.keys.iter().find(|(known, _)| known == key).map(|(_, child)| *child),
            Step::Each => self.root(draft.each),
            Step::Entries => self.root(draft.entries),
        };
        if known.is_some() {
            return known;
        }
        let child = self.nodes.len() as u32;
        if let Step::Key(key) = step {
            let iteration = draft.iteration;
            let slots = &mut self.iterations[usize::from(iteration)].slots;
            // Half of the numbers, so that the slots added when the trie is built fit too.
            if *slots >= NO_SLOT / 2 {
                return None;
            }
            let slot = *slots;
            *slots += 1;
            self.nodes.push(Draft { iteration, slot, ..Draft::default() });
            self.nodes[at as usize].keys.push((key.clone(), child));
        } else {
            let iteration = u16::try_from(self.iterations.len()).ok().filter(|each| *each < u16::MAX)?;
            self.iterations.push(DraftIteration { root: child, slots: 1 });
            self.nodes.push(Draft { iteration, ..Draft::default() });
            let draft = &mut self.nodes[at as usize];
            *(if *step == Step::Each { &mut draft.each } else { &mut draft.entries }) = iteration;
        }
        Some(child)
    }

    fn root(&self, each: u16) -> Option<u32> {
        (each != 0).then(|| self.iterations[usize::from(each)].root)
    }

    pub(crate) fn build(mut self) -> Trie {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let mut entries = Vec::new();
        let mut all_below = Vec::new();
        // A child has a higher number than its parent, so the last one first sees every child before its parent.
        let mut below: Vec<Vec<u16>> = vec![Vec::new(); self.nodes.len()];
        let mut span_slots = vec![NO_SLOT; self.nodes.len()];
        for at in (0..self.nodes.len()).rev() {
            let draft = &self.nodes[at];
            let mut iterates = draft.each != 0 || draft.entries != 0;
            let mut slots = Vec::new();
            for &(_, child) in &draft.keys {
                let child = child as usize;
                slots.push(self.nodes[child].slot);
                slots.extend_from_slice(&below[child]);
                if span_slots[child] != NO_SLOT {
                    iterates = true;
                    slots.push(span_slots[child]);
                }
            }
            below[at] = slots;
            if iterates {
                let slots = &mut self.iterations[usize::from(draft.iteration)].slots;
                span_slots[at] = *slots;
                *slots += 1;
            }
        }
        let target = |at: u32| {
            let draft = &self.nodes[at as usize];
            Target::new(at, draft.slot, draft.entries != 0 || !draft.keys.is_empty(), draft.each != 0)
        };
        for (at, draft) in self.nodes.iter().enumerate() {
            let from = all_below.len() as u32;
            all_below.append(&mut below[at]);
            let keys: Vec<_> = draft.keys.iter().map(|(key, child)| (&**key, target(*child))).collect();
            let (table, shift, factor) = add_keys(&mut entries, at as u32, &keys);
            nodes.push(Node {
                slot: draft.slot,
                span_slot: span_slots[at],
                each: draft.each,
                entries: draft.entries,
                table,
                shift,
                factor,
                below: (from, all_below.len() as u32),
            });
        }
        let iteration = |it: &DraftIteration| Iteration { root: target(it.root), slots: it.slots };
        let iterations = self.iterations.iter().map(iteration).collect();
        let mut all_keys = Vec::new();
        for entry in entries.iter_mut().filter(|entry| !entry.is_empty()) {
            entry.key = all_keys.len() as u32;
            all_keys.push(Key::new(entry, entry.key));
        }
        let fingerprint = fingerprint(&entries);
        Trie { nodes, iterations, entries, below: all_below, keys: all_keys, fingerprint }
    }
}

/// A hash (FNV-1a) of all keys and what they stand for; never 0.
fn fingerprint(entries: &[Entry]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    for entry in entries {
        add(&entry.text);
        add(&entry.parent.to_le_bytes());
        add(&entry.target.bits().to_le_bytes());
    }
    hash | 1
}

/// Appends the table of a node's keys and tells where it is, and the multiplier, of a few tried, under which the fewest keys
/// meet.
fn add_keys(entries: &mut Vec<Entry>, node: u32, keys: &[(&str, Target)]) -> (u32, u32, u64) {
    let bits = (keys.len().next_power_of_two() * 2).trailing_zeros();
    let shift = 64 - bits;
    let hash = |key: &str, factor| slot(head(key.as_bytes(), 0, key.len()), key.len(), factor, shift) as usize;
    let collisions = |factor: &u64| {
        let mut taken = vec![false; 1 << bits];
        keys.iter().filter(|(key, _)| core::mem::replace(&mut taken[hash(key, *factor)], true)).count()
    };
    let mut factor = 0x9E37_79B9_7F4A_7C15_u64;
    let factors = core::iter::repeat_with(|| {
        factor = factor.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(2);
        factor | 1
    });
    let factor = factors.take(64).min_by_key(collisions).unwrap_or(1);
    let table = entries.len();
    entries.resize(table + (1 << bits), Entry::empty());
    for (key, target) in keys {
        let entry = Entry::new(node, key, *target);
        let mut at = table + hash(key, factor);
        if entries[at].is_empty() {
            entries[at] = entry;
        } else {
            // Behind the last one of its chain, at the end.
            while entries[at].next() != NONE {
                at = entries[at].next() as usize;
            }
            let last = entries.len() as u32;
            entries[at].set_next(last);
            entries.push(entry);
        }
    }
    (table as u32, shift, factor)
}
