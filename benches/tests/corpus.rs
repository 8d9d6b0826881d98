//! The generator keeps its promises: the same bytes, the right shapes, the sizes of the real thing.

use serde_json::Value;
use std::path::Path;
use turnline_benches::corpus;

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Median, 90th and 99th of a hundred, and the largest.
fn spread(bytes: &[u8]) -> [usize; 4] {
    let mut sizes: Vec<usize> = lines(bytes).iter().map(|line| line.len()).collect();
    sizes.sort_unstable();
    [sizes[sizes.len() / 2], sizes[sizes.len() * 9 / 10], sizes[sizes.len() * 99 / 100], sizes[sizes.len() - 1]]
}

#[test]
fn the_same_arguments_give_the_same_bytes() {
    assert_eq!(corpus::claude(300_000), corpus::claude(300_000));
    assert_ne!(corpus::claude(300_000), corpus::codex(300_000));
}

#[test]
fn every_clean_line_is_an_object_with_a_type() {
    for stream in [corpus::claude(1_000_000), corpus::codex(1_000_000), corpus::opencode(1_000_000), corpus::run14()] {
        assert!(stream.ends_with(b"\n"));
        for line in lines(&stream) {
            let record: Value = serde_json::from_slice(line).unwrap();
            assert!(record["type"].is_string(), "{record}");
        }
    }
}

#[test]
fn sizes_are_spread_as_in_real_streams() {
    let near = |name, spread: [usize; 4], ranges: [(usize, usize); 4]| {
        for (size, (low, high)) in spread.into_iter().zip(ranges) {
            assert!((low..=high).contains(&size), "{name}: {spread:?} is not within {ranges:?}");
        }
    };
    let claude = corpus::claude(20_000_000);
    near("claude", spread(&claude), [(270, 300), (300, 350), (6000, 8500), (1_900_000, 2_300_000)]);
    near(
        "codex",
        spread(&corpus::codex(20_000_000)),
        [(520, 580), (2900, 3300), (23_000, 26_000), (1_000_000, 1_150_000)],
    );
    near(
        "opencode",
        spread(&corpus::opencode(20_000_000)),
        [(430, 460), (7500, 9500), (40_000, 47_000), (2_000_000, 2_300_000)],
    );
    let deltas = corpus::claude_deltas(&claude, 20_000_000);
    near("deltas", spread(&deltas), [(270, 290), (300, 320), (560, 660), (1800, 1999)]);
    assert!(deltas.len() > 20_000_000);
}

#[test]
fn a_dirty_stream_is_damaged_in_two_lines_of_a_hundred() {
    let clean = corpus::codex(2_000_000);
    let dirty = corpus::dirty(&clean);
    assert!(dirty.starts_with(b"\xef\xbb\xbf{"));
    assert!(!dirty.ends_with(b"\n"));
    let broken = lines(&dirty).iter().filter(|line| serde_json::from_slice::<Value>(line).is_err()).count();
    let share = broken as f64 / lines(&dirty).len() as f64;
    assert!((0.005..0.03).contains(&share), "{share}");
    assert!(dirty.windows(2).any(|pair| pair == b"\r\n"));
    assert!(dirty.contains(&0xff));
}

#[test]
fn special_streams_are_what_they_are_named_for() {
    let run = corpus::run14();
    assert_eq!(lines(&run).len(), 14);
    assert!((18_000..=22_000).contains(&run.len()));

    let huge = corpus::huge_line();
    let sizes: Vec<usize> = lines(&huge).iter().map(|line| line.len()).collect();
    assert_eq!(sizes.len(), 3);
    assert!(sizes[1] > corpus::HUGE_LINE && sizes[1] < corpus::HUGE_LINE + 4096, "{sizes:?}");
    assert!(sizes[0] < 4096 && sizes[2] < 4096, "{sizes:?}");

    assert_eq!(lines(&corpus::tiny_unmapped(1000)).len(), 1000);
    assert_eq!(lines(&corpus::tiny_messages(1000)).len(), 1000);
    assert!(spread(&corpus::small_lines())[3] < 4096);
}

#[test]
fn recordings_are_joined_by_profile() {
    let corpora = corpus::recorded(Path::new(corpus::RECORDINGS));
    let mut executors: Vec<&str> = corpora.iter().map(|corpus| corpus.executor).collect();
    executors.sort_unstable();
    assert_eq!(executors, ["claude-code", "codex", "codex-legacy", "gemini", "kimi", "opencode", "pi", "qwen"]);
    assert!(corpora.iter().all(|corpus| corpus.bytes.ends_with(b"\n")));
    assert!(corpus::recorded(Path::new("no/such/folder")).is_empty());
}

#[test]
fn documented_streams_are_joined_by_profile() {
    let corpora = corpus::documented(Path::new(corpus::DOCUMENTED), 100_000);
    let executors: Vec<&str> = corpora.iter().map(|corpus| corpus.executor).collect();
    assert_eq!(executors, ["amp", "copilot", "droid", "goose"]);
    assert!(corpora.iter().all(|corpus| corpus.bytes.len() >= 100_000 && corpus.bytes.ends_with(b"\n")));
}
