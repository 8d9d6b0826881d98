//! A plain reading of the streams of the smaller CLIs: what each says by itself, record by record, and nothing clever.

use crate::conform::json::{list, parse_lenient, says, text};
use serde_json::Value;
use std::collections::HashMap;

/// What a stream says.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// Whether it holds a record at all.
    pub(super) any: bool,
    /// The end of each call.
    pub(super) ends: HashMap<String, String>,
    /// All text of the main agent.
    pub(super) text: String,
    /// True when it stops in the middle of a turn.
    pub(super) owed: bool,
}

/// Reads a stream of one of the CLIs that this page knows.
pub(super) fn read(executor: &str, stdout: &[u8]) -> Plain {
    let mut plain = Plain::default();
    for line in stdout.split(|byte| *byte == b'\n') {
        let Ok(value) = parse_lenient(line) else { continue };
        let records = match value {
            Value::Array(list) => list,
            other => vec![other],
        };
        for record in records.iter().filter(|record| record.is_object()) {
            plain.any = true;
            match executor {
                "opencode" => plain.opencode(record),
                "gemini" => plain.gemini(record),
                "qwen" => plain.qwen(record),
                "pi" => plain.pi(record),
                "kimi" => plain.kimi(record),
                _ => {}
            }
        }
    }
    plain
}

impl Plain {
    fn end(&mut self, id: &str, end: &str) {
        self.ends.insert(id.to_owned(), end.to_owned());
    }

    fn opencode(&mut self, record: &Value) {
        let part = &record["part"];
        match text(record, "type") {
            "tool_use" => {
                let status = text(&part["state"], "status");
                self.end(text(part, "callID"), if status == "error" { "failed" } else { status });
            }
            "step_start" => self.owed = true,
            "step_finish" => self.owed = part["reason"] == "tool-calls",
            "text" if !says(part, "synthetic") => self.text.push_str(text(part, "text")),
            _ => {}
        }
    }

    fn gemini(&mut self, record: &Value) {
        match text(record, "type") {
            "tool_result" => self.end(text(record, "tool_id"), failed(record["status"] == "error")),
            "message" if record["role"] == "assistant" => self.text.push_str(text(record, "content")),
            _ => {}
        }
    }

    fn qwen(&mut self, record: &Value) {
        let kind = text(record, "type");
        if !matches!(kind, "user" | "assistant") || says(record, "parent_tool_use_id") {
            return;
        }
        for block in list(&record["message"], "content") {
            if says(block, "tool_use_id") {
                self.end(text(block, "tool_use_id"), failed(says(block, "is_error")));
            }
            if kind == "assistant" && block["type"] == "text" {
                self.text.push_str(text(block, "text"));
            }
        }
    }

    fn pi(&mut self, record: &Value) {
        let message = &record["message"];
        match text(record, "type") {
            "tool_execution_end" => self.end(text(record, "toolCallId"), failed(says(record, "isError"))),
            "turn_start" => self.owed = true,
            "turn_end" => self.owed = false,
            "message_end" if message["role"] == "assistant" => {
                for block in list(message, "content").iter().filter(|block| block["type"] == "text") {
                    self.text.push_str(text(block, "text"));
                }
            }
            _ => {}
        }
    }

    fn kimi(&mut self, record: &Value) {
        match text(record, "role") {
            // It prints no outcome.
            "tool" => self.end(text(record, "tool_call_id"), "completed"),
            "assistant" => self.text.push_str(text(record, "content")),
            _ => {}
        }
    }
}

fn failed(failed: bool) -> &'static str {
    if failed { "failed" } else { "completed" }
}
