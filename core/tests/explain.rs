//! Why an envelope is what it is.

use turnline::{Exit, Explanation, Options, Parser, Profile, Topic};

fn explain(id: &str, stream: &str, explain: bool) -> (turnline::Envelope, Vec<Explanation>) {
    let profile = Profile::builtin(id).expect("built in");
    let mut options = Options::default();
    options.explain = explain;
    let mut parser = Parser::with_options(&profile, options);
    parser.push(stream.as_bytes());
    parser.finish_explained(&Exit::code(0))
}

fn of(list: &[Explanation], topic: Topic) -> Vec<(u64, &str, &str, &str)> {
    let notes = list.iter().filter(|note| note.topic == topic);
    notes.map(|note| (note.line, &*note.native_type, &*note.rule, &*note.message)).collect()
}

const CODEX: &str = r#"{"type":"thread.started","thread_id":"t-1"}
{"type":"error","message":"a plugin failed"}
{"type":"turn.started"}
noise
{"type":"item.completed","item":{"id":"i-1","type":"agent_message","text":"Done."}}
{"type":"brand.new"}
{"type":"brand.new"}
{"type":"error","message":"Reconnecting... 1/5"}
{"type":"turn.completed","usage":{"input_tokens":11,"output_tokens":22}}
"#;

#[test]
fn each_part_of_the_envelope_has_its_reasons() {
    let (envelope, list) = explain("codex", CODEX, true);
    assert_eq!(envelope.result.as_deref(), Some("Done."));
    let status = of(&list, Topic::Status);
    let at = |line: u64| status.iter().find(|note| note.0 == line).unwrap_or_else(|| panic!("{line}: {status:#?}"));
    assert_eq!(at(2).3, "it reports a failure: a plugin failed");
    assert_eq!(
        status.iter().filter(|note| note.0 == 3).count(),
        2,
        "owed, and the error before it withdrawn: {status:#?}"
    );
    assert_eq!(at(8).3, "it tells a failure that /notices/0 makes a notice: Reconnecting... 1/5");
    let profile = Profile::builtin("codex").expect("built in");
    let rule = profile.spec().rules.iter().position(|rule| rule.terminal.is_some()).expect("a terminal rule");
    assert_eq!(*at(9), (9, "turn.completed", &*format!("/rules/{rule}"), "it is the terminal record"));
    assert!(status.last().is_some_and(|note| note.3.starts_with("ok: ")), "{status:#?}");
    let result = of(&list, Topic::Result);
    assert_eq!(result[0].0, 5);
    assert_eq!((result[1].2, result[1].3), ("/answer", "the rule `last_message` gives the answer"));
    let usage = of(&list, Topic::Usage);
    assert_eq!((usage[0].0, usage[0].2, usage[0].3), (9, "/usage/0", "input 11, output 22, total 33"));
    let ignored = of(&list, Topic::Ignored);
    assert!(ignored.contains(&(4, "", "", "it is not JSON (1 in all, here first)")), "{ignored:#?}");
    assert!(
        ignored.contains(&(
            6,
            "brand.new",
            "",
            "no rule of the profile takes it, or a part of it (2 in all, here first)"
        )),
        "{ignored:#?}"
    );
}

#[test]
fn a_failed_terminal_record_is_named() {
    let stream = "{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"is_error\":true,\"errors\":[\"Too many turns\"],\"usage\":{\"input_tokens\":1}}\n";
    let (envelope, list) = explain("claude-code", stream, true);
    assert_eq!(envelope.result, None);
    let status = of(&list, Topic::Status);
    assert!(status.iter().any(|note| note.0 == 1 && note.3 == "it reports a failure: Too many turns"), "{status:#?}");
    assert!(
        status.last().is_some_and(|note| note.3 == "failed: limit, from stdout (1 error(s) in all)"),
        "{status:#?}"
    );
    assert_eq!(of(&list, Topic::Result)[0].3, "its turn failed, so it gives no answer");
    let usage = of(&list, Topic::Usage);
    assert!(usage[0].3.starts_with("a required counter is missing"), "{usage:#?}");
    assert_eq!(usage.last().map(|note| note.3), Some("null: a partial bill is a wrong bill"));
}

#[test]
fn asking_changes_nothing_and_not_asking_says_nothing() {
    let (asked, list) = explain("codex", CODEX, true);
    let (unasked, none) = explain("codex", CODEX, false);
    assert_eq!(asked, unasked);
    assert!(!list.is_empty() && none.is_empty());
}

#[test]
fn notes_are_bounded() {
    let mut stream = String::new();
    for n in 0..5000 {
        stream.push_str(&format!("{{\"type\":\"error\",\"message\":\"m{n}\"}}\n{{\"type\":\"odd{n}\"}}\n"));
    }
    let (_, list) = explain("codex", &stream, true);
    assert!(list.len() < 256, "{}", list.len());
    assert!(list.iter().any(|note| note.message == "4936 more are left out here"), "{list:#?}");
}
