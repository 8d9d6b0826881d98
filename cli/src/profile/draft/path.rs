//! Paths of plain keys, as profiles write them.

use serde_json::Value;
use std::borrow::Cow;

/// A path with one key more.
pub(super) fn join(at: &str, key: &str) -> String {
    let special = |c: char| ".[]{}\"|\\".contains(c) || c.is_whitespace() || c.is_control();
    // As a path `true` and `false` would be literals.
    let literal = at.is_empty() && ["true", "false"].contains(&key);
    let quoted = key.is_empty() || key.contains(special) || key.starts_with(['$', '@', '=']) || literal;
    let key = if !quoted { key.to_owned() } else { format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\"")) };
    if at.is_empty() { key } else { format!("{at}.{key}") }
}

/// The keys of a path, still quoted where they are.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    path.split(move |c: char| {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        c == '.' && !quoted
    })
}

/// A key without its quotes.
fn plain(part: &str) -> Cow<'_, str> {
    let Some(inner) = part.strip_prefix('"').and_then(|part| part.strip_suffix('"')) else { return part.into() };
    let mut key = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        key.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    key.into()
}

/// The value at a path; null is none.
pub(super) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let found = match path.contains('"') {
        true => parts(path).try_fold(value, |value, part| value.get(&*plain(part))),
        false => path.split('.').try_fold(value, |value, key| value.get(key)),
    };
    found.filter(|value| !value.is_null())
}

/// The string at a path.
pub(super) fn text_at<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    at(value, path)?.as_str()
}

/// The last key of a path.
pub(super) fn last_key(path: &str) -> &str {
    parts(path).last().unwrap_or(path).trim_matches('"')
}

/// The same in lower case: for whole names, since its words can no longer be told apart.
pub(super) fn last(path: &str) -> String {
    last_key(path).to_ascii_lowercase()
}

/// How many keys a path has.
pub(super) fn depth(path: &str) -> usize {
    parts(path).count()
}

/// What the last key is of.
pub(super) fn parent(path: &str) -> &str {
    let last = parts(path).last().map_or(0, str::len);
    path.get(..path.len() - last).unwrap_or_default()
}

/// The second path leads into what the first leads to.
pub(super) fn holds(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_any_key() {
        for key in ["a", "a.b", "a\"b", "\\", "a b", "", "$x", "=y", "true", "x[]", "\u{7}.\""] {
            let value = serde_json::json!({ key: { "deep": { key: "found" } } });
            let path = join(&join(&join("", key), "deep"), key);
            assert_eq!(text_at(&value, &path), Some("found"), "{path}");
            assert_eq!(depth(&path), 3, "{path}");
        }
        assert_eq!((last("x.\"A.b\""), last("x.toolId")), ("a.b".to_owned(), "toolid".to_owned()));
        assert_eq!((parent("a.b.c"), parent("a")), ("a.b.", ""));
        assert!(holds("a.b", "a.b.c") && !holds("a.b", "a.bc") && !holds("a", "a"));
    }
}
