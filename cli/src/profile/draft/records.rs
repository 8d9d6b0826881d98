//! The records of captured streams, and what their fields hold.

use super::path::join;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Records that are kept.
const RECORDS: usize = 50_000;
/// Values that are kept of a field.
const VALUES: usize = 512;
/// Objects inside one another that are looked into.
const DEPTH: usize = 4;

/// The records that were read.
#[derive(Default)]
pub(super) struct Streams {
    pub(super) records: Vec<Record>,
    pub(super) streams: usize,
    /// Lines that hold no object.
    pub(super) other_lines: usize,
}

/// A record and where it stands.
pub(super) struct Record {
    pub(super) stream: usize,
    pub(super) place: String,
    pub(super) value: Value,
}

impl Streams {
    /// Reads a stream.
    pub(super) fn add(&mut self, name: &str, bytes: &[u8]) {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        for (n, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let line = line.trim_ascii();
            if line.is_empty() || self.records.len() >= RECORDS {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(value @ Value::Object(_)) => {
                    let place = format!("{name}:{}", n + 1);
                    self.records.push(Record { stream: self.streams, place, value });
                }
                _ => self.other_lines += 1,
            }
        }
        self.streams += 1;
    }
}

/// What is at one path of the records of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    /// In how many records it is there and not null.
    pub(super) count: usize,
    pub(super) strings: usize,
    pub(super) numbers: usize,
    pub(super) flags: usize,
    /// Which flags were seen: `false`, `true`.
    pub(super) flags_seen: [bool; 2],
    pub(super) objects: usize,
    /// Lists whose elements are objects.
    pub(super) lists: usize,
    /// Lists of anything.
    pub(super) arrays: usize,
    /// Different strings, at most [`VALUES`].
    pub(super) values: BTreeSet<String>,
    pub(super) longest: usize,
    /// Some string has a space in it.
    pub(super) spaced: bool,
}

impl Field {
    /// Its values are words out of a small set.
    pub(super) fn is_name(&self) -> bool {
        self.strings > 0 && self.strings == self.count && !self.spaced && self.longest <= 48 && self.values.len() < 64
    }

    /// Its values are strings.
    pub(super) fn is_text(&self) -> bool {
        self.strings > 0 && self.strings == self.count
    }

    /// Its values can identify something.
    pub(super) fn is_id(&self) -> bool {
        self.is_text() && !self.spaced && self.longest <= 128
    }

    /// Its values are flags.
    pub(super) fn is_flag(&self) -> bool {
        self.flags > 0 && self.flags == self.count
    }
}

/// The fields of some objects, by path.
pub(super) type Fields = BTreeMap<String, Field>;

/// The fields of these objects.
pub(super) fn fields<'v>(values: impl Iterator<Item = &'v Value>) -> Fields {
    let mut fields = Fields::new();
    for value in values {
        walk("", value, DEPTH, &mut fields);
    }
    fields
}

fn walk(at: &str, value: &Value, depth: usize, fields: &mut Fields) {
    let Value::Object(entries) = value else { return };
    for (key, value) in entries {
        // A profile cannot name a key with the sign that stands between paths.
        if value.is_null() || key.contains('|') {
            continue;
        }
        let path = join(at, key);
        let field = fields.entry(path.clone()).or_default();
        field.add(value);
        if depth > 1 {
            walk(&path, value, depth - 1, fields);
        }
    }
}

impl Field {
    /// One more value.
    fn add(&mut self, value: &Value) {
        self.count += 1;
        match value {
            Value::String(text) => {
                self.strings += 1;
                self.longest = self.longest.max(text.len());
                self.spaced |= text.contains(char::is_whitespace);
                if self.values.len() < VALUES && text.len() <= 4096 {
                    self.values.insert(text.clone());
                }
            }
            Value::Number(_) => self.numbers += 1,
            Value::Bool(flag) => {
                self.flags += 1;
                self.flags_seen = [self.flags_seen[0] || !flag, self.flags_seen[1] || *flag];
            }
            Value::Object(_) => self.objects += 1,
            Value::Array(elements) => {
                self.arrays += 1;
                self.lists += usize::from(elements.iter().any(Value::is_object));
            }
            Value::Null => {}
        }
    }
}
