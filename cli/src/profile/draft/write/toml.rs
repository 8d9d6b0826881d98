//! Words of streams as strings, keys and comments of a file: what controls a terminal or turns the direction of writing is
//! escaped in strings and shown or dropped in comments.

use crate::transcript::clean::{self, hidden};
use std::fmt::Write as _;

/// A basic string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // Writing to a string cannot fail.
            c if hidden(c) && u32::from(c) > 0xffff => drop(write!(out, "\\U{:08X}", u32::from(c))),
            c if hidden(c) => drop(write!(out, "\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Strings one after another, as in a list.
pub(super) fn listed<'t>(texts: impl IntoIterator<Item = &'t String>) -> String {
    texts.into_iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ")
}

/// A key.
pub(super) fn key(text: &str) -> String {
    let bare = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { text.to_owned() } else { quoted(text) }
}

/// A comment's text, in one line of at most so many characters.
pub(super) fn comment(text: &str, limit: usize) -> String {
    clean::line(text, limit).replace(hidden, "")
}

/// Lines that say what was not decided.
pub(super) fn open(indent: &str, open: &[String]) -> String {
    open.iter().map(|open| format!("{indent}# NOT DECIDED: {}.\n", comment(open, 400))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_is_written() {
        assert_eq!(quoted("a\"b\\\u{7}\u{202e}\u{e0001}"), r#""a\"b\\\u0007\u202E\U000E0001""#);
        assert_eq!((key("a-b_1"), key("a.b"), key("")), ("a-b_1".to_owned(), "\"a.b\"".to_owned(), "\"\"".to_owned()));
        assert_eq!(comment("a\u{1b}[31mb\nc\u{200f}d\u{202e}", 80), "ab cd<U+202E>");
    }
}
