//! A TOML text as a tree.

use super::tree::{Entry, Item, Node, Value};
use crate::profile::place::Place;
use crate::profile::problem::{Problem, ProblemCode};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use toml::de::{DeTable, DeValue};

/// The tree of a text, or all that keeps the text from being TOML.
pub(super) fn tree(text: &str) -> Result<Node<'_>, Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(Node::new(entries(table.into_inner()), 0));
    }
    let mut problems: Vec<Problem> = Vec::new();
    for error in errors {
        let place = Place::of(text, error.span().map_or(0, |span| span.start));
        // What the parser stumbles over next on the same line follows from the first.
        if problems.iter().all(|earlier| earlier.place.is_none_or(|earlier| earlier.line != place.line)) {
            let mut message = error.message().to_string();
            if let ("duplicate key", Some(key)) = (&*message, error.span().and_then(|span| text.get(span))) {
                message = format!("duplicate key `{key}`");
            }
            problems.push(Problem::new(ProblemCode::Syntax, "", message).at(place));
        }
    }
    problems.sort_by_key(|problem| problem.place);
    Err(problems)
}

fn entries(table: DeTable<'_>) -> Value<'_> {
    let mut entries: Vec<Entry<'_>> = table
        .into_iter()
        .map(|(key, value)| Entry {
            at: key.span().start,
            key: key.into_inner(),
            node: node(value.span().start, value.into_inner()),
        })
        .collect();
    // In the order of the text, in which people read what is wrong.
    entries.sort_by_key(|entry| entry.at);
    Value::Table(entries)
}

fn node(at: usize, value: DeValue<'_>) -> Node<'_> {
    let value = match value {
        DeValue::String(text) => Value::Text(text),
        DeValue::Integer(number) => {
            let (digits, radix) = (number.as_str(), number.radix());
            let whole = i64::from_str_radix(digits, radix).ok().map(Value::Whole);
            let whole = whole.or_else(|| u64::from_str_radix(digits, radix).ok().map(Value::Large));
            whole.unwrap_or_else(|| Value::Number(digits.parse().unwrap_or(f64::INFINITY)))
        }
        DeValue::Float(number) => Value::Number(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Flag(flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(array) => {
            let items = array.into_iter().enumerate();
            Value::List(
                items
                    .map(|(number, value)| Item { number, node: node(value.span().start, value.into_inner()) })
                    .collect(),
            )
        }
        DeValue::Table(table) => entries(table),
    };
    Node::new(value, at)
}

/// True when a text is TOML and says something.
pub(super) fn is_toml(text: &str) -> bool {
    DeTable::parse(text).is_ok_and(|table| !table.get_ref().is_empty())
}

/// What a text that is no TOML may be instead.
pub(super) fn instead(text: &str) -> Option<&'static str> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok().map(|_| "this is JSON, not TOML")
}
