//! The facts of codex recordings, both protocols.

use super::{answer, beginning, ended_badly, filled, status};
use crate::conform::corpus::Recording;
use crate::conform::diff::{Diff, abridge};
use crate::conform::json::{list, number, says, text};
use crate::conform::reading::Reading;
use crate::conform::view::{Texts, Who, calls, ends, errors, is, texts};
use serde_json::Value;

pub(super) fn check(recording: &Recording, reading: &Reading, diff: &mut Diff) {
    let (facts, envelope) = (&recording.facts, &reading.envelope);
    let legacy = facts["schema"] == "legacy-msg";
    let bad = says(facts, "is_error") || !filled(&facts["result"]) || ended_badly(recording);
    diff.eq("status", envelope["status"].clone(), status(bad));
    if matches!(text(facts, "schema"), "nothing on stdout" | "plain text") {
        return;
    }
    if !bad {
        answer("result", envelope, "result", facts, "result_sha256", diff);
    }
    if facts["terminal_event"] == "turn.failed" {
        diff.eq("result of a failed turn", envelope["result"].clone(), Value::Null);
    }
    if !says(facts, "result_sha256") {
        diff.eq("last_text", text(envelope, "last_text"), text(facts, "last_message"));
    }
    diff.eq("session_id", envelope["session_id"].clone(), facts["thread_id"].clone());
    if !legacy {
        diff.eq("malformed_lines", envelope["stream"]["malformed_lines"].clone(), facts["non_json_lines"].clone());
    }
    failure(facts, envelope, diff);
    messages(facts, &reading.events, diff);
    usage(recording, envelope, diff);
    tools(facts, &reading.events, diff);
}

fn failure(facts: &Value, envelope: &Value, diff: &mut Diff) {
    let message = text(facts, "error_message");
    // An object is not quoted, its message is.
    if says(facts, "is_error") && !message.is_empty() && !message.trim_start().starts_with('{') {
        let (told, want) = (errors(envelope), beginning(message));
        diff.hold(told.contains(&want), || format!("errors lack {want:?}: {}", abridge(&told)));
    }
}

fn messages(facts: &Value, events: &[Value], diff: &mut Diff) {
    diff.eq("messages", texts(events, Who::Main, Texts::All).len(), facts["messages"].clone());
    let reasoning = events.iter().filter(|event| is(event, "reasoning") && event["delta"] != true).count();
    diff.eq("reasoning", reasoning, facts["reasoning_items"].clone());
    let notices = events.iter().filter(|event| is(event, "notice"));
    let told = list(facts, "warnings").len() + list(facts, "retry_notices").len();
    diff.hold(notices.clone().count() >= told, || format!("{} notices, want {told}", notices.clone().count()));
    for retry in list(facts, "retry_notices").iter().filter_map(Value::as_str) {
        let want = beginning(retry);
        diff.hold(notices.clone().any(|notice| text(notice, "message").contains(&want)), || {
            format!("no notice of the retry {want:?}")
        });
    }
}

fn usage(recording: &Recording, envelope: &Value, diff: &mut Diff) {
    let facts = &recording.facts;
    let usage = &facts["usage"];
    let spent = usage.as_object().is_some_and(|counters| counters.values().any(|value| value.as_f64() > Some(0.0)));
    if !spent {
        if says(facts, "usage") {
            diff.eq("usage (all zero: the vendor said nothing)", envelope["usage"].clone(), Value::Null);
        }
        return;
    }
    if facts["schema"] == "early-thread-event" {
        return;
    }
    let got = if recording.input.resume.is_some() {
        diff.eq("usage of a resumed thread without a baseline", envelope["usage"].clone(), Value::Null);
        &envelope["thread_usage"]
    } else {
        &envelope["usage"]
    };
    let inside = number(usage, "cached_input_tokens") + number(usage, "cache_write_input_tokens");
    diff.eq("usage.total", got["total"].clone(), number(usage, "input_tokens") + number(usage, "output_tokens"));
    diff.eq("usage.cache_read", got["cache_read"].clone(), usage["cached_input_tokens"].clone());
    diff.eq("usage.input", got["input"].clone(), number(usage, "input_tokens") - inside);
}

fn tools(facts: &Value, events: &[Value], diff: &mut Diff) {
    let want: Vec<&Value> = list(facts, "tools").iter().filter(|tool| tool["type"] != "todo_list").collect();
    let (calls, ends) = (calls(events, Who::Main), ends(events));
    let got: Vec<Option<&str>> = calls.iter().map(|call| ends.get(call.id.as_str()).copied()).collect();
    let statuses: Vec<&str> = want.iter().map(|tool| text(tool, "status")).collect();
    let statuses: Vec<&str> = statuses.iter().map(|s| if *s == "in_progress" { "unknown" } else { s }).collect();
    diff.eq("tool statuses", got, statuses);
    for (call, tool) in calls.iter().zip(&want) {
        let kind = match text(tool, "type") {
            "command" => "execute",
            "file_change" => "edit",
            "mcp" | "collab" | "web_search" => "",
            other => other,
        };
        diff.hold(kind.is_empty() || call.kind == kind, || {
            format!("tool {}: kind {}, want {kind}", call.id, call.kind)
        });
        if tool["type"] == "mcp" {
            diff.eq("mcp tool", format!("{}.{}", call.server, call.name), tool["name"].clone());
        }
        if let Some(code) = tool["exit_code"].as_i64().filter(|_| tool["status"] != "in_progress") {
            let told = events.iter().any(|event| {
                is(event, "tool_call_update") && text(event, "tool_call_id") == call.id && event["exit_code"] == code
            });
            diff.hold(told, || format!("tool {}: no exit code {code}", call.id));
        }
    }
}
