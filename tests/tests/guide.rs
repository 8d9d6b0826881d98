//! The guide to profiles is true: each of its profiles passes the check and makes of the streams what it says.

#[path = "support/held.rs"]
mod held;
#[path = "support/launches.rs"]
mod launches;

use held::{Held, holds};
use serde_json::{Value, json};
use turnline::input::{Answer, Encoder, UserTurn};
use turnline::{Exit, Parser, Profile, profile::ProblemCode, schema};

const GUIDE: &str = include_str!("../../docs/profiles.md");

/// A fenced block: its info string, its line, its text.
struct Block {
    info: String,
    line: usize,
    text: String,
}

fn blocks() -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (n, line) in GUIDE.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(info) => {
                open = true;
                blocks.push(Block { info: info.to_owned(), line: n + 1, text: String::new() });
            }
            None if open => {
                if let Some(block) = blocks.last_mut() {
                    block.text.push_str(line);
                    block.text.push('\n');
                }
            }
            None => {}
        }
    }
    blocks
}

fn read(profile: &Profile, stream: &str) -> Vec<Value> {
    let mut parser = Parser::new(profile);
    parser.push(stream.as_bytes());
    parser.eof();
    let mut lines = Vec::new();
    while let Some(event) = parser.next_event() {
        let mut line = Vec::new();
        event.write_json(&mut line);
        lines.push(serde_json::from_slice(&line).expect("an event is JSON"));
    }
    let mut envelope = serde_json::to_value(parser.finish(&Exit::code(0))).expect("an envelope is JSON");
    envelope["type"] = "envelope".into();
    lines.push(envelope);
    lines
}

/// What the guide says that a host says.
fn said(profile: &Profile) -> Vec<Value> {
    let mut asked = Parser::new(&Profile::builtin("claude-code").unwrap());
    asked.push(br#"{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"sh","input":{"cmd":"ls"}}}"#);
    asked.eof();
    let asked =
        std::iter::from_fn(|| asked.next_event().map(turnline::Event::into_owned)).find_map(|event| match event.kind {
            turnline::EventKind::PermissionRequest(request) => request.input,
            _ => None,
        });
    let (encoder, asked) = (Encoder::new(profile), asked.as_ref());
    let lines = [
        encoder.turn(&UserTurn::from("Hi.").image("image/png", "aGk=")),
        encoder.interrupt("1"),
        encoder.answer("q1", &Answer::allow(), asked),
        encoder.answer("q1", &Answer::allow().permissions(json!(["ls"])), asked),
        encoder.answer("q2", &Answer::deny("Not here."), asked),
        encoder.answer("q2", &Answer::deny("Not here.").interrupting(), asked),
        encoder.set_model("2", "owl-2"),
        encoder.set_permission_mode("3", "plan"),
        encoder.request("4", &json!({"k": "status"})),
        encoder.answer("q3", &Answer::Reply(json!({"ok": true})), None),
    ];
    lines.into_iter().map(|line| serde_json::from_slice(&line.unwrap()).unwrap()).collect()
}

#[test]
fn every_example_does_what_it_says() {
    let (event, envelope) = (Held::new(schema::event()), Held::new(schema::envelope()));
    let fits = |value: &Value| if value["type"] == "envelope" { envelope.check(value) } else { event.check(value) };
    let mut profile: Option<Profile> = None;
    let mut events: Option<Vec<Value>> = None;
    let (mut profiles, mut compared, mut launched) = (0, 0, 0);
    for block in blocks() {
        match &*block.info {
            "toml" => {
                let built = Profile::from_toml(&block.text);
                profile = Some(built.unwrap_or_else(|error| panic!("line {}: {error}", block.line)));
                profiles += 1;
            }
            "jsonl launch" => {
                let profile = profile.as_ref().unwrap_or_else(|| panic!("line {}: no profile before it", block.line));
                for line in block.text.lines() {
                    let mut want: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
                    let found = launches::outcome(profile, &want["ask"].take());
                    want.as_object_mut().expect("an object").remove("ask");
                    assert!(holds(&found, &want), "line {}: {line}\ncomes to\n{found}", block.line);
                    launched += 1;
                }
            }
            "jsonl stream" => events = profile.as_ref().map(|profile| read(profile, &block.text)),
            "jsonl events" => {
                let events = events.take().unwrap_or_else(|| panic!("line {}: no stream before it", block.line));
                for event in &events {
                    fits(event).unwrap_or_else(|error| panic!("line {}: {error}", block.line));
                }
                let mut rest = events.iter();
                for line in block.text.lines() {
                    let want: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
                    let found = rest.any(|event| holds(event, &want));
                    assert!(found, "line {}: not found in order: {line}\nin\n{}", block.line, shown(&events));
                    compared += 1;
                }
            }
            "jsonl input" => {
                let said = said(profile.as_ref().expect("a profile before it"));
                let want: Vec<Value> = block.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
                assert_eq!(said, want, "line {}", block.line);
                compared += said.len();
            }
            _ => {}
        }
    }
    assert!(
        profiles >= 14 && compared >= 50 && launched >= 12,
        "{profiles} profiles, {compared} events, {launched} plans"
    );
}

fn shown(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

#[test]
fn the_codes_of_the_check_are_all_named() {
    let missing: Vec<_> = ProblemCode::ALL
        .iter()
        .map(|code| code.as_str())
        .filter(|code| !code.starts_with("executor_") && !GUIDE.contains(&format!("`{code}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
