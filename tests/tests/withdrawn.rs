//! Texts that the executor takes back: told under their own keys, and no answer. The records are by Claude Code's published
//! types (2.1.332); it was recorded only with an empty list.

use serde_json::{Value, json};
use turnline::{Envelope, Exit, Options, Parser, Profile};
use turnline_tests::conform::check::always;
use turnline_tests::conform::diff::Diff;
use turnline_tests::conform::input::Input;
use turnline_tests::conform::reading;
use turnline_tests::oracles::compare;

fn stream(records: &[Value]) -> Input {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    Input::clean("claude-code", lines)
}

fn said(uuid: &str, message: &str, content: &Value, more: Value) -> Value {
    let mut record = json!({
        "type": "assistant", "uuid": uuid, "session_id": "s", "parent_tool_use_id": null,
        "message": {"id": message, "content": [content]},
    });
    record.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    record
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn result(text: &str) -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "result": text, "session_id": "s"})
}

/// The events, read like the reference and by all the rules that hold for any stream.
fn read(input: &Input) -> (Vec<Value>, Envelope) {
    let profile = input.profile().expect("a profile");
    let mut diff = Diff::new();
    let reading = reading::read(input, &profile, &mut diff);
    always(input, &reading, &mut diff);
    compare(input, &profile, &mut diff);
    assert!(diff.is_empty(), "{:#?}", diff.into_vec());
    let whole = input.whole(&profile);
    let lines = whole.events.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    (lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect(), whole.envelope)
}

/// What a reader has who keeps the last whole text of each key.
fn shown(events: &[Value]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for event in events.iter().filter(|event| event["type"] == "message" && event["role"] == "assistant") {
        let key = format!("{} {} {}", event["agent"].as_str().unwrap_or("-"), event["message_id"], event["part"]);
        let text = event["text"].as_str().expect("a text");
        match all.iter_mut().find(|(known, _)| *known == key) {
            Some((_, kept)) if event["delta"] == true => kept.push_str(text),
            Some((_, kept)) => text.clone_into(kept),
            None => all.push((key, text.to_owned())),
        }
    }
    all.retain(|(_, text)| !text.is_empty());
    all
}

#[test]
fn a_superseded_text_is_withdrawn_before_its_replacement_comes() {
    let (events, envelope) = read(&stream(&[
        said("u-1", "m-1", &json!({"type": "thinking", "thinking": "hm"}), json!({})),
        said("u-2", "m-1", &text("A first try."), json!({})),
        said("u-3", "m-2", &text("The answer."), json!({"supersedes": ["u-1", "u-2", "nobody"]})),
        said("u-4", "m-2", &text(" More."), json!({"supersedes": ["u-1", "u-2"]})),
        result(""),
    ]));
    let withdrawn: Vec<&Value> = events.iter().filter(|event| event["withdrawn"] == true).collect();
    let want = |seq: u64, kind: &str, part: u64| {
        let mut event = json!({
            "type": kind, "seq": seq, "turn": 0, "line": 3, "native_type": "assistant", "synthetic": true,
            "message_id": "m-1", "part": part, "text": "", "withdrawn": true,
        });
        if kind == "message" {
            event["role"] = "assistant".into();
        }
        event
    };
    // Once each, though the second replacement names them again.
    assert_eq!(
        withdrawn,
        [
            &want(withdrawn[0]["seq"].as_u64().unwrap(), "reasoning", 0),
            &want(withdrawn[1]["seq"].as_u64().unwrap(), "message", 1)
        ]
    );
    let keys = [("- \"m-2\" 0", "The answer."), ("- \"m-2\" 1", " More.")]
        .map(|(key, text)| (key.to_owned(), text.to_owned()));
    assert_eq!(shown(&events), keys);
    assert_eq!(envelope.result.as_deref(), Some(" More."));
}

#[test]
fn a_retracted_text_is_neither_the_answer_nor_the_last_text() {
    let retract = json!({
        "type": "system", "subtype": "model_refusal_fallback", "retracted_message_uuids": ["u-1"], "session_id": "s",
        "content": "Another model answers.",
    });
    let (events, envelope) = read(&stream(&[said("u-1", "m-1", &text("Void."), json!({})), retract, result(" ")]));
    assert_eq!(shown(&events), []);
    assert_eq!((envelope.result, envelope.last_text), (None, None));
    assert_eq!(events.iter().filter(|event| event["type"] == "notice").count(), 1);
}

/// The pieces of a streamed text go with the whole one: they have its key.
#[test]
fn pieces_and_sub_agents_texts_are_withdrawn_too() {
    let start = json!({"type": "stream_event", "event": {"type": "message_start", "message": {"id": "m-1"}}});
    let piece = |words: &str| json!({"type": "stream_event", "event": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}}});
    let of = json!({"parent_tool_use_id": "t-1", "agent_id": "a-1"});
    let (events, _) = read(&stream(&[
        start,
        piece("Vo"),
        piece("id."),
        said("u-1", "m-1", &text("Void."), json!({})),
        said("u-2", "m-9", &text("The helper's."), of.clone()),
        said("u-3", "m-2", &text("Good."), json!({"supersedes": ["u-1", "u-2"]})),
        result("Good."),
    ]));
    assert_eq!(shown(&events), [("- \"m-2\" 0".to_owned(), "Good.".to_owned())]);
    let helper = events.iter().find(|event| event["withdrawn"] == true && event["agent"] == "a-1").expect("an event");
    assert_eq!(helper["parent_tool_call_id"], "t-1");
}

/// Only so many texts are remembered; one that is forgotten stays.
#[test]
fn what_is_forgotten_cannot_be_taken_back() {
    let mut options = Options::default();
    options.limits.remembered = 2;
    let mut parser = Parser::with_options(&Profile::builtin("claude-code").expect("a profile"), options);
    for n in 0..3 {
        parser.push(format!("{}\n", said(&format!("u-{n}"), &format!("m-{n}"), &text("x"), json!({}))).as_bytes());
    }
    let all = json!({"supersedes": ["u-0", "u-1", "u-2"]});
    parser.push(format!("{}\n", said("u-3", "m-3", &text("y"), all)).as_bytes());
    let mut withdrawn = Vec::new();
    while let Some(event) = parser.next_event() {
        let value = serde_json::to_value(&event).expect("JSON");
        if value["withdrawn"] == true {
            withdrawn.push(value["message_id"].as_str().expect("an id").to_owned());
        }
    }
    assert_eq!(withdrawn, ["m-1", "m-2"]);
    let _ = parser.finish(&Exit::code(0));
}
