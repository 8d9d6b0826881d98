//! Texts, thoughts and notices: by the names of kinds and fields, and by what is long enough to be one.

use super::element::{Delta, Role, Say, Severity, Text};
use super::kinds::{Kind, Place};
use super::path::{last, last_key};
use super::records::Field;
use super::words::{has_word, says};

/// Fields of texts, the best name first.
pub(super) const TEXTS: [&str; 16] = [
    "text", "content", "delta", "body", "message", "chunk", "thinking", "thought", "words", "output", "token", "piece",
    "say", "said", "prose", "full",
];
/// Words of kinds that say nothing of the model's.
const SILENT: [&str; 17] = [
    "usage",
    "cost",
    "init",
    "session",
    "config",
    "start",
    "begin",
    "system",
    "warn",
    "info",
    "notice",
    "log",
    "debug",
    "progress",
    "meter",
    "heartbeat",
    "version",
];
/// Words of what tools tell, whatever else is said of it.
const TOOLS: [&str; 9] = ["tool", "cmd", "exec", "command", "shell", "function", "patch", "bash", "mcp"];
/// Words of kinds that tell of a failure.
pub(super) const FAILURES: [&str; 6] = ["error", "fail", "fatal", "exception", "crash", "panic"];
const THOUGHTS: [&str; 5] = ["reason", "think", "thought", "muse", "ponder"];
const USERS: [&str; 4] = ["user", "human", "prompt", "you"];
const PIECES: [&str; 5] = ["delta", "chunk", "partial", "piece", "token"];
const LEVELS: [&str; 6] = ["level", "lvl", "severity", "sev", "priority", "loglevel"];

/// The text, thought or notice of a kind; `outers`: the kinds that it stands in, its record's last.
pub(super) fn of(kind: &Kind<'_>, outers: &[&Kind<'_>]) -> Option<Say> {
    let title = &kind.title;
    let errors = kind.list.as_ref().is_some_and(|(_, list)| says(last_key(list), &FAILURES));
    if says(title, &TOOLS) || says(title, &FAILURES) || errors {
        return None;
    }
    let known = kind.find(&TEXTS, is_text);
    if let Some(notice) = notice(kind, known.as_deref()) {
        return Some(notice);
    }
    if says(title, &SILENT) && !says(title, &["delta", "chunk", "text", "message"]) {
        return None;
    }
    let named = known.is_some();
    let text = known.or_else(|| longest(kind))?;
    let reasoning = says(title, &THOUGHTS) || says(last_key(&text), &THOUGHTS);
    let delta = says(title, &PIECES) || says(last_key(&text), &PIECES);
    Some(Say::Text(Text {
        reasoning,
        role: role(kind, outers)?,
        at_times: kind.fields.get(&text).is_some_and(|field| field.strings < kind.objects.len()),
        text,
        id: None,
        part: None,
        delta: if delta { Delta::Yes } else { Delta::No },
        completes: false,
        not: None,
        named,
    }))
}

/// A string, or a string at times and a list of blocks at others.
fn is_text(path: &str, field: &Field) -> bool {
    !says(path, &["tool"]) && field.longest > 0 && field.strings + field.arrays == field.count
}

/// The field with the longest text, where it is more than one word.
fn longest(kind: &Kind<'_>) -> Option<String> {
    let other =
        ["err", "fail", "why", "reason", "cause", "problem", "path", "dir", "cwd", "title", "command", "time", "date"];
    let texts = kind.free().filter(|(path, field)| {
        field.is_text() && field.spaced && !says(last_key(path), &other) && !says(path, &["tool"])
    });
    texts.max_by_key(|(_, field)| field.longest).map(|(path, _)| path.clone())
}

/// Whose a kind's texts are; none: nobody's, but a tool's or the system's.
fn role(kind: &Kind<'_>, outers: &[&Kind<'_>]) -> Option<Role> {
    let all = || std::iter::once(kind).chain(outers.iter().copied());
    for of in all() {
        let Some((path, field)) = role_field(of) else { continue };
        let is = |words: &[&str]| -> Vec<String> {
            field.values.iter().filter(|value| says(value, words)).cloned().collect()
        };
        let (user, nobody) = (is(&USERS), is(&["tool", "system", "function", "developer"]));
        if nobody.len() == field.values.len() {
            return None;
        }
        let path = match (std::ptr::eq(of, kind), of.is_record()) {
            (true, _) => path.clone(),
            (false, true) => Place::Record(path.clone()).written(),
            // From a list inside a list nothing leads to what lies between it and the record.
            (false, false) => return Some(if user.len() == field.values.len() { Role::User } else { Role::Assistant }),
        };
        return Some(match (user.len(), nobody.is_empty()) {
            (0, true) => Role::Assistant,
            (all, _) if all == field.values.len() => Role::User,
            _ => Role::Field { path, user, nobody },
        });
    }
    let user = all().any(|kind| says(&kind.title, &USERS));
    Some(if user { Role::User } else { Role::Assistant })
}

fn role_field<'k>(kind: &'k Kind<'_>) -> Option<(&'k String, &'k Field)> {
    let names = ["role", "author", "speaker", "sender"];
    kind.fields.iter().find(|(path, field)| names.contains(&&*last(path)) && field.is_name())
}

/// A record with a level beside a text.
fn notice(kind: &Kind<'_>, text: Option<&str>) -> Option<Say> {
    let message = text.map(str::to_owned).or_else(|| longest(kind))?;
    let level = kind.fields.iter().find(|(path, field)| LEVELS.contains(&&*last(path)) && field.is_name());
    let name = says(&kind.title, &["warn", "notice", "info", "log", "debug"]);
    let Some((path, field)) = level else {
        let severity = if says(&kind.title, &["warn"]) { "warning" } else { "info" };
        return name.then_some(Say::Notice { severity: Severity::Always(severity), message });
    };
    // A log has a level in every record, whatever it tells: then the level of one kind says little.
    let calm = field.values.len() == 1 && field.values.iter().all(|value| has_word(value, &["info"]));
    if calm && !name {
        return None;
    }
    let values = field.values.iter().map(|value| (value.clone(), severity(value)));
    Some(Say::Notice { severity: Severity::Field(path.clone(), values.collect()), message })
}

fn severity(level: &str) -> &'static str {
    if says(level, &["warn"]) {
        "warning"
    } else if says(level, &["err", "fatal", "crit"]) {
        "error"
    } else {
        "info"
    }
}
