//! What can identify a message, and how well it does.

use super::kinds::{Kind, Object, Place};
use super::path::{last, last_key};
use super::records::Field;
use super::words::{has_word, says};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Words out of a small set that name no tool and identify nothing.
pub(super) const PROPERTIES: [&str; 17] = [
    "model", "engine", "role", "status", "state", "version", "cwd", "dir", "lang", "level", "lvl", "severity", "phase",
    "outcome", "reason", "from", "who",
];

/// A field of times: each of them is another, and none identifies anything.
pub(super) fn is_time(path: &str, values: &BTreeSet<String>) -> bool {
    let date = |value: &String| {
        let digits = value.chars().take(4).all(|c| c.is_ascii_digit());
        value.len() >= 10 && digits && value.contains(['-', ':'])
    };
    has_word(last_key(path), &["ts", "time", "date", "at", "stamp", "timestamp", "when", "clock"])
        || (!values.is_empty() && values.iter().all(date))
}

/// A name that ids have.
pub(super) fn is_id_name(path: &str) -> bool {
    let names = ["id", "uid", "uuid", "guid", "ref", "for", "of", "call", "key", "handle", "no", "num", "number"];
    let key = last(path);
    has_word(last_key(path), &names) || key.ends_with("id") || key.ends_with("ref")
}

/// What identifies something else than a message.
#[derive(Default)]
pub(super) struct Taken {
    /// Fields that do.
    pub(super) paths: BTreeSet<String>,
    /// Ids of tool calls: a field of nothing but these names the call that a text is of.
    pub(super) calls: BTreeSet<String>,
}

impl Taken {
    pub(super) fn has(&self, path: &str, field: &Field) -> bool {
        self.paths.contains(path) || (!field.values.is_empty() && field.values.is_subset(&self.calls))
    }
}

/// The places that can name the message of a kind's texts, the best name first.
pub(super) fn places(kind: &Kind<'_>, record: &Kind<'_>, taken: &Taken) -> Vec<Place> {
    let own = candidates(kind, taken).map(Place::Own);
    let outer = candidates(record, taken).map(Place::Record).filter(|_| !kind.is_record());
    let mut places: Vec<Place> = own.chain(outer).collect();
    places.sort_by_key(|place| Reverse(rank(place.path())));
    places.truncate(12);
    places
}

fn candidates(kind: &Kind<'_>, taken: &Taken) -> impl Iterator<Item = String> {
    let fits = |path: &String, field: &Field| {
        let number = field.numbers == field.count && is_id_name(path);
        (field.is_id() || number)
            && field.count == kind.objects.len()
            && !taken.has(path, field)
            && !is_time(path, &field.values)
            && !has_word(last_key(path), &PROPERTIES)
    };
    kind.free().filter(move |(path, field)| fits(path, field)).map(|(path, _)| path.clone())
}

/// How much a name is that of a message's id.
pub(super) fn rank(path: &str) -> usize {
    let known = ["message_id", "messageid", "msg_id", "mid", "item_id", "id"];
    let key = last(path);
    match known.iter().position(|name| *name == key) {
        Some(at) => 20 - at,
        None if says(path, &["parent", "user", "uuid", "turn", "request", "event"]) => 1,
        None if says(path, &["message", "msg"]) && is_id_name(path) => 10,
        None if is_id_name(path) => 5,
        None => 0,
    }
}

/// No text takes the place of another: of equal ids the later text goes on from the earlier.
pub(super) fn keeps_all(place: &Place, texts: &[(Object<'_>, &str)]) -> bool {
    let mut known: BTreeMap<(usize, String), &str> = BTreeMap::new();
    texts.iter().all(|(object, text)| {
        let Some(id) = place.id(object) else { return false };
        known.insert((object.stream, id), text).is_none_or(|before| text.starts_with(before))
    })
}

/// Texts in a row have the same id there.
pub(super) fn comes_again(place: &Place, texts: &[(Object<'_>, &str)]) -> bool {
    texts.windows(2).any(|pair| match pair {
        [(a, _), (b, _)] => a.stream == b.stream && place.id(a).is_some_and(|id| place.id(b) == Some(id)),
        _ => false,
    })
}
