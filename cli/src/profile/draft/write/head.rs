//! The head of a draft, and what stands behind its rules.

use super::toml::{comment, listed, open, quoted};
use super::{Guess, Streams, matches};
use std::fmt::Write as _;

/// Everything before the rules.
pub(super) fn write(out: &mut String, guess: &Guess<'_>, streams: &Streams, id: &str) {
    let (records, count) = (streams.records.len(), streams.streams);
    let _ = writeln!(
        out,
        "# Drafted from {count} captured stream(s) with {records} record(s). Guesses from names, values and places: read each line."
    );
    let _ = writeln!(out, "# Then: turnline profile check FILE STREAM...");
    if streams.other_lines > 0 {
        let _ = writeln!(out, "# {} line(s) hold no JSON object: noise, or another framing.", streams.other_lines);
    }
    out.push_str(&open("", &guess.open));
    let _ = writeln!(out, "id = {}", quoted(id));
    let _ = writeln!(out, "command = {}   # the program", quoted(id));
    let _ = writeln!(out, "framing = \"jsonl\"");
    if !guess.types.is_empty() {
        let _ = writeln!(out, "record_type = [{}]", listed(&guess.types));
    }
    terminal(out, guess);
    if let Some(first) = guess.begins.and_then(|n| guess.groups.get(n)) {
        let _ = writeln!(
            out,
            "\n[[detect]]\n# By the first record that names the session.\nmatch = {}",
            matches(guess, first)
        );
    }
}

fn terminal(out: &mut String, guess: &Guess<'_>) {
    let endings = &guess.endings;
    let (promise, why) = match (endings.groups.is_empty() || endings.seldom, endings.complete) {
        (true, _) => ("never", None),
        (false, true) => ("always", Some("Every captured stream ends with such a record")),
        (false, false) => ("always", Some("Most captured streams end with such a record")),
    };
    if let Some(why) = why {
        let _ = writeln!(out, "# {why}. Print one that was interrupted too: does it still come?");
    }
    let _ = writeln!(out, "terminal = \"{promise}\"");
    if endings.groups.values().any(|ending| ending.answer.is_some()) {
        let _ = writeln!(out, "answer = \"terminal_field\"");
    } else {
        let _ = writeln!(out, "# Others: last_message_with_text, after_tools, all_text, terminal_field.");
        let _ = writeln!(out, "answer = \"last_message\"");
    }
}

/// Everything behind the rules.
pub(super) fn tail(out: &mut String, id: &str) {
    let kinds = "What each tool does: read, edit, delete, move, search, execute, think, fetch, other.";
    let _ = writeln!(out, "\n# {kinds}\n[tools.kinds]\n# shell = \"execute\"");
    let launch = "how it is launched, so that `turnline run --profile FILE` can do it";
    let _ = writeln!(out, "\n# NOT DECIDED: {launch}.\n[launch]\nargs = [{{ when = \"extra\" }}]");
    let id = comment(id, 80);
    let _ = writeln!(out, "\n[launch.prompt]\n# stdin, or argument: try `{id} < prompt.txt`.\nvia = [\"stdin\"]");
}
