//! What adds up over a stream: tokens and money, limits, texts for the answer, failures, counters.

pub(crate) mod answer;
pub(crate) mod failures;
pub(crate) mod models;
pub(crate) mod stderr;
pub(crate) mod turns;
pub(crate) mod usage;
pub(crate) mod windows;

use crate::limits::Limits;
use crate::text::{Json, Text};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};

/// Record types that no rule takes, counted by name; the number of names is bounded.
#[derive(Debug)]
pub(crate) struct Unmapped {
    names: BTreeMap<String, u64>,
    bound: usize,
}

/// Bytes of a record type's name that are kept; a type of a megabyte is no name.
pub(crate) const NAME_BYTES: usize = 128;

impl Unmapped {
    pub(crate) fn new(limits: &Limits) -> Self {
        Unmapped { names: BTreeMap::new(), bound: limits.unmapped_types }
    }

    pub(crate) fn count(&mut self, name: &str) {
        let name = if name.is_empty() { "(untyped)" } else { name };
        if let Some(count) = self.names.get_mut(name) {
            *count += 1;
            return;
        }
        let name = if self.names.len() < self.bound { name } else { "(other)" };
        *self.names.entry(name.to_string()).or_default() += 1;
    }

    pub(crate) fn into_names(self) -> BTreeMap<String, u64> {
        self.names
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
