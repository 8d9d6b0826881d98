//! Finds where streams tell tokens, and whether figures add up or are running totals.

use super::kinds::{Kind, Object};
use super::path::{at, depth, last, last_key, parent};
use super::words::{says, words};
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

/// The counter of a name; of a path too, whose last keys may be in any order (`cache.read`, `readCached`).
fn counter(path: &str) -> Option<&'static str> {
    let all = words(path);
    let own = words(last_key(path));
    let any =
        |beginnings: &[&str]| all.iter().any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning)));
    // `tokensIn` and `in_tokens`, but no bytes and no times.
    let other = ["byte", "char", "file", "line", "sec", "time", "dur"];
    let is = |short: &str| own.iter().any(|word| word == short) && !any(&other);
    Some(if any(&["cost", "usd", "price", "dollar"]) {
        "cost_usd"
    } else if any(&["cach"]) {
        if any(&["writ", "creat"]) { "cache_write" } else { "cache_read" }
    } else if any(&["reason", "think", "thought"]) {
        "reasoning"
    } else if any(&["total"]) {
        "total"
    } else if any(&["input", "prompt"]) || is("in") {
        "input"
    } else if any(&["output", "completion", "reply", "generat"]) || is("out") {
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
    // Of equals those that end something; then such as tell anything, by a name of figures or of what is over.
    let best = |(group, counters): &(usize, Vec<(&'static str, String)>)| {
        let kind = kinds.get(*group);
        let named =
            kind.is_some_and(|kind| says(&kind.title, &["usage", "token", "end", "finish", "complete", "done"]));
        let tells = kind.is_some_and(|kind| tells(kind, counters));
        (counters.len(), endings.contains(group), tells, named, std::cmp::Reverse(*group))
    };
    found.sort_by_key(|one| std::cmp::Reverse(best(one)));
    let mut found = found.into_iter();
    let (group, counters) = found.next()?;
    let (cumulative, seen) = mode(&kinds.get(group)?.objects, &counters);
    Some(Usage { group, counters, cumulative, seen, others: found.map(|(group, _)| group).collect() })
}

/// Some figure is another than 0.
fn tells(kind: &Kind<'_>, counters: &[(&'static str, String)]) -> bool {
    let figure = |object: &Object<'_>, path: &str| at(object.value, path).and_then(Value::as_f64).unwrap_or_default();
    kind.objects.iter().any(|object| counters.iter().any(|(_, path)| figure(object, path) != 0.0))
}

/// The counters that stand together: of several such places that which most records have, and that tells most.
fn counters(kind: &Kind<'_>) -> Vec<(&'static str, String)> {
    let inputs = kind.fields.iter().filter(|(_, field)| field.numbers == field.count);
    let inputs = inputs.filter(|(path, _)| counter(last_key(path)) == Some("input"));
    let sets = inputs.map(|(path, field)| (field.count, path, beside(kind, parent(path))));
    let sets = sets.filter(|(.., set)| set.iter().any(|(name, _)| *name == "output"));
    let best = sets.max_by_key(|(count, path, set)| {
        (*count, set.len(), says(parent(path), &["total"]), std::cmp::Reverse(depth(path)))
    });
    let Some((_, _, mut set)) = best else { return Vec::new() };
    set.retain(|(name, _)| *name != "cost_usd");
    set.extend(cost(kind).map(|path| ("cost_usd", path)));
    set
}

/// The counters below one place.
fn beside(kind: &Kind<'_>, place: &str) -> Vec<(&'static str, String)> {
    let mut set: Vec<(&'static str, String)> = Vec::new();
    let mut fields: Vec<&String> =
        kind.fields.iter().filter(|(_, field)| field.numbers == field.count).map(|(path, _)| path).collect();
    fields.sort_by_key(|path| depth(path));
    for path in fields {
        let Some(name) = path.strip_prefix(place).filter(|rest| depth(rest) <= 2).and_then(counter) else { continue };
        if !set.iter().any(|(known, _)| *known == name) {
            set.push((name, path.clone()));
        }
    }
    set
}

/// The field of what it cost: the nearest; of several parts the sum.
fn cost(kind: &Kind<'_>) -> Option<String> {
    let numbers = kind.fields.iter().filter(|(_, field)| field.numbers == field.count);
    let costs = numbers.map(|(path, _)| path).filter(|path| counter(path) == Some("cost_usd"));
    let costs = costs.filter(|path| says(last_key(path), &["cost", "usd", "price", "dollar"]) || last(path) == "total");
    costs.min_by_key(|path| depth(path)).cloned()
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
