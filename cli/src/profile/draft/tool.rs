//! What objects say that take part in a tool call.

use super::calls::Part;
use super::element::{Meaning, Name, Say, Status};
use super::ids::is_time;
use super::kinds::Kind;
use super::path::{depth, holds, last, last_key};
use super::records::Field;
use super::words::{has_word, says, verdict};

const OUTPUTS: [&str; 15] = [
    "output",
    "rawoutput",
    "raw_output",
    "result",
    "content",
    "stdout",
    "out",
    "response",
    "text",
    "returned",
    "gave",
    "yield",
    "reply",
    "data",
    "message",
];
/// States of a call that is not over.
const GOING: [&str; 8] = ["pending", "queued", "started", "start", "running", "in_progress", "executing", "going"];

/// What objects of this kind say.
pub(super) fn of(kind: &Kind<'_>, part: &Part) -> Meaning {
    match part {
        Part::Call { id, name, input, named } => {
            let mut meaning = call(kind, id, name, input);
            if !named {
                meaning.open.push("is it a tool call? Its id comes again, and not all of its names say so".to_owned());
            }
            meaning
        }
        Part::News { id, last } => news(kind, id, *last),
    }
}

fn call(kind: &Kind<'_>, id: &Option<String>, name: &Option<String>, input: &Option<String>) -> Meaning {
    let mut open = Vec::new();
    let known = match name {
        Some(name) => Name::Field(name.clone()),
        None => {
            open.push("which field names the tool: its type is taken for the name".to_owned());
            Name::Literal(kind.title.rsplit('/').next().unwrap_or_default().to_owned())
        }
    };
    let sparse = |path: &&String| kind.fields.get(*path).is_some_and(|field| field.count < kind.objects.len());
    let only = name.as_ref().filter(sparse).cloned();
    let mut says = vec![Say::Call { id: id.clone(), name: known, input: input.clone(), only }];
    // A record that holds the call and its result in one.
    let own: Vec<&str> = [id, name, input].into_iter().flatten().map(String::as_str).collect();
    let output = kind.find(&OUTPUTS, |path, field| can_be_output(kind, path, field, &own));
    let status = status(kind, &own);
    let over = has_ended(&kind.title);
    if output.is_some() && (over || status.is_some() || id.is_none()) || over && status.is_some() {
        let (status, doubt) = told(status, true);
        open.extend(doubt);
        says.push(Say::Result { id: id.clone(), output, status, code: exit_code(kind) });
    } else if id.is_none() {
        open.push("which record tells the result of the call".to_owned());
    }
    Meaning { says, open }
}

fn has_ended(title: &str) -> bool {
    says(title, &["end", "result", "complete", "finish", "done"])
}

fn news(kind: &Kind<'_>, id: &str, last: bool) -> Meaning {
    let named = kind.find(&OUTPUTS, |path, field| can_be_output(kind, path, field, &[id]));
    let output = named.or_else(|| longest(kind, id));
    let (status, open) = told(status(kind, &[id]), last);
    let result = Say::Result { id: Some(id.to_owned()), output, status, code: exit_code(kind) };
    Meaning { says: vec![result], open: open.into_iter().collect() }
}

/// The status, and what is not known of it.
fn told(status: Option<(Status, bool)>, last: bool) -> (Status, Option<String>) {
    match status {
        Some((status, true)) => (status, None),
        Some((Status::Field(path, values), false)) => {
            let doubt = format!("whether `{path}` says how the call went: what its values mean is guessed");
            (Status::Field(path, values), Some(doubt))
        }
        Some((status, false)) => (status, None),
        None if last => {
            (Status::Untold, Some("no field says whether the call failed: capture one that fails".to_owned()))
        }
        None => (Status::Going, None),
    }
}

/// Neither what was given, nor what holds all the rest.
fn can_be_output(kind: &Kind<'_>, path: &str, field: &Field, own: &[&str]) -> bool {
    let given = own.iter().any(|other| path == *other || holds(other, path) || holds(path, other));
    let wraps = kind.types.iter().any(|of| holds(path, of));
    field.strings + field.objects + field.arrays > 0 && !given && !wraps
}

/// The longest of the strings that are no words of a small set.
fn longest(kind: &Kind<'_>, id: &str) -> Option<String> {
    let is_word = |path: &str, field: &Field| {
        field.is_name() && (is_status_name(path) || has_word(last_key(path), &["name", "tool", "gadget"]))
    };
    let identity = |path: &str| {
        has_word(last_key(path), &["id", "uid", "uuid", "session", "sess", "thread", "parent"])
            || last(path).ends_with("id")
    };
    let left = kind.free().filter(|(path, field)| {
        field.is_text() && *path != id && !is_time(path, &field.values) && !is_word(path, field) && !identity(path)
    });
    left.max_by_key(|(_, field)| field.longest).map(|(path, _)| path.clone())
}

fn is_status_name(path: &str) -> bool {
    has_word(last_key(path), &["status", "state", "outcome", "verdict", "how", "ended", "result"])
}

/// The field that says how a call went, not far from its id, which comes first of `own`; false: that is a guess.
fn status(kind: &Kind<'_>, own: &[&str]) -> Option<(Status, bool)> {
    let near = own.first().map_or(2, |id| depth(id)) + 1;
    let found = kind.free().filter(|(path, _)| depth(path) <= near).filter_map(|(path, field)| {
        if own.iter().any(|other| path == other || holds(other, path)) {
            None
        } else if field.is_flag() {
            flag(path, field)
        } else if field.numbers == field.count && is_code(path) {
            Some((2, Status::Field(path.clone(), vec![("0".to_owned(), "completed")]), true))
        } else if field.is_name() {
            word(path, field)
        } else {
            None
        }
    });
    found.min_by_key(|(rank, ..)| *rank).map(|(_, status, sure)| (status, sure))
}

/// A name of exit codes.
pub(super) fn is_code(path: &str) -> bool {
    let key = last_key(path);
    has_word(key, &["exit", "code", "rc", "exitcode", "errno"]) && !has_word(key, &["status", "http"])
}

/// The number that a tool exited with.
fn exit_code(kind: &Kind<'_>) -> Option<String> {
    let named = |path: &str| has_word(last_key(path), &["exit", "rc", "exitcode", "errno"]) && is_code(path);
    let codes = kind.free().filter(|(path, field)| field.numbers == field.count && named(path));
    codes.min_by_key(|(path, _)| depth(path)).map(|(path, _)| path.clone())
}

fn flag(path: &str, field: &Field) -> Option<(u8, Status, bool)> {
    let named = verdict(last_key(path));
    // A flag of another name that was seen both ways: nothing else tells.
    let good = named.or((field.flags_seen == [true, true]).then_some(true))?;
    let status = Status::Field(path.to_owned(), vec![(good.to_string(), "completed")]);
    Some(if named.is_some() { (0, status, true) } else { (4, status, false) })
}

fn word(path: &str, field: &Field) -> Option<(u8, Status, bool)> {
    let judged = field.values.iter().all(|value| verdict(value).is_some());
    // A result is more often what came out of it.
    let named = is_status_name(path) && (judged || !has_word(last_key(path), &["result"]));
    if !named && !judged {
        return None;
    }
    let meaning = |value: &String| match verdict(value) {
        _ if GOING.contains(&&*value.to_ascii_lowercase()) => Some((value.clone(), "in_progress")),
        Some(true) => Some((value.clone(), "completed")),
        _ => None,
    };
    let meanings: Vec<_> = field.values.iter().filter_map(meaning).collect();
    let sure = !meanings.is_empty();
    // A word that was seen both ways says more than a code.
    let both = meanings.iter().any(|(_, what)| *what == "completed")
        && field.values.iter().any(|value| verdict(value) == Some(false));
    let rank = match (named, both) {
        (true, true) => 1,
        (true, false) => 2,
        (false, _) => 3,
    };
    Some((rank, Status::Field(path.to_owned(), meanings), sure))
}

/// Lists inside what a tool was given or gave are no messages.
pub(super) fn covers(meaning: &Meaning, list: &str) -> bool {
    meaning.says.iter().any(|say| match say {
        Say::Call { input: Some(input), .. } => input == list || holds(input, list),
        Say::Result { output: Some(output), .. } => output == list || holds(output, list),
        _ => false,
    })
}
