//! Finds where streams tell tokens, and whether figures add up or are running totals.

use super::records::{Record, at, fields, last, words};
use serde_json::Value;

/// Where usage is told.
pub(super) struct Usage {
    pub(super) group: usize,
    pub(super) counters: Vec<(&'static str, String)>,
    pub(super) cumulative: bool,
    /// Several figures came, so that the mode could be seen.
    pub(super) seen: bool,
}

/// The counters of a name.
fn counter(path: &str) -> Option<&'static str> {
    let name = last(path);
    let name_words = words(path.rsplit('.').next().unwrap_or(path));
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

/// The records that tell most of the usage.
pub(super) fn find(groups: &[(Vec<Option<String>>, Vec<&Record>)]) -> Option<Usage> {
    let mut best: Option<Usage> = None;
    for (n, (_, records)) in groups.iter().enumerate() {
        let own = fields(records.iter().map(|record| &record.value));
        let mut counters: Vec<(&'static str, String)> = Vec::new();
        for (path, field) in &own {
            if let Some(name) = counter(path).filter(|_| field.numbers == field.count)
                && !counters.iter().any(|(known, _)| *known == name)
            {
                counters.push((name, path.clone()));
            }
        }
        let has = |name: &str| counters.iter().any(|(known, _)| *known == name);
        if !(has("input") && has("output")) {
            continue;
        }
        let (cumulative, seen) = mode(records, &counters);
        let better = best.as_ref().is_none_or(|best| counters.len() > best.counters.len());
        if better {
            best = Some(Usage { group: n, counters, cumulative, seen });
        }
    }
    best
}

/// Running totals never go back, and would grow by more and more if they were not.
fn mode(records: &[&Record], counters: &[(&'static str, String)]) -> (bool, bool) {
    let figure = |record: &Record| -> Vec<f64> {
        let tokens = counters.iter().filter(|(name, _)| *name != "cost_usd");
        tokens.map(|(_, path)| at(&record.value, path).and_then(Value::as_f64).unwrap_or(0.0)).collect()
    };
    let pairs: Vec<(Vec<f64>, Vec<f64>)> = records
        .windows(2)
        .filter_map(|pair| match pair {
            [a, b] if a.stream == b.stream => Some((figure(a), figure(b))),
            _ => None,
        })
        .collect();
    let grows = pairs.iter().all(|(a, b)| a.iter().zip(b).all(|(a, b)| a <= b));
    (grows && !pairs.is_empty(), !pairs.is_empty())
}
