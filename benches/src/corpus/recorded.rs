//! The recorded streams that are shipped with the repository, one after the other for each profile.

use super::Corpus;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the repository keeps its recordings.
pub const RECORDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpora/streams");

/// The recordings below `folder` (`<executor>/<version>/<scenario>/stdout.jsonl`), concatenated in the order of their
/// paths into one corpus a profile. Empty where there is no such folder.
#[must_use]
pub fn recorded(folder: &Path) -> Vec<Corpus> {
    let mut corpora: Vec<Corpus> = Vec::new();
    for executor in folders(folder) {
        for version in folders(&executor) {
            let Some(profile) = profile(&executor, &version) else {
                continue;
            };
            let at = corpora.iter().position(|corpus| corpus.executor == profile).unwrap_or_else(|| {
                corpora.push(Corpus::new(format!("recorded-{profile}"), profile, Vec::new()));
                corpora.len() - 1
            });
            for scenario in folders(&version) {
                if let Ok(stream) = fs::read(scenario.join("stdout.jsonl")) {
                    add(&mut corpora[at].bytes, &stream);
                }
            }
        }
    }
    corpora.retain(|corpus| !corpus.bytes.is_empty());
    corpora
}

/// Where the repository keeps the streams that were written from documentation.
pub const DOCUMENTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpora/documented");

/// The streams below `folder` (`<executor>/<scenario>/stdout.jsonl`), one corpus an executor, each repeated to `size`
/// bytes: they are short. Empty where there is no such folder.
#[must_use]
pub fn documented(folder: &Path, size: usize) -> Vec<Corpus> {
    const IDS: &[&str] = &["amp", "copilot", "droid", "goose"];
    let mut corpora = Vec::new();
    for executor in folders(folder) {
        let name = executor.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(id) = IDS.iter().copied().find(|id| *id == name) else { continue };
        let mut bytes = Vec::new();
        for scenario in folders(&executor) {
            if let Ok(stream) = fs::read(scenario.join("stdout.jsonl")) {
                add(&mut bytes, &stream);
            }
        }
        if !bytes.is_empty() {
            corpora.push(Corpus::new(format!("documented-{id}"), id, bytes.repeat(size.div_ceil(bytes.len()))));
        }
    }
    corpora
}

/// A recording that was cut inside its last line must not swallow the first line of the next.
fn add(bytes: &mut Vec<u8>, stream: &[u8]) {
    bytes.extend_from_slice(stream);
    if stream.last().is_some_and(|byte| *byte != b'\n') {
        bytes.push(b'\n');
    }
}

/// The id of the profile that reads this version.
fn profile(executor: &Path, version: &Path) -> Option<&'static str> {
    const IDS: &[&str] = &["claude-code", "codex", "gemini", "kimi", "opencode", "pi", "qwen"];
    let name = executor.file_name()?.to_str()?;
    let id = IDS.iter().copied().find(|id| *id == name)?;
    let version = version.file_name()?.to_str()?;
    // Codex changed its format with 0.44; 0.42 had the new one behind a flag.
    let old = matches!(version, "0.39.0" | "0.42.0");
    Some(if id == "codex" && old { "codex-legacy" } else { id })
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}
