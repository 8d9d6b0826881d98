//! Writes a guess down as a profile: commented, and such that it passes the check.

use super::element::{Role, Say, Status};
use super::guess::{Group, Guess};
use super::records::Streams;
use std::fmt::Write as _;

/// Fields that are listed of a record that says nothing yet.
const FIELDS: usize = 12;

/// The profile of a guess.
pub(super) fn draft(guess: &Guess, streams: &Streams, id: &str) -> String {
    let mut out = String::new();
    head(&mut out, guess, streams, id);
    for (n, group) in guess.groups.iter().enumerate() {
        rule(&mut out, guess, n, group);
    }
    usage(&mut out, guess);
    tail(&mut out, id);
    out
}

// Writing to a string cannot fail: the results of all `write!` below are nothing.

fn head(out: &mut String, guess: &Guess, streams: &Streams, id: &str) {
    let (records, count) = (streams.records.len(), streams.streams);
    let _ = writeln!(
        out,
        "# Drafted from {count} captured stream(s) with {records} record(s). Guesses from names and values: read each line."
    );
    let _ = writeln!(out, "# Then: turnline profile check FILE STREAM...");
    if streams.other_lines > 0 {
        let _ = writeln!(out, "# {} line(s) hold no JSON object: noise, or another framing.", streams.other_lines);
    }
    for open in &guess.open {
        let _ = writeln!(out, "# NOT DECIDED: {open}.");
    }
    let _ = writeln!(out, "id = {}", quoted(id));
    let _ = writeln!(out, "command = {}   # the program", quoted(id));
    let _ = writeln!(out, "framing = \"jsonl\"");
    if !guess.types.is_empty() {
        let types: Vec<String> = guess.types.iter().map(|path| quoted(path)).collect();
        let _ = writeln!(out, "record_type = [{}]", types.join(", "));
    }
    match guess.terminal {
        Some(_) => {
            let _ = writeln!(
                out,
                "# Every captured stream ends with it. Print one that was interrupted too: does it still come?"
            );
            let _ = writeln!(out, "terminal = \"always\"");
        }
        None => {
            let _ = writeln!(out, "terminal = \"never\"");
        }
    }
    match &guess.answer {
        Some(_) => {
            let _ = writeln!(out, "answer = \"terminal_field\"");
        }
        None => {
            let _ = writeln!(out, "# Others: last_message_with_text, after_tools, all_text, terminal_field.");
            let _ = writeln!(out, "answer = \"last_message\"");
        }
    }
    if let Some(first) = guess.groups.iter().find(|group| group.begins) {
        let _ = writeln!(
            out,
            "\n[[detect]]\n# By the first record that names the session.\nmatch = {}",
            conditions(guess, first)
        );
    }
}

fn rule(out: &mut String, guess: &Guess, n: usize, group: &Group) {
    let terminal = guess.terminal == Some(n);
    let name = group.key.iter().flatten().cloned().collect::<Vec<_>>().join("/");
    let name: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
    let _ = writeln!(out, "\n# `{name}`: {} record(s), first at {}", group.count, place(&group.example));
    let bills = guess.usage.as_ref().is_some_and(|usage| usage.group == n);
    if group.key.iter().all(Option::is_none) {
        let _ = writeln!(out, "# NOT DECIDED: it has no type. Fields: {}", fields(group));
        return;
    }
    let quiet = group.is_silent() && !terminal;
    if quiet {
        let _ = writeln!(out, "# NOT DECIDED: nothing was recognised. Fields: {}", fields(group));
        if !bills {
            let _ = writeln!(
                out,
                "# Without its rule the check reports it as unmapped; a rule without `emit` says that it means nothing."
            );
            let _ = writeln!(out, "# [[rules]]\n# match = {}", conditions(guess, group));
            return;
        }
        let _ = writeln!(out, "# Its tokens are read under [[usage]].");
    }
    let _ = writeln!(out, "[[rules]]\nmatch = {}", conditions(guess, group));
    if let Some(session) = group.session.as_ref().filter(|_| !group.begins) {
        let _ = writeln!(out, "session_id = {}", quoted(session));
    }
    if terminal {
        let _ = writeln!(out, "terminal = true");
        if let Some(answer) = &guess.answer {
            let _ = writeln!(out, "answer = {}", quoted(answer));
        }
    }
    let mut emits = Vec::new();
    if let Some(session) = group.session.as_ref().filter(|_| group.begins) {
        emits.push(started(group, session));
        emits.push("{ event = \"turn_started\" }".to_owned());
    }
    emits.extend(group.says.iter().map(|say| event(say, None, "")));
    failure(guess, group, terminal, &mut emits);
    if !emits.is_empty() {
        let _ = writeln!(out, "emit = [");
        for emit in &emits {
            let _ = writeln!(out, "  {emit},");
        }
        out.push_str("]\n");
    }
    // Tables of a list that was written in line cannot follow it: elements go into a rule's list too.
    if !group.lists.is_empty() {
        lists(out, group, emits.is_empty());
    }
}

fn started(group: &Group, session: &str) -> String {
    let mut emit = format!("{{ event = \"session_started\", session_id = {}", quoted(session));
    for (field, names) in [
        ("model", &["model"][..]),
        ("cwd", &["cwd", "workdir", "directory"]),
        ("cli_version", &["version", "cli_version"]),
        ("tools", &["tools"]),
    ] {
        let found = group.fields.keys().find(|path| names.contains(&&*super::records::last(path)));
        if let Some(path) = found {
            let _ = write!(emit, ", {field} = {}", quoted(path));
        }
    }
    emit + " }"
}

fn lists(out: &mut String, group: &Group, alone: bool) {
    let mut eaches = Vec::new();
    for list in &group.lists {
        let mut each = format!("{{ event = \"each\", of = {}", quoted(&list.of));
        if let Some(by) = &list.by {
            let _ = write!(each, ", record_type = {}", quoted(by));
        }
        if !list.silent.is_empty() {
            let names: Vec<String> = list.silent.iter().map(|name| quoted(name)).collect();
            let _ = write!(each, ", ignore = [{}]", names.join(", "));
        }
        each.push_str(", emit = [\n");
        let id = group.message_id();
        for (name, say) in &list.says {
            let when = match (&list.by, name) {
                (Some(by), Some(name)) => Some(format!("{{ {} = {} }}", key(by), quoted(name))),
                _ => None,
            };
            let _ = writeln!(each, "    {},", event(say, when.as_deref(), id.as_deref().unwrap_or_default()));
        }
        each.push_str("  ] }");
        eaches.push(each);
    }
    let list: String = eaches.iter().map(|each| format!("  {each},\n")).collect();
    if alone {
        let _ = writeln!(out, "emit = [\n{list}]");
    } else {
        // The emits above end with a line of their own: the elements go in before it.
        if out.ends_with("]\n") {
            out.truncate(out.len() - 2);
        }
        let _ = writeln!(out, "{list}]");
    }
}

fn failure(guess: &Guess, group: &Group, terminal: bool, emits: &mut Vec<String>) {
    let message = group.failure.as_ref().map(|path| format!(", message = {}", quoted(path))).unwrap_or_default();
    if !terminal {
        if group.failure.is_some() {
            let label = guess.types.first().map(|path| format!(", label = {}", quoted(path))).unwrap_or_default();
            emits.push(format!("{{ event = \"failure\"{label}{message} }}"));
        }
        return;
    }
    match &group.outcome {
        Some((path, good)) if !good.is_empty() => {
            let good: Vec<String> = good.iter().map(|value| quoted(value)).collect();
            let when = format!("{{ {} = {{ present = true, not = [{}] }} }}", key(path), good.join(", "));
            emits.push(format!("{{ event = \"failure\", when = {when}, label = {}{message} }}", quoted(path)));
            emits.push(format!("{{ event = \"turn_ended\", when = {when}, stop_reason = \"=error\" }}"));
        }
        _ => {
            if let Some(path) = &group.failure {
                let when = format!("{{ {} = {{ blank = false }} }}", key(path));
                emits.push(format!("{{ event = \"failure\", when = {when}{message} }}"));
                emits.push(format!("{{ event = \"turn_ended\", when = {when}, stop_reason = \"=error\" }}"));
            }
        }
    }
    emits.push("{ event = \"turn_ended\", stop_reason = \"=end_turn\" }".to_owned());
}

/// An event; of an element `message` is the path of its message's id in the record.
fn event(say: &Say, when: Option<&str>, message: &str) -> String {
    let when = when.map(|when| format!(", when = {when}")).unwrap_or_default();
    match say {
        Say::Text { reasoning, role, text, id, delta } => {
            let mut emit = format!("{{ event = \"{}\"{when}", if *reasoning { "reasoning" } else { "message" });
            match role {
                Role::Assistant => {}
                Role::User if *reasoning => {}
                Role::User => emit.push_str(", role = \"=user\""),
                Role::Field(path) => {
                    let _ = write!(
                        emit,
                        ", role = {{ path = {}, map = {{ user = \"user\" }}, default = \"assistant\" }}",
                        quoted(path)
                    );
                }
            }
            match id {
                Some(id) => {
                    let _ = write!(emit, ", message_id = {}", quoted(id));
                }
                None if !message.is_empty() => {
                    let _ = write!(emit, ", message_id = {}, part = \"@block\"", quoted(&format!("$.{message}")));
                }
                None => {}
            }
            let _ = write!(emit, ", text = {}", quoted(text));
            emit + if *delta { ", delta = true }" } else { " }" }
        }
        Say::Call { id, name, input } => {
            let mut emit = format!("{{ event = \"tool_call\"{when}");
            for (field, path) in [("tool_call_id", id.as_ref()), ("name", Some(name)), ("input", input.as_ref())] {
                if let Some(path) = path {
                    let _ = write!(emit, ", {field} = {}", quoted(path));
                }
            }
            emit + " }"
        }
        Say::Result { id, output, status } => {
            let mut emit = format!("{{ event = \"tool_call_update\"{when}, tool_call_id = {}", quoted(id));
            match status {
                Status::Always => emit.push_str(", status = \"=completed\""),
                Status::Field(path, meanings) => {
                    let map: Vec<String> =
                        meanings.iter().map(|(value, status)| format!("{} = \"{status}\"", quoted(value))).collect();
                    let _ = write!(
                        emit,
                        ", status = {{ path = {}, map = {{ {} }}, default = \"failed\", missing = \"completed\" }}",
                        quoted(path),
                        map.join(", ")
                    );
                }
            }
            if let Some(output) = output {
                let _ = write!(emit, ", output = {}", quoted(output));
            }
            emit + " }"
        }
    }
}

fn usage(out: &mut String, guess: &Guess) {
    let Some(usage) = &guess.usage else { return };
    let Some(group) = guess.groups.get(usage.group) else { return };
    let names: Vec<&str> = usage.counters.iter().map(|(name, _)| *name).collect();
    // Where only some records of the type tell tokens, the others bill nothing.
    let sparse =
        usage.counters.iter().find(|(_, path)| group.fields.get(path).is_some_and(|field| field.count < group.count));
    let told = sparse.map(|(_, path)| format!(", {} = {{ present = true }} }}", key(path)));
    let all = conditions(guess, group);
    let all = told.map_or(all.clone(), |told| all.trim_end_matches(" }").to_owned() + &told);
    let _ = writeln!(out, "\n[[usage]]\nmatch = {all}");
    let mode = match (usage.cumulative, usage.seen) {
        (true, _) => "cumulative",
        (false, _) => "delta",
    };
    let why = match (usage.seen, usage.cumulative) {
        (true, true) => "the captured figures only ever grow: running totals",
        (true, false) => "the captured figures go up and down: they are summed",
        (false, _) => "NOT DECIDED: one figure a stream; `cumulative` where the last of several counts",
    };
    let _ = writeln!(out, "scope = \"{}\"", if usage.cumulative { "process" } else { "turn" });
    let _ = writeln!(out, "# {why}.\nmode = \"{mode}\"");
    let _ = writeln!(out, "required = [[\"input\", \"output\"]]");
    if names.contains(&"cache_read") || names.contains(&"reasoning") {
        let inside = [("cache_read", "input"), ("reasoning", "output")];
        let inside: Vec<String> = inside
            .iter()
            .filter(|(name, _)| names.contains(name))
            .map(|(name, outer)| format!("{name} = \"{outer}\""))
            .collect();
        let _ = writeln!(
            out,
            "# NOT DECIDED: does one counter lie inside another? If so:\n# inside = {{ {} }}",
            inside.join(", ")
        );
    }
    for (name, path) in &usage.counters {
        let _ = writeln!(out, "{name} = {}", quoted(path));
    }
}

fn tail(out: &mut String, id: &str) {
    let _ = writeln!(
        out,
        "\n# What each tool does: read, edit, delete, move, search, execute, think, fetch, other.\n[tools.kinds]\n# shell = \"execute\""
    );
    let _ = writeln!(
        out,
        "\n# NOT DECIDED: how it is launched, so that `turnline run --profile FILE` can do it.\n[launch]\nargs = [{{ when = \"extra\" }}]"
    );
    let _ = writeln!(
        out,
        "\n[launch.prompt]\n# stdin, or argument: try `{} < prompt.txt`.\nvia = [\"stdin\"]",
        id.replace(char::is_control, "")
    );
}

/// The conditions of a group's records. A field that other records of the type have, and these do not, is one too.
fn conditions(guess: &Guess, group: &Group) -> String {
    let shares = |other: &Group| other.key.iter().zip(&group.key).all(|(other, own)| own.is_none() || own == other);
    let others = guess.groups.iter().filter(|other| other.key != group.key).any(shares);
    let all: Vec<String> = guess
        .types
        .iter()
        .zip(&group.key)
        .filter_map(|(path, value)| match value {
            Some(value) => Some(format!("{} = {}", key(path), quoted(value))),
            None => others.then(|| format!("{} = {{ present = false }}", key(path))),
        })
        .collect();
    format!("{{ {} }}", all.join(", "))
}

impl Group {
    /// The id of the message whose elements a list holds.
    fn message_id(&self) -> Option<String> {
        let beside =
            self.lists.first().and_then(|list| list.of.rsplit_once('.')).map(|(parent, _)| format!("{parent}.id"));
        let beside = beside.filter(|path| self.fields.get(path).is_some_and(super::records::Field::is_id));
        beside.or_else(|| super::element::message_id(&self.fields))
    }
}

fn fields(group: &Group) -> String {
    let names: Vec<&str> = group.fields.keys().take(FIELDS).map(String::as_str).collect();
    let text = names.join(", ") + if group.fields.len() > FIELDS { ", ..." } else { "" };
    text.chars().filter(|c| !c.is_control()).collect()
}

fn place(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A key of TOML.
fn key(text: &str) -> String {
    let bare = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { text.to_owned() } else { quoted(text) }
}
