//! What a reader of the events sees: the texts, each once, and the tools with their ends.

use crate::conform::json::{says, text};
use serde_json::Value;
use std::collections::HashMap;

/// Whose events are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The main agent.
    Main,
    /// All sub-agents.
    Nested,
}

impl Who {
    fn said(self, event: &Value) -> bool {
        (says(event, "parent_tool_call_id") || says(event, "agent")) == (self == Who::Nested)
    }
}

/// Which texts are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// All.
    All,
    /// Those that came whole, whether or not in pieces before.
    Whole,
    /// Those of which only pieces came.
    Pieces,
}

/// A call as it was announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What the tool does.
    pub kind: String,
    /// Its MCP server; empty without one.
    pub server: String,
}

/// True for an event of this type.
#[must_use]
pub fn is(event: &Value, kind: &str) -> bool {
    event["type"] == kind
}

/// True for a status after which nothing more is said of a call.
#[must_use]
pub fn is_terminal(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "declined" | "cancelled" | "unknown")
}

/// The calls in order of announcement.
#[must_use]
pub fn calls(events: &[Value], who: Who) -> Vec<Call> {
    let field = |event: &Value, key: &str| text(event, key).to_owned();
    let announced = events.iter().filter(|event| is(event, "tool_call") && who.said(event));
    announced
        .map(|event| Call {
            id: field(event, "tool_call_id"),
            name: field(event, "name"),
            kind: field(event, "kind"),
            server: field(event, "server"),
        })
        .collect()
}

/// The last terminal status of each call id.
#[must_use]
pub fn ends(events: &[Value]) -> HashMap<&str, &str> {
    let updates = events.iter().filter(|event| is(event, "tool_call_update"));
    updates
        .map(|event| (text(event, "tool_call_id"), text(event, "status")))
        .filter(|(_, status)| is_terminal(status))
        .collect()
}

/// The assistant's texts: pieces joined, and replaced by the whole text with the same key.
#[must_use]
pub fn texts(events: &[Value], who: Who, wanted: Texts) -> Vec<String> {
    let mut built: Vec<(String, bool)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for event in events {
        let foreign = event["role"].as_str().is_some_and(|role| role != "assistant");
        if !is(event, "message") || foreign || !who.said(event) {
            continue;
        }
        let delta = event["delta"] == true;
        let key = match (&event["message_id"], delta) {
            (Value::Null, true) => format!("line {} part {}", event["line"], event["part"]),
            (Value::Null, false) => format!("line {} seq {}", event["line"], event["seq"]),
            (id, _) => format!("id {id} part {}", event["part"]),
        };
        let place = *places.entry(key).or_insert_with(|| {
            built.push((String::new(), false));
            built.len() - 1
        });
        let (shown, whole) = &mut built[place];
        if !delta {
            shown.clear();
            *whole = true;
        }
        shown.push_str(text(event, "text"));
    }
    built
        .into_iter()
        .filter(|(_, whole)| wanted == Texts::All || *whole == (wanted == Texts::Whole))
        .map(|(shown, _)| shown)
        .collect()
}

/// All error messages of an envelope, one a line.
#[must_use]
pub fn errors(envelope: &Value) -> String {
    let messages: Vec<&str> =
        crate::conform::json::list(envelope, "errors").iter().map(|error| text(error, "message")).collect();
    messages.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_whole_text_replaces_its_pieces() {
        let events = [
            json!({"type": "message", "seq": 0, "line": 1, "message_id": "m", "part": 0, "text": "Hel", "delta": true}),
            json!({"type": "message", "seq": 1, "line": 2, "message_id": "m", "part": 0, "text": "lo", "delta": true}),
            json!({"type": "message", "seq": 2, "line": 3, "message_id": "m", "part": 0, "text": "Hello"}),
            json!({"type": "message", "seq": 3, "line": 4, "message_id": "n", "part": 0, "text": "cut", "delta": true}),
            json!({"type": "message", "seq": 4, "line": 5, "agent": "a", "text": "other"}),
            json!({"type": "message", "seq": 5, "line": 6, "role": "user", "text": "me"}),
        ];
        assert_eq!(texts(&events, Who::Main, Texts::All), ["Hello", "cut"]);
        assert_eq!(texts(&events, Who::Main, Texts::Whole), ["Hello"]);
        assert_eq!(texts(&events, Who::Main, Texts::Pieces), ["cut"]);
        assert_eq!(texts(&events, Who::Nested, Texts::All), ["other"]);
    }
}
