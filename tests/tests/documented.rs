//! Streams of CLIs of which there are no recordings: written from public documentation, with the events that it asks for.

#[path = "support/held.rs"]
mod held;

use held::holds;
use turnline::{Detection, Detector};
use turnline_tests::conform::check::always;
use turnline_tests::conform::corpus::{Documented, documented};
use turnline_tests::conform::diff::Diff;
use turnline_tests::conform::reading::read;
use turnline_tests::oracles;

#[test]
fn each_comes_to_what_the_documentation_says() {
    let all = documented();
    assert!(all.len() >= 13, "{}", all.len());
    for Documented { name, input, expect } in all {
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
    for Documented { name, input, .. } in documented() {
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
    for Documented { input, .. } in documented() {
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
