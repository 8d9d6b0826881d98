//! Every recording is recognised as its executor's from its first records.

use turnline::{Detection, Detector};
use turnline_tests::conform::corpus::recordings;

#[test]
fn recordings_are_recognised() {
    let (mut found, mut silent, mut wrong) = (0, 0, Vec::new());
    for cli in ["claude-code", "codex", "opencode", "gemini", "qwen", "pi", "kimi"] {
        for recording in recordings(cli) {
            let mut detector = Detector::new();
            for chunk in recording.input.stdout.chunks(997) {
                if detector.push(chunk).is_decided() {
                    break;
                }
            }
            match detector.eof() {
                Detection::Found(profile) if profile.id() == recording.input.executor => found += 1,
                Detection::Unknown if !has_record(&recording.input.stdout) => silent += 1,
                other => wrong.push(format!("{}: {other:?}", recording.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), found + silent + wrong.len());
    assert!(found > 700, "{found}");
}

fn has_record(stdout: &[u8]) -> bool {
    stdout
        .split(|byte| *byte == b'\n')
        .any(|line| serde_json::from_slice::<serde_json::Value>(line).is_ok_and(|value| value.is_object()))
}
