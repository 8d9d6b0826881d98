//! Paths as profile files write them.

use crate::scan::Step;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// Steps from the record's root.
    Root(Vec<Part>),
    /// Steps from the element that an iteration is at (from the root where there is none).
    Here(Vec<Part>),
    /// The key of the entry that an iteration is at.
    Key,
    /// The number of the block in its message.
    Block,
}

/// One part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Key(String),
    Each,
    Entries,
}

impl Part {
    pub(crate) fn step(&self) -> Step {
        match self {
            Part::Key(key) => Step::Key(Box::from(key.as_str())),
            Part::Each => Step::Each,
            Part::Entries => Step::Entries,
        }
    }
}

/// The paths of a text that gives alternatives, separated by `|`; in a quoted key it stands for itself.
pub(crate) fn alternatives(text: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    let separates = move |c: char| {
        let literal = core::mem::replace(&mut escaped, false);
        escaped = quoted && c == '\\' && !literal;
        quoted ^= c == '"' && !literal;
        c == '|' && !quoted
    };
    text.split(separates).map(str::trim)
}

/// Reads a path: keys separated by dots, quoted where they hold a dot, a bracket or a quote; `[]` and `{}` iterate.
pub(crate) fn parse(text: &str) -> Result<Path, &'static str> {
    match text {
        "" => return Err("the path is empty"),
        "@" => return Ok(Path::Here(Vec::new())),
        "@key" => return Ok(Path::Key),
        "@block" => return Ok(Path::Block),
        "$" => return Ok(Path::Root(Vec::new())),
        _ => {}
    }
    if let Some(rest) = text.strip_prefix("$.") {
        return Ok(Path::Root(parts(rest)?));
    }
    if let Some(rest) = text.strip_prefix("@.") {
        return Ok(Path::Here(parts(rest)?));
    }
    if text.starts_with('@') || text.starts_with('$') {
        return Err("a name after `@` or `$` must be `@key`, `@block`, or a path after a dot");
    }
    Ok(Path::Here(parts(text)?))
}

/// Reads a path of nothing but keys; `@` has none.
pub(crate) fn keys(text: &str) -> Result<Box<[Box<str>]>, &'static str> {
    let Path::Here(parts) = parse(text)? else { return Err("the path begins at the tool's input") };
    let key = |part: &Part| match part {
        Part::Key(key) => Ok(Box::from(key.as_str())),
        Part::Each | Part::Entries => Err("a command is one value"),
    };
    parts.iter().map(key).collect()
}

fn parts(text: &str) -> Result<Vec<Part>, &'static str> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (key, after) = key(rest)?;
        parts.push(Part::Key(key));
        rest = after;
        loop {
            if let Some(after) = rest.strip_prefix("[]") {
                parts.push(Part::Each);
                rest = after;
            } else if let Some(after) = rest.strip_prefix("{}") {
                parts.push(Part::Entries);
                rest = after;
            } else {
                break;
            }
        }
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Ok(parts),
            None => return Err("after a key only `.`, `[]` or `{}` may follow"),
        }
    }
}

fn key(text: &str) -> Result<(String, &str), &'static str> {
    if let Some(quoted) = text.strip_prefix('"') {
        let mut key = String::new();
        let mut chars = quoted.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => return Ok((key, quoted.get(at + 1..).unwrap_or_default())),
                '\\' => match chars.next() {
                    Some((_, escaped)) => key.push(escaped),
                    None => break,
                },
                other => key.push(other),
            }
        }
        return Err("a quoted key has no end");
    }
    let end = text.find(['.', '[', '{']).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    if key.is_empty() {
        return Err("a key of the path is empty");
    }
    if key.contains(['"', ']', '}', ' ']) {
        return Err("a key with a quote, a bracket or a space in it must be quoted");
    }
    Ok((key.to_string(), rest))
}

/// Writes parts as a path that reads as the same parts.
pub(crate) fn write(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Each => text.push_str("[]"),
            Part::Entries => text.push_str("{}"),
            Part::Key(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                if key.contains(['.', '[', ']', '{', '}', '"', ' ', '|', '\\']) || key.starts_with(['$', '@', '=']) {
                    text.push('"');
                    text.push_str(&key.replace('\\', "\\\\").replace('"', "\\\""));
                    text.push('"');
                } else {
                    text.push_str(key);
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn k(key: &str) -> Part {
        Part::Key(key.to_string())
    }

    #[test]
    fn alternatives_are_split_outside_of_quotes() {
        for (text, want) in [
            ("a", &["a"][..]),
            ("a | b.c|$.d", &["a", "b.c", "$.d"]),
            ("\"a|b\".c | d", &["\"a|b\".c", "d"]),
            (r#""a\"|b"|c"#, &[r#""a\"|b""#, "c"]),
            (r#""a\\"|"b""#, &[r#""a\\""#, "\"b\""]),
            ("\"a|b", &["\"a|b"]),
            ("|", &["", ""]),
        ] {
            assert_eq!(alternatives(text).collect::<Vec<_>>(), want, "{text}");
        }
        let key = write(&[k("a|b"), k("c")]);
        assert_eq!(alternatives(&key).map(parse).collect::<Vec<_>>(), [Ok(Path::Here(alloc::vec![k("a|b"), k("c")]))]);
    }

    #[test]
    fn paths() {
        let table: &[(&str, Result<Path, &str>)] = &[
            ("type", Ok(Path::Here(alloc::vec![k("type")]))),
            ("a.b", Ok(Path::Here(alloc::vec![k("a"), k("b")]))),
            ("$.a.b", Ok(Path::Root(alloc::vec![k("a"), k("b")]))),
            ("@.a", Ok(Path::Here(alloc::vec![k("a")]))),
            ("@", Ok(Path::Here(alloc::vec![]))),
            ("@key", Ok(Path::Key)),
            ("@block", Ok(Path::Block)),
            ("a[]", Ok(Path::Here(alloc::vec![k("a"), Part::Each]))),
            ("a.b{}.c", Ok(Path::Here(alloc::vec![k("a"), k("b"), Part::Entries, k("c")]))),
            ("\"a.b\".c", Ok(Path::Here(alloc::vec![k("a.b"), k("c")]))),
            ("\"\\\"\"", Ok(Path::Here(alloc::vec![k("\"")]))),
        ];
        for (text, want) in table {
            assert_eq!(parse(text).as_ref(), want.as_ref(), "{text}");
            if let Ok(Path::Here(parts)) = want
                && !text.starts_with('@')
            {
                assert_eq!(write(parts), *text);
            }
        }
        for bad in ["", ".", "a.", ".a", "a..b", "a[", "a[]b", "a{}{", "\"a", "@x", "$x", "a b"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
