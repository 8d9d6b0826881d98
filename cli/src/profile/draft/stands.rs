//! Where the records of a group stand in the streams.

use super::records::Record;
use std::collections::BTreeMap;

/// Where a group's records stand.
pub(super) struct Stands {
    /// Streams that have one.
    pub(super) streams: usize,
    /// At the end of each stream that has one, and before it only where a turn ends: once, or always with the same record
    /// behind it, that comes nowhere else but at the beginning.
    pub(super) ends: bool,
}

pub(super) fn stands(group: usize, group_of: &[usize], records: &[Record]) -> Stands {
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut lasts: BTreeMap<usize, usize> = BTreeMap::new();
    for (n, (record, own)) in records.iter().zip(group_of).enumerate() {
        lasts.insert(record.stream, n);
        if *own == group {
            places.entry(record.stream).or_default().push(n);
        }
    }
    let all_end = !places.is_empty() && places.iter().all(|(stream, places)| places.last() == lasts.get(stream));
    let inner = places.values().flat_map(|places| places.split_last().map_or(&[][..], |(_, before)| before));
    let behind: Vec<Option<usize>> = inner.map(|n| group_of.get(n + 1).copied()).collect();
    Stands { streams: places.len(), ends: all_end && begin_turns(group, &behind, group_of, lasts.len()) }
}

/// The groups behind the inner records of a group: all the same one, which begins a turn and comes nowhere else.
fn begin_turns(group: usize, behind: &[Option<usize>], group_of: &[usize], streams: usize) -> bool {
    let Some(first) = behind.first() else { return true };
    let Some(begins) = first.filter(|begins| *begins != group && behind.iter().all(|other| other == first)) else {
        return false;
    };
    // Each stream may have one more, before its first turn.
    let all = group_of.iter().filter(|group| **group == begins).count();
    all <= behind.len() + streams
}
