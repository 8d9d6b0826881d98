//! Which fields tell one type of object from another.

use super::ids::PROPERTIES;
use super::path::{at, depth, last, last_key, parent, text_at};
use super::records::{Field, Fields, Record, fields};
use super::words::{has_word, says};
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
    let fits = |path: &str, field: &Field, inner: bool| {
        let id = last(path).ends_with("id") || says(path, &["sess", "thread", "conversation", "chat"]);
        if depth(path) > 3 || !field.is_name() || field.count * 10 < count * 7 || id || names_tool(all, path) {
            return false;
        }
        // Of few objects each may be of another type; elsewhere types come back.
        let returns =
            field.values.len() * 2 <= count || (place(path).is_some() && (field.values.len() < count || count <= 8));
        returns || shapes(path, field, objects, inner)
    };
    let score = |path: &str, values: usize| {
        let telling = if values > 1 || count <= 2 { values.min(24) + 24 } else { 0 };
        // The nearer to the object itself, the better.
        place(path).map_or(0, |at| 40 - 2 * at) + telling + 18 - 6 * depth(path)
    };
    let best = |inner: bool| {
        let candidates = all.iter().filter(|(path, field)| fits(path, field, inner));
        candidates.max_by_key(|(path, field)| score(path, field.values.len())).map(|(path, _)| path.clone())
    };
    // Where all have the same keys around what they tell, the keys of that.
    best(false).or_else(|| best(true))
}

/// The only word beside a text, in a list of a few elements that all have both: two types of texts.
pub(super) fn of_texts(all: &Fields, count: usize) -> Option<String> {
    let word = |value: &String| !value.is_empty() && value.chars().all(|c| c.is_ascii_lowercase() || "_-".contains(c));
    let everywhere = |path: &str, field: &Field| depth(path) == 1 && field.count == count && field.is_text();
    let text = all.iter().any(|(path, field)| everywhere(path, field) && field.spaced);
    let mut words = all.iter().filter(|(path, field)| {
        everywhere(path, field) && field.is_name() && field.values.iter().all(word) && !has_word(path, &PROPERTIES)
    });
    let (path, field) = words.next().filter(|_| text && words.next().is_none())?;
    (field.values.len() > 1 && field.values.len() <= 4).then(|| path.clone())
}

/// The name of a tool beside what it is given: it makes no type.
fn names_tool(all: &Fields, path: &str) -> bool {
    const GIVEN: [&str; 8] = ["input", "args", "arguments", "params", "parameters", "cmd", "rawinput", "raw_input"];
    let given = |other: &String| parent(other) == parent(path) && GIVEN.contains(&&*last(other));
    ["name", "tool"].contains(&&*last(path)) && all.keys().any(given)
}

/// The keys of an object follow from the field's value: what makes a type of it even where few objects were seen.
/// `inner`: the keys of the objects in it too.
fn shapes(path: &str, field: &Field, objects: &[&Value], inner: bool) -> bool {
    let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut different: BTreeSet<BTreeSet<&str>> = BTreeSet::new();
    for object in objects.iter().take(OBJECTS) {
        let (Some(name), Some(entries)) = (text_at(object, path), object.as_object()) else { return false };
        let of_values = entries.values().filter_map(Value::as_object).filter(|_| inner);
        let all = std::iter::once(entries).chain(of_values).flat_map(|entries| entries.keys());
        let own: BTreeSet<&str> = all.map(String::as_str).collect();
        let known = keys.entry(name).or_insert_with(|| own.clone());
        if *known != own {
            return false;
        }
        different.insert(own);
    }
    // As many values as shapes, or one more: an id has a value for each object.
    // Of a few records each may be of another type: then the values are words.
    let word = |value: &String| value.chars().all(|c| c.is_ascii_alphabetic() || "_-./:".contains(c));
    let few = inner && depth(path) == 1 && objects.len() <= 8 && field.values.iter().all(word);
    let returns = field.values.len() < objects.len().max(3) || few;
    different.len() > 1 && field.values.len() <= different.len() + 1 && returns
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
