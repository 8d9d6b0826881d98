//! Which fields tell one type of object from another.

use super::path::{at, depth, last, last_key, parent, text_at};
use super::records::{Field, Fields, Record, fields};
use super::words::says;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Names that types usually have, the best first.
const TYPE_NAMES: [&str; 13] =
    ["type", "kind", "event", "t", "k", "op", "method", "msg_type", "item_type", "role", "subtype", "phase", "name"];

/// Objects that are looked at for what keys go with which type.
const OBJECTS: usize = 4096;

/// The field whose values are the types of the objects.
pub(super) fn discriminator(all: &Fields, objects: &[&Value]) -> Option<String> {
    let count = objects.len();
    let place = |path: &str| TYPE_NAMES.iter().position(|name| last(path) == *name);
    let candidates = all.iter().filter_map(|(path, field)| {
        let id = last(path).ends_with("id") || says(path, &["sess", "thread", "conversation", "chat"]);
        if depth(path) > 3 || !field.is_name() || field.count * 10 < count * 7 || id || names_tool(all, path) {
            return None;
        }
        // Of few objects each may be of another type; elsewhere types come back.
        let returns =
            field.values.len() * 2 <= count || (place(path).is_some() && (field.values.len() < count || count <= 8));
        let shapes = || shapes(path, field, objects);
        (returns || shapes()).then_some((path, field))
    });
    let score = |path: &str, values: usize| {
        let telling = if values > 1 || count <= 2 { values.min(24) + 24 } else { 0 };
        // The nearer to the object itself, the better.
        place(path).map_or(0, |at| 40 - 2 * at) + telling + 18 - 6 * depth(path)
    };
    candidates.max_by_key(|(path, field)| score(path, field.values.len())).map(|(path, _)| path.clone())
}

/// The name of a tool beside what it is given: it makes no type.
fn names_tool(all: &Fields, path: &str) -> bool {
    const GIVEN: [&str; 8] = ["input", "args", "arguments", "params", "parameters", "cmd", "rawinput", "raw_input"];
    let given = |other: &String| parent(other) == parent(path) && GIVEN.contains(&&*last(other));
    ["name", "tool"].contains(&&*last(path)) && all.keys().any(given)
}

/// The keys of an object follow from the field's value: what makes a type of it even where few objects were seen.
fn shapes(path: &str, field: &Field, objects: &[&Value]) -> bool {
    let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut different: BTreeSet<Vec<&str>> = BTreeSet::new();
    for object in objects.iter().take(OBJECTS) {
        let (Some(name), Some(entries)) = (text_at(object, path), object.as_object()) else { return false };
        let own: Vec<&str> = entries.keys().map(String::as_str).collect();
        let known = keys.entry(name).or_insert_with(|| own.iter().copied().collect());
        if known.len() != own.len() || !own.iter().all(|key| known.contains(key)) {
            return false;
        }
        different.insert(own);
    }
    // As many values as shapes, or one more: an id has a value for each object.
    different.len() > 1 && field.values.len() <= different.len() + 1 && field.values.len() < objects.len().max(3)
}

/// A second field that tells records of one type apart.
pub(super) fn second(first: &str, all: &Fields, records: &[Record]) -> Option<String> {
    let mut by_type: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for record in records {
        if let Some(name) = text_at(&record.value, first) {
            by_type.entry(name).or_default().push(&record.value);
        }
    }
    // Where nearly all records are of one type, it is an envelope around what tells them apart.
    let wraps = |values: &[&Value]| values.len() * 10 >= records.len() * 7 && values.len() > 1;
    let tells = |path: &str| says(last_key(path), &["type", "kind", "event", "update", "action", "variant", "tag"]);
    let mut votes: BTreeMap<String, usize> = BTreeMap::new();
    for values in by_type.values() {
        for (path, field) in fields(values.iter().copied()) {
            let named =
                TYPE_NAMES.contains(&&*last(&path)) || (wraps(values) && field.values.len() > 1 && tells(&path));
            let named = named && depth(&path) <= 3 && !names_tool(all, &path);
            if path != first && named && field.is_name() && field.count == values.len() && field.values.len() <= 24 {
                let telling = if field.values.len() > 1 { 10 } else { 1 };
                *votes.entry(path).or_default() +=
                    telling * 10 - TYPE_NAMES.iter().position(|name| last(first) == *name).unwrap_or(0);
            }
        }
    }
    votes.into_iter().filter(|(_, votes)| *votes >= 80).max_by_key(|(_, votes)| *votes).map(|(path, _)| path)
}

/// The type of a record: of each field its value, where there is one.
pub(super) fn key(record: &Value, types: &[String]) -> Vec<Option<String>> {
    types.iter().map(|path| at(record, path).and_then(Value::as_str).map(str::to_owned)).collect()
}
