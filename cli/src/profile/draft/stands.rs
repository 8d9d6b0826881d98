//! Where the records of a group stand in the streams.

use super::records::Record;
use std::collections::{BTreeMap, BTreeSet};

/// Where a group's records stand.
pub(super) struct Stands {
    /// Streams that have one.
    pub(super) streams: usize,
    /// At the end of each stream that has one, and before it only where a turn ends: once, or always with the same record
    /// behind it, that comes nowhere else but at the beginning.
    pub(super) ends: bool,
    /// At the end of most streams that have one; and before each the model has spoken since the one before.
    pub(super) turns: bool,
}

/// Numbers of records.
#[derive(Default)]
pub(super) struct Places {
    /// In which the model speaks.
    pub(super) spoken: BTreeSet<usize>,
    /// That tell the results of tools.
    pub(super) results: BTreeSet<usize>,
}

pub(super) fn stands(group: usize, group_of: &[usize], records: &[Record], of: &Places) -> Stands {
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut lasts: BTreeMap<usize, usize> = BTreeMap::new();
    for (n, (record, own)) in records.iter().zip(group_of).enumerate() {
        lasts.insert(record.stream, n);
        if *own == group {
            places.entry(record.stream).or_default().push(n);
        }
    }
    // What a tool was asked for goes on.
    let goes_on = places.values().flatten().any(|place| of.results.contains(&(place + 1)));
    let all_end = !places.is_empty() && places.iter().all(|(stream, places)| places.last() == lasts.get(stream));
    let inner = places.values().flat_map(|places| places.split_last().map_or(&[][..], |(_, before)| before));
    let behind: Vec<Option<usize>> = inner.map(|n| group_of.get(n + 1).copied()).collect();
    let turns = !goes_on && turns(&places, &lasts, of);
    Stands {
        streams: places.len(),
        turns,
        ends: all_end && !goes_on && begin_turns(group, &behind, group_of, lasts.len()),
    }
}

/// Its records stand between turns: nothing of one goes on behind them. Where most streams end otherwise they are no ends.
fn turns(places: &BTreeMap<usize, Vec<usize>>, lasts: &BTreeMap<usize, usize>, of: &Places) -> bool {
    let ended = places.iter().filter(|(stream, places)| places.last() == lasts.get(stream)).count();
    let several = places.values().any(|places| places.len() > 1);
    let between = |places: &Vec<usize>| {
        // The first turn may have failed before a word.
        places.windows(2).all(|pair| matches!(pair, [a, b] if of.spoken.range(a..b).next().is_some()))
    };
    several && ended * 2 > places.len() && places.values().all(between)
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
