//! A map that remembers the latest keys only, so that a stream without end costs bounded memory.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// A map of at most `limit` keys; the oldest is forgotten for a new one.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    map: HashMap<K, V>,
    order: VecDeque<K>,
    limit: usize,
}

impl<K: Hash + Eq + Clone, V> Recent<K, V> {
    pub(super) fn new(limit: usize) -> Self {
        Recent { map: HashMap::new(), order: VecDeque::new(), limit: limit.max(1) }
    }

    pub(super) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.map.get(key)
    }

    pub(super) fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.map.get_mut(key)
    }

    /// Remembers the value; an older one of the same key is replaced and keeps its place in the order.
    pub(super) fn insert(&mut self, key: K, value: V) {
        if self.map.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
            if self.order.len() > self.limit
                && let Some(oldest) = self.order.pop_front()
            {
                self.map.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_first_and_a_repeat_makes_no_room() {
        let mut recent = Recent::new(2);
        recent.insert("a", 1);
        recent.insert("b", 2);
        recent.insert("b", 3);
        assert_eq!((recent.get("a"), recent.get("b")), (Some(&1), Some(&3)));
        recent.insert("c", 4);
        assert_eq!((recent.get("a"), recent.get("b"), recent.get("c")), (None, Some(&3), Some(&4)));
    }
}
