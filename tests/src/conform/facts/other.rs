//! The facts of the recordings of all other CLIs. They come from the script that the model followed; the ends of the
//! tools come from the stream, which is what a reader has.

use super::{answer, beginning, ended_badly, plain, status};
use crate::conform::corpus::Recording;
use crate::conform::diff::{Diff, abridge};
use crate::conform::json::{list, number, says, text};
use crate::conform::reading::Reading;
use crate::conform::view::{Texts, Who, calls, ends, errors, texts};
use serde_json::Value;

pub(super) fn check(recording: &Recording, reading: &Reading, diff: &mut Diff) {
    let (facts, envelope, events) = (&recording.facts, &reading.envelope, &reading.events);
    let executor = recording.input.executor.as_str();
    let said = plain::read(executor, &recording.input.stdout);
    let known = matches!(executor, "opencode" | "gemini" | "qwen" | "pi" | "kimi");
    if known {
        let wanted = if executor == "gemini" { Texts::All } else { Texts::Whole };
        diff.eq("texts", texts(events, Who::Main, wanted).concat(), said.text.as_str());
    }
    let bad = verdict(recording, &said, envelope, diff);
    if said.any {
        diff.eq("session_id", envelope["session_id"].clone(), facts["session_id"].clone());
    }
    let malformed = envelope["stream"]["malformed_lines"].clone();
    diff.eq("malformed_lines", malformed, facts["stdout_lines_not_json"].clone());
    failure(recording, envelope, diff);
    tools(facts, &said, known, events, diff);
    usage(recording, known, bad, envelope, diff);
}

fn verdict(recording: &Recording, said: &plain::Plain, envelope: &Value, diff: &mut Diff) -> bool {
    let facts = &recording.facts;
    // The last message may be empty and come after one that is not.
    let key = if says(facts, "final_text") { "final_text" } else { "last_nonempty_text" };
    let expected = text(facts, key);
    // Cut off, or in another output format: no reader can know more than the bytes.
    let cut = says(facts, "last_line_is_cut") || !said.any;
    let answered = !expected.trim().is_empty() || says(facts, "final_text_sha256");
    let bad = facts["is_error"] != false || said.owed || !answered || cut || ended_badly(recording);
    diff.eq("status", envelope["status"].clone(), status(bad));
    if (!expected.is_empty() || says(facts, "final_text_sha256")) && !cut {
        answer("result", envelope, key, facts, "final_text_sha256", diff);
    }
    bad
}

fn failure(recording: &Recording, envelope: &Value, diff: &mut Diff) {
    let facts = &recording.facts;
    let want = beginning(text(facts, "error_message"));
    let raw = [recording.input.stdout.as_slice(), recording.input.stderr.as_slice()].concat();
    let printed = raw.windows(want.len().max(1)).any(|part| part == want.as_bytes());
    if says(facts, "is_error") && printed {
        let told = errors(envelope);
        diff.hold(told.contains(&want), || format!("errors lack {want:?}: {}", abridge(&told)));
    }
}

fn tools(facts: &Value, said: &plain::Plain, known: bool, events: &[Value], diff: &mut Diff) {
    let (calls, ends) = (calls(events, Who::Main), ends(events));
    if said.any {
        let scripted = if facts.get("tools_on_stdout").is_some() { "tools_on_stdout" } else { "tools" };
        let mut want: Vec<&str> = list(facts, scripted).iter().map(|tool| text(tool, "name")).collect();
        let mut got: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        want.sort_unstable();
        got.sort_unstable();
        diff.eq("tools", got, want);
    }
    if known {
        for call in &calls {
            let want = said.ends.get(&call.id).map_or("unknown", String::as_str);
            diff.eq(format_args!("tool {}", call.id), ends.get(call.id.as_str()).copied(), want);
        }
    } else if facts["outcome"] == "ended by itself" {
        let failed = calls.iter().filter(|call| ends.get(call.id.as_str()) != Some(&"completed")).count();
        diff.eq("failed tools", failed, list(facts, "tools").iter().filter(|tool| !says(tool, "ok")).count());
    }
}

fn usage(recording: &Recording, known: bool, bad: bool, envelope: &Value, diff: &mut Diff) {
    let (facts, usage) = (&recording.facts, &envelope["usage"]);
    let executor = recording.input.executor.as_str();
    let printed = &facts["usage_sum_on_stdout"];
    if printed.is_object() && says(facts, "steps_finished") {
        for counter in ["input", "output", "reasoning", "cache_read", "cache_write"] {
            diff.eq(format_args!("usage.{counter}"), usage[counter].clone(), printed[counter].clone());
        }
        let (got, want) = (number(envelope, "cost_usd"), number(printed, "cost"));
        diff.hold((got - want).abs() <= 1e-9, || format!("cost_usd: got {got}, want {want}"));
        return;
    }
    // These print no usage, or none that is complete.
    if matches!(executor, "kimi" | "opencode") || (!known && usage.is_null()) {
        diff.eq("usage", usage.clone(), Value::Null);
        return;
    }
    // qwen sums over the whole session, earlier runs included.
    let whole_session = executor == "qwen" && recording.input.resume.is_some();
    if !says(envelope, "terminal") || bad || whole_session {
        return;
    }
    let scripted = &facts["usage_scripted"];
    let nested = |counter: &str| match executor {
        "qwen" => number(&facts["subagent"]["usage_scripted"], counter),
        _ => 0.0,
    };
    let input = number(usage, "input") + number(usage, "cache_read") + number(usage, "cache_write");
    diff.eq("usage.input and caches", input, number(scripted, "input_tokens") + nested("input_tokens"));
    diff.eq("usage.cache_read", number(usage, "cache_read"), number(scripted, "cached_input_tokens"));
    let output = number(usage, "output") + number(usage, "reasoning");
    diff.eq("usage.output and reasoning", output, number(scripted, "output_tokens") + nested("output_tokens"));
}
