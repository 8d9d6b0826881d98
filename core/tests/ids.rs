//! Ids: those that read the same are one, whatever they were written as, and of a huge one its beginning counts.

use turnline::{EventKind, Limits, Parser, Profile, ToolStatus};

/// The id of a call, and whether a result that names the other id is that call's.
fn call_and_result(called: &[u8], named: &[u8]) -> (String, bool) {
    let call: &[&[u8]] = &[
        br#"{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"#,
        called,
        br#","name":"Bash","input":{}}]}}"#,
        b"\n",
        br#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"#,
        named,
        br#","content":"ok"}]}}"#,
        b"\n",
    ];
    let mut parser = Parser::new(&Profile::builtin("claude-code").unwrap());
    parser.push(&call.concat());
    parser.eof();
    let (mut id, mut ended) = (String::new(), None);
    while let Some(event) = parser.next_event() {
        match &event.kind {
            EventKind::ToolCall(call) => id = call.tool_call_id.decode().into_owned(),
            EventKind::ToolCallUpdate(update) if update.tool_call_id.decode() == id => {
                assert!(ended.is_none(), "a call ends once");
                ended = Some(update.status);
            }
            _ => {}
        }
    }
    (id, ended.expect("every call ends") == ToolStatus::Completed)
}

fn string(text: &str, of: usize) -> Vec<u8> {
    format!("\"{}\"", text.repeat(of)).into_bytes()
}

#[test]
fn an_id_is_what_it_reads() {
    for (called, named, reads) in [
        (&br#""call_1""#[..], &br#""call_\u0031""#[..], "call_1"),
        (br#""a\/b""#, br#""a/b""#, "a/b"),
        (br#""\uD83D\uDE00""#, "\"\u{1F600}\"".as_bytes(), "\u{1F600}"),
        (br#""\u00e9""#, br#""\u00E9""#, "\u{E9}"),
        (b"\"a\xFFb\"", "\"a\u{FFFD}b\"".as_bytes(), "a\u{FFFD}b"),
        (br#""a\uD800b""#, "\"a\u{FFFD}b\"".as_bytes(), "a\u{FFFD}b"),
        (br#""a\u007fb""#, b"\"a\x7Fb\"", "a\u{7F}b"),
        (b"17", br#""17""#, "17"),
    ] {
        assert_eq!(call_and_result(called, named), (reads.to_owned(), true), "{reads}");
    }
    assert!(!call_and_result(br#""call_1""#, br#""call_2""#).1);
}

/// Whatever makes an id other than plain, and wherever in it: it is one with what it reads.
#[test]
fn an_id_is_what_it_reads_wherever_it_is_written_otherwise() {
    for len in 1..=40 {
        for at in 0..len {
            let (before, behind) =
                ("abcdefghijklmnopqrstuvwxyz0123456789-_.:".split_at(at).0, "Z".repeat(len - at - 1));
            for (written, character) in [("\\u0078", "x"), ("\\/", "/"), ("\\u00fc", "\u{FC}"), ("\\u0007", "\u{7}")] {
                let id = format!("{before}{character}{behind}");
                let otherwise = format!("\"{before}{written}{behind}\"");
                let plain = serde_json::to_string(&id).unwrap();
                assert_eq!(call_and_result(otherwise.as_bytes(), plain.as_bytes()), (id, true), "{otherwise}");
            }
        }
    }
}

/// The bound is of what is read: not of the bytes that it was written with, and never within a character.
#[test]
fn of_a_huge_id_its_beginning_counts() {
    let most = Limits::ID_BYTES;
    let reads = |text: &str, of: usize| text.repeat(of);
    let invalid = |of: usize| [b"\"".as_slice(), &vec![0xFF; of], b"\""].concat();
    for (called, named, id) in [
        // As long as can be, and six times as long as written.
        (string("a", most), string("\\u0061", most), reads("a", most)),
        (string("a", most + 1), string("\\u0061", most + 7), reads("a", most)),
        (string("\\u0061", most - 1), string("a", most - 1), reads("a", most - 1)),
        // What is behind the bound makes no other id.
        (string("ab", most), string("ab", most / 2), reads("ab", most / 2)),
        // Characters of three and of four bytes, whole ones: 341 times three are 1,023.
        (string("\u{20AC}", most), string("\\u20ac", most), reads("\u{20AC}", most / 3)),
        (string("\\uD83D\\uDE00", most), string("\u{1F600}", most), reads("\u{1F600}", most / 4)),
        (string("\\uD800", most), string("\u{FFFD}", most), reads("\u{FFFD}", most / 3)),
        (string("\\u0001", most), string("\\u0001", most + 1), reads("\u{1}", most)),
        // Longer to read than it was: 400 bytes that are no text are 1,200 of U+FFFD.
        (invalid(400), string("\u{FFFD}", most), reads("\u{FFFD}", most / 3)),
        (invalid(341), string("\u{FFFD}", 341), reads("\u{FFFD}", 341)),
        (vec![b'7'; most + 5], string("7", most), reads("7", most)),
    ] {
        assert_eq!(call_and_result(&called, &named), (id.clone(), true), "{} bytes of {:.4}", called.len(), id);
    }
    assert!(!call_and_result(&string("a", most), &string("a", most - 1)).1);
}
