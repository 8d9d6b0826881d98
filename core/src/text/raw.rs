//! JSON as it stands in a line: its parts, and what makes it valid JSON again. Linear, and nothing recurses.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::scan::{Kind, Slot, eq_key, hex, next_element, skip_ws, value};

/// The elements of an array, as places in `json`; none if it is no array. Stops where it is damaged.
pub(crate) fn elements(json: &[u8]) -> impl Iterator<Item = Slot> + '_ {
    let start = skip_ws(json, 0);
    let mut at = (json.get(start) == Some(&b'[')).then_some(start + 1);
    core::iter::from_fn(move || {
        let start = next_element(json, at?)?;
        let (slot, end) = value(json, start).ok()?;
        at = Some(end);
        Some(slot)
    })
}

/// The entries of an object, as places in `json`: key and value; none if it is no object. Stops where it is damaged.
pub(crate) fn entries(json: &[u8]) -> impl Iterator<Item = (Slot, Slot)> + '_ {
    let start = skip_ws(json, 0);
    let mut at = (json.get(start) == Some(&b'{')).then_some(start + 1);
    core::iter::from_fn(move || {
        let mut start = skip_ws(json, at?);
        if json.get(start) == Some(&b',') {
            start = skip_ws(json, start + 1);
        }
        if json.get(start) != Some(&b'"') {
            return None;
        }
        let (key, end) = value(json, start).ok()?;
        let colon = skip_ws(json, end);
        if json.get(colon) != Some(&b':') {
            return None;
        }
        let (value, end) = value(json, colon + 1).ok()?;
        at = Some(end);
        Some((key, value))
    })
}

/// The values of some keys of an object in one pass; `Absent` for a key it lacks. The last one of a key wins.
pub(crate) fn fields<const N: usize>(json: &[u8], keys: [&str; N]) -> [Slot; N] {
    let mut found = [Slot::default(); N];
    for (key, value) in entries(json) {
        let raw = key.of(json);
        let same = |name: &&str| {
            if key.kind == Kind::Escaped { eq_key(raw, name.as_bytes()) } else { raw == name.as_bytes() }
        };
        if let Some(at) = keys.iter().position(same) {
            found[at] = value;
        }
    }
    found
}

/// The value of a key of an object. The last one wins.
pub(crate) fn field(json: &[u8], key: &str) -> Option<Slot> {
    let [slot] = fields(json, [key]);
    (slot.kind != Kind::Absent).then_some(slot)
}

/// Whether JSON, or the inside of a string, has invalid UTF-8 or a lone surrogate in it.
pub(crate) fn needs_repair(json: &[u8]) -> bool {
    core::str::from_utf8(json).is_err() || lone_surrogates(json).next().is_some()
}

/// The same JSON as valid UTF-8 without lone surrogates: U+FFFD instead.
pub(crate) fn repaired(json: &[u8]) -> Cow<'_, str> {
    if lone_surrogates(json).next().is_none() {
        return String::from_utf8_lossy(json);
    }
    let mut bytes = json.to_vec();
    for at in lone_surrogates(json) {
        bytes[at + 2..at + 6].copy_from_slice(b"fffd");
    }
    Cow::Owned(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// The places of surrogate escapes without their other half.
fn lone_surrogates(json: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut from = 0;
    core::iter::from_fn(move || {
        loop {
            let slash = next_surrogate(json, from)?;
            from = slash + 6;
            if hex(json, slash + 2)? >= 0xDC00 {
                return Some(slash);
            }
            let paired = json.get(from..from + 2) == Some(b"\\u");
            match hex(json, from + 2) {
                Some(0xDC00..=0xDFFF) if paired => from += 6,
                _ => return Some(slash),
            }
        }
    })
}

/// The place of the next surrogate escape.
fn next_surrogate(json: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let slash = next_candidate(json, from)?;
        // Escaped itself it begins nothing. No run of backslashes is looked at twice: they are looked at from their end.
        let run = json[..slash].iter().rev().take_while(|byte| **byte == b'\\').count();
        if run % 2 == 0 && matches!(hex(json, slash + 2), Some(0xD800..=0xDFFF)) {
            return Some(slash);
        }
        from = slash + 1;
    }
}

/// The place of the next `\ud`. Mostly there is none, and that is quickly seen: plain loops over arrays become vector code.
fn next_candidate(json: &[u8], from: usize) -> Option<usize> {
    const STEP: usize = 64;
    let candidate = |bytes: &[u8]| bytes[0] == b'\\' && bytes[1] == b'u' && bytes[2] | 0x20 == b'd';
    let mut at = from;
    // Each step looks at two bytes more than it takes, so that nothing is cut.
    while let Some(bytes) = json.get(at..)?.first_chunk::<{ STEP + 2 }>() {
        let mut found = 0;
        for i in 0..STEP {
            found |=
                u8::from(bytes[i] == b'\\') & u8::from(bytes[i + 1] == b'u') & u8::from(bytes[i + 2] | 0x20 == b'd');
        }
        if found != 0 {
            break;
        }
        at += STEP;
    }
    let found = json.get(at..)?.windows(3).position(candidate)?;
    Some(at + found)
}
