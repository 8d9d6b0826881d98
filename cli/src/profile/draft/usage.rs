//! Finds where streams tell tokens, and whether figures add up or are running totals.

use super::kinds::{Kind, Object};
use super::path::{at, last, last_key};
use super::words::words;
use serde_json::Value;
use std::collections::BTreeSet;

/// Where usage is told.
pub(super) struct Usage {
    pub(super) group: usize,
    pub(super) counters: Vec<(&'static str, String)>,
    pub(super) cumulative: bool,
    /// How often a figure came after another, so that the mode could be seen.
    pub(super) seen: usize,
    /// Other groups that tell tokens.
    pub(super) others: Vec<usize>,
}

/// The counters of a name.
fn counter(path: &str) -> Option<&'static str> {
    let name = last(path);
    let name_words = words(last_key(path));
    let any = |beginnings: &[&str]| {
        name_words.iter().any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning)))
    };
    Some(if any(&["cost", "usd", "price", "dollar"]) {
        "cost_usd"
    } else if any(&["cach"]) {
        if any(&["writ", "creat"]) { "cache_write" } else { "cache_read" }
    } else if any(&["reason", "think", "thought"]) {
        "reasoning"
    } else if any(&["total"]) {
        "total"
    } else if any(&["input", "prompt"]) || name == "in" || name_words.first().is_some_and(|word| word == "in") {
        "input"
    } else if any(&["output", "completion"]) || name == "out" || name_words.first().is_some_and(|word| word == "out") {
        "output"
    } else {
        return None;
    })
}

/// The records that tell most of the usage; of equals those that end a run.
pub(super) fn find(kinds: &[Kind<'_>], endings: &BTreeSet<usize>) -> Option<Usage> {
    let mut found: Vec<(usize, Vec<(&'static str, String)>)> = Vec::new();
    for kind in kinds.iter().filter(|kind| kind.is_record() && kind.has_type()) {
        let counters = counters(kind);
        let has = |name: &str| counters.iter().any(|(known, _)| *known == name);
        if has("input") && has("output") {
            found.push((kind.group, counters));
        }
    }
    let best =
        |(group, counters): &(usize, Vec<_>)| (counters.len(), endings.contains(group), std::cmp::Reverse(*group));
    found.sort_by_key(|one| std::cmp::Reverse(best(one)));
    let mut found = found.into_iter();
    let (group, counters) = found.next()?;
    let (cumulative, seen) = mode(&kinds.get(group)?.objects, &counters);
    Some(Usage { group, counters, cumulative, seen, others: found.map(|(group, _)| group).collect() })
}

/// The first field of each counter.
fn counters(kind: &Kind<'_>) -> Vec<(&'static str, String)> {
    let mut counters: Vec<(&'static str, String)> = Vec::new();
    for (path, _) in kind.fields.iter().filter(|(_, field)| field.numbers == field.count) {
        if let Some(name) = counter(path).filter(|name| !counters.iter().any(|(known, _)| known == name)) {
            counters.push((name, path.clone()));
        }
    }
    counters
}

/// Running totals never go back. True where the figures only grow; and how many steps were seen.
fn mode(objects: &[Object<'_>], counters: &[(&'static str, String)]) -> (bool, usize) {
    let told = |object: &&Object<'_>| counters.iter().any(|(_, path)| at(object.value, path).is_some());
    let figure = |object: &Object<'_>| -> Vec<f64> {
        let tokens = counters.iter().filter(|(name, _)| *name != "cost_usd");
        tokens.map(|(_, path)| at(object.value, path).and_then(Value::as_f64).unwrap_or(0.0)).collect()
    };
    let figures: Vec<(usize, Vec<f64>)> =
        objects.iter().filter(told).map(|object| (object.stream, figure(object))).collect();
    let pairs = || {
        figures.windows(2).filter_map(|pair| match pair {
            [(a, before), (b, after)] if a == b => Some((before, after)),
            _ => None,
        })
    };
    let grows = pairs().all(|(before, after)| before.iter().zip(after).all(|(before, after)| before <= after));
    let moves = pairs().any(|(before, after)| before != after);
    (grows && moves, pairs().count())
}
