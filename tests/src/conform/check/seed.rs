//! The check of a seed case: one stream, one exit, what the envelope must say.

use crate::conform::diff::Diff;
use crate::conform::json::{list, text};
use crate::conform::reading::Reading;
use crate::conform::view::errors;
use serde_json::{Value, json};

/// Compares a reading with what a seed case expects. An unknown expectation is a difference too.
pub fn seed(expect: &Value, reading: &Reading, diff: &mut Diff) {
    let envelope = &reading.envelope;
    for (key, want) in expect.as_object().into_iter().flatten() {
        match key.as_str() {
            "status" | "result" | "summary" | "session_id" | "stdout_truncated" | "stderr_truncated" | "metadata" => {
                diff.eq(key, envelope[key].clone(), want.clone());
            }
            "rate_limits" => diff.eq(key, windows(envelope), want.clone()),
            "error_code" => diff.eq(key, envelope["errors"][0]["code"].clone(), want.clone()),
            "error_contains" => {
                let told = errors(envelope);
                for part in list(expect, key).iter().filter_map(Value::as_str) {
                    diff.hold(told.contains(part), || format!("errors lack {part:?}: {told:?}"));
                }
            }
            "errors" => diff.eq(key, list(envelope, "errors").len(), want.clone()),
            "usage_total" => diff.eq(key, envelope["usage"]["total"].clone(), want.clone()),
            "malformed_lines" => diff.eq(key, envelope["stream"][key].clone(), want.clone()),
            other => diff.add(format!("unknown expectation {other}")),
        }
    }
}

fn windows(envelope: &Value) -> Value {
    let seen = list(envelope, "rate_limits").iter();
    seen.map(|w| json!({"name": text(w, "name"), "utilization": w["utilization"], "resets_at": w["resets_at"]}))
        .collect()
}
