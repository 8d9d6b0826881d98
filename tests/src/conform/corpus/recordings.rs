//! The recordings: what real CLIs printed, with the facts that are right of each.

use super::{bytes, entries, json, name, root};
use crate::conform::input::{Input, exit_of};
use serde_json::Value;
use std::path::Path;

/// One run of a real CLI.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Executor folder, version and scenario.
    pub name: String,
    /// The command line.
    pub argv: Vec<String>,
    /// What is read.
    pub input: Input,
    /// The facts of `about.json`.
    pub facts: Value,
}

/// The recordings of one folder below `streams`, all versions.
///
/// # Panics
/// When a file is not what it should be.
#[must_use]
pub fn recordings(cli: &str) -> Vec<Recording> {
    let versions = entries(&root().join("streams").join(cli));
    versions.iter().flat_map(|version| entries(version)).map(|folder| recording(cli, &folder)).collect()
}

fn recording(cli: &str, folder: &Path) -> Recording {
    let about = json(&folder.join("about.json"));
    let argv = json(&folder.join("argv.json"));
    let argv: Vec<String> =
        argv.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    // The older protocol of this CLI is an executor of its own.
    let legacy = cli == "codex" && about["facts"]["schema"] == "legacy-msg";
    let input = Input {
        executor: if legacy { "codex-legacy" } else { cli }.to_owned(),
        stdout: bytes(&folder.join("stdout.jsonl")),
        stderr: bytes(&folder.join("stderr.txt")),
        exit: exit_of(&json(&folder.join("exit.json"))),
        resume: resumed(&argv),
        interactive: false,
        forked: false,
        max_line: None,
        acts: false,
    };
    let version = folder.parent().map(name).unwrap_or_default();
    Recording { name: format!("{cli}/{version}/{}", name(folder)), argv, input, facts: about["facts"].clone() }
}

/// The session that a command line asks to go on with, `last` where it names none.
fn resumed(argv: &[String]) -> Option<String> {
    let asks = ["resume", "fork", "--resume", "--session", "--continue"];
    argv.iter().skip(1).find(|argument| asks.contains(&argument.as_str()))?;
    let id = argv.iter().find(|argument| is_session_id(argument));
    Some(id.cloned().unwrap_or_else(|| "last".to_owned()))
}

fn is_session_id(argument: &str) -> bool {
    let word = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_alphanumeric() || c == '_');
    let prefixed = ["ses_", "session_"].iter().any(|prefix| argument.strip_prefix(prefix).is_some_and(word));
    let hex = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let uuid = argument.len() == 36
        && argument
            .split_once('-')
            .is_some_and(|(first, rest)| first.len() == 8 && hex(first) && rest.split('-').all(hex));
    prefixed || uuid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_asked_for_is_read_off_the_command_line() {
        let argv = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let id = "00000000-0000-4000-8000-00000000000a";
        assert_eq!(resumed(&argv("codex exec --json")), None);
        assert_eq!(resumed(&argv("codex exec resume --last")), Some("last".into()));
        assert_eq!(resumed(&argv(&format!("claude --resume {id} -p"))), Some(id.into()));
        assert_eq!(resumed(&argv("opencode run --session ses_a1B --fork")), Some("ses_a1B".into()));
        assert_eq!(resumed(&argv(&format!("claude --session-id {id}"))), None);
    }
}
