//! The facts of claude recordings.

use super::{beginning, digest, ended_badly, filled, status};
use crate::conform::corpus::Recording;
use crate::conform::diff::{Diff, abridge};
use crate::conform::json::{list, number, says, text};
use crate::conform::reading::Reading;
use crate::conform::view::{Texts, Who, calls, ends, errors, is, texts};
use serde_json::Value;

const COUNTERS: [&str; 4] = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

pub(super) fn check(recording: &Recording, reading: &Reading, diff: &mut Diff) {
    let (facts, envelope, events) = (&recording.facts, &reading.envelope, &reading.events);
    if facts.get("results").is_none() {
        return; // Another output format: no records, no facts.
    }
    let results = list(facts, "results");
    verdict(recording, results, envelope, diff);
    diff.eq("terminal", envelope["terminal"].clone(), says(facts, "result_events"));
    session(facts, results, envelope, diff);
    diff.eq("malformed_lines", envelope["stream"]["malformed_lines"].clone(), facts["lines_not_json"].clone());
    main_texts(facts, events, diff);
    let reasoning = events.iter().filter(|event| is(event, "reasoning") && event["delta"] != true).count();
    diff.eq("reasoning", reasoning, facts["thinking_blocks"].clone());
    bill(results, envelope, diff);
    for (who, nested) in [(Who::Main, false), (Who::Nested, true)] {
        tools(facts, events, who, nested, diff);
    }
    denials(results, events, diff);
}

fn verdict(recording: &Recording, results: &[Value], envelope: &Value, diff: &mut Diff) {
    let (facts, last) = (&recording.facts, &recording.facts["final_text"]);
    let blank = last.is_null() || last.as_str().is_some_and(|text| text.trim().is_empty());
    // An empty result falls back to the last text of the main agent.
    let fallback = blank && list(facts, "assistant_texts").iter().any(|text| text.is_object() || filled(text));
    // Failure is not positional: any turn's counts.
    let failed = results.iter().any(|result| says(result, "is_error") || result["subtype"] != "success");
    let ok = facts["outcome"] == "ok";
    let bad = !ok || failed || ended_badly(recording) || (blank && !fallback);
    diff.eq("status", envelope["status"].clone(), status(bad));
    if !bad && !blank {
        long("result", envelope["result"].as_str(), last, diff);
    }
    if !ok {
        diff.eq("result of a turn that failed or never ended", envelope["result"].clone(), Value::Null);
    }
    if says(facts, "error_message") && facts["outcome"] == "error" {
        let message = &facts["error_message"];
        let want = beginning(message.as_str().unwrap_or_else(|| text(message, "starts")));
        let told = errors(envelope);
        diff.hold(told.contains(&want), || format!("errors lack {want:?}: {}", abridge(&told)));
    }
    if let Some(output) = results.last().and_then(|result| result.get("structured_output")) {
        diff.eq("structured_output", envelope["structured_output"].clone(), output.clone());
    }
}

fn session(facts: &Value, results: &[Value], envelope: &Value, diff: &mut Diff) {
    let ids = list(facts, "session_ids");
    if ids.is_empty() {
        return;
    }
    let got = &envelope["session_id"];
    diff.hold(ids.contains(got), || format!("session_id {got} is none of {ids:?}"));
    if let Some(last) = results.last().filter(|last| says(last, "session_id")) {
        diff.eq("session_id", got.clone(), last["session_id"].clone());
    }
}

fn main_texts(facts: &Value, events: &[Value], diff: &mut Diff) {
    let whole: Vec<String> =
        texts(events, Who::Main, Texts::Whole).into_iter().filter(|t| !t.trim().is_empty()).collect();
    // Pieces are left of a message that was cut off, never of one that came whole.
    for piece in texts(events, Who::Main, Texts::Pieces) {
        diff.hold(piece.trim().is_empty() || !whole.contains(&piece), || {
            format!("text shown twice: {}", abridge(&piece))
        });
    }
    let want: Vec<&Value> = list(facts, "assistant_texts").iter().filter(|t| t.is_object() || filled(t)).collect();
    if whole.len() != want.len() {
        diff.add(format!("{} main texts, want {}: {}", whole.len(), want.len(), abridge(&whole.join(" | "))));
        return;
    }
    for (got, want) in whole.iter().zip(want) {
        long("text", Some(got), want, diff);
    }
}

fn bill(results: &[Value], envelope: &Value, diff: &mut Diff) {
    let complete = |result: &Value| COUNTERS.iter().all(|counter| result["usage"][counter].is_number());
    if !results.is_empty() && results.iter().all(complete) {
        let total: f64 = results.iter().flat_map(|r| COUNTERS.iter().map(|counter| number(&r["usage"], counter))).sum();
        if total > 0.0 {
            diff.eq("usage.total", envelope["usage"]["total"].clone(), total);
        }
    }
    if let Some(last) = results.last().filter(|last| says(last, "total_cost_usd")) {
        let (got, want) = (number(envelope, "cost_usd"), number(last, "total_cost_usd"));
        diff.hold((got - want).abs() <= 1e-9, || format!("cost_usd: got {got}, want {want}"));
    }
}

fn tools(facts: &Value, events: &[Value], who: Who, nested: bool, diff: &mut Diff) {
    let all: Vec<&Value> = list(facts, "tool_calls").iter().filter(|call| says(call, "parent") == nested).collect();
    // A retried stream repeats a call that is still open: it is the same call.
    let repeated = |place: usize, call: &Value| all[place + 1..].iter().any(|later| later["id"] == call["id"]);
    let told = all.iter().enumerate().filter(|(place, call)| says(call, "answered") || !repeated(*place, call));
    let told: Vec<&Value> = told.map(|(_, call)| *call).collect();
    let names: Vec<String> = calls(events, who).into_iter().map(|call| call.name).collect();
    let want: Vec<Value> = told.iter().map(|call| call["name"].clone()).collect();
    diff.eq(if nested { "nested tools" } else { "tools" }, names, want);
    let ends = ends(events);
    for (place, call) in told.iter().enumerate() {
        let id = text(call, "id");
        if told[place + 1..].iter().any(|later| text(later, "id") == id) {
            continue; // Only the last end of an id is looked at.
        }
        let got = ends.get(id).copied();
        let right = match (says(call, "answered"), says(call, "is_error")) {
            (false, _) => matches!(got, Some("unknown" | "cancelled")),
            (true, true) => matches!(got, Some("failed" | "declined")),
            (true, false) => got == Some("completed"),
        };
        diff.hold(right, || format!("tool {id}: {got:?} for {call}"));
    }
}

fn denials(results: &[Value], events: &[Value], diff: &mut Diff) {
    let want: usize = results.iter().map(|result| list(result, "permission_denials").len()).sum();
    let denied = events.iter().filter(|event| is(event, "permission_resolved") && event["outcome"] == "denied").count();
    diff.hold(denied >= want, || format!("{denied} denials, want {want}"));
}

/// Compares a text with the fact, which is a digest where it is long.
fn long(what: &str, got: Option<&str>, want: &Value, diff: &mut Diff) {
    match want.get("sha256") {
        Some(sum) => diff.eq(format_args!("digest of {what}"), digest(got.unwrap_or_default()), sum.clone()),
        None => diff.eq(what, got, want.clone()),
    }
}
