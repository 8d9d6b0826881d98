//! What of an object could be the name of a tool, and what it is given.

use super::ids::{PROPERTIES, is_time};
use super::kinds::Kind;
use super::path::{depth, holds, last_key};
use super::tool::is_code;
use super::words::has_word;
use std::collections::BTreeSet;

const NAMES: [&str; 9] = ["name", "tool", "tool_name", "toolname", "function", "command", "fn", "gadget", "title"];
/// Names of what a tool is given.
const INPUTS: [&str; 15] = [
    "input",
    "args",
    "arguments",
    "params",
    "parameters",
    "with",
    "request",
    "command",
    "rawinput",
    "raw_input",
    "cmd",
    "argv",
    "spec",
    "payload",
    "options",
];

/// What of an object could be the name of a tool and its input.
pub(super) struct Acts {
    pub(super) name: Option<String>,
    pub(super) input: Option<String>,
    /// The names of both fields say so.
    pub(super) named: bool,
}

/// Finds both; `ids`: fields that are neither.
pub(super) fn acts(kind: &Kind<'_>, ids: &BTreeSet<String>) -> Acts {
    let free = |path: &str| !ids.contains(path);
    let name = kind.find(&NAMES, |path, field| free(path) && field.is_text() && !field.spaced);
    let name = name.or_else(|| kind.find(&["title"], |_, field| field.is_text()));
    let input = input(kind, ids, name.as_deref());
    if name.is_some() && input.is_some() {
        return Acts { name, input, named: true };
    }
    let by_value = || {
        let words = kind.free().filter(|(path, field)| {
            let other = has_word(last_key(path), &PROPERTIES) || is_time(path, &field.values);
            field.is_name() && free(path) && !other && input.as_ref() != Some(path) && !is_code(path)
        });
        words.min_by_key(|(path, _)| depth(path)).map(|(path, _)| path.clone())
    };
    let name = name.or_else(by_value);
    // An object that holds all the rest is an envelope, not an input.
    let wraps = |path: &str| name.iter().chain(ids).chain(&kind.types).any(|inner| holds(path, inner));
    let objects = kind.free().filter(|(path, field)| field.objects == field.count && free(path) && !wraps(path));
    let object = objects.min_by_key(|(path, _)| path.len()).map(|(path, _)| path.clone());
    Acts { name, input: input.or(object), named: false }
}

/// The field that is called an input, and holds neither the tool's name nor an id.
fn input(kind: &Kind<'_>, ids: &BTreeSet<String>, name: Option<&str>) -> Option<String> {
    let taken =
        |path: &str| ids.iter().map(String::as_str).chain(name).any(|other| path == other || holds(path, other));
    kind.find(&INPUTS, |path, field| field.objects + field.strings + field.arrays > 0 && !taken(path))
}
