//! Texts of one message that come in several records or blocks: each is told once, whatever the CLI keeps apart.

use turnline::{Envelope, EventKind, Exit, Parser, Profile};

const HEAD: &str = "id = \"x\"\ncommand = \"x\"\nrecord_type = [\"op\"]\n";

/// What a reader has of the texts at the end, by message and part; and the envelope.
fn read(rules: &str, stream: &str) -> (Vec<(String, String)>, Envelope) {
    let profile = Profile::from_toml(&format!("{HEAD}{rules}")).unwrap_or_else(|error| panic!("{error}\n{rules}"));
    let mut parser = Parser::new(&profile);
    parser.push(stream.as_bytes());
    parser.eof();
    let mut texts: Vec<(String, String)> = Vec::new();
    while let Some(event) = parser.next_event() {
        let (kind, id, part, text, delta) = match &event.kind {
            EventKind::Message(m) => ("text", &m.message_id, &m.part, &m.text, m.delta),
            EventKind::Reasoning(r) => ("thought", &r.message_id, &r.part, &r.text, r.delta),
            _ => continue,
        };
        let id = id.as_ref().map(|id| id.decode().into_owned()).unwrap_or_default();
        let key = format!("{kind} {id} {part:?}");
        match (texts.iter_mut().find(|(known, _)| *known == key), delta) {
            (Some((_, known)), true) => known.push_str(&text.decode()),
            (Some((_, known)), false) => *known = text.decode().into_owned(),
            (None, _) => texts.push((key, text.decode().into_owned())),
        }
    }
    (texts, parser.finish(&Exit::code(0)))
}

fn said(texts: &[(String, String)]) -> Vec<&str> {
    texts.iter().map(|(_, text)| &**text).collect()
}

const BLOCKS: &str = r#"
[[rules]]
match = { op = "bit" }
emit = [{ event = "message", message_id = "mid", part = "=text", text = "s", delta = true }]
[[rules]]
match = { op = "say" }
[[rules.emit]]
event = "each"
of = "parts[]"
record_type = "k"
emit = [
  { event = "reasoning", when = { k = "muse" }, message_id = "$.mid", part = "=thought", text = "s" },
  { event = "message", when = { k = "prose" }, message_id = "$.mid", part = "=text", text = "s" },
  { event = "message", when = { k = "code" }, message_id = "$.mid", part = "=text", text = "c" },
  { event = "tool_call", when = { k = "use" }, tool_call_id = "ref", name = "tool" },
]
"#;

#[test]
fn blocks_with_one_key_are_one_text() {
    let stream = r#"{"op":"bit","mid":"m1","s":"One \u00e9"}
{"op":"bit","mid":"m1","s":", two"}
{"op":"say","mid":"m1","parts":[{"k":"prose","s":"One \u00e9"},{"k":"muse","s":"Hm. "},{"k":"use","ref":"u1","tool":"sh"},{"k":"prose","s":", two"},{"k":"code","c":" \"three\""},{"k":"muse","s":"So."}]}
"#;
    for answer in ["last_message", "last_message_with_text", "after_tools", "all_text"] {
        let (texts, envelope) = read(&format!("answer = \"{answer}\"\n{BLOCKS}"), stream);
        assert_eq!(said(&texts), ["One é, two \"three\"", "Hm. So."], "{answer}");
        assert_eq!(envelope.result.as_deref(), Some("One é, two \"three\""), "{answer}");
        assert_eq!((envelope.tools.started, envelope.stream.unmapped), (1, 0));
    }
}

/// One block stays what it is, a list of none says nothing, and the next record's is another text.
#[test]
fn what_is_joined_ends_with_its_list() {
    let stream = r#"{"op":"say","mid":"m1","parts":[{"k":"prose","s":"A"},{"k":"prose"},{"k":"prose","s":"B"}]}
{"op":"say","mid":"m2","parts":[]}
{"op":"say","mid":"m3","parts":[{"k":"prose","s":"C"}]}
{"op":"say","mid":"m1","parts":[{"k":"prose","s":"A"},{"k":"prose","s":"B"},{"k":"prose","s":"D"}]}
"#;
    let (texts, _) = read(&format!("answer = \"last_message\"\n{BLOCKS}"), stream);
    assert_eq!(said(&texts), ["ABD", "C"]);
}

/// An element's own message or part keeps texts apart, as does a role that differs.
#[test]
fn texts_with_keys_of_their_own_are_not_joined() {
    let rules = r#"answer = "last_message"
[[rules]]
match = { op = "say" }
[[rules.emit]]
event = "each"
of = "all[]"
emit = [{ event = "message", message_id = "id", part = "=text", text = "s", role = "who" }]
"#;
    let stream = r#"{"op":"say","all":[{"id":"a","s":"A"},{"id":"b","s":"B"},{"id":"c","who":"user","s":"C"}]}"#;
    assert_eq!(said(&read(rules, stream).0), ["A", "B", "C"]);
    let rules = rules.replace("message_id = \"id\", part = \"=text\"", "message_id = \"$.id\", part = \"n\"");
    let stream = r#"{"op":"say","id":"m","all":[{"n":0,"s":"A"},{"n":1,"s":"B"}]}"#;
    assert_eq!(said(&read(&rules, stream).0), ["A", "B"]);
}

/// Lists inside lists: each inner list is a text of its own.
#[test]
fn inner_lists_are_joined_each_for_itself() {
    let rules = r#"answer = "all_text"
[[rules]]
match = { op = "say" }
[[rules.emit]]
event = "each"
of = "all[]"
emit = [
  { event = "each", of = "parts[]", emit = [{ event = "message", part = "=text", text = "s" }] },
  { event = "message", when = { t = { present = true } }, message_id = "=tail", text = "t" },
]
"#;
    let stream = r#"{"op":"say","all":[{"parts":[{"s":"A"},{"s":"B"}],"t":"x"},{"parts":[{"s":"C"}]},{"parts":[{"s":"D"},{"s":"E"}],"t":"y"}]}"#;
    let (texts, envelope) = read(rules, stream);
    assert_eq!(said(&texts), ["AB", "C", "DE", "xy"]);
    assert_eq!(envelope.result.as_deref(), Some("ABCDExy"));
}

/// Numbered blocks of a list without an id are one message, and are counted from 0 in each.
#[test]
fn numbered_blocks_without_an_id_are_one_message() {
    let rules = r#"answer = "last_message"
[[rules]]
match = { op = "say" }
[[rules.emit]]
event = "each"
of = "parts[]"
emit = [{ event = "message", part = "@block", text = "s" }]
"#;
    let stream = "{\"op\":\"say\",\"parts\":[{\"s\":\"A\"},{\"s\":\"B\"}]}\n{\"op\":\"say\",\"parts\":[{\"s\":\"C\"},{\"s\":\"D\"}]}\n";
    let (texts, envelope) = read(rules, stream);
    assert_eq!(said(&texts), ["A", "B", "C", "D"]);
    assert_eq!(envelope.result.as_deref(), Some("CD"));
    assert_eq!(texts[2].0, texts[0].0.replace("message-1", "message-2"));
}

const WHOLES: &str = r#"answer = "last_message"
[[rules]]
match = { op = "bit" }
emit = [{ event = "message", text = "s", delta = true }]
[[rules]]
match = { op = "say" }
emit = [{ event = "message", text = "s", completes = true }]
[[rules]]
match = { op = "hm" }
emit = [{ event = "reasoning", text = "s", delta = true }]
[[rules]]
match = { op = "hmm" }
emit = [{ event = "reasoning", text = "s", completes = true }]
[[rules]]
match = { op = "call" }
emit = [{ event = "tool_call", name = "tool" }]
[[rules]]
match = { op = "user" }
emit = [{ event = "message", role = "=user", text = "s" }]
[[rules]]
match = { op = "end" }
emit = [{ event = "turn_ended", stop_reason = "=end_turn" }]
"#;

/// Each stream as words: what its records are and say.
fn words(text: &str) -> String {
    let record = |word: &str| match word.split_once('=') {
        Some((op, said)) => format!("{{\"op\":\"{op}\",\"s\":\"{said}\"}}\n"),
        None => format!("{{\"op\":\"{word}\",\"tool\":\"t\"}}\n"),
    };
    text.split(' ').map(record).collect()
}

#[test]
fn a_whole_that_completes_pieces_is_their_message() {
    for (stream, want) in [
        ("bit=a bit=b say=ab bit=c bit=d say=cd", &["ab", "cd"][..]),
        // A tool that is called before the whole is told.
        ("bit=a call say=a bit=b say=b", &["a", "b"]),
        // A text that came in no pieces is a message of its own.
        ("bit=a say=a say=b say=c", &["a", "b", "c"]),
        ("say=a bit=b say=b", &["a", "b"]),
        // Thoughts and texts are completed each for itself.
        ("hm=t hmm=t bit=a say=a", &["t", "a"]),
        ("hm=t bit=a hmm=t say=a bit=b say=b", &["t", "a", "b"]),
        ("hm=t bit=a say=a", &["t", "a"]),
        // Pieces that were never completed are not those of the next turn, or of what came before the user spoke.
        ("bit=a end say=b", &["a", "b"]),
        ("bit=a user=u say=b", &["a", "u", "b"]),
    ] {
        assert_eq!(said(&read(WHOLES, &words(stream)).0), want, "{stream}");
    }
}

/// The number of a part is one however it is written, for the reader of events and for the answer.
#[test]
fn numbers_of_parts_are_numbers() {
    let rules = "answer = \"last_message\"\n[[rules]]\nmatch = { op = \"bit\" }\n\
                 emit = [{ event = \"message\", message_id = \"mid\", part = \"n\", text = \"s\", delta = \"d\" }]\n";
    let bit =
        |n: &str, s: &str, d: bool| format!("{{\"op\":\"bit\",\"mid\":\"m\",\"n\":{n},\"s\":\"{s}\",\"d\":{d}}}\n");
    let stream = [
        bit("1", "a", true),
        bit("1.0", "b", true),
        bit("1e0", "c", true),
        bit("2", "-", true),
        bit("10e-1", "abc", false),
    ];
    let (texts, envelope) = read(rules, &stream.concat());
    assert_eq!(said(&texts), ["abc", "-"]);
    assert_eq!(envelope.result.as_deref(), Some("abc-"));
    let (texts, envelope) = read(rules, &[bit("-0", "x", true), bit("0", "y", true), bit("0.0", "z", true)].concat());
    assert_eq!((said(&texts), envelope.result.as_deref()), (vec!["xyz"], Some("xyz")));
}
