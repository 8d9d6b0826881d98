//! The committed fuzz corpora, replayed through the oracles that the fuzz targets are made of.

use std::path::{Path, PathBuf};
use turnline_tests::conform::corpus::entries;
use turnline_tests::conform::suite;
use turnline_tests::{oracles, run_facts};

fn replay(target: &str, at_least: usize, oracle: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let files = entries(&folder);
    assert!(files.len() >= at_least, "{} files in {}", files.len(), folder.display());
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    suite::all(&files, name, |path, _| oracle(&std::fs::read(path).expect("a readable file")));
}

#[test]
fn stream() {
    replay("stream", 40, oracles::stream);
}

#[test]
fn split() {
    replay("split", 40, oracles::split);
}

#[test]
fn differential() {
    replay("differential", 80, oracles::differential);
}

#[test]
fn run() {
    replay("run", 10, run_facts::run);
}

/// Facts that chance picks, so that stable has more than the corpus.
#[test]
fn any_facts() {
    let mut dice = turnline_tests::mutate::Dice::new(5);
    for _ in 0..20_000 {
        let facts: Vec<u8> = (0..dice.below(40)).map(|_| dice.below(256) as u8).collect();
        run_facts::run(&facts);
    }
}

#[test]
fn profile() {
    replay("profile", 10, oracles::profile);
}

/// The oracles notice what they are for: each of these would pass if nothing was compared.
#[test]
fn an_empty_input_and_every_pick_are_fine() {
    for pick in 0..=255_u8 {
        oracles::stream(&[pick]);
        oracles::differential(&[pick, b'{', b'}', b'\n', b'x']);
        oracles::split(&[pick, pick, b'{', b'}', b'\n', b'x']);
    }
    // Every fact at the beginning of every kind of run, and behind every other one.
    for first in 0..=255_u8 {
        run_facts::run(&[first % 16, first]);
        run_facts::run(&[first % 16, 0, 2, first, 13, first, 16, 17, 7, 8]);
    }
    oracles::profile(b"");
    oracles::profile(b"\n---\n{}");
}
