//! The recordings of real CLIs, each compared with the facts beside it and read at many chunkings.

use std::collections::HashSet;
use std::sync::Mutex;
use turnline_tests::conform::corpus::{Recording, recordings};
use turnline_tests::conform::{check, facts, suite};

/// The executors that must have a built-in profile. Recordings of others are left alone until they have one.
const EXPECTED: &[&str] = &["claude-code", "codex", "codex-legacy", "opencode", "gemini", "qwen", "pi", "kimi"];

#[test]
fn expected_executors_have_profiles() {
    let known: Vec<&str> = turnline::catalogue::ids().collect();
    let missing: Vec<&&str> = EXPECTED.iter().filter(|id| !known.contains(id)).collect();
    assert!(missing.is_empty(), "no built-in profile for {missing:?}; there are {known:?}");
}

#[test]
fn claude_code() {
    conform("claude-code", "claude-code", 278);
}

#[test]
fn codex() {
    conform("codex", "codex", 353);
}

#[test]
fn codex_legacy() {
    conform("codex", "codex-legacy", 87);
}

#[test]
fn opencode() {
    conform("opencode", "opencode", 110);
}

#[test]
fn gemini() {
    conform("gemini", "gemini", 23);
}

#[test]
fn qwen() {
    conform("qwen", "qwen", 20);
}

#[test]
fn pi() {
    conform("pi", "pi", 16);
}

#[test]
fn kimi() {
    conform("kimi", "kimi", 13);
}

fn conform(cli: &str, executor: &str, count: usize) {
    let all: Vec<Recording> = recordings(cli).into_iter().filter(|r| r.input.executor == executor).collect();
    assert_eq!(all.len(), count, "recordings of {executor}");
    if !EXPECTED.contains(&executor) && turnline::Profile::builtin(executor).is_err() {
        return;
    }
    // Many failing runs print the same bytes: one of them is enough for the facts that only chunking can break.
    let seen = Mutex::new(HashSet::new());
    suite::all(
        &all,
        |recording| recording.name.clone(),
        |recording, diff| {
            let bytes = (recording.input.stdout.clone(), recording.input.stderr.clone());
            let first = seen.lock().expect("no check holds the lock").insert(bytes);
            let facts = |reading: &_, diff: &mut _| facts::check(recording, reading, diff);
            if first {
                check::conforms(&recording.input, &[], diff, facts);
            } else {
                check::at_once(&recording.input, diff, facts);
            }
        },
    );
}
