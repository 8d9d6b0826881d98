//! The normalized form of chosen recordings, event by event, as files under `tests/golden`.
//!
//! A change of any event or envelope shows as a difference there. `UPDATE_GOLDEN=1 cargo test -p turnline-tests --test
//! golden` writes them anew; what it wrote is then read by a person.

use std::path::PathBuf;
use turnline_tests::conform::corpus::{Recording, entries, recordings};
use turnline_tests::conform::diff::abridge;
use turnline_tests::conform::suite;

/// One of each executor and version at least, each with another trait.
const CHOSEN: &[&str] = &[
    "claude-code/1.0.128/02-bash-ok",
    "claude-code/2.0.76/18-permission-denied",
    "claude-code/2.1.332/07-partial-messages",
    "claude-code/2.1.332/16-subagent",
    "claude-code/2.1.332/30p-ratelimit-headers-oauth",
    "codex/0.39.0/shell-fail-recover",
    "codex/0.42.0/patch-move",
    "codex/0.42.0-experimental-json/todo-list",
    "codex/0.44.0/several-messages",
    "codex/0.58.0/mcp-ok-and-error",
    "codex/0.98.0/sub-agent-collab-feature",
    "codex/0.144.6/failed-rate-limit-then-ok",
    "codex/0.171.0/patch-add-update-delete",
    "opencode/0.5.29/01-one-word",
    "opencode/1.0.0/04-write-edit-read",
    "opencode/1.0.185/16-subagent",
    "opencode/1.1.65/23d-finish-length",
    "opencode/1.2.1/17d-resume-fork",
    "opencode/1.15.13/11b-overflow-then-compaction",
    "opencode/1.18.33/06-text-parts-parallel-tools",
    "gemini/0.61.0/02-shell-ok",
    "qwen/0.24.4/21-todo",
    "pi/0.73.1/09-http-500-then-ok",
    "kimi/2.1.0/04-write-edit-read",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn chosen() -> Vec<(String, Recording)> {
    let clis = ["claude-code", "codex", "opencode", "gemini", "qwen", "pi", "kimi"];
    let all = clis.iter().flat_map(|cli| recordings(cli));
    let chosen = all.filter(|recording| CHOSEN.contains(&recording.name.as_str()));
    chosen.map(|recording| (format!("{}.jsonl", recording.name.replace('/', "-")), recording)).collect()
}

#[test]
fn chosen_recordings_read_as_before() {
    let chosen = chosen();
    assert_eq!(chosen.len(), CHOSEN.len(), "a chosen recording is not in the corpus");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    suite::all(
        &chosen,
        |(file, _)| file.clone(),
        |(file, recording), diff| {
            let profile = match recording.input.profile() {
                Ok(profile) => profile,
                Err(error) => return diff.add(error),
            };
            let transcript = recording.input.whole(&profile);
            let mut got = transcript.events;
            got.extend_from_slice(&serde_json::to_vec(&transcript.envelope).expect("an envelope is JSON"));
            got.push(b'\n');
            let path = folder().join(file);
            if update {
                std::fs::create_dir_all(folder())
                    .and_then(|()| std::fs::write(&path, &got))
                    .expect("a writable folder");
                return;
            }
            let want = std::fs::read(&path).unwrap_or_default();
            let (got, want) = (String::from_utf8_lossy(&got), String::from_utf8_lossy(&want));
            for (n, (got, want)) in got.lines().zip(want.lines()).enumerate().filter(|(_, (got, want))| got != want) {
                diff.add(format!("line {}: got {}, want {}", n + 1, abridge(got), abridge(want)));
            }
            diff.eq("lines", got.lines().count(), want.lines().count());
        },
    );
}

#[test]
fn no_golden_file_is_left_over() {
    if !folder().exists() {
        return; // The other test says so, or is about to write it.
    }
    let wanted: Vec<String> = chosen().into_iter().map(|(file, _)| file).collect();
    for path in entries(&folder()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        assert!(wanted.contains(&name), "{name} belongs to no chosen recording");
    }
}
