//! Where in a file's text a JSON Pointer leads: so that a problem is told by line and column.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use toml::de::{DeTable, DeValue};

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Place {
    pub(crate) fn new(line: usize, column: usize) -> Self {
        Place { line, column }
    }

    /// The place of a byte of the text.
    pub(crate) fn of(text: &str, at: usize) -> Self {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = text.get(..at).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = before.get(start..).unwrap_or_default().chars().count() + 1;
        Place { line: before.matches('\n').count() + 1, column }
    }
}

/// The parts of a pointer, unescaped.
fn parts(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"))
}

/// Where each pointer leads in a TOML text; as far as the file goes along with it.
pub(crate) fn in_toml<'p>(text: &str, pointers: impl Iterator<Item = &'p str>) -> Vec<Option<Place>> {
    let table = DeTable::parse(text).ok();
    pointers
        .map(|pointer| {
            let mut found = Found::Table(table.as_ref()?.get_ref());
            let mut at = 0;
            for part in parts(pointer) {
                match found.child(&part) {
                    Some((child, start)) => (found, at) = (child, start),
                    None => break,
                }
            }
            Some(Place::of(text, at))
        })
        .collect()
}

/// What a pointer has led to so far.
#[derive(Clone, Copy)]
enum Found<'t, 'i> {
    Table(&'t DeTable<'i>),
    Value(&'t DeValue<'i>),
}

impl<'t, 'i> Found<'t, 'i> {
    /// A child and where it begins: an entry at its key, where a reader looks.
    fn child(self, part: &str) -> Option<(Found<'t, 'i>, usize)> {
        let table = match self {
            Found::Table(table) | Found::Value(DeValue::Table(table)) => table,
            Found::Value(DeValue::Array(array)) => {
                let element = array.get(part.parse::<usize>().ok()?)?;
                return Some((Found::Value(element.get_ref()), element.span().start));
            }
            Found::Value(_) => return None,
        };
        let (key, value) = table.iter().find(|(key, _)| key.get_ref().as_ref() == part)?;
        Some((Found::Value(value.get_ref()), key.span().start))
    }
}

/// Where a pointer leads in a JSON text that is known to be JSON; as far as the file goes along with it.
pub(crate) fn in_json(text: &str, pointer: &str) -> Place {
    let bytes = text.as_bytes();
    let mut at = skip_space(bytes, 0);
    for part in parts(pointer) {
        match child(text, at, &part) {
            Some(next) => at = next,
            None => break,
        }
    }
    Place::of(text, at)
}

/// Where the child of the container at `at` begins: of an entry its value, so that what is wrong stands there.
fn child(text: &str, at: usize, part: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let object = match bytes.get(at)? {
        b'{' => true,
        b'[' => false,
        _ => return None,
    };
    let mut at = skip_space(bytes, at + 1);
    let mut n = 0;
    while !matches!(bytes.get(at)?, b'}' | b']') {
        let mut named = part.parse() == Ok(n);
        if object {
            let end = skip_value(bytes, at);
            named = serde_json::from_str::<String>(text.get(at..end)?).is_ok_and(|key| key == part);
            // Past the colon.
            at = skip_space(bytes, skip_space(bytes, end) + 1);
        }
        if named {
            return Some(at);
        }
        at = skip_space(bytes, skip_value(bytes, at));
        if bytes.get(at) == Some(&b',') {
            at = skip_space(bytes, at + 1);
        }
        n += 1;
    }
    None
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The end of the value that begins at `at`; moves on by one byte at least.
fn skip_value(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    loop {
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'"') => {
                at += 1;
                while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            Some(b'{' | b'[') => {
                depth += 1;
                at += 1;
            }
            Some(b'}' | b']') => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            Some(_) => {
                at += 1;
                while depth == 0
                    && bytes
                        .get(at)
                        .is_some_and(|byte| !matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'))
                {
                    at += 1;
                }
            }
        }
        if depth == 0 {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn pointers_lead_to_lines_and_columns_in_toml() {
        let text = "id = \"x\"\n[[rules]]\nmatch = { a = 1 }\n[[rules]]\n  emit = [\n    { event = \"message\", text = \"é.\" },\n  ]\n";
        let table = [
            ("/id", "1:1"),
            ("/rules/0/match", "3:1"),
            ("/rules/0/match/a", "3:11"),
            ("/rules/1/emit/0", "6:5"),
            ("/rules/1/emit/0/text", "6:26"),
            // What is not there is told where it should be.
            ("/rules/1/emit/0/missing", "6:5"),
            ("/command", "1:1"),
            ("", "1:1"),
        ];
        for (pointer, want) in table {
            let place = in_toml(text, core::iter::once(pointer)).pop().flatten().unwrap();
            assert_eq!(place.to_string(), want, "{pointer}");
        }
    }

    #[test]
    fn pointers_lead_to_lines_and_columns_in_json() {
        let text =
            "{\"id\": \"x\",\n \"rules\": [{\"match\": {\"a/b\": [1, 2]}}, {\"emit\": [ {\"text\": \"\\\"\"} ] } ]\n}";
        let table = [
            ("/id", "1:8"),
            ("/rules/0/match/a~1b/1", "2:34"),
            ("/rules/1/emit/0/text", "2:60"),
            ("/rules/7", "2:11"),
            ("/none", "1:1"),
        ];
        for (pointer, want) in table {
            assert_eq!(in_json(text, pointer).to_string(), want, "{pointer}");
        }
    }
}
