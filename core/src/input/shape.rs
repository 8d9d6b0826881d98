//! A shape made ready: text and slots.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::Value;

/// How deep a shape may be (32): it is gone through by recursion, and no executor's record is half as deep.
pub(super) const DEPTH: usize = 32;

/// What stands for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Data,
    Id,
    Input,
    Interrupt,
    MediaType,
    Message,
    Mode,
    Model,
    Null,
    Parts,
    Permissions,
    Reply,
    Request,
    Text,
}

const NAMES: [(&str, Slot); 14] = [
    ("data", Slot::Data),
    ("id", Slot::Id),
    ("input", Slot::Input),
    ("interrupt", Slot::Interrupt),
    ("media_type", Slot::MediaType),
    ("message", Slot::Message),
    ("mode", Slot::Mode),
    ("model", Slot::Model),
    ("null", Slot::Null),
    ("parts", Slot::Parts),
    ("permissions", Slot::Permissions),
    ("reply", Slot::Reply),
    ("request", Slot::Request),
    ("text", Slot::Text),
];

impl Slot {
    pub(super) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, slot)| *slot == self).map_or("", |(name, _)| name)
    }

    /// The slot that a text is: its name, and whether it may be left out; `None` for a text that is none.
    pub(super) fn named(text: &str) -> Option<(&str, bool)> {
        let name = text.strip_prefix('{')?.strip_suffix('}')?;
        Some(name.strip_suffix('?').map_or((name, false), |name| (name, true)))
    }

    pub(super) fn of(name: &str) -> Option<Slot> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, slot)| *slot)
    }
}

/// A shape, or a part of one.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Literal(Box<str>),
    Slot(Slot, bool),
    List(Vec<Node>),
    /// The keys are quoted already.
    Object(Vec<(Box<str>, Node)>),
}

/// What is put into slots. What is not there is `null`, or left out.
pub(super) type Fills<'a> = [(Slot, Cow<'a, str>)];

impl Node {
    /// Reads a shape that was checked; what cannot be read is `null`.
    pub(super) fn of(value: &Value) -> Node {
        match value {
            Value::String(text) => match Slot::named(text).and_then(|(name, may)| Some((Slot::of(name)?, may))) {
                Some((slot, may)) => Node::Slot(slot, may),
                None => Node::Literal(quoted(text).into()),
            },
            Value::Array(list) => Node::List(list.iter().map(Node::of).collect()),
            Value::Object(map) => {
                Node::Object(map.iter().map(|(key, value)| (quoted(key).into(), Node::of(value))).collect())
            }
            other => Node::Literal(other.to_string().into()),
        }
    }

    pub(super) fn has(&self, slot: Slot) -> bool {
        match self {
            Node::Literal(_) => false,
            Node::Slot(own, _) => *own == slot,
            Node::List(list) => list.iter().any(|node| node.has(slot)),
            Node::Object(map) => map.iter().any(|(_, node)| node.has(slot)),
        }
    }

    pub(super) fn write(&self, fills: &Fills<'_>, out: &mut String) {
        match self {
            Node::Literal(text) => out.push_str(text),
            Node::Slot(slot, _) => out.push_str(fill(fills, *slot).unwrap_or("null")),
            Node::List(list) => {
                out.push('[');
                let mut first = true;
                for node in list.iter().filter(|node| node.is_there(fills)) {
                    separate(&mut first, out);
                    node.write(fills, out);
                }
                out.push(']');
            }
            Node::Object(map) => {
                out.push('{');
                let mut first = true;
                for (key, node) in map.iter().filter(|(_, node)| node.is_there(fills)) {
                    separate(&mut first, out);
                    out.push_str(key);
                    out.push(':');
                    node.write(fills, out);
                }
                out.push('}');
            }
        }
    }

    fn is_there(&self, fills: &Fills<'_>) -> bool {
        match self {
            Node::Slot(slot, true) => fill(fills, *slot).is_some(),
            _ => true,
        }
    }
}

fn fill<'f>(fills: &'f Fills<'_>, slot: Slot) -> Option<&'f str> {
    fills.iter().find(|(own, _)| *own == slot).map(|(_, json)| &**json)
}

fn separate(first: &mut bool, out: &mut String) {
    if !core::mem::take(first) {
        out.push(',');
    }
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    Value::String(text.to_string()).to_string()
}

/// JSON on one line: a line end in it can only stand between its values.
pub(super) fn on_one_line(json: &str) -> Cow<'_, str> {
    if json.contains(['\n', '\r']) { Cow::Owned(json.replace(['\n', '\r'], " ")) } else { Cow::Borrowed(json) }
}
