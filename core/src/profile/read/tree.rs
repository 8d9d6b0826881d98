//! A profile's document as a tree in which everything knows where it stands.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A value of the document.
#[derive(Debug)]
pub(super) struct Node<'t> {
    pub(super) value: Value<'t>,
    /// The byte of the text where it begins.
    pub(super) at: usize,
    /// Something that was wrong in it was taken out: what it lacks now is no mistake of its own.
    pub(super) maimed: bool,
}

/// What a document can hold, in either format.
#[derive(Debug)]
pub(super) enum Value<'t> {
    Null,
    Flag(bool),
    Whole(i64),
    /// A whole number beyond the signed ones.
    Large(u64),
    Number(f64),
    Text(Cow<'t, str>),
    /// A date or a time, which TOML has and JSON has not.
    Date(String),
    List(Vec<Item<'t>>),
    Table(Vec<Entry<'t>>),
}

/// An element of a list.
#[derive(Debug)]
pub(super) struct Item<'t> {
    /// Its number in the document, which stays when an element before it is taken out.
    pub(super) number: usize,
    pub(super) node: Node<'t>,
}

/// An entry of a table.
#[derive(Debug)]
pub(super) struct Entry<'t> {
    pub(super) key: Cow<'t, str>,
    /// The byte of the text where the key begins.
    pub(super) at: usize,
    pub(super) node: Node<'t>,
}

/// Where something stands: as a JSON Pointer and in the text.
#[derive(Debug)]
pub(super) struct Spot {
    pub(super) pointer: String,
    pub(super) at: usize,
}

impl<'t> Node<'t> {
    pub(super) fn new(value: Value<'t>, at: usize) -> Self {
        Node { value, at, maimed: false }
    }

    /// The child at this position, the part of a pointer that leads to it, and where its key begins, if it has one.
    fn child(&self, position: usize) -> Option<(&Node<'t>, String, Option<usize>)> {
        match &self.value {
            Value::Table(entries) => {
                entries.get(position).map(|entry| (&entry.node, escaped(&entry.key), Some(entry.at)))
            }
            Value::List(items) => items.get(position).map(|item| (&item.node, item.number.to_string(), None)),
            _ => None,
        }
    }

    /// What stands at the end of a way of positions, and where; `key`: its key is meant, not its value.
    pub(super) fn seek(&self, way: &[usize], key: bool) -> (&Node<'t>, Spot) {
        let mut found = self;
        let mut spot = Spot { pointer: String::new(), at: self.at };
        for position in way {
            let Some((child, part, key_at)) = found.child(*position) else { break };
            spot.pointer.push('/');
            spot.pointer.push_str(&part);
            spot.at = key_at.filter(|_| key).unwrap_or(child.at);
            found = child;
        }
        (found, spot)
    }

    /// Takes out what stands at the end of a way. False when there is nothing: the way is empty.
    pub(super) fn take_out(&mut self, way: &[usize]) -> bool {
        let Some((last, before)) = way.split_last() else { return false };
        let mut holder = self;
        for position in before {
            let child = match &mut holder.value {
                Value::Table(entries) => entries.get_mut(*position).map(|entry| &mut entry.node),
                Value::List(items) => items.get_mut(*position).map(|item| &mut item.node),
                _ => None,
            };
            let Some(child) = child else { return false };
            holder = child;
        }
        holder.maimed = true;
        match &mut holder.value {
            Value::Table(entries) if *last < entries.len() => drop(entries.remove(*last)),
            Value::List(items) if *last < items.len() => drop(items.remove(*last)),
            _ => return false,
        }
        true
    }

    /// Where a pointer into what is left of the document leads, as far as the document goes along with it. The pointer that
    /// comes back is one into the whole document. `keys`: an entry is told at its key, else at its value.
    pub(super) fn follow(&self, pointer: &str, keys: bool) -> Spot {
        let mut found = Some(self);
        let mut spot = Spot { pointer: String::new(), at: self.at };
        for part in pointer.split('/').skip(1) {
            spot.pointer.push('/');
            let next = found.and_then(|node| match &node.value {
                Value::Table(entries) => entries.iter().position(|entry| escaped(&entry.key) == part),
                Value::List(_) => part.parse().ok(),
                _ => None,
            });
            match found.zip(next).and_then(|(node, next)| node.child(next)) {
                Some((child, own, key_at)) => {
                    spot.pointer.push_str(&own);
                    spot.at = key_at.filter(|_| keys).unwrap_or(child.at);
                    found = Some(child);
                }
                None => {
                    spot.pointer.push_str(part);
                    found = None;
                }
            }
        }
        spot
    }
}

/// A key as a part of a pointer.
fn escaped(key: &str) -> String {
    match key.contains(['~', '/']) {
        true => key.replace('~', "~0").replace('/', "~1"),
        false => key.into(),
    }
}
