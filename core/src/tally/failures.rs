//! The failures that an executor reports, and what becomes of them.

use crate::envelope::ErrorClass;
use crate::limits::Limits;
use crate::rules::compiled::ClassTable;
use crate::tally::truncate;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::Value;

/// One reported failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// A short name for it, in the vendor's word.
    pub(crate) label: String,
    pub(crate) message: String,
    pub(crate) class: ErrorClass,
    /// Withdrawn when the first turn starts after it.
    pub(crate) until_first_turn: bool,
    /// Counts only when nothing better is said.
    pub(crate) weak: bool,
    /// The turns that had begun when it was last told.
    pub(crate) turns: u64,
}

/// The failures that stand.
#[derive(Debug)]
pub(crate) struct Failures {
    list: Vec<Failure>,
    bound: usize,
}

impl Failures {
    pub(crate) fn new(limits: &Limits) -> Self {
        Failures { list: Vec::new(), bound: limits.failures }
    }

    /// Adds a failure; the same text told twice is one.
    pub(crate) fn add(&mut self, failure: Failure) {
        if let Some(told) = self.list.iter_mut().find(|told| told.message == failure.message) {
            // The stronger of two words stands.
            told.weak &= failure.weak;
            told.until_first_turn &= failure.until_first_turn;
            told.turns = failure.turns;
            if told.class == ErrorClass::Unknown {
                told.class = failure.class;
            }
        } else if self.list.len() < self.bound {
            self.list.push(failure);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The first turn starts: what failed before it did not keep it from starting.
    pub(crate) fn first_turn_started(&mut self) {
        self.list.retain(|failure| !failure.until_first_turn);
    }

    /// The executor tries again: what the last try reported is withdrawn.
    pub(crate) fn withdraw(&mut self) {
        self.list.clear();
    }

    /// The first one that counts of those told since so many turns had begun.
    pub(crate) fn since(&self, turns: u64) -> Option<&Failure> {
        let mut told = self.list.iter().filter(|failure| failure.turns >= turns);
        let first = told.next()?;
        if first.weak { Some(told.find(|failure| !failure.weak).unwrap_or(first)) } else { Some(first) }
    }

    /// Those that count, the strong ones before the weak.
    pub(crate) fn standing(self) -> Vec<Failure> {
        let strong = self.list.iter().any(|failure| !failure.weak);
        self.list.into_iter().filter(|failure| !failure.weak || !strong).collect()
    }
}

/// What a caller can do about a failure with this label and text.
pub(crate) fn class_of(tables: &[ClassTable], label: &str, message: &str) -> ErrorClass {
    let by_label = tables.iter().find(|table| table.labels.iter().any(|known| **known == *label));
    let by_text = || {
        let folded = message.to_lowercase();
        tables.iter().find(|table| table.patterns.iter().any(|pattern| pattern.matches_folded(&folded)))
    };
    by_label.or_else(by_text).map_or(ErrorClass::Unknown, |table| table.class)
}

/// The words of an error detail: of an object its message if it has one, else the object; lists are joined; a JSON
/// text inside a string is opened.
pub(crate) fn words(detail: &str, limits: &Limits) -> String {
    let mut text = opened(detail).unwrap_or_else(|| detail.trim().to_string());
    truncate(&mut text, limits.message);
    text
}

fn opened(detail: &str) -> Option<String> {
    let trimmed = detail.trim();
    if !trimmed.starts_with(['{', '[']) {
        return None;
    }
    // Depth is bounded by serde_json; what is deeper stays as it is.
    let value: Value = serde_json::from_str(trimmed).ok()?;
    message(&value)
}

fn message(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            (!text.is_empty()).then(|| opened(text).unwrap_or_else(|| text.to_string()))
        }
        Value::Array(values) => {
            let texts: Vec<String> = values.iter().filter_map(message).collect();
            (!texts.is_empty()).then(|| texts.join("; "))
        }
        Value::Object(fields) => ["message", "errorMessage", "detail", "data", "error", "errors", "text"]
            .iter()
            .find_map(|name| {
                fields.get(*name).filter(|inner| !inner.is_number() && !inner.is_boolean()).and_then(message)
            })
            .or_else(|| (!fields.is_empty()).then(|| value.to_string())),
        Value::Null => None,
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_error_details() {
        let table = [
            ("plain", "plain"),
            ("  plain \n", "plain"),
            (r#"{"message":"inner"}"#, "inner"),
            (r#"{"error":{"message":"deeper","code":5}}"#, "deeper"),
            (r#"{"name":"X","data":{"message":"Insufficient balance."}}"#, "Insufficient balance."),
            (r#"["a","b"]"#, "a; b"),
            (r#"{"code":7}"#, r#"{"code":7}"#),
            (r#"{"message":"{\"error\":{\"message\":\"twice\"}}"}"#, "twice"),
            (r#"{"message":"","error":"second"}"#, "second"),
            ("{not json}", "{not json}"),
            ("[]", "[]"),
        ];
        for (detail, want) in table {
            assert_eq!(words(detail, &Limits::default()), want, "{detail}");
        }
    }

    fn failure(message: &str, until_first_turn: bool, weak: bool) -> Failure {
        Failure {
            label: "error".into(),
            message: message.into(),
            class: ErrorClass::Unknown,
            until_first_turn,
            weak,
            turns: 0,
        }
    }

    #[test]
    fn the_same_text_told_twice_is_one_failure() {
        let mut failures = Failures::new(&Limits::default());
        failures.add(failure("x", true, false));
        failures.add(failure("x", false, false));
        failures.first_turn_started();
        assert_eq!(failures.standing().len(), 1);
    }

    #[test]
    fn weak_ones_count_only_alone() {
        let mut failures = Failures::new(&Limits::default());
        failures.add(failure("weak", false, true));
        failures.add(failure("strong", false, false));
        assert_eq!(failures.standing().iter().map(|f| &*f.message).collect::<Vec<_>>(), ["strong"]);
    }
}
