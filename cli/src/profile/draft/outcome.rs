//! How a record says whether a run went well: a word, a flag, a number, or that there is an error at all.

use super::kinds::{Kind, Object};
use super::path::{at, holds, last_key};
use super::words::{has_word, says, verdict};
use serde_json::Value;

/// Where it is said, and what means failure.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// Nothing says it.
    Untold,
    /// The record itself: there is one only when the run failed.
    Always,
    /// A word. Of those seen these mean success, these failure; these are taken for success without knowing.
    Word { path: String, good: Vec<String>, bad: Vec<String>, guessed: Vec<String> },
    /// A flag with this value.
    Flag { path: String, failed: bool },
    /// A number other than 0.
    Number(String),
    /// Something there.
    Present(String),
}

impl Outcome {
    pub(super) fn tells(&self) -> bool {
        !matches!(self, Outcome::Untold)
    }

    pub(super) fn path(&self) -> Option<&String> {
        match self {
            Outcome::Untold | Outcome::Always => None,
            Outcome::Word { path, .. }
            | Outcome::Flag { path, .. }
            | Outcome::Number(path)
            | Outcome::Present(path) => Some(path),
        }
    }

    /// Whether a record says that its run failed.
    pub(super) fn failed(&self, record: &Value) -> bool {
        let value = |path: &str| at(record, path);
        match self {
            Outcome::Untold => false,
            Outcome::Always => true,
            Outcome::Word { path, good, bad, guessed } => value(path).and_then(Value::as_str).is_some_and(|word| {
                let is = |list: &[String]| list.iter().any(|known| known == word);
                if good.is_empty() && guessed.is_empty() { is(bad) } else { !is(good) && !is(guessed) }
            }),
            Outcome::Flag { path, failed } => value(path).and_then(Value::as_bool) == Some(*failed),
            Outcome::Number(path) => value(path).and_then(Value::as_f64).is_some_and(|number| number != 0.0),
            Outcome::Present(path) => value(path).is_some_and(|value| match value {
                Value::String(text) => !text.trim().is_empty(),
                Value::Object(entries) => !entries.is_empty(),
                Value::Array(elements) => !elements.is_empty(),
                _ => true,
            }),
        }
    }

    /// Of these only those of failed runs have something, and not all failed.
    pub(super) fn only_failed(&self, objects: &[Object<'_>], has: impl Fn(&Object<'_>) -> bool) -> bool {
        let (failed, good): (Vec<_>, Vec<_>) = objects.iter().partition(|object| self.failed(object.value));
        !good.is_empty() && failed.into_iter().any(&has) && !good.into_iter().any(has)
    }

    /// What is guessed of values that were not seen.
    pub(super) fn guess(&self) -> String {
        match self {
            Outcome::Word { path, good, guessed, .. } => {
                let known: Vec<&str> = good.iter().chain(guessed).map(String::as_str).collect();
                format!("any `{path}` but {} is taken for a failure", known.join(", "))
            }
            Outcome::Flag { path, failed } => format!("`{path}` = {failed} is taken for a failure"),
            Outcome::Number(path) => format!("a `{path}` other than 0 is taken for a failure"),
            Outcome::Present(path) => format!("a run with `{path}` is taken for a failed one"),
            Outcome::Untold | Outcome::Always => "what means failure is not known".to_owned(),
        }
    }

    /// What is not known of the values that were seen.
    pub(super) fn open(&self) -> Vec<String> {
        let Outcome::Word { path, good, bad, guessed } = self else { return Vec::new() };
        let mut open = Vec::new();
        if !guessed.is_empty() {
            open.push(format!(
                "`{path}` was {} too: taken for a success, since no reason stands beside it",
                guessed.join(", ")
            ));
        }
        if good.is_empty() && guessed.is_empty() {
            open.push(format!(
                "no value of `{path}` was seen that means success: only {} is taken for a failure",
                bad.join(", ")
            ));
        }
        open
    }
}

/// Words beside a model's run that are no outcome.
const OTHER: [&str; 16] = [
    "model", "engine", "role", "version", "cwd", "dir", "lang", "mode", "name", "who", "cmd", "tool", "session",
    "thread", "uid", "unit",
];
const STATES: [&str; 12] = [
    "status",
    "state",
    "outcome",
    "result",
    "subtype",
    "reason",
    "verdict",
    "how",
    "ended",
    "exit",
    "stop",
    "conclusion",
];
/// Names of errors.
const ERRORS: [&str; 5] = ["err", "fail", "exception", "problem", "fault"];
const REASONS: [&str; 8] = ["err", "fail", "cause", "why", "problem", "detail", "trouble", "diagnos"];

/// Finds how the records of a kind tell it.
pub(super) fn judge(kind: &Kind<'_>) -> Outcome {
    let free = || kind.free();
    let mut flags = free().filter(|(_, field)| field.is_flag());
    if let Some((path, good)) = flags.find_map(|(path, _)| Some((path, verdict(last_key(path))?))) {
        return Outcome::Flag { path: path.clone(), failed: !good };
    }
    let words = free().filter(|(path, field)| {
        let name = last_key(path);
        field.is_name() && !has_word(name, &OTHER) && !super::ids::is_time(path, &field.values) && !name.ends_with("id")
    });
    let state = |path: &str| says(last_key(path), &STATES);
    let mut words: Vec<_> = words
        .filter(|(path, field)| {
            let judged = field.values.iter().filter(|value| verdict(value).is_some()).count();
            let reason = says(last_key(path), &REASONS);
            judged > 0 && !reason || state(path)
        })
        .collect();
    words.sort_by_key(|(path, field)| (!state(path), std::cmp::Reverse(field.values.len()), path.len()));
    if let Some((path, _)) = words.first() {
        return inside_error(kind, path).unwrap_or_else(|| word(kind, path));
    }
    let number = free().find(|(path, field)| field.numbers == field.count && super::tool::is_code(path));
    if let Some((path, _)) = number {
        return inside_error(kind, path).unwrap_or_else(|| Outcome::Number(path.clone()));
    }
    let present = free().filter(|(path, field)| {
        says(last_key(path), &ERRORS) && field.strings + field.objects + field.arrays == field.count
    });
    match present.min_by_key(|(path, _)| path.len()) {
        Some((path, _)) => Outcome::Present(path.clone()),
        None => only_sometimes(kind),
    }
}

/// Where it stands inside an error that is there only at times, that error: another may have no code.
fn inside_error(kind: &Kind<'_>, path: &str) -> Option<Outcome> {
    let holders = kind.fields.iter().filter(|(outer, field)| {
        holds(outer, path)
            && says(last_key(outer), &ERRORS)
            && field.objects == field.count
            && field.count < kind.objects.len()
    });
    holders.min_by_key(|(outer, _)| outer.len()).map(|(outer, _)| Outcome::Present(outer.clone()))
}

/// What each word means: by itself, else by whether a reason stands beside it that no other record has.
fn word(kind: &Kind<'_>, path: &str) -> Outcome {
    let (mut good, mut bad, mut guessed) = (Vec::new(), Vec::new(), Vec::new());
    let Some(field) = kind.fields.get(path) else { return Outcome::Untold };
    for value in &field.values {
        let objects: Vec<&Value> = kind
            .objects
            .iter()
            .map(|object| object.value)
            .filter(|object| at(object, path).and_then(Value::as_str) == Some(value))
            .collect();
        let reason = || {
            kind.fields.keys().any(|other| {
                other != path
                    && says(last_key(other), &REASONS)
                    && objects.iter().all(|object| at(object, other).is_some())
            })
        };
        match verdict(value) {
            Some(true) => good.push(value.clone()),
            Some(false) => bad.push(value.clone()),
            None if reason() => bad.push(value.clone()),
            None => guessed.push(value.clone()),
        }
    }
    Outcome::Word { path: path.to_owned(), good, bad, guessed }
}

/// A text that only some of the records have, by a name of reasons.
fn only_sometimes(kind: &Kind<'_>) -> Outcome {
    let found = kind
        .free()
        .find(|(path, field)| field.is_text() && says(last_key(path), &REASONS) && field.count < kind.objects.len());
    found.map_or(Outcome::Untold, |(path, _)| Outcome::Present(path.clone()))
}
