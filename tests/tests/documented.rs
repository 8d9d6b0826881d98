//! Streams of CLIs of which there are no recordings: written from public documentation, with the events that it asks for.

#[path = "support/held.rs"]
mod held;

use held::holds;
use serde_json::Value;
use turnline::{Detection, Detector, Exit};
use turnline_tests::conform::check::always;
use turnline_tests::conform::corpus::{entries, root};
use turnline_tests::conform::diff::Diff;
use turnline_tests::conform::input::Input;
use turnline_tests::conform::reading::read;
use turnline_tests::oracles;

/// One stream: its name, what is read, what must come of it.
struct Case {
    name: String,
    input: Input,
    expect: Vec<Value>,
}

fn cases() -> Vec<Case> {
    let clis = entries(&root().join("documented"));
    let folders = clis.iter().flat_map(|cli| entries(cli));
    let name = |path: &std::path::Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    folders
        .map(|folder| {
            let cli = name(folder.parent().expect("a folder"));
            let stdout = std::fs::read(folder.join("stdout.jsonl")).expect("a stream");
            let expect = std::fs::read_to_string(folder.join("expect.jsonl")).expect("what it comes to");
            let expect: Vec<Value> = expect.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            let mut input = Input::clean(&cli, stdout);
            let code = expect.last().and_then(|envelope| envelope["exit"]["code"].as_i64());
            input.exit = Exit::code(code.and_then(|code| i32::try_from(code).ok()).unwrap_or(0));
            Case { name: format!("{cli}/{}", name(&folder)), input, expect }
        })
        .collect()
}

#[test]
fn each_comes_to_what_the_documentation_says() {
    let cases = cases();
    assert!(cases.len() >= 13, "{}", cases.len());
    for Case { name, input, expect } in cases {
        let profile = input.profile().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(profile.measured().is_empty(), "{name}: it has no recordings");
        let mut diff = Diff::new();
        let reading = read(&input, &profile, &mut diff);
        let mut lines = reading.events.clone();
        let mut envelope = reading.envelope.clone();
        envelope["type"] = "envelope".into();
        lines.push(envelope);
        let shown = || lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let mut rest = lines.iter();
        for want in &expect {
            assert!(rest.any(|line| holds(line, want)), "{name}: not found in order: {want}\nin\n{}", shown());
        }
        let envelope = &lines[lines.len() - 1];
        assert_eq!(envelope["unmapped_types"], serde_json::json!({}), "{name}\n{}", shown());
        assert_eq!(envelope["stream"]["malformed_lines"], 0, "{name}");
        if input.executor != "crush" {
            always(&input, &reading, &mut diff);
        }
        assert!(diff.is_empty(), "{name}: {diff:?}");
    }
}

#[test]
fn each_is_recognised_as_its_own() {
    for Case { name, input, .. } in cases() {
        let mut detector = Detector::new();
        detector.push(&input.stdout);
        match (detector.eof(), name.as_str()) {
            // Text has no records, and this document is any of several executors'.
            (Detection::Unknown, "crush/answer" | "droid/single-document") => {}
            (Detection::Found(profile), _) if profile.id() == input.executor => {}
            (other, _) => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn the_reference_and_every_chunking_read_the_same() {
    const CLIS: [&str; 5] = ["amp", "copilot", "crush", "droid", "goose"];
    for Case { input, .. } in cases() {
        let at = CLIS.iter().position(|cli| *cli == input.executor).expect("one of these");
        let mut data = vec![250 + u8::try_from(at).expect("few")];
        data.extend_from_slice(&input.stdout);
        oracles::stream(&data);
        oracles::differential(&data);
        for seed in [0, 1, 77, 200] {
            oracles::split(&[&[seed][..], &data].concat());
        }
    }
}
