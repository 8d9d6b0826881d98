//! A JSON text as a tree.

use super::tree::{Entry, Item, Node, Value};
use crate::profile::place::Place;
use crate::profile::problem::{Problem, ProblemCode};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Levels of nesting: as many as the parser of TOML allows, more or less.
const DEPTH: usize = 80;

/// The tree of a text, or what keeps the text from being JSON.
pub(super) fn tree(text: &str) -> Result<Node<'_>, Vec<Problem>> {
    let mut reader = Reader { text, problems: Vec::new() };
    let node = match serde_json::from_str::<&RawValue>(text) {
        Ok(raw) => reader.node(raw.get(), 0),
        Err(error) => {
            reader.error(0, &error);
            None
        }
    };
    node.filter(|_| reader.problems.is_empty()).ok_or(reader.problems)
}

struct Reader<'t> {
    text: &'t str,
    problems: Vec<Problem>,
}

impl<'t> Reader<'t> {
    /// Where a part of the text begins in it.
    fn at(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    fn problem(&mut self, at: usize, message: impl Into<String>) {
        self.problems.push(Problem::new(ProblemCode::Syntax, "", message).at(Place::of(self.text, at)));
    }

    /// What the parser says of a part that begins at `from`.
    fn error(&mut self, from: usize, error: &serde_json::Error) {
        let rest = self.text.get(from..).unwrap_or_default();
        let before: usize = rest.split('\n').take(error.line().saturating_sub(1)).map(|line| line.len() + 1).sum();
        // The parser counts bytes up to and with the one it stumbled over, a line's end as the next line's byte 0.
        let place = Place::of(self.text, from + (before + error.column()).saturating_sub(1));
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        self.problems.push(Problem::new(ProblemCode::Syntax, "", message).at(place));
    }

    fn node(&mut self, raw: &'t str, depth: usize) -> Option<Node<'t>> {
        let at = self.at(raw);
        if depth > DEPTH {
            self.problem(at, format!("it is over {DEPTH} levels deep"));
            return None;
        }
        let value = match raw.as_bytes().first()? {
            b'{' => Value::Table(self.table(raw, depth)?),
            b'[' => {
                let elements: Vec<&'t RawValue> = self.read(raw)?;
                let mut items = Vec::with_capacity(elements.len());
                for (number, element) in elements.into_iter().enumerate() {
                    items.push(Item { number, node: self.node(element.get(), depth + 1)? });
                }
                Value::List(items)
            }
            b'"' => Value::Text(self.read::<Key<'t>>(raw)?.0),
            b't' => Value::Flag(true),
            b'f' => Value::Flag(false),
            b'n' => Value::Null,
            _ => match (raw.parse(), raw.parse()) {
                (Ok(whole), _) => Value::Whole(whole),
                (_, Ok(large)) => Value::Large(large),
                _ => Value::Number(self.read(raw)?),
            },
        };
        Some(Node::new(value, at))
    }

    fn table(&mut self, raw: &'t str, depth: usize) -> Option<Vec<Entry<'t>>> {
        let pairs: Pairs<'t> = self.read(raw)?;
        let mut entries: Vec<Entry<'t>> = Vec::with_capacity(pairs.0.len());
        let mut seen = alloc::collections::BTreeSet::new();
        for (key, value) in pairs.0 {
            let at = self.at(key.get());
            let key = self.read::<Key<'t>>(key.get())?.0;
            if !seen.insert(key.clone()) {
                // Which of the two is meant is not ours to guess.
                self.problem(at, format!("duplicate key `{key}`"));
            }
            let node = self.node(value.get(), depth + 1)?;
            entries.push(Entry { key, at, node });
        }
        Some(entries)
    }

    fn read<T: Deserialize<'t>>(&mut self, raw: &'t str) -> Option<T> {
        let read = serde_json::from_str(raw);
        read.map_err(|error| self.error(self.at(raw), &error)).ok()
    }
}

/// A string, borrowed where it holds no escapes.
struct Key<'t>(Cow<'t, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text.into())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// The entries of an object, also those with the same key.
struct Pairs<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(All)
    }
}

/// What a text that is no JSON may be instead.
pub(super) fn instead(text: &str) -> Option<&'static str> {
    super::toml::is_toml(text).then_some("this is TOML, not JSON")
}
