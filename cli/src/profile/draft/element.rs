//! What one kind of object says: a text, a thought, a tool call, its result.

use super::records::{Field, Fields, Record, VALUES, last, last_key, says as says_of};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One thing that an object says, with the fields that hold it.
#[derive(Clone, Debug)]
pub(super) enum Say {
    Text { reasoning: bool, role: Role, text: String, id: Option<String>, delta: bool },
    Call { id: Option<String>, name: String, input: Option<String> },
    Result { id: String, output: Option<String>, status: Status },
}

/// Whose a text is.
#[derive(Clone, Debug)]
pub(super) enum Role {
    Assistant,
    User,
    /// A field says it.
    Field(String),
}

/// How a tool's result says how it went.
#[derive(Clone, Debug)]
pub(super) enum Status {
    Always,
    /// A field, and what its values mean; the others mean failure, nothing there means success.
    Field(String, Vec<(String, &'static str)>),
}

impl Say {
    /// The field of its text.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Say::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// It is a text of a message.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Say::Text { reasoning: false, .. })
    }

    pub(super) fn set_delta(&mut self) {
        if let Say::Text { delta, .. } = self {
            *delta = true;
        }
    }
}

/// The field with the longest text, where it is more than one word.
fn longest(fields: &Fields, types: &[String]) -> Option<String> {
    let other = ["err", "fail", "why", "reason", "problem", "path", "dir", "cwd", "title", "command"];
    let texts = fields.iter().filter(|(path, field)| {
        field.is_text() && field.spaced && !types.contains(path) && !says_of(last_key(path), &other)
    });
    texts.max_by_key(|(_, field)| field.longest).map(|(path, _)| path.clone())
}

/// The ids of calls: those that stand beside a tool's name.
pub(super) type Calls = BTreeSet<String>;

const NAMES: [&str; 8] = ["name", "tool", "tool_name", "toolname", "function", "command", "fn", "title"];
const TEXTS: [&str; 13] = [
    "text", "content", "delta", "body", "message", "chunk", "thinking", "thought", "words", "output", "token", "piece",
    "say",
];
const INPUTS: [&str; 10] =
    ["input", "args", "arguments", "params", "parameters", "with", "request", "command", "rawinput", "raw_input"];
const OUTPUTS: [&str; 11] = [
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
    "message",
];

/// States of a call that is not over.
const GOING: [&str; 6] = ["pending", "queued", "started", "running", "in_progress", "executing"];

/// The ids that stand beside a tool's name, anywhere.
pub(super) fn calls(groups: &[(Vec<Option<String>>, Vec<&Record>)]) -> Calls {
    let mut ids = Calls::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (_, records) in groups {
        for record in records {
            count_ids(&record.value, 6, &mut seen);
        }
        for record in records {
            named_ids(&record.value, 6, &mut ids);
        }
    }
    // A call's id stands in its result too.
    ids.retain(|id| seen.get(id).is_some_and(|count| *count > 1));
    ids
}

fn count_ids(value: &Value, depth: usize, seen: &mut BTreeMap<String, usize>) {
    each_object(value, depth, &mut |object| {
        for text in object.values().filter_map(Value::as_str).filter(|text| text.len() <= 128) {
            *seen.entry(text.to_owned()).or_default() += 1;
        }
    });
}

fn named_ids(value: &Value, depth: usize, ids: &mut Calls) {
    each_object(value, depth, &mut |object| {
        let tool = object.iter().any(|(key, value)| NAMES.contains(&&*key.to_ascii_lowercase()) && value.is_string());
        let input = object.iter().any(|(key, value)| INPUTS.contains(&&*key.to_ascii_lowercase()) && !value.is_null());
        if tool && input && ids.len() < VALUES {
            let id = object.iter().filter(|(key, _)| is_id_name(key)).filter_map(|(_, value)| value.as_str());
            ids.extend(id.map(str::to_owned));
        }
    });
}

fn each_object(value: &Value, depth: usize, f: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Object(object) => {
            f(object);
            object.values().for_each(|value| each_object(value, depth - 1, f));
        }
        Value::Array(values) => values.iter().for_each(|value| each_object(value, depth - 1, f)),
        _ => {}
    }
}

fn is_id_name(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.ends_with("id") || key.ends_with("ref") || key == "for" || key == "call" || key == "key"
}

/// What objects of this type say.
pub(super) fn says(name: &str, fields: &Fields, calls: &Calls, types: &[String]) -> Vec<Say> {
    let call_id =
        fields.iter().find(|(_, field)| field.is_id() && field.values.iter().any(|value| calls.contains(value)));
    let find = |names: &[&str], fits: &dyn Fn(&Field) -> bool| -> Option<String> {
        names.iter().find_map(|wanted| {
            let found =
                fields.iter().filter(|(path, field)| last(path) == *wanted && fits(field) && !types.contains(path));
            found.min_by_key(|(path, _)| path.len()).map(|(path, _)| path.clone())
        })
    };
    if let Some((id, _)) = call_id {
        let tool = find(&NAMES, &|field| field.is_text() && !field.spaced);
        let tool = tool.or_else(|| find(&["title"], &Field::is_text));
        let input = find(&INPUTS, &|_| true).filter(|input| tool.as_ref() != Some(input));
        if let (Some(tool), true) = (&tool, input.is_some()) {
            let mut says = vec![Say::Call { id: Some(id.clone()), name: tool.clone(), input }];
            says.extend(result(name, id, fields, &find));
            if !says_of(name, &["end", "result", "complete", "finish", "done"]) {
                says.truncate(1);
            }
            return says;
        }
        return result(name, id, fields, &find).into_iter().collect();
    }
    text(name, fields, &find, types).into_iter().collect()
}

type Find<'f> = dyn Fn(&[&str], &dyn Fn(&Field) -> bool) -> Option<String> + 'f;

fn result(name: &str, id: &str, fields: &Fields, find: &Find<'_>) -> Option<Say> {
    let output = find(&OUTPUTS, &|_| true);
    let status = fields.iter().find_map(|(path, field)| {
        let key = last(path);
        let good: &[&str] = match &*key {
            "is_error" | "iserror" | "failed" if field.flags > 0 => &["false"],
            "ok" | "success" | "succeeded" | "good" | "passed" if field.flags > 0 => &["true"],
            "exit_code" | "exitcode" | "exit" | "code" if field.numbers > 0 => &["0"],
            "status" | "state" | "outcome" if field.is_name() => {
                &["ok", "success", "succeeded", "completed", "complete", "done"]
            }
            _ => return None,
        };
        let going: &[&str] = if field.strings > 0 { &GOING } else { &[] };
        let named = |values: &[&str], status| -> Vec<(String, &'static str)> {
            let seen = values.iter().filter(|value| field.strings == 0 || field.values.contains(**value));
            seen.map(|value| ((*value).to_owned(), status)).collect()
        };
        let mut meanings = named(good, "completed");
        meanings.extend(named(going, "in_progress"));
        Some(Status::Field(path.clone(), meanings))
    });
    let tells = output.is_some() || status.is_some() || says_of(name, &["result", "end", "done", "complete"]);
    tells.then(|| Say::Result { id: id.to_owned(), output, status: status.unwrap_or(Status::Always) })
}

fn text(name: &str, fields: &Fields, find: &Find<'_>, types: &[String]) -> Option<Say> {
    let silent = [
        "usage", "token", "cost", "init", "session", "config", "start", "begin", "system", "error", "fail", "warn",
        "info", "notice", "log", "tool",
    ];
    if says_of(name, &silent) && !says_of(name, &["delta", "chunk", "text", "message"]) {
        return None;
    }
    let text = find(&TEXTS, &|field| field.is_text()).or_else(|| longest(fields, types))?;
    let reasoning =
        says_of(name, &["reason", "think", "thought"]) || says_of(last_key(&text), &["think", "thought", "reason"]);
    let role = fields.iter().find(|(path, field)| last(path) == "role" && field.is_name());
    let role = match role {
        Some((path, field)) if field.values.len() > 1 && !types.contains(path) => Role::Field(path.clone()),
        Some((_, field)) if field.values.contains("user") || field.values.contains("human") => Role::User,
        _ if says_of(name, &["user", "human", "prompt"]) => Role::User,
        _ => Role::Assistant,
    };
    let id = message_id(fields);
    let delta = says_of(name, &["delta", "chunk", "partial", "piece", "token"])
        || says_of(last_key(&text), &["delta", "chunk", "piece"]);
    Some(Say::Text { reasoning, role, text, id, delta })
}

/// The field that names the message of a text.
pub(super) fn message_id(fields: &Fields) -> Option<String> {
    let known = ["message_id", "messageid", "msg_id", "id", "mid", "msg", "item_id"];
    let named = known.iter().find_map(|name| fields.iter().find(|(path, field)| field.is_id() && last(path) == *name));
    let like = || {
        let other = ["sess", "thread", "conversation", "chat", "parent", "user", "uuid"];
        fields.iter().find(|(path, field)| field.is_id() && last(path).ends_with("id") && !says_of(path, &other))
    };
    named.or_else(like).map(|(path, _)| path.clone())
}
