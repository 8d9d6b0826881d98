//! Streams and profiles that are almost right: recordings with some things changed, by a seed.

use crate::conform::corpus::{documented, public_cases, recordings};
use serde_json::Value;
use std::sync::OnceLock;

/// A generator of numbers, the same ones for the same seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that begin at a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// A number below a bound; 0 where the bound is.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }

    /// One of some.
    ///
    /// # Panics
    /// Where there are none.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A stream and its executor.
pub type Stream = (String, Vec<u8>);

/// Small streams of every executor (at most 24 KiB), each with another set of sizes and types.
pub fn streams() -> &'static [Stream] {
    static ALL: OnceLock<Vec<Stream>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Vec::new();
        for cli in ["claude-code", "codex", "opencode", "gemini", "qwen", "pi", "kimi"] {
            let recordings = recordings(cli).into_iter().map(|recording| recording.input);
            let small = recordings.filter(|input| (1..24 << 10).contains(&input.stdout.len()));
            let mut some: Vec<Stream> = small.map(|input| (input.executor, input.stdout)).collect();
            some.sort();
            some.dedup();
            let step = some.len().div_ceil(40).max(1);
            all.extend(some.into_iter().step_by(step));
        }
        // Those of text hold no records that could be damaged.
        let written = documented().into_iter().map(|written| (written.input.executor, written.input.stdout));
        all.extend(written.filter(|(executor, _)| executor != "crush"));
        let cases = public_cases().into_iter().map(|case| case.input);
        all.extend(
            cases
                .filter(|input| (1..8 << 10).contains(&input.stdout.len()))
                .map(|input| (input.executor, input.stdout)),
        );
        all
    })
}

/// Pieces that break lines, strings and numbers, or look like values of another kind.
const PIECES: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\xEF\xBB\xBF",
    b"\\ud83d",
    b"\\udc00",
    b"\\u0061",
    b"\\",
    b"\"",
    b"\x1b[0m",
    b"\x1b]0;t\x07",
    b"\x1b",
    b"\xFF",
    b"\xE2\x82",
    b"{}",
    b"[]",
    b"[{}]",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"1.0",
    b"}",
    b"]",
    b",",
    b":",
    b"\0",
    b"\xC2\x85",
    b"\xE2\x80\xA8",
    b"{\"a\":1}",
];

/// Changes a stream in some places: lines come, go, swap and break, bytes change, values become others.
#[must_use]
pub fn mutated(stream: &[u8], dice: &mut Dice, changes: usize) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = stream.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..changes {
        if lines.is_empty() {
            lines.push(dice.one(PIECES).to_vec());
        }
        let at = dice.below(lines.len());
        match dice.below(9) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = dice.below(lines.len());
                lines.swap(at, other);
            }
            3 => {
                let length = dice.below(lines[at].len());
                lines[at].truncate(length);
            }
            4 => {
                let place = dice.below(lines[at].len() + 1);
                let piece = dice.one(PIECES);
                lines[at].splice(place..place, piece.iter().copied());
            }
            5 => {
                let (_, foreign) = dice.one(streams());
                let all: Vec<&[u8]> = foreign.split_inclusive(|byte| *byte == b'\n').collect();
                lines.insert(at, dice.one(&all).to_vec());
            }
            _ => {
                if let Ok(mut value) = serde_json::from_slice::<Value>(&lines[at]) {
                    another_value(&mut value, dice);
                    lines[at] = format!("{value}\n").into_bytes();
                }
            }
        }
    }
    lines.concat()
}

/// Changes one value somewhere in a tree.
pub fn another_value(value: &mut Value, dice: &mut Dice) {
    let inner = match value {
        Value::Object(map) if !map.is_empty() && dice.below(5) > 0 => {
            let at = dice.below(map.len());
            if dice.below(10) == 0 {
                let key = map.keys().nth(at).cloned().unwrap_or_default();
                map.remove(&key);
                return;
            }
            map.values_mut().nth(at)
        }
        Value::Array(list) if !list.is_empty() && dice.below(5) > 0 => {
            let at = dice.below(list.len());
            if dice.below(6) == 0 {
                list.push(list[at].clone());
                return;
            }
            list.get_mut(at)
        }
        _ => None,
    };
    match inner {
        Some(inner) => another_value(inner, dice),
        None => *value = scalar(dice),
    }
}

fn scalar(dice: &mut Dice) -> Value {
    let words = [
        "",
        " ",
        "a",
        "completed",
        "error",
        "text",
        "tool-calls",
        "success",
        "message-1",
        "call-1",
        "é😀",
        "{\"message\":\"m\"}",
    ];
    match dice.below(8) {
        0 => Value::Null,
        1 => Value::Bool(dice.below(2) == 0),
        2 => Value::from(dice.below(1000)),
        3 => serde_json::json!([-1, 0, 1.5, 1e300, u64::MAX])[dice.below(5)].clone(),
        4 => serde_json::json!([[], {}, [{"type": "text", "text": "t"}], {"text": "t"}, ["a", "b"]])[dice.below(5)]
            .clone(),
        _ => Value::from(*dice.one(&words)),
    }
}

/// Changes a profile's data (its JSON) in some places: values of other places, other paths, rules in another order.
pub fn mutate_profile(spec: &mut Value, dice: &mut Dice, changes: usize) {
    for _ in 0..changes {
        let mut strings = Vec::new();
        collect(spec, &mut strings);
        match dice.below(4) {
            0 => {
                if let Some(rules) = spec["rules"].as_array_mut().filter(|rules| !rules.is_empty()) {
                    let (a, b) = (dice.below(rules.len()), dice.below(rules.len()));
                    match dice.below(3) {
                        0 => rules.swap(a, b),
                        1 => drop(rules.remove(a)),
                        _ => rules[a]["emit"] = rules[b]["emit"].clone(),
                    }
                }
            }
            1 => {
                let value = match dice.below(4) {
                    0 => Value::from(*dice.one(&["always", "when_owed", "never"])),
                    1 => Value::from(*dice.one(&["after_tools", "all_text", "last_message", "last_message_with_text"])),
                    2 => Value::from(*dice.one(&["jsonl", "json"])),
                    _ => Value::from(dice.below(2) == 0),
                };
                let key = *dice.one(&["terminal", "answer", "framing"]);
                if value.is_string() {
                    spec[key] = value;
                }
            }
            _ => {
                let other = if strings.is_empty() { Value::Null } else { Value::from(dice.one(&strings).as_str()) };
                replace_string(spec, &other, dice);
            }
        }
    }
}

fn collect(value: &Value, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => strings.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|inner| collect(inner, strings)),
        Value::Object(map) => {
            map.iter().filter(|(key, _)| *key != "launch").for_each(|(_, inner)| collect(inner, strings))
        }
        _ => {}
    }
}

/// Puts a value in the place of one string below the parts that read records.
fn replace_string(value: &mut Value, new: &Value, dice: &mut Dice) {
    let inner = match value {
        Value::Object(map) => {
            let keys: Vec<String> = map
                .keys()
                .filter(|key| !["launch", "id", "command", "event", "title"].contains(&key.as_str()))
                .cloned()
                .collect();
            if keys.is_empty() {
                return;
            }
            let key = dice.one(&keys).clone();
            map.get_mut(&key)
        }
        Value::Array(list) => {
            let at = dice.below(list.len());
            list.get_mut(at)
        }
        _ => None,
    };
    match inner {
        Some(Value::String(text)) if new.is_string() => *text = new.as_str().unwrap_or_default().to_owned(),
        Some(inner) => replace_string(inner, new, dice),
        None => {}
    }
}
