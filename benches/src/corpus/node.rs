//! JSON values that keep their keys in the order given: the executors print theirs in an order of their own.

use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;

#[derive(Clone)]
pub(in crate::corpus) enum Node {
    Null,
    Bool(bool),
    Integer(u64),
    Float(f64),
    Text(Cow<'static, str>),
    List(Vec<Node>),
    Object(Vec<(&'static str, Node)>),
}

/// An object with these members, in this order.
macro_rules! object {
    ($($key:literal: $value:expr),* $(,)?) => {
        $crate::corpus::node::Node::Object(vec![$(($key, $crate::corpus::node::Node::from($value))),*])
    };
}
pub(in crate::corpus) use object;

impl Node {
    /// This object with the members of another: a key it has is replaced in place, a new one comes last.
    pub(in crate::corpus) fn with(mut self, more: Node) -> Node {
        if let (Node::Object(members), Node::Object(more)) = (&mut self, more) {
            for (key, value) in more {
                match members.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, old)) => *old = value,
                    None => members.push((key, value)),
                }
            }
        }
        self
    }

    /// A member's value; an empty text where there is no such member.
    pub(in crate::corpus) fn member(&self, key: &str) -> Node {
        match self {
            Node::Object(members) => members.iter().find(|(known, _)| *known == key).map(|(_, value)| value.clone()),
            _ => None,
        }
        .unwrap_or(Node::Text("".into()))
    }

    /// The compact JSON, as one line without its end.
    pub(in crate::corpus) fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a tree of plain values is always JSON")
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Null => serializer.serialize_unit(),
            Node::Bool(value) => serializer.serialize_bool(*value),
            Node::Integer(value) => serializer.serialize_u64(*value),
            Node::Float(value) => serializer.serialize_f64(*value),
            Node::Text(text) => serializer.serialize_str(text),
            Node::List(items) => serializer.collect_seq(items),
            Node::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl From<bool> for Node {
    fn from(value: bool) -> Self {
        Node::Bool(value)
    }
}

impl From<usize> for Node {
    fn from(value: usize) -> Self {
        Node::Integer(value as u64)
    }
}

impl From<f64> for Node {
    fn from(value: f64) -> Self {
        Node::Float(value)
    }
}

impl From<&'static str> for Node {
    fn from(text: &'static str) -> Self {
        Node::Text(text.into())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Node::Text(text.into())
    }
}

impl From<Vec<Node>> for Node {
    fn from(items: Vec<Node>) -> Self {
        Node::List(items)
    }
}
