//! The tree as data: what is wrong is told in words that do not name our types, and with the way to it.

use super::tree::{Entry, Item, Node, Value};
use super::wrong::Wrong;
use crate::profile::words;
use alloc::vec::Vec;
use core::fmt;
use serde::de::value::{BorrowedStrDeserializer, UnitDeserializer};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

impl fmt::Display for Node<'_> {
    /// What it is, in a few words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Value::Null => f.write_str("`null`"),
            Value::Flag(flag) => write!(f, "`{flag}`"),
            Value::Whole(number) => write!(f, "the number {number}"),
            Value::Large(number) => write!(f, "the number {number}"),
            Value::Number(number) => write!(f, "the number {number}"),
            Value::Text(text) => write!(f, "the string {}", words::quoted(text)),
            Value::Date(date) => write!(f, "the date or time {date}"),
            Value::List(_) => f.write_str("a list"),
            Value::Table(_) => f.write_str("a table"),
        }
    }
}

macro_rules! whole_numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
            match self.value {
                Value::Whole(number @ 0..) => visitor.visit_u64(number as u64),
                Value::Large(number) => visitor.visit_u64(number),
                _ => Err(Wrong::value(self, &"a whole number from 0 on")),
            }
        })*
    };
}

macro_rules! strings {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
            match &self.value {
                Value::Text(text) => visitor.visit_borrowed_str(text),
                _ => Err(Wrong::value(self, &"a string")),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for &'de Node<'_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Flag(flag) => visitor.visit_bool(*flag),
            Value::Whole(number) => visitor.visit_i64(*number),
            Value::Large(number) => visitor.visit_u64(*number),
            Value::Number(number) => visitor.visit_f64(*number),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Date(_) => Err(Wrong::value(self, &"something that JSON has too (write it as a string)")),
            Value::List(items) => visitor.visit_seq(Elements { items, next: 0 }),
            Value::Table(entries) => visitor.visit_map(Entries::new(entries, None)),
        }
    }

    whole_numbers! { deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 }

    strings! { deserialize_str deserialize_string }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.value {
            Value::Flag(flag) => visitor.visit_bool(flag),
            _ => Err(Wrong::value(self, &"`true` or `false`")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match &self.value {
            Value::List(items) => visitor.visit_seq(Elements { items, next: 0 }),
            _ => Err(Wrong::value(self, &"a list")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match &self.value {
            Value::Table(entries) => visitor.visit_map(Entries::new(entries, None)),
            _ => Err(Wrong::value(self, &"a table")),
        }
    }

    /// A table; the entry that the type names first comes first, as a tag must, so that nothing after it is kept aside.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match &self.value {
            Value::Table(entries) => {
                let first = fields.first().and_then(|first| entries.iter().position(|entry| entry.key == *first));
                visitor.visit_map(Entries::new(entries, first))
            }
            _ => Err(Wrong::value(self, &format_args!("a table of these keys: {}", fields.join(", ")))),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match &self.value {
            Value::Text(name) => visitor.visit_enum(BorrowedStrDeserializer::<Wrong>::new(name)),
            _ => Err(Wrong::value(self, &format_args!("one of: {}", names.join(", ")))),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct identifier
    }
}

struct Elements<'de, 't> {
    items: &'de [Item<'t>],
    next: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de, '_> {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Wrong> {
        let position = self.next;
        let Some(item) = self.items.get(position) else { return Ok(None) };
        self.next += 1;
        seed.deserialize(&item.node).map(Some).map_err(|wrong| wrong.inside(position))
    }
}

struct Entries<'de, 't> {
    entries: &'de [Entry<'t>],
    /// The positions that are left, the next one last.
    left: Vec<usize>,
    current: usize,
}

impl<'de, 't> Entries<'de, 't> {
    fn new(entries: &'de [Entry<'t>], first: Option<usize>) -> Self {
        let mut left: Vec<usize> = (0..entries.len()).rev().filter(|position| Some(*position) != first).collect();
        left.extend(first);
        Entries { entries, left, current: 0 }
    }
}

impl<'de> MapAccess<'de> for Entries<'de, '_> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        let Some(position) = self.left.pop() else { return Ok(None) };
        let Some(entry) = self.entries.get(position) else { return Ok(None) };
        self.current = position;
        let key = seed.deserialize(BorrowedStrDeserializer::<Wrong>::new(&entry.key));
        key.map(Some).map_err(|wrong| wrong.key(position))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        match self.entries.get(self.current) {
            Some(entry) => seed.deserialize(&entry.node).map_err(|wrong| wrong.inside(self.current)),
            // Only a visitor that asks for a value before its key comes here.
            None => seed.deserialize(UnitDeserializer::new()),
        }
    }
}
