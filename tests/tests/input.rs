//! What a host says: the lines that were written to the recorded interactive runs, and every refusal.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use turnline::input::{Answer, Encoder, InputErrorKind, Part, UserTurn};
use turnline::{Event, EventKind, Parser, PermissionRequest, Profile};
use turnline_tests::conform::corpus::entries;

/// The recorded runs that were spoken to.
fn recorded() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/streams/claude-code");
    let versions = entries(&root).into_iter().filter(|path| path.is_dir());
    let all = versions.flat_map(|version| entries(&version));
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    all.filter(|path| name(path).starts_with("21")).collect()
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("readable");
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What the executor asked for under this id.
fn asked(profile: &Profile, stream: &[u8], id: &str) -> Option<PermissionRequest<'static>> {
    let mut parser = Parser::new(profile);
    parser.push(stream);
    parser.eof();
    while let Some(event) = parser.next_event() {
        if let Event { kind: EventKind::PermissionRequest(request), .. } = event.into_owned()
            && request.request_id == *id
        {
            return Some(request);
        }
    }
    None
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {value}"))
}

/// Says what a recorded line says; `None` for a line that our vocabulary leaves to raw bytes.
fn said(profile: &Profile, stream: &[u8], line: &Value) -> Option<(&'static str, Vec<u8>)> {
    let encoder = Encoder::new(profile);
    Some(match text(line, "/type") {
        "user" => {
            let parts = line.pointer("/message/content").and_then(Value::as_array).expect("parts");
            let turn = UserTurn::new(parts.iter().map(|part| Part::Text(text(part, "/text").into())));
            ("turn", encoder.turn(&turn).unwrap())
        }
        "control_request" => {
            let id = text(line, "/request_id");
            match text(line, "/request/subtype") {
                "interrupt" => ("interrupt", encoder.interrupt(id).unwrap()),
                "set_model" => ("set_model", encoder.set_model(id, text(line, "/request/model")).unwrap()),
                "set_permission_mode" => {
                    ("set_permission_mode", encoder.set_permission_mode(id, text(line, "/request/mode")).unwrap())
                }
                _ => ("request", encoder.request(id, &line["request"]).unwrap()),
            }
        }
        "control_response" => {
            let id = text(line, "/response/request_id");
            let response = &line["response"]["response"];
            match response["behavior"].as_str() {
                Some("allow") => {
                    let request = asked(profile, stream, id).expect("it was asked");
                    ("allow", encoder.answer(id, &Answer::allow(), request.input.as_ref()).unwrap())
                }
                Some("deny") => ("deny", encoder.answer(id, &Answer::deny(text(response, "/message")), None).unwrap()),
                _ => ("reply", encoder.answer(id, &Answer::Reply(response.clone()), None).unwrap()),
            }
        }
        _ => return None,
    })
}

#[test]
fn what_was_written_to_the_recorded_runs() {
    let profile = Profile::builtin("claude-code").unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for run in recorded() {
        let stream = std::fs::read(run.join("stdout.jsonl")).expect("a stream");
        for line in lines(&run.join("stdin.txt")) {
            let Some((kind, bytes)) = said(&profile, &stream, &line) else {
                assert_eq!(line, json!({"type": "keep_alive"}));
                continue;
            };
            *counts.entry(kind).or_insert(0) += 1;
            let (end, record) = bytes.split_last().expect("a line");
            assert!(*end == b'\n' && !record.contains(&b'\n'), "{}", run.display());
            assert_eq!(serde_json::from_slice::<Value>(record).unwrap(), line, "{}", run.display());
        }
    }
    let counts: Vec<_> = counts.into_iter().collect();
    // Three versions each; what stands in their `stdin.txt`, counted by hand.
    let want = [
        ("allow", 6),
        ("deny", 3),
        ("interrupt", 6),
        ("reply", 18),
        ("request", 15),
        ("set_model", 3),
        ("set_permission_mode", 3),
        ("turn", 48),
    ];
    assert_eq!(counts, want);
}

fn value(line: Result<Vec<u8>, turnline::input::InputError>) -> Value {
    let line = line.unwrap();
    assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
    serde_json::from_slice(&line).unwrap()
}

#[test]
fn nothing_that_is_put_in_breaks_a_line() {
    let profile = Profile::builtin("claude-code").unwrap();
    let encoder = Encoder::new(&profile);
    let wild = "a\"b\\c\nd\r\u{2028}\u{0}{text}</x>\"},\"type\":\"control_request\"";
    let turn = value(encoder.turn(&wild.into()));
    assert_eq!(turn["message"]["content"], json!([{"type": "text", "text": wild}]));
    assert_eq!(turn["type"], "user");
    assert_eq!(value(encoder.interrupt(wild))["request_id"], wild);
    let deny = value(encoder.answer(wild, &Answer::deny(wild).interrupting(), None));
    let want = json!({"behavior": "deny", "message": wild, "interrupt": true});
    assert_eq!(deny["response"]["response"], want);
    let rules = json!([{"type": "addRules", "rules": [{"toolName": wild}]}]);
    let allow = Answer::allow().input(json!({ wild: [null, 1.5] })).permissions(rules.clone());
    let allow = value(encoder.answer("1", &allow, None));
    let want = json!({"behavior": "allow", "updatedInput": { wild: [null, 1.5] }, "updatedPermissions": rules});
    assert_eq!(allow["response"]["response"], want);
    // Nothing is known of what it asked.
    let allow = value(encoder.answer("1", &Answer::allow(), None));
    assert_eq!(allow["response"]["response"], json!({"behavior": "allow", "updatedInput": {}}));
}

#[test]
fn images_and_parts() {
    let profile = Profile::builtin("claude-code").unwrap();
    let turn = UserTurn::from("What is this?").image("image/png", "aGk=").text("  ");
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}});
    let content = json!([{"type": "text", "text": "What is this?"}, image]);
    assert_eq!(value(Encoder::new(&profile).turn(&turn))["message"]["content"], content);
}

#[test]
fn what_cannot_be_said_is_refused_with_a_code() {
    let kind = |result: Result<Vec<u8>, turnline::input::InputError>| result.unwrap_err().kind();
    let codex = Profile::builtin("codex").unwrap();
    let error = Encoder::new(&codex).turn(&"hi".into()).unwrap_err();
    assert_eq!((error.kind(), error.code()), (InputErrorKind::NotInteractive, "input_not_interactive"));
    assert!(error.message().contains("'codex'"), "{error}");
    assert_eq!(kind(Encoder::new(&codex).interrupt("1")), InputErrorKind::NotInteractive);
    let claude = Profile::builtin("claude-code").unwrap();
    assert_eq!(kind(Encoder::new(&claude).turn(&" \n".into())), InputErrorKind::Empty);
    assert_eq!(kind(Encoder::new(&claude).turn(&UserTurn::default())), InputErrorKind::Empty);
    let plain = profile(r#"turn = { say = "{text}" }"#).unwrap();
    let encoder = Encoder::new(&plain);
    assert_eq!(value(encoder.turn(&UserTurn::from("a").text("b"))), json!({"say": "a\n\nb"}));
    assert_eq!(kind(encoder.turn(&UserTurn::from("a").image("image/png", "eA=="))), InputErrorKind::Unsupported);
    assert_eq!(kind(encoder.interrupt("1")), InputErrorKind::Unsupported);
    assert_eq!(kind(encoder.answer("1", &Answer::allow(), None)), InputErrorKind::Unsupported);
    let bare = profile("turn = { say = \"{text}\" }\nallow = { ok = \"{id}\" }\ndeny = { no = \"{id}\" }").unwrap();
    let encoder = Encoder::new(&bare);
    assert_eq!(value(encoder.answer("1", &Answer::allow(), None)), json!({"ok": "1"}));
    for answer in
        [Answer::allow().input(json!({})), Answer::allow().permissions(json!([])), Answer::deny("").interrupting()]
    {
        assert_eq!(kind(encoder.answer("1", &answer, None)), InputErrorKind::Unsupported, "{answer:?}");
    }
}

fn profile(input: &str) -> Result<Profile, turnline::ProfileError> {
    let head = "id = \"wren\"\ncommand = \"wren\"\nlaunch.args = [{ when = \"interactive\" }]\n[input]\n";
    Profile::from_toml(&format!("{head}{input}"))
}

#[test]
fn shapes_are_checked_when_the_profile_is_built() {
    let turn = "turn = { a = \"{text}\" }\n";
    let deep = format!("{}0{}", "[".repeat(40), "]".repeat(40));
    let rows = [
        ("interrupt = { a = 1 }", "missing_field", "/input"),
        ("turn = { a = 1 }", "missing_field", "/input/turn"),
        ("turn = { a = \"{null}\" }", "missing_field", "/input/turn"),
        ("turn = \"{text}\"", "bad_shape", "/input/turn"),
        ("turn = { a = [0, { b = \"{txt}\" }], c = \"{text}\" }", "unknown_name", "/input/turn/a/1/b"),
        ("turn = { \"a/b\" = \"{model}\", c = \"{text}\" }", "unknown_name", "/input/turn/a~1b"),
        ("turn = { a = \"{parts}\" }", "missing_field", "/input"),
        (&format!("{turn}text_part = {{ b = \"{{text}}\" }}"), "misplaced", "/input/text_part"),
        (&format!("{turn}deny = {{ b = \"{{message}}\" }}"), "missing_field", "/input/deny"),
        (&format!("{turn}deny = {{ b = \"{{id?}}\" }}"), "bad_shape", "/input/deny/b"),
        (&format!("{turn}interrupt = {{ b = \"{{null?}}\" }}"), "bad_shape", "/input/interrupt/b"),
        (&format!("{turn}interrupt = {{ b = {deep} }}"), "bad_shape", "*"),
        (&format!("{turn}interrupt = {{ b = 2026-01-02 }}"), "wrong_type", "/input/interrupt/b"),
        (&format!("{turn}shout = {{}}"), "unknown_field", "/input/shout"),
    ];
    for (input, code, pointer) in rows {
        let error = profile(input).expect_err(input);
        let found = error.problems().iter().find(|problem| problem.code.as_str() == code);
        let found = found.unwrap_or_else(|| panic!("{input}: {error}"));
        assert!(pointer == "*" || found.pointer == pointer, "{input}: {found}");
        assert!(found.place.is_some(), "{input}: {found:?}");
    }
    // Nobody could start it so that it listens.
    let text = "id = \"wren\"\ncommand = \"wren\"\n[input]\nturn = { a = \"{text}\" }\n";
    assert_eq!(Profile::from_toml(text).unwrap_err().pointer(), "/input");
    // What is no slot stands as it is.
    let literal = profile("turn = { a = \"{text}\", b = \"{text} and more\", c = \"{{\", d = true }").unwrap();
    let want = json!({"a": "hi", "b": "{text} and more", "c": "{{", "d": true});
    assert_eq!(value(Encoder::new(&literal).turn(&"hi".into())), want);
}

#[test]
fn a_fork_changes_one_shape_and_inherits_the_others() {
    let text =
        "extends = \"claude-code\"\nid = \"clawed\"\ncommand = \"clawed\"\n[input]\ninterrupt = { stop = \"{id}\" }\n";
    let fork = Profile::from_toml(text).unwrap();
    let encoder = Encoder::new(&fork);
    assert_eq!(value(encoder.interrupt("9")), json!({"stop": "9"}));
    assert_eq!(value(encoder.turn(&"hi".into()))["type"], "user");
    // JSON's own null is the same as the one that TOML needs a slot for.
    let json = r#"{"id":"w","command":"w","launch":{"args":[{"when":"interactive"}]},"input":{"turn":{"a":"{text}","b":null}}}"#;
    let profile = Profile::from_json(json).unwrap();
    assert_eq!(value(Encoder::new(&profile).turn(&"hi".into())), json!({"a": "hi", "b": null}));
    assert_eq!(serde_json::to_value(&profile).unwrap()["input"]["turn"]["b"], "{null}");
}
