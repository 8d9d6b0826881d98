//! Failures that the executor reported: their words, and what a caller can do about them.

use super::field::cut;
use super::pattern;
use serde_json::Value;
use turnline::profile::ProfileSpec;

/// A failure that the executor reported.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) label: String,
    pub(super) message: String,
    pub(super) class: String,
    pub(super) until_first_turn: bool,
    pub(super) weak: bool,
    /// How many turns had begun when it was last told.
    pub(super) turns: u64,
}

/// The same text told twice is one failure; the stronger word stands.
pub(super) fn add_failure(failures: &mut Vec<Failure>, new: Failure, bound: usize) {
    let room = failures.len() < bound;
    match failures.iter_mut().find(|old| old.message == new.message) {
        Some(old) => {
            old.weak &= new.weak;
            old.until_first_turn &= new.until_first_turn;
            old.turns = new.turns;
            if old.class == "unknown" {
                old.class = new.class;
            }
        }
        None if room => failures.push(new),
        None => {}
    }
}

/// What a caller can do about a failure with this label and these words.
pub(super) fn class_of(spec: &ProfileSpec, label: &str, message: &str) -> String {
    let by_label = spec.classes.iter().find(|rule| rule.labels.iter().any(|known| known == label));
    let by_words = || spec.classes.iter().find(|rule| rule.patterns.iter().any(|p| pattern::matches(p, message, true)));
    by_label.or_else(by_words).map_or_else(|| "unknown".to_owned(), |rule| rule.class.clone())
}

/// The words of a detail: of an object its message, of a list all of them, of a JSON text in a string what is in it.
pub(super) fn opened(detail: &str, bound: usize) -> String {
    cut(open(detail.trim()), bound)
}

fn open(text: &str) -> String {
    let value: Option<Value> = if text.starts_with(['{', '[']) { serde_json::from_str(text).ok() } else { None };
    value.and_then(|value| inside(&value)).unwrap_or_else(|| text.to_owned())
}

fn inside(value: &Value) -> Option<String> {
    const MESSAGES: [&str; 7] = ["message", "errorMessage", "detail", "data", "error", "errors", "text"];
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(open),
        Value::Array(list) => {
            let words: Vec<String> = list.iter().filter_map(inside).collect();
            (!words.is_empty()).then(|| words.join("; "))
        }
        Value::Object(map) => {
            let telling = |key: &&str| map.get(*key).filter(|value| !value.is_number() && !value.is_boolean());
            let message = MESSAGES.iter().filter_map(telling).find_map(inside);
            message.or_else(|| (!map.is_empty()).then(|| value.to_string()))
        }
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
    }
}
