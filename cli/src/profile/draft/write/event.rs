//! One event, as an entry of `emit`.

use super::toml::{key, listed, quoted};
use crate::profile::draft::element::{Delta, Name, Role, Say, Severity, Status, Text};
use std::fmt::Write as _;

/// The event of what is said, under these conditions.
pub(super) fn write(say: &Say, when: &[String]) -> String {
    let mut when = when.to_vec();
    let event = match say {
        Say::Text(text) if text.reasoning => "reasoning",
        Say::Text(_) => "message",
        Say::Call { .. } => "tool_call",
        Say::Result { .. } => "tool_call_update",
        Say::Notice { .. } => "notice",
        Say::Failure { .. } => "failure",
        Say::TurnStarted => "turn_started",
    };
    let mut fields = Fields::default();
    match say {
        Say::Text(own) => text(&mut fields, own, &mut when),
        Say::Call { id, name, input, only } => {
            when.extend(only.iter().map(|path| format!("{} = {{ present = true }}", key(path))));
            call(&mut fields, id.as_deref(), name, input.as_deref());
        }
        Say::Result { id, output, status, code } => {
            result(&mut fields, id.as_deref(), output.as_deref(), status);
            fields.path("exit_code", code.as_deref());
        }
        Say::Notice { severity, message } => notice(&mut fields, severity, message),
        Say::Failure { label, message } => {
            fields.path("label", label.as_deref());
            fields.path("message", message.as_deref());
        }
        Say::TurnStarted => {}
    }
    let when = if when.is_empty() { String::new() } else { format!(", when = {{ {} }}", when.join(", ")) };
    format!("{{ event = \"{event}\"{when}{} }}", fields.0)
}

/// The fields of an event after its name and its conditions.
#[derive(Default)]
struct Fields(String);

impl Fields {
    fn path(&mut self, field: &str, path: Option<&str>) {
        if let Some(path) = path {
            let _ = write!(self.0, ", {field} = {}", quoted(path));
        }
    }

    fn raw(&mut self, field: &str, value: &str) {
        let _ = write!(self.0, ", {field} = {value}");
    }

    /// A field that is translated.
    fn map(&mut self, field: &str, path: &str, values: &[(String, &'static str)], rest: &str) {
        let values: Vec<String> = values.iter().map(|(value, what)| format!("{} = \"{what}\"", key(value))).collect();
        let map = if values.is_empty() { String::new() } else { format!(" map = {{ {} }},", values.join(", ")) };
        let _ = write!(self.0, ", {field} = {{ path = {},{map} {rest} }}", quoted(path));
    }
}

fn text(fields: &mut Fields, text: &Text, when: &mut Vec<String>) {
    if text.at_times {
        when.push(format!("{} = {{ is = \"string\" }}", key(&text.text)));
    }
    when.extend(text.not.iter().map(|(flag, value)| format!("{} = {{ not = {value} }}", key(flag))));
    match &text.role {
        Role::Field { path, nobody, .. } if !nobody.is_empty() => {
            when.push(format!("{} = {{ not = [{}] }}", key(path), listed(nobody)));
        }
        _ => {}
    }
    match &text.role {
        Role::User if !text.reasoning => fields.path("role", Some("=user")),
        Role::Field { path, user, .. } if !text.reasoning && !user.is_empty() => {
            let user: Vec<(String, &'static str)> = user.iter().map(|value| (value.clone(), "user")).collect();
            fields.map("role", path, &user, "default = \"assistant\"");
        }
        _ => {}
    }
    fields.path("message_id", text.id.as_deref());
    fields.path("part", text.part.as_deref());
    fields.path("text", Some(&text.text));
    match &text.delta {
        Delta::No => {}
        Delta::Yes => fields.raw("delta", "true"),
        Delta::Flag(path, true) => fields.path("delta", Some(path)),
        Delta::Flag(path, false) => {
            let value = format!("{{ path = {}, map = {{ false = \"true\" }}, default = \"false\" }}", quoted(path));
            fields.raw("delta", &value);
        }
    }
    if text.completes {
        fields.raw("completes", "true");
    }
}

fn call(fields: &mut Fields, id: Option<&str>, name: &Name, input: Option<&str>) {
    fields.path("tool_call_id", id);
    match name {
        Name::Field(path) => fields.path("name", Some(path)),
        Name::Literal(name) => fields.path("name", Some(&format!("={name}"))),
    }
    fields.path("input", input);
}

fn result(fields: &mut Fields, id: Option<&str>, output: Option<&str>, status: &Status) {
    fields.path("tool_call_id", id);
    match status {
        Status::Untold => fields.path("status", Some("=completed")),
        Status::Going => fields.path("status", Some("=in_progress")),
        Status::Field(path, values) => {
            fields.map("status", path, values, "default = \"failed\", missing = \"completed\"");
        }
    }
    fields.path("output", output);
}

fn notice(fields: &mut Fields, severity: &Severity, message: &str) {
    match severity {
        Severity::Always(severity) => fields.path("severity", Some(&format!("={severity}"))),
        Severity::Field(path, values) => fields.map("severity", path, values, "default = \"info\""),
    }
    fields.path("message", Some(message));
}
