//! The product reads every corpus like the reference does.

use turnline_tests::conform::corpus::{public_cases, recordings, seeds};
use turnline_tests::conform::input::Input;
use turnline_tests::conform::suite;
use turnline_tests::oracles::compare;
use turnline_tests::reference::KNOWN_DIFFERENCES;

fn agree(all: &[(String, Input)]) {
    assert!(!all.is_empty());
    suite::all(
        all,
        |(name, _)| name.clone(),
        |(_, input), diff| match input.profile() {
            Ok(profile) => compare(input, &profile, diff),
            Err(error) => diff.add(error),
        },
    );
}

#[test]
fn recordings_read_alike() {
    let clis = ["claude-code", "codex", "opencode", "gemini", "qwen", "pi", "kimi"];
    let all = clis.iter().flat_map(|cli| recordings(cli)).map(|recording| (recording.name, recording.input));
    agree(&all.collect::<Vec<_>>());
}

/// Every recording read as one whose turns the host asked for: the last turn's verdict, and each turn's report.
#[test]
fn recordings_read_alike_as_interactive_runs() {
    let clis = ["claude-code", "codex", "opencode", "gemini", "qwen", "pi", "kimi"];
    let all = clis.iter().flat_map(|cli| recordings(cli)).map(|mut recording| {
        recording.input.interactive = true;
        (recording.name, recording.input)
    });
    agree(&all.collect::<Vec<_>>());
}

#[test]
fn public_cases_read_alike() {
    // The reference looks into every value again and again: lines of megabytes are left to the cases' own facts.
    let small = public_cases().into_iter().filter(|case| case.input.stdout.len() < 4 << 20);
    agree(&small.map(|case| (case.name, case.input)).collect::<Vec<_>>());
}

#[test]
fn seed_cases_read_alike() {
    agree(&seeds().into_iter().map(|case| (case.name, case.input)).collect::<Vec<_>>());
}

/// Recordings of one executor mean nothing in another profile, but both readers must say the same of them.
#[test]
fn recordings_read_alike_in_a_foreign_profile() {
    let mut all = Vec::new();
    for (cli, foreign) in
        [("codex", "claude-code"), ("opencode", "codex"), ("gemini", "opencode"), ("kimi", "raw"), ("pi", "kimi")]
    {
        for mut recording in recordings(cli) {
            recording.input.executor = foreign.into();
            all.push((recording.name, recording.input));
        }
    }
    agree(&all);
}

#[test]
fn every_known_difference_has_a_reason() {
    assert!(KNOWN_DIFFERENCES.iter().all(|(what, why)| !what.is_empty() && why.len() > 20));
}
