//! Random scripts, randomly disturbed. `TURNLINE_CHAOS_RUNS` says how many (300), `TURNLINE_CHAOS_SEED` where they begin: a
//! failure names the seed that repeats it.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)] // figures, with --nocapture

mod run_support;

use run_support::{FAKE, in_own_process, runtime};
use std::collections::BTreeMap;
use std::path::Path;
use tokio::task::JoinSet;
use turnline_tests::chaos::{Case, memory, open_files, settled};

/// Runs that go on beside each other.
const AT_ONCE: u64 = 6;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn whatever_happens_the_verdict_is_right_and_nothing_is_left() {
    // Descriptors, zombies and memory are this process's own.
    if !in_own_process("whatever_happens_the_verdict_is_right_and_nothing_is_left", |_| {}) {
        return;
    }
    let (first, runs) = (number("TURNLINE_CHAOS_SEED", 1), number("TURNLINE_CHAOS_RUNS", 300));
    let runtime = runtime();
    let mut verdicts: BTreeMap<String, u64> = BTreeMap::new();
    let mut failures = Vec::new();
    let (mut files, mut resident) = (None, None);
    let mut seeds = (first..first + runs).peekable();
    while seeds.peek().is_some() && failures.is_empty() {
        let batch: Vec<u64> = seeds.by_ref().take(AT_ONCE as usize).collect();
        let outcomes = runtime.block_on(async move {
            let mut tasks = JoinSet::new();
            for seed in batch {
                tasks.spawn(async move {
                    let case = Case::new(seed);
                    let outcome = case.run(Path::new(FAKE)).await;
                    (case, outcome)
                });
            }
            tasks.join_all().await
        });
        for (case, outcome) in outcomes {
            match outcome {
                Ok(envelope) => {
                    let verdict = envelope.map_or_else(|| "dropped".to_owned(), |envelope| envelope.status.to_string());
                    *verdicts.entry(format!("{:?} {verdict}", case.script.natural)).or_default() += 1;
                }
                Err(error) => failures.push(format!("TURNLINE_CHAOS_SEED={}: {error}\n{case:#?}", case.seed)),
            }
        }
        // What a runtime opens once stays open; what a run opened does not.
        settled(*files.get_or_insert_with(open_files));
        // The allocator keeps what the first runs needed.
        if seeds.peek().is_some_and(|seed| *seed > first + runs / 3) {
            resident.get_or_insert_with(|| memory().0);
        }
    }
    println!("{runs} runs from seed {first}: {verdicts:#?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let (before, (after, peak)) = (resident.unwrap_or_default(), memory());
    println!("resident {before} KiB after a third, {after} KiB at the end, {peak} KiB at most");
    if runs >= 100 {
        assert!(after < before + (24 << 10), "{before} KiB became {after} KiB");
    }
}
