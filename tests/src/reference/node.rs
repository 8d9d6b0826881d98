//! A JSON value as text: looked into one level at a time, so that depth costs nothing and numbers keep their digits.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A JSON value in a text, without white space around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node<'a>(pub &'a str);

/// The entries of an object in their order, as they stand.
struct Entries<'a>(Vec<(Node<'a>, Node<'a>)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut all = Vec::new();
                while let Some((key, value)) = map.next_entry::<&'de RawValue, &'de RawValue>()? {
                    all.push((Node(key.get()), Node(value.get())));
                }
                Ok(Entries(all))
            }
        }
        deserializer.deserialize_map(All)
    }
}

impl<'a> Node<'a> {
    /// The value at the start of a text, white space aside; nothing where there is none.
    #[must_use]
    pub fn first(text: &'a str) -> Option<Node<'a>> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        <&RawValue>::deserialize(&mut deserializer).ok().map(|raw| Node(raw.get()))
    }

    /// Where in `text` it begins. It must be a part of it.
    #[must_use]
    pub fn start(self, text: &str) -> usize {
        self.0.as_ptr() as usize - text.as_ptr() as usize
    }

    fn begins(self, bytes: &[u8]) -> bool {
        self.0.as_bytes().first().is_some_and(|byte| bytes.contains(byte))
    }

    pub(super) fn is_string(self) -> bool {
        self.begins(b"\"")
    }

    pub(super) fn is_number(self) -> bool {
        self.begins(b"-0123456789")
    }

    pub(super) fn is_bool(self) -> bool {
        self.begins(b"tf")
    }

    pub(super) fn is_null(self) -> bool {
        self.begins(b"n")
    }

    pub(super) fn is_array(self) -> bool {
        self.begins(b"[")
    }

    pub(super) fn is_object(self) -> bool {
        self.begins(b"{")
    }

    /// The text of a string.
    pub(super) fn string(self) -> Option<String> {
        self.is_string().then(|| serde_json::from_str(self.0).unwrap_or_default())
    }

    pub(super) fn number(self) -> Option<f64> {
        self.is_number().then(|| self.0.parse().unwrap_or(f64::NAN))
    }

    /// The elements of an array; none of another value.
    pub(super) fn elements(self) -> Vec<Node<'a>> {
        if !self.is_array() {
            return Vec::new();
        }
        let raw: Vec<&RawValue> = serde_json::from_str(self.0).unwrap_or_default();
        raw.into_iter().map(|raw| Node(raw.get())).collect()
    }

    /// The entries of an object, key and value; of those with one key only the last.
    pub(super) fn entries(self) -> Vec<(Node<'a>, Node<'a>)> {
        if !self.is_object() {
            return Vec::new();
        }
        let all = serde_json::from_str::<Entries<'a>>(self.0).map(|entries| entries.0).unwrap_or_default();
        let last: BTreeMap<String, usize> =
            all.iter().enumerate().map(|(at, (key, _))| (key.string().unwrap_or_default(), at)).collect();
        let kept = all.into_iter().enumerate().filter(|(at, (key, _))| last[&key.string().unwrap_or_default()] == *at);
        kept.map(|(_, entry)| entry).collect()
    }

    /// The value of a key.
    pub(super) fn get(self, wanted: &str) -> Option<Node<'a>> {
        let all = self.entries();
        all.into_iter().find(|(key, _)| key.string().as_deref() == Some(wanted)).map(|(_, value)| value)
    }

    /// Says nothing: null, blank text, an empty list or object.
    pub(super) fn is_blank(self) -> bool {
        match self.string() {
            Some(text) => text.trim().is_empty(),
            None if self.is_array() => self.elements().is_empty(),
            None if self.is_object() => self.entries().is_empty(),
            None => self.is_null(),
        }
    }

    /// The words in it: a string's own; those of a list of blocks, one after another; a block's `text` or `content`; of
    /// anything else the JSON, of null nothing.
    pub(super) fn words(self) -> String {
        if let Some(text) = self.string() {
            return text;
        }
        if self.is_array() {
            let block = |node: Node<'_>| node.string().or_else(|| node.get("text")?.string()).unwrap_or_default();
            return self.elements().into_iter().map(block).collect();
        }
        if self.is_object() {
            let content = self.get("content");
            return self
                .get("text")
                .and_then(Node::string)
                .or_else(|| content?.string())
                .or_else(|| content.filter(|content| content.is_array()).map(Node::words))
                .unwrap_or_else(|| self.0.to_owned());
        }
        if self.is_null() { String::new() } else { self.0.to_owned() }
    }

    /// The value as one word: a string's text, else the JSON.
    pub(super) fn word(self) -> String {
        self.string().unwrap_or_else(|| self.0.to_owned())
    }
}

/// Levels that are compared as trees; what is deeper is compared as text.
const DEPTH: u32 = 400;

/// A tree of a JSON text that is right about every number and every depth: what no tree holds becomes a string that says
/// so. Lone surrogates are read as U+FFFD. Nothing where it is no JSON.
#[must_use]
pub fn value_of(json: &[u8]) -> Option<Value> {
    let json = crate::conform::json::without_lone_surrogates(json);
    let text = std::str::from_utf8(&json).ok()?.trim();
    Node::first(text).filter(|node| node.0.len() == text.len()).map(|node| tree(node, DEPTH))
}

pub(super) fn tree(node: Node<'_>, depth: u32) -> Value {
    if let Some(text) = node.string() {
        return Value::String(text);
    }
    if depth == 0 {
        return Value::String(format!("deep: {}", node.0));
    }
    if node.is_array() {
        return node.elements().into_iter().map(|element| tree(element, depth - 1)).collect();
    }
    if node.is_object() {
        let entries = node.entries().into_iter();
        let members = entries.map(|(key, value)| (key.string().unwrap_or_default(), tree(value, depth - 1)));
        return Value::Object(members.collect::<Map<_, _>>());
    }
    match node.0 {
        "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        digits => number(digits).unwrap_or_else(|| Value::String(format!("number: {digits}"))),
    }
}

fn number(digits: &str) -> Option<Value> {
    if let Ok(whole) = digits.parse::<u64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = digits.parse::<i64>() {
        return Some(whole.into());
    }
    digits.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number)
}
