//! Drafts of recordings: what a draft that nobody mended reads as the built-in profile does.

mod common;

use common::draft::Draft;
use common::turnline;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Streams of one version that are read.
const STREAMS: usize = 14;

/// The recorded streams of a version.
fn streams(version: &Path) -> Vec<PathBuf> {
    let folders = |path: &Path| std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut all: Vec<PathBuf> =
        folders(version).map(|run| run.join("stdout.jsonl")).filter(|path| path.is_file()).collect();
    all.sort();
    all.truncate(STREAMS);
    all
}

fn builtin(executor: &str, stream: &Path) -> Value {
    let stream = stream.to_str().expect("a path");
    turnline(&["parse", "--executor", executor, "--output", "jsonl", "--envelope-only", stream], "").envelope()
}

#[test]
fn drafts_read_nearly_all_that_the_profiles_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").join("tests/corpora/streams");
    // How many of the streams may end otherwise, answer otherwise, count tools otherwise.
    for (version, executor, least) in [
        ("claude-code/1.0.128", "claude-code", [0, 0, 0]),
        ("claude-code/2.1.332", "claude-code", [0, 0, 0]),
        ("codex/0.171.0", "codex", [0, 0, 1]),
        ("codex/0.98.0", "codex", [0, 0, 3]),
        ("opencode/1.1.65", "opencode", [0, 0, 0]),
        ("gemini/0.61.0", "gemini", [0, 1, 0]),
        ("qwen/0.24.4", "qwen", [0, 0, 0]),
        ("kimi/2.1.0", "kimi", [1, 0, 0]),
        ("pi/0.73.1", "pi", [1, 0, 3]),
    ] {
        let paths = streams(&root.join(version));
        let texts: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).expect("a stream")).collect();
        let draft = Draft::of(&texts);
        let mut other = [0; 3];
        for (n, path) in paths.iter().enumerate().filter(|(n, _)| !texts[*n].trim_ascii().is_empty()) {
            let (want, got) = (builtin(executor, path), draft.envelope(n));
            for (count, key) in other.iter_mut().zip(["status", "result", "tools"]) {
                *count += usize::from(want[key] != got[key]);
            }
        }
        let within = other.iter().zip(least).all(|(other, least)| *other <= least);
        assert!(within, "{version}: {other:?} of {} differ\n{}", paths.len(), draft.text);
    }
}
