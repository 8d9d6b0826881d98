//! JSON as the tests need it: deep values, lone surrogates, numbers compared by what they are worth.

use serde::de::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// Parses a value of any depth that a recording holds (the stack allows some ten thousand levels).
///
/// # Errors
/// When the bytes are not one JSON value.
pub fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    deserializer.disable_recursion_limit();
    let value = Value::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Parses like [`parse`], with lone surrogate escapes read as U+FFFD, as a lenient reader does.
///
/// # Errors
/// When the bytes are not one JSON value even so.
pub fn parse_lenient(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    parse(&without_lone_surrogates(bytes))
}

/// The same JSON text with every lone surrogate escape replaced by `\ufffd`.
#[must_use]
pub fn without_lone_surrogates(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.windows(3).any(|w| w[0] == b'\\' && w[1] == b'u' && w[2].eq_ignore_ascii_case(&b'd')) {
        return Cow::Borrowed(bytes);
    }
    let unit = |at: usize| -> Option<u16> {
        let escape = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()
    };
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => {
                out.extend_from_slice(&bytes[at..at + 12]);
                at += 12;
            }
            (Some(0xD800..=0xDFFF), _) => {
                out.extend_from_slice(b"\\ufffd");
                at += 6;
            }
            _ => {
                let end = (at + 2).min(bytes.len());
                out.extend_from_slice(&bytes[at..end]);
                at = end;
            }
        }
    }
    Cow::Owned(out)
}

/// Whether two values say the same: `1` and `1.0` do, and so do fractions that differ in their last digit only (the
/// fast reader of serde_json is not exact there).
#[must_use]
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) if x.is_f64() || y.is_f64() => {
            let (x, y) = (x.as_f64().unwrap_or(f64::NAN), y.as_f64().unwrap_or(f64::NAN));
            x == y || (x - y).abs() <= x.abs() * 1e-15
        }
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(k, v)| y.get(k).is_some_and(|w| same(v, w)))
        }
        _ => a == b,
    }
}

/// The string under a key; empty where there is none.
#[must_use]
pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The number under a key; zero where there is none.
#[must_use]
pub fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_default()
}

/// True under a key that is neither absent, null, false, zero nor empty.
#[must_use]
pub fn says(value: &Value, key: &str) -> bool {
    match &value[key] {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

/// The elements under a key; none where there is no array.
pub fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_kept() {
        let rows = [
            (r#""a\ud83d""#, "a\u{FFFD}"),
            (r#""\ud83d\ude00""#, "\u{1F600}"),
            (r#""\ude00\ud83d\ude00""#, "\u{FFFD}\u{1F600}"),
            (r#""\ud83d\ud83d""#, "\u{FFFD}\u{FFFD}"),
            (r#""\\ud83d""#, "\\ud83d"),
            (r#""\ud83d\n""#, "\u{FFFD}\n"),
        ];
        for (json, want) in rows {
            assert_eq!(parse_lenient(json.as_bytes()).unwrap(), Value::from(want), "{json}");
        }
    }

    #[test]
    fn numbers_are_compared_by_worth() {
        assert!(same(&serde_json::json!({"a": [1]}), &serde_json::json!({"a": [1.0]})));
        assert!(!same(&serde_json::json!({"a": 1}), &serde_json::json!({"a": 1, "b": 2})));
        assert!(!same(&serde_json::json!(null), &serde_json::json!(0)));
    }
}
