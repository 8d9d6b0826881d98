//! Drafts of streams that nobody would print in earnest: each passes the check, and nothing of them gets at a terminal.

mod common;

use common::draft::Draft;
use serde_json::{Value, json};

fn lines(records: impl IntoIterator<Item = Value>) -> String {
    records.into_iter().map(|record| format!("{record}\n")).collect()
}

/// Keys and values with all that a path or a string of TOML could trip over.
const ODD: [&str; 16] = [
    "a.b",
    "a\"b",
    "\\",
    "a b",
    "",
    "$x",
    "@key",
    "=y",
    "true",
    "x[]",
    "{}",
    "a|b",
    "\u{7}\u{1b}[31m",
    "\u{202e}ab",
    "é",
    "'''",
];

#[test]
fn odd_keys_and_values_are_no_trouble() {
    for odd in ODD {
        let records = [
            json!({ odd: "hello there", "type": "t", "session_id": "s" }),
            json!({ odd: "hello", "type": odd, "text": "Some text." }),
            json!({ odd: { odd: { "type": odd, "id": odd, "name": odd, "input": { odd: odd } } }, "type": "call" }),
            json!({ "type": "list", odd: [{ "type": odd, "text": "Some text." }, { "type": "b", odd: "More text." }] }),
            json!({ "type": "end", odd: odd, "status": odd, "error": { odd: "Some text." } }),
        ];
        Draft::of(&[lines(records.clone())]);
        Draft::of(&[lines(records.clone()), lines(records)]);
        let typed =
            (0..9).map(|n| json!({ odd: if n % 3 == 0 { odd } else { "x" }, "text": format!("Some text {n}.") }));
        Draft::of(&[lines(typed)]);
    }
}

#[test]
fn an_odd_key_is_read() {
    // A profile cannot name a key with the sign that stands between paths.
    for odd in ODD.into_iter().filter(|odd| !odd.contains('|')) {
        let draft = Draft::of(&[lines([
            json!({ "type": "open", "session": "s" }),
            json!({ "type": "say", odd: [{ "k": "prose", "text": "Some text." }] }),
            json!({ "type": "say", odd: [{ "k": "prose", "text": "More text." }] }),
            json!({ "type": "end", "ok": true }),
        ])]);
        assert_eq!(draft.messages(0), ["Some text.", "More text."], "{odd:?}\n{}", draft.text);
    }
}

#[test]
fn what_controls_a_terminal_or_turns_writing_is_never_written() {
    let evil = "x\u{1b}]0;t\u{7}\u{9b}1m\u{202e}y\u{2066}\u{200f}\u{61c}\u{2028}\u{feff}\u{e0001}z\r";
    let draft = Draft::of(&[lines([
        json!({ "type": "open", "session": evil, evil: evil }),
        json!({ "type": evil, "text": format!("{evil} {evil}") }),
        json!({ "type": "list", "parts": [{ "k": evil, evil: evil }, { "k": "p", "text": "Some text." }] }),
        json!({ "type": "end", "status": evil, evil: "a reason" }),
    ])]);
    let plain = |c: char| {
        c == '\n' || !(c.is_control() || "\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{feff}\u{e0001}".contains(c))
    };
    assert!(draft.text.chars().all(plain), "{:?}", draft.text);
}

#[test]
fn shapes_without_sense_are_no_trouble() {
    let deep = |depth: usize| format!("{{\"type\":\"a\",\"x\":{}1{}}}\n", "{\"x\":".repeat(depth), "}".repeat(depth));
    let lists = format!(
        "{{\"type\":\"a\",\"x\":{}{{\"type\":\"b\",\"text\":\"Some text.\"}}{}}}\n",
        "[{\"x\":".repeat(40),
        "}]".repeat(40)
    );
    let mixed = lines((0..12).map(|n| match n % 6 {
        0 => json!({ "type": n, "x": 1 }),
        1 => json!({ "type": "a", "x": null }),
        2 => json!({ "type": { "type": "a" }, "x": [] }),
        3 => json!({ "type": "a", "x": [[{ "type": "b" }], {}, null, 3] }),
        4 => json!({ "kind": "a", "x": "y" }),
        _ => json!({}),
    }));
    for stream in [
        String::new(),
        "\n\n \n".to_owned(),
        "just text\nand more of it\n".to_owned(),
        "[1,2]\n\"x\"\nnull\n".to_owned(),
        "{}\n{}\n".to_owned(),
        deep(100),
        deep(20_000),
        lists,
        mixed,
        lines([json!({ "type": "end" })]),
        lines((0..3).map(|n| json!({ "type": "error", "message": format!("No. {n}") }))),
    ] {
        Draft::of(std::slice::from_ref(&stream));
        Draft::of(&[stream.clone(), stream]);
    }
}

#[test]
fn bytes_that_are_no_text_are_no_trouble() {
    Draft::of(&[&b"\xff\xfe\x00{\"type\":\"a\"}\n{\"type\":\"b\xff\"}\n{\"type\":\"c\"}\n\x00\x00"[..], &b""[..]]);
}

#[test]
fn long_streams_take_no_long_time() {
    let begun = std::time::Instant::now();
    let record = |n: usize| match n % 5 {
        0 => json!({ "type": "bit", "mid": format!("m{}", n / 50), "n": n, "text": format!("word{n} ") }),
        1 => json!({ "type": "call", "id": format!("c{n}"), "name": "ls", "input": { "p": n } }),
        2 => json!({ "type": "ret", "id": format!("c{}", n - 1), "output": "x", "ok": true }),
        3 => {
            json!({ "type": "say", "mid": format!("m{n}"), "parts": [{ "k": "p", "text": format!("Some text {n}.") }] })
        }
        _ => {
            json!({ "type": format!("kind{}", n % 40), "x": { "y": [{ "t": "u", "v": n.to_string() }] }, "ref": n.to_string() })
        }
    };
    Draft::of(&[lines((0..50_000).map(record))]);
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}
