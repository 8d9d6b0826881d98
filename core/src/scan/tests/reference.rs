//! The scanner against `serde_json`: what is JSON, and what is where in it.
//!
//! Known differences to `serde_json::Value`, all of them on purpose: nesting over 128 levels, numbers out of an `f64`'s
//! range, invalid UTF-8 and lone surrogates in strings are accepted. `serde::de::IgnoredAny`, which looks at structure alone,
//! differs in nothing.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::{both, path};
use crate::scan::*;

/// Whether a line is one value and white space, by us.
fn accepts(trie: &Trie, line: &[u8]) -> bool {
    let (item, _) = both(trie, line, 50);
    match item {
        Ok(Item::Record { end } | Item::NonObject { end }) => skip_ws(line, end) == line.len(),
        Err(_) => false,
    }
}

fn agrees(trie: &Trie, line: &[u8]) {
    let expected = serde_json::from_slice::<IgnoredAny>(line).is_ok();
    assert_eq!(accepts(trie, line), expected, "{}", line.escape_ascii());
    if serde_json::from_slice::<Value>(line).is_ok() {
        assert!(expected);
    }
}

pub(super) const PATHS: [&str; 14] = [
    "a",
    "b",
    "a.b",
    "a.b.c",
    "b[]",
    "b[].a",
    "b[].b[].c",
    "c{}",
    "c{}.a",
    "c.b",
    "c.a[]",
    "b[].c{}",
    "[]",
    "long_key_of_more_than_16.a",
];

/// A path, the iterations it goes through, where it is found.
type Path = (Vec<Step>, Vec<u16>, Site);

fn trie() -> (Trie, Vec<Path>) {
    let mut builder = TrieBuilder::new();
    let mut list = Vec::new();
    for text in PATHS {
        let steps = path(text);
        let iterates = |at: &usize| matches!(steps[*at], Step::Each | Step::Entries);
        let eaches = (0..steps.len()).filter(iterates).map(|at| builder.each(&steps[..=at])).collect();
        list.push((steps.clone(), eaches, builder.add(&steps)));
    }
    (builder.build(), list)
}

/// What a path finds in a tree: lists for elements, objects for entries, the JSON at its end, `"-"` for nothing.
fn expected(value: Option<&Value>, steps: &[Step]) -> Value {
    match (steps.split_first(), value) {
        (None, Some(value)) => json!([value]),
        (None, None) => json!("-"),
        (Some((Step::Key(key), rest)), value) => expected(value.and_then(|value| value.as_object()?.get(&**key)), rest),
        (Some((Step::Each, rest)), Some(Value::Array(list))) => {
            list.iter().map(|element| expected(Some(element), rest)).collect()
        }
        (Some((Step::Each, _)), _) => json!([]),
        (Some((Step::Entries, rest)), Some(Value::Object(map))) => {
            map.iter().map(|(key, value)| (key.clone(), expected(Some(value), rest))).collect::<Map<_, _>>().into()
        }
        (Some((Step::Entries, _)), _) => json!({}),
    }
}

/// The same from the frames.
fn actual(frames: &Frames, line: &[u8], frame: u32, steps: &[Step], eaches: &[u16], site: Site) -> Value {
    let Some(at) = steps.iter().position(|step| !matches!(step, Step::Key(_))) else {
        let slot = frames.slot(frame, site.slot);
        return if slot.kind == Kind::Absent { json!("-") } else { json!([parse(slot, line)]) };
    };
    let inner = |frame| actual(frames, line, frame, &steps[at + 1..], &eaches[1..], site);
    let elements = frames.frames(eaches[0], frame);
    if steps[at] == Step::Each {
        elements.map(inner).collect()
    } else {
        let keyed = elements.map(|frame| (parse(frames.key(frame), line).as_str().unwrap().to_string(), inner(frame)));
        let keyed: Vec<(String, Value)> = keyed.collect();
        let map: Map<String, Value> = keyed.iter().cloned().collect();
        assert_eq!(keyed.len(), map.len(), "a key twice");
        map.into()
    }
}

/// A slot's value; its kind has to be right.
fn parse(slot: Slot, line: &[u8]) -> Value {
    let value: Value = serde_json::from_slice(slot.json(line)).unwrap();
    let kind = match &value {
        Value::Null => Kind::Null,
        Value::Bool(true) => Kind::True,
        Value::Bool(false) => Kind::False,
        Value::Number(_) => Kind::Number,
        Value::String(_) if slot.of(line).contains(&b'\\') => Kind::Escaped,
        Value::String(_) => Kind::Str,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    };
    assert_eq!(slot.kind, kind);
    value
}

/// JSON with equal keys in it.
#[derive(Clone, Debug)]
enum Tree {
    Leaf(Value),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// Where the spelling's freedom comes from.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn space(&mut self, out: &mut String) {
        for _ in 0..self.roll(9).saturating_sub(6) {
            out.push([' ', '\t', '\r', '\n'][self.roll(4) as usize]);
        }
    }

    fn string(&mut self, text: &str, out: &mut String) {
        out.push('"');
        for char in text.chars() {
            let must = matches!(char, '"' | '\\' | '\0'..='\x1F');
            let short = match char {
                '"' | '\\' | '/' => Some(char),
                '\n' => Some('n'),
                '\t' => Some('t'),
                '\r' => Some('r'),
                _ => None,
            };
            match (must || self.roll(12) == 0, short) {
                (true, Some(short)) if self.roll(3) > 0 => out.extend(['\\', short]),
                (true, _) => {
                    for unit in char.encode_utf16(&mut [0; 2]) {
                        let hex = if self.roll(2) == 0 { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") };
                        out.push_str(&hex);
                    }
                }
                _ => out.push(char),
            }
        }
        out.push('"');
    }

    fn write(&mut self, tree: &Tree, out: &mut String) {
        self.space(out);
        match tree {
            Tree::Leaf(Value::String(text)) => self.string(text, out),
            Tree::Leaf(value) => out.push_str(&value.to_string()),
            Tree::Array(list) => {
                out.push('[');
                for (i, element) in list.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    self.write(element, out);
                }
                self.space(out);
                out.push(']');
            }
            Tree::Object(list) => {
                out.push('{');
                for (i, (key, value)) in list.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    self.space(out);
                    self.string(key, out);
                    self.space(out);
                    out.push(':');
                    self.write(value, out);
                }
                self.space(out);
                out.push('}');
            }
        }
        self.space(out);
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z \\\\\"\n\t]{0,12}", ".{0,8}", "[a-zé€😀\\\\]{40,140}", Just("\\".repeat(63)),]
}

fn key() -> impl Strategy<Value = String> {
    let known = proptest::sample::select(vec!["a", "b", "c", "a", "b", "c", "long_key_of_more_than_16"]);
    prop_oneof![9 => known.prop_map(String::from), 1 => text()]
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|bool| json!(bool)),
        any::<i64>().prop_map(|int| json!(int)),
        (-1e9..1e9).prop_map(|float: f64| json!(float)),
        text().prop_map(|text| json!(text)),
    ];
    leaf.prop_map(Tree::Leaf).prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Tree::Array),
            proptest::collection::vec((key(), inner), 0..6).prop_map(Tree::Object),
        ]
    })
}

/// A record in some spelling.
pub(super) fn record() -> impl Strategy<Value = String> {
    (proptest::collection::vec((key(), tree()), 0..7), any::<u64>()).prop_map(|(list, seed)| {
        let mut line = String::new();
        Dice(seed).write(&Tree::Object(list), &mut line);
        line
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn slots_are_what_a_tree_has_there(line in record()) {
        let (trie, list) = trie();
        let value: Value = serde_json::from_str(&line).unwrap();
        let (item, frames) = both(&trie, line.as_bytes(), 10_000);
        let end = line.trim_end().len();
        prop_assert_eq!(item, Ok(Item::Record { end }));
        prop_assert!(!frames.repaired());
        for (steps, eaches, site) in &list {
            let actual = actual(&frames, line.as_bytes(), 0, steps, eaches, *site);
            prop_assert_eq!(actual, expected(Some(&value), steps), "{:?}", steps);
        }
    }

    #[test]
    fn damaged_lines_are_refused_where_serde_json_refuses_them(
        line in record(),
        hits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0..4_u8), 1..4),
    ) {
        const BYTES: &[u8] = b"\"\\{}[]:,0123456789.eE+-tfnu \n\x00\x1F\x7F\x80\xC3\xE2\xED\xF0\xFF/abd";
        let (trie, _) = trie();
        let mut line = line.into_bytes();
        for (at, byte, how) in hits {
            if line.is_empty() { break; }
            let at = at.index(line.len());
            let byte = if byte < 200 { BYTES[usize::from(byte) % BYTES.len()] } else { byte };
            match how {
                0 => line[at] = byte,
                1 => line.insert(at, byte),
                2 => { line.remove(at); }
                _ => line.truncate(at),
            }
            agrees(&trie, &line);
        }
    }

    #[test]
    fn repairs_are_noted_exactly(parts in proptest::collection::vec(prop_oneof![
        "[a-z]{0,30}".prop_map(String::into_bytes),
        Just(br"\ud83d".to_vec()), Just(br"\ude00".to_vec()), Just(br"\\".to_vec()), Just(br"\n".to_vec()),
        "[é€😀한]{1,30}".prop_map(String::into_bytes),
        proptest::collection::vec(0x80_u8..=255, 1..5),
    ], 0..8)) {
        let body = parts.concat();
        let line = [&b"{\"k\":\""[..], &body, b"\"}"].concat();
        let (item, frames) = both(&trie().0, &line, 50);
        prop_assert_eq!(item, Ok(Item::Record { end: line.len() }));
        // The strict way refuses just what has to be repaired.
        prop_assert_eq!(frames.repaired(), serde_json::from_slice::<Value>(&line).is_err());
    }
}

#[test]
fn small_lines_of_every_kind() {
    let (trie, _) = trie();
    let tokens = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"",
        "1",
        "-",
        "0",
        "true",
        "nul",
        " ",
        "\\",
        "\"\\u00e\"",
        "1.",
        "e5",
    ];
    // All lines of up to four tokens.
    let mut lines = vec![String::new()];
    for _ in 0..4 {
        let longer = lines.iter().flat_map(|line| tokens.iter().map(move |token| format!("{line}{token}")));
        lines = longer.collect();
        for line in &lines {
            agrees(&trie, line.as_bytes());
        }
    }
}

#[test]
fn numbers_and_strings() {
    let (trie, _) = trie();
    let numbers = [
        "0",
        "-0",
        "00",
        "01",
        "-",
        "-a",
        "1.",
        ".1",
        "1.5",
        "1.5.5",
        "1e",
        "1e+",
        "1E-5",
        "1e5.5",
        "1e999",
        "-1e999",
        "+1",
        "0x1",
        "1_0",
        "Infinity",
        "NaN",
        "123456789012345678901234567890",
        "0.0e-0",
        "0e",
        "-01",
        "1 2",
    ];
    let strings = [
        r#""\u12""#,
        r#""\u12g4""#,
        r#""\u+123""#,
        r#""\x""#,
        r#""\""#,
        "\"\\\n\"",
        "\"\t\"",
        "\"\u{7F}\"",
        "\"\0\"",
        r#""\ud800""#,
        "'a'",
        "\"a",
        "a\"",
        r#""\U0041""#,
        r#""\u00""#,
    ];
    for text in numbers.iter().chain(&strings) {
        for pad in [0, 1, 55, 60, 61, 62, 63, 64, 65] {
            let space = " ".repeat(pad);
            for line in [
                text.to_string(),
                format!("{space}{text}"),
                format!("[{space}{text}]"),
                format!("{{\"a\":{space}{text}}}"),
                format!("{{\"zz\":{{\"a\":{space}{text}}}}}"),
                format!("{{\"zz\":\"{space}\",\"b\":[{text},1]}}"),
            ] {
                agrees(&trie, line.as_bytes());
            }
        }
    }
}

#[test]
fn every_byte_everywhere_in_a_record() {
    let (trie, _) = trie();
    let line = r#"{"a":{"b":[1.5e3,"x\u00e9y",true]},"b":[{"a":"\n"}],"c":null, "z":[{"k":-0}]}"#.as_bytes();
    for at in 0..line.len() {
        for byte in 0..=255 {
            let mut line = line.to_vec();
            line[at] = byte;
            agrees(&trie, &line);
        }
    }
}
