//! What adds up over a stream: tokens and money, limits, texts for the answer, failures, counters.

pub(crate) mod answer;
pub(crate) mod failures;
pub(crate) mod models;
pub(crate) mod stderr;
pub(crate) mod turns;
pub(crate) mod usage;
pub(crate) mod windows;

use crate::limits::Limits;
use crate::rules::eval::same;
use crate::text::{Form, Json, Text};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Record types that no rule takes, counted by name; the number of names is bounded.
#[derive(Debug)]
pub(crate) struct Unmapped {
    names: BTreeMap<String, u64>,
    bound: usize,
    /// The type that was counted last, and how often it came again since: mostly one comes many times, and to find it among
    /// the names takes longer than to read its record.
    last: Vec<u8>,
    again: Option<u64>,
}

/// Bytes of a record type's name that are kept; a type of a megabyte is no name.
pub(crate) const NAME_BYTES: usize = 128;

impl Unmapped {
    pub(crate) fn new(limits: &Limits) -> Self {
        Unmapped { names: BTreeMap::new(), bound: limits.unmapped_types, last: Vec::new(), again: None }
    }

    /// Counts a record of this type, the inside of a JSON string.
    pub(crate) fn count(&mut self, native: &[u8]) {
        if let Some(again) = self.again.as_mut().filter(|_| same(&self.last, native)) {
            *again += 1;
            return;
        }
        self.settle();
        self.last.clear();
        self.last.extend_from_slice(native);
        self.add(1);
        self.again = Some(0);
    }

    pub(crate) fn into_names(mut self) -> BTreeMap<String, u64> {
        self.settle();
        self.names
    }

    /// Counts what came again.
    fn settle(&mut self) {
        if let Some(again) = self.again.take().filter(|again| *again > 0) {
            self.add(again);
        }
    }

    fn add(&mut self, records: u64) {
        let native = Text::borrowed(&self.last, Form::Escaped);
        let name = native.decode();
        let name = if name.is_empty() { "(untyped)" } else { &*name };
        if let Some(count) = self.names.get_mut(name) {
            *count += records;
            return;
        }
        let name = if self.names.len() < self.bound { name } else { "(other)" };
        *self.names.entry(name.to_string()).or_default() += records;
    }
}

/// String fields for the envelope, the last value of each key.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    fields: BTreeMap<String, String>,
}

impl Metadata {
    /// Keeps a value; one that is already there is not written again.
    pub(crate) fn set(&mut self, key: &str, value: &Text<'_>, limits: &Limits) {
        let mut text = value.decode().into_owned();
        truncate(&mut text, limits.message);
        match self.fields.get_mut(key) {
            Some(kept) => *kept = text,
            None => {
                self.fields.insert(key.to_string(), text);
            }
        }
    }

    pub(crate) fn is(&self, key: &str, value: &Text<'_>) -> bool {
        self.fields.get(key).is_some_and(|kept| *value == **kept)
    }

    pub(crate) fn into_fields(self) -> BTreeMap<String, String> {
        self.fields
    }
}

/// The answer by a schema, as it was printed.
pub(crate) type StructuredOutput = Option<Json<'static>>;

/// The beginning of a text: at most `bytes` of it, and no half characters.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// Cuts a text to at most `bytes` at a character boundary.
pub(crate) fn truncate(text: &mut String, bytes: usize) {
    if text.len() > bytes {
        let mut end = bytes;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        // What is kept must not hold the room of what was cut.
        text.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_counted_in_whatever_order_they_come() {
        let limits = Limits { unmapped_types: 2, ..Limits::default() };
        let mut unmapped = Unmapped::new(&limits);
        for native in ["", "", "a", "a", "a", "b", "b", "a", "c", "", "\\u0061"] {
            unmapped.count(native.as_bytes());
        }
        let names: Vec<_> = unmapped.into_names().into_iter().collect();
        let expected = [("(other)", 3), ("(untyped)", 3), ("a", 5)];
        assert_eq!(names, expected.map(|(name, records)| (name.to_string(), records)));
    }
}
