//! Finds the number of a pull request in a text, by what stands around it. Exact or nothing: never a guess.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::Deserialize;

/// What stands before a number, and after it: `*` is a name without a slash, `{number}` the number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Marker {
    before: Vec<Box<str>>,
}

impl TryFrom<String> for Marker {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let before = text.strip_suffix("{number}").filter(|before| !before.is_empty() && !before.starts_with('*'));
        let before = before.ok_or_else(|| format!("`{text}` does not begin with a text and end with `{{number}}`"))?;
        Ok(Marker { before: before.split('*').map(Box::from).collect() })
    }
}

impl Marker {
    /// The digits behind each place where the marker stands.
    fn numbers<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let first = self.before.first().map_or("", |first| first);
        memchr::memmem::find_iter(text.as_bytes(), first.as_bytes()).filter_map(move |at| {
            let mut rest = text.get(at + first.len()..)?;
            for literal in self.before.get(1..)? {
                let end = rest.find(|c: char| !name(c)).unwrap_or(rest.len());
                rest = rest.get(end..).filter(|_| end > 0)?.strip_prefix(&**literal)?;
            }
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (digits, after) = rest.split_at(end);
            (is_number(digits) && !after.starts_with(name)).then_some(digits)
        })
    }
}

/// The numbers that stand behind these markers, each once.
pub(super) fn numbers<'t>(markers: &'t [Marker], text: &'t str) -> Vec<&'t str> {
    /// Where there are more, none is the one.
    const ENOUGH: usize = 16;
    let mut found: Vec<&str> = Vec::new();
    for number in markers.iter().flat_map(|marker| marker.numbers(text)) {
        if !found.contains(&number) {
            found.push(number);
        }
        if found.len() == ENOUGH {
            break;
        }
    }
    found
}

/// A number as a command says it: `12`, `#12`, or a link that a marker knows.
pub(super) fn said(markers: &[Marker], argument: &str) -> Option<String> {
    let plain = argument.strip_prefix('#').unwrap_or(argument);
    if is_number(plain) {
        return Some(plain.into());
    }
    match *numbers(markers, argument) {
        [number] if argument.contains("://") => Some(number.into()),
        _ => None,
    }
}

/// Whether an argument has the form of a pattern: `*` is a name without a slash, `**` anything, `{number}` digits, which are
/// given back.
pub(super) fn argument<'a>(pattern: &str, argument: &'a str) -> Option<Option<&'a str>> {
    let argument = argument.strip_prefix('/').unwrap_or(argument);
    let argument = argument.split('?').next().unwrap_or_default();
    let mut parts = argument.split('/');
    let mut number = None;
    for wanted in pattern.split('/') {
        let part = parts.next().filter(|part| !part.is_empty())?;
        match wanted {
            "**" => return Some(number),
            "*" => {}
            "{number}" if is_number(part) => number = Some(part),
            _ if wanted == part => {}
            _ => return None,
        }
    }
    parts.next().is_none().then_some(number)
}

fn is_number(digits: &str) -> bool {
    (1..=18).contains(&digits.len()) && !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}
