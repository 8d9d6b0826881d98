//! The check of a case that a public bug report gave its form.

use crate::conform::diff::{Diff, abridge};
use crate::conform::json::{list, says, text};
use crate::conform::reading::Reading;
use crate::conform::view::{Call, Texts, Who, calls, ends, errors, is, texts};
use serde_json::{Map, Value};

/// Compares a reading with what a case expects, or with one of the answers that it accepts as well.
pub fn public(executor: &str, expect: &Value, reading: &Reading, diff: &mut Diff) {
    let mut main = Diff::new();
    answer(executor, expect, reading, &mut main);
    if main.is_empty() {
        return;
    }
    for other in list(expect, "accept_also") {
        // `no_terminal`: acceptable only if the envelope says that the terminal record never came.
        if says(other, "requires") && reading.envelope["terminal"] != false {
            continue;
        }
        let mut merged: Map<String, Value> = expect.as_object().cloned().unwrap_or_default();
        merged.extend(other.as_object().cloned().unwrap_or_default());
        let mut second = Diff::new();
        answer(executor, &Value::Object(merged), reading, &mut second);
        if second.is_empty() {
            return;
        }
    }
    for difference in main.into_vec() {
        diff.add(difference);
    }
}

fn answer(executor: &str, expect: &Value, reading: &Reading, diff: &mut Diff) {
    for (key, want) in expect.as_object().into_iter().flatten() {
        let known = verdict(key, want, reading, diff)
            || errors_of(key, want, reading, diff)
            || usage(executor, key, want, reading, diff)
            || tools(key, want, reading, diff)
            || counts(key, want, reading, diff);
        diff.hold(known, || format!("unknown expectation {key}"));
    }
}

/// Text or list of texts.
fn parts(want: &Value) -> Vec<&str> {
    want.as_str()
        .map_or_else(|| want.as_array().into_iter().flatten().filter_map(Value::as_str).collect(), |one| vec![one])
}

fn verdict(key: &str, want: &Value, reading: &Reading, diff: &mut Diff) -> bool {
    let envelope = &reading.envelope;
    let result = text(envelope, "result");
    match key {
        // Not assertions: how to read the case, and why.
        "accept_also" | "why" | "prefer" | "prefer_status" | "configure" | "feed_chunk" | "generate" | "requires" => {}
        "status" | "session_id" | "result" => diff.eq(key, envelope[key].clone(), want.clone()),
        "status_any_of" | "result_any_of" => {
            let got = &envelope[key.trim_end_matches("_any_of")];
            let listed = want.as_array().is_some_and(|all| all.contains(got));
            diff.hold(listed, || format!("{key}: {got} is none of {want}"));
        }
        "result_contains" => {
            for part in parts(want) {
                diff.hold(result.contains(part), || format!("the result lacks {part:?}: {}", abridge(result)));
            }
        }
        "answer_text_once" => {
            let shown = texts(&reading.events, Who::Main, Texts::All).join("\n");
            diff.eq(key, shown.matches(want.as_str().unwrap_or_default()).count(), 1);
        }
        "last_assistant_text" => diff.eq(key, envelope["last_text"].clone(), want.clone()),
        "must_not_contain" => {
            let shown = reading.events.iter().filter(|event| is(event, "message")).map(|event| text(event, "text"));
            let shown = shown.collect::<Vec<_>>().join("\n");
            for part in parts(want) {
                diff.hold(!shown.contains(part) && !result.contains(part), || format!("{part:?} must not occur"));
            }
        }
        "must_not_contain_in_result" => {
            for part in parts(want) {
                diff.hold(!result.contains(part), || format!("the result must not contain {part:?}"));
            }
        }
        "structured_output_reachable" => diff.eq(key, envelope["structured_output"].clone(), want.clone()),
        "exit_code_visible" => diff.eq(key, envelope["exit"]["code"].clone(), want.clone()),
        _ => return false,
    }
    true
}

fn errors_of(key: &str, want: &Value, reading: &Reading, diff: &mut Diff) -> bool {
    let told = errors(&reading.envelope);
    let empty = list(&reading.envelope, "errors").is_empty();
    match key {
        "errors_contain" => {
            for part in parts(want) {
                diff.hold(told.contains(part), || format!("errors lack {part:?}: {}", abridge(&told)));
            }
        }
        "errors_contain_any" => {
            diff.hold(parts(want).iter().any(|part| told.contains(part)), || {
                format!("errors hold none of {want}: {told}")
            });
        }
        "errors_must_not_contain" => {
            for part in parts(want) {
                diff.hold(!told.contains(part), || format!("errors must not contain {part:?}"));
            }
        }
        "errors_nonempty" => diff.hold(want != true || !empty, || "errors are empty".into()),
        "errors_empty" => diff.hold(want != true || empty, || format!("errors: {}", abridge(&told))),
        "errors_count_best" => {}
        _ => return false,
    }
    true
}

fn usage(executor: &str, key: &str, want: &Value, reading: &Reading, diff: &mut Diff) -> bool {
    let envelope = &reading.envelope;
    let usage = &envelope["usage"];
    match key {
        "usage" if want.is_null() => diff.eq(key, usage.clone(), Value::Null),
        "usage" => {
            for (counter, want) in want.as_object().into_iter().flatten() {
                let got = match counter.as_str() {
                    "cost_usd" => envelope["cost_usd"].clone(),
                    // The cases count reasoning into the output where the vendor does.
                    "output" if executor.starts_with("codex") && !usage.is_null() => {
                        let part = |name: &str| usage[name].as_u64().unwrap_or_default();
                        Value::from(part("output") + part("reasoning"))
                    }
                    "input_uncached" => usage["input"].clone(),
                    other => usage[other].clone(),
                };
                diff.eq(format_args!("usage.{counter}"), got, want.clone());
            }
        }
        "usage_total" => diff.eq(key, usage["total"].clone(), want.clone()),
        "usage_must_not_be" => {
            let zeros = !usage.is_null() && !["input", "output", "total"].iter().any(|counter| says(usage, counter));
            diff.hold(!zeros, || "usage is zeros".into());
        }
        _ => return false,
    }
    true
}

fn tools(key: &str, want: &Value, reading: &Reading, diff: &mut Diff) -> bool {
    let events = &reading.events;
    let names = |calls: Vec<Call>| calls.into_iter().map(|call| call.name).collect::<Vec<_>>();
    match key {
        "tool_uses" => diff.eq(key, names(calls(events, Who::Main)), want.clone()),
        "tool_uses_nested" => diff.eq(key, names(calls(events, Who::Nested)), want.clone()),
        "tool_uses_count" => diff.eq(key, calls(events, Who::Main).len(), want.clone()),
        "tool_results" => {
            let ends = ends(events);
            for (id, want) in want.as_object().into_iter().flatten() {
                let got = match ends.get(id.as_str()).copied() {
                    Some("completed") => Value::from("ok"),
                    Some("failed" | "declined") => Value::from("error"),
                    Some(_) => Value::from("unfinished"),
                    None => Value::Null,
                };
                diff.eq(format_args!("tool {id}"), got, want.clone());
            }
        }
        "permission_denials_visible" => {
            let ends = ends(events);
            let denied = |id: &str| {
                events.iter().any(|event| {
                    is(event, "permission_resolved")
                        && text(event, "tool_call_id") == id
                        && event["outcome"] == "denied"
                })
            };
            for name in parts(want) {
                let visible = calls(events, Who::Main).iter().any(|call| {
                    call.name == name && (denied(&call.id) || ends.get(call.id.as_str()) == Some(&"declined"))
                });
                diff.hold(visible, || format!("the denial of {name} is not visible"));
            }
        }
        _ => return false,
    }
    true
}

fn counts(key: &str, want: &Value, reading: &Reading, diff: &mut Diff) -> bool {
    let malformed = reading.envelope["stream"]["malformed_lines"].as_u64().unwrap_or_default();
    match key {
        "malformed_lines" if want.is_null() => {}
        "malformed_lines" => diff.eq(key, malformed, want.clone()),
        "malformed_lines_min" => diff.hold(want.as_u64() <= Some(malformed), || format!("{key}: {malformed} < {want}")),
        "malformed_lines_max" => diff.hold(want.as_u64() >= Some(malformed), || format!("{key}: {malformed} > {want}")),
        _ => return false,
    }
    true
}
