//! Bounded tables of ids that reuse their memory: nothing is allocated once a table has been full.

use crate::hash::hash;
use alloc::vec::Vec;

/// A table of ids with a value each; the oldest is forgotten when it is full.
#[derive(Debug)]
pub(crate) struct Memory<V> {
    hashes: Vec<u64>,
    entries: Vec<Entry<V>>,
    /// Buffers of forgotten ids, used again.
    spare: Vec<Vec<u8>>,
    bound: usize,
    next: u64,
    /// Where the next entry goes when the table is full: the oldest one's place, unless entries were taken out between.
    turn: usize,
}

#[derive(Debug)]
pub(crate) struct Entry<V> {
    pub(crate) id: Vec<u8>,
    pub(crate) value: V,
    /// Order of arrival.
    pub(crate) order: u64,
}

impl<V> Memory<V> {
    pub(crate) fn new(bound: usize) -> Self {
        Memory { hashes: Vec::new(), entries: Vec::new(), spare: Vec::new(), bound, next: 0, turn: 0 }
    }

    pub(crate) fn find(&self, id: &[u8]) -> Option<usize> {
        let wanted = hash(id);
        let mut from = 0;
        loop {
            let at = from + self.hashes.get(from..)?.iter().position(|hash| *hash == wanted)?;
            if self.entries.get(at)?.id == id {
                return Some(at);
            }
            from = at + 1;
        }
    }

    pub(crate) fn at(&self, at: usize) -> Option<&Entry<V>> {
        self.entries.get(at)
    }

    pub(crate) fn value_mut(&mut self, at: usize) -> Option<&mut V> {
        self.entries.get_mut(at).map(|entry| &mut entry.value)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when the next insertion forgets an entry.
    pub(crate) fn is_full(&self) -> bool {
        self.entries.len() >= self.bound
    }

    pub(crate) fn oldest(&self) -> Option<usize> {
        let entries = self.entries.iter().enumerate();
        entries.min_by_key(|(_, entry)| entry.order).map(|(at, _)| at)
    }

    pub(crate) fn newest(&self) -> Option<usize> {
        let entries = self.entries.iter().enumerate();
        entries.max_by_key(|(_, entry)| entry.order).map(|(at, _)| at)
    }

    /// Adds an id that is not there. An old entry makes room where the table is full (the oldest one where none was
    /// ever taken out); with a bound of zero nothing is remembered.
    pub(crate) fn insert(&mut self, id: &[u8], value: V) -> Option<usize> {
        let order = self.next;
        self.next += 1;
        if self.is_full() {
            self.turn = if self.turn < self.entries.len() { self.turn } else { 0 };
            let at = self.turn;
            self.turn += 1;
            let entry = self.entries.get_mut(at)?;
            keep(&mut entry.id, id);
            (entry.value, entry.order) = (value, order);
            if let Some(kept) = self.hashes.get_mut(at) {
                *kept = hash(id);
            }
            return Some(at);
        }
        let mut kept = self.spare.pop().unwrap_or_default();
        keep(&mut kept, id);
        self.hashes.push(hash(id));
        self.entries.push(Entry { id: kept, value, order });
        Some(self.entries.len() - 1)
    }

    pub(crate) fn remove(&mut self, at: usize) -> Option<V> {
        if at >= self.entries.len() {
            return None;
        }
        self.hashes.swap_remove(at);
        let entry = self.entries.swap_remove(at);
        // A huge id must not stay in memory for ever.
        if entry.id.capacity() <= ID_BYTES {
            self.spare.push(entry.id);
        }
        Some(entry.value)
    }
}

/// Keeps an id in a buffer that is used again; what a huge one needed is given back.
fn keep(buffer: &mut Vec<u8>, id: &[u8]) {
    buffer.clear();
    if buffer.capacity() > ID_BYTES {
        buffer.shrink_to(ID_BYTES);
    }
    buffer.extend_from_slice(id);
}

/// Room for an id that is kept for the next one.
const ID_BYTES: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_and_forgets_the_oldest() {
        let mut memory = Memory::new(2);
        memory.insert(b"a", 1);
        memory.insert(b"b", 2);
        assert!(memory.is_full());
        memory.insert(b"c", 3);
        assert_eq!(memory.find(b"a"), None);
        let at = memory.find(b"b").unwrap();
        assert_eq!(memory.remove(at), Some(2));
        let newest = memory.newest().unwrap();
        assert_eq!(memory.at(newest).unwrap().id, b"c");
    }

    #[test]
    fn a_bound_of_zero_remembers_nothing() {
        let mut memory = Memory::new(0);
        assert_eq!(memory.insert(b"a", ()), None);
        assert_eq!(memory.find(b"a"), None);
    }
}
