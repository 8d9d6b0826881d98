//! The rule of a group of records.

use super::toml::{comment, key, listed, open, quoted};
use super::{Group, Guess, event, list, matches};
use crate::profile::draft::element::Say;
use crate::profile::draft::ending::Ending;
use crate::profile::draft::outcome::Outcome;
use crate::profile::draft::path::last;
use crate::profile::draft::records::Fields;
use std::fmt::Write as _;

/// Fields that are listed of a record that says nothing yet.
const FIELDS: usize = 12;

/// Writes the rule of group `n`.
pub(super) fn write(out: &mut String, guess: &Guess<'_>, n: usize) {
    let (Some(group), Some(kind), Some(meaning)) = (guess.groups.get(n), guess.kinds.get(n), guess.meanings.get(n))
    else {
        return;
    };
    let (name, place) = (comment(&group.name(), 80), comment(&group.example, 200));
    let _ = writeln!(out, "\n# `{name}`: {} record(s), first at {place}", kind.objects.len());
    if !kind.has_type() {
        let _ = writeln!(out, "# NOT DECIDED: it has no type. Fields: {}", fields(&kind.fields));
        return;
    }
    out.push_str(&open("", &meaning.open));
    let ending = guess.endings.groups.get(&n);
    out.push_str(&open("", ending.map_or(&[], |ending| &ending.open)));
    let emits = emits(guess, n);
    if emits.is_empty() && !silent(out, guess, n, group, &kind.fields) {
        return;
    }
    let _ = writeln!(out, "[[rules]]\nmatch = {}", matches(guess, group));
    whose(out, guess, n);
    if let Some(ending) = ending {
        let _ = writeln!(out, "terminal = true");
        if let Some(answer) = &ending.answer {
            let _ = writeln!(out, "answer = {}", quoted(answer));
        }
    }
    if !emits.is_empty() {
        let _ = writeln!(out, "emit = [\n{}]", emits.iter().map(|emit| line(emit)).collect::<String>());
    }
}

/// The events of a group's records, in their order.
fn emits(guess: &Guess<'_>, n: usize) -> Vec<String> {
    let mut emits = Vec::new();
    if guess.begins == Some(n) {
        emits.push(started(guess, n));
    }
    let says = guess.meanings.get(n).into_iter().flat_map(|meaning| &meaning.says);
    emits.extend(says.map(|say| event::write(say, &[])));
    emits.extend(list::write(guess, n, 1, &[]));
    emits.extend(guess.endings.groups.get(&n).into_iter().flat_map(ends));
    emits
}

/// Comments of an event stand in lines before it, and lists are laid out already.
fn line(emit: &str) -> String {
    if emit.starts_with(' ') { emit.to_owned() } else { format!("  {emit},\n") }
}

/// Says that nothing was recognised; true where a rule is written all the same.
fn silent(out: &mut String, guess: &Guess<'_>, n: usize, group: &Group, own: &Fields) -> bool {
    let _ = writeln!(out, "# NOT DECIDED: nothing was recognised. Fields: {}", fields(own));
    if guess.usage.as_ref().is_some_and(|usage| usage.group == n) {
        let _ = writeln!(out, "# Its tokens are read under [[usage]].");
        return true;
    }
    let _ = writeln!(
        out,
        "# Without its rule the check reports it as unmapped; a rule without `emit` says that it means nothing."
    );
    let _ = writeln!(out, "# [[rules]]\n# match = {}", matches(guess, group));
    false
}

/// The session and the sub-agent of a rule's records.
fn whose(out: &mut String, guess: &Guess<'_>, n: usize) {
    let has = |path: &str| guess.kinds.get(n).is_some_and(|kind| kind.fields.contains_key(path));
    if let Some(session) = guess.session.as_ref().filter(|session| guess.begins != Some(n) && has(&session.path)) {
        let _ = writeln!(out, "session_id = {}", quoted(&session.path));
    }
    if let Some((path, _)) = guess.agent.as_ref().filter(|(_, groups)| groups.contains(&n)) {
        let _ = writeln!(out, "agent = {}", quoted(path));
    }
}

fn started(guess: &Guess<'_>, n: usize) -> String {
    let mut emit = "{ event = \"session_started\"".to_owned();
    let fields = guess.kinds.get(n).map(|kind| &kind.fields);
    let all = [
        ("model", &["model"][..]),
        ("cwd", &["cwd", "workdir", "directory"]),
        ("cli_version", &["version", "cli_version"]),
        ("tools", &["tools"]),
    ];
    if let Some(session) = &guess.session {
        let _ = write!(emit, ", session_id = {}", quoted(&session.path));
    }
    for (field, names) in all {
        let found = fields.into_iter().flat_map(Fields::keys).find(|path| names.contains(&&*last(path)));
        if let Some(path) = found {
            let _ = write!(emit, ", {field} = {}", quoted(path));
        }
    }
    emit + " }"
}

/// The events of a record that ends a run or a turn.
fn ends(ending: &Ending) -> Vec<String> {
    let good = "{ event = \"turn_ended\", stop_reason = \"=end_turn\" }".to_owned();
    let label = match &ending.outcome {
        Outcome::Untold => return vec![good],
        Outcome::Word { path, .. } => Some(path.clone()),
        _ => None,
    };
    let when: Vec<String> = failed(&ending.outcome).into_iter().collect();
    let failure = event::write(&Say::Failure { label, message: ending.reason.clone() }, &when);
    match when.first() {
        Some(when) => {
            let bad = format!("{{ event = \"turn_ended\", when = {{ {when} }}, stop_reason = \"=error\" }}");
            vec![failure, bad, good]
        }
        None => vec![failure, "{ event = \"turn_ended\", stop_reason = \"=error\" }".to_owned()],
    }
}

/// The condition of a failure.
fn failed(outcome: &Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Untold | Outcome::Always => return None,
        Outcome::Word { path, good, bad, guessed } if good.is_empty() && guessed.is_empty() => {
            format!("{} = [{}]", key(path), listed(bad))
        }
        Outcome::Word { path, good, guessed, .. } => {
            let known = listed(good.iter().chain(guessed));
            format!("{} = {{ present = true, not = [{known}] }}", key(path))
        }
        Outcome::Flag { path, failed } => format!("{} = {failed}", key(path)),
        Outcome::Number(path) => format!("{} = {{ present = true, not = 0 }}", key(path)),
        Outcome::Present(path) => format!("{} = {{ blank = false }}", key(path)),
    })
}

/// The names of fields, the first ones.
pub(super) fn fields(fields: &Fields) -> String {
    let names: Vec<&str> = fields.keys().take(FIELDS).map(String::as_str).collect();
    let more = if fields.len() > FIELDS { ", ..." } else { "" };
    comment(&names.join(", "), 400) + more
}
