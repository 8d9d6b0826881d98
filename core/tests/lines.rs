//! Where lines end, and what of a line is its text, whatever chunks they come in.

use turnline::{EventKind, Exit, Parser, Profile, RawReason};

/// All malformed pieces of a stream, with the bytes that each is said to have.
fn malformed(stream: &str, chunk: usize) -> Vec<(String, u64)> {
    let mut parser = Parser::new(&Profile::builtin("claude-code").unwrap());
    let mut found = Vec::new();
    for chunk in stream.as_bytes().chunks(chunk) {
        parser.push(chunk);
        while let Some(event) = parser.next_event() {
            if let EventKind::Raw(raw) = &event.kind
                && raw.reason == RawReason::Malformed
            {
                found.push((raw.text.decode().into_owned(), raw.bytes));
            }
        }
    }
    found
}

/// A CR before the LF is white space to one who reads on in the record, and still no part of the line.
#[test]
fn the_cr_before_a_line_end_is_no_part_of_a_malformed_line() {
    let table = [
        ("{\"type\":\r\n", "{\"type\":"),
        ("{\"type\":\"x\"\r\n", "{\"type\":\"x\""),
        ("{\"type\":\"x\r\n", "{\"type\":\"x"),
        ("{\r\n", "{"),
        ("{\"type\":[1,\r\n", "{\"type\":[1,"),
        ("{\"type\":1 \r\r\n", "{\"type\":1 \r"),
        ("{\"type\":\"x\"} x\r\n", "x"),
    ];
    for (line, text) in table {
        let stream = format!("{{\"type\":\"result\"}}\r\n{line}{{\"type\":\"result\"}}\r\n");
        for chunk in 1..=stream.len() {
            assert_eq!(malformed(&stream, chunk), [(text.to_owned(), text.len() as u64)], "{line:?} by {chunk}");
        }
    }
}

/// What stands on both sides of a dropped escape sequence does not become one character.
#[test]
fn an_escape_joins_no_halves_of_a_character() {
    for (line, text) in [
        (&b"\xC2\x1b[0m\xA9 x\n"[..], "\u{FFFD}\u{FFFD} x"),
        (b"\xC2\x1b\xA9 x\n", "\u{FFFD}\u{FFFD} x"),
        (b"\xC2\xA9\x1b[0m x\n", "\u{A9} x"),
    ] {
        let mut parser = Parser::new(&Profile::builtin("raw").unwrap());
        parser.push(line);
        parser.eof();
        assert_eq!(parser.finish(&Exit::code(0)).result.as_deref(), Some(text), "{line:?}");
    }
}

/// An element of a list that no part of a rule takes is shown as it stands, whatever it is.
#[test]
fn an_element_that_is_not_mapped_is_shown_as_it_stands() {
    let profile = Profile::from_toml(
        r#"
id = "x"
title = "X"
command = "x"
answer = "all_text"
terminal = "never"
record_type = ["type"]

[[rules]]
match = { type = "m" }
emit = [{ event = "each", of = "parts[]", record_type = "@", emit = [{ event = "message", when = { "@" = "never" }, text = "@" }] }]
"#,
    )
    .unwrap();
    let mut parser = Parser::new(&profile);
    parser.push(b"{\"type\":\"m\",\"parts\":[\"a b\",\"\\u0041\",{\"k\":1},7]}\n");
    let mut shown = Vec::new();
    while let Some(event) = parser.next_event() {
        if let EventKind::Raw(raw) = &event.kind {
            shown.push((raw.text.decode().into_owned(), raw.bytes));
        }
    }
    let want = ["\"a b\"", "\"\\u0041\"", "{\"k\":1}", "7"];
    assert_eq!(shown, want.map(|text| (text.to_owned(), text.len() as u64)));
}
