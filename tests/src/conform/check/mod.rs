//! What must hold for every run, and the checks of the two kinds of cases.

mod accounting;
mod invariants;
mod public;
mod seed;

pub use accounting::{Counts, count};
pub use public::public;
pub use seed::seed;

use crate::conform::diff::{Diff, abridge};
use crate::conform::feed::Feed;
use crate::conform::input::Input;
use crate::conform::json::{list, text};
use crate::conform::reading::{Reading, read, splits, unmoved_by};
use serde_json::Value;
use turnline::Profile;

/// The fields that every envelope has.
const FIELDS: &[&str] = &[
    "executor",
    "status",
    "result",
    "summary",
    "errors",
    "notices",
    "session_id",
    "usage",
    "thread_usage",
    "model_usage",
    "cost_usd",
    "rate_limits",
    "metadata",
    "structured_output",
    "terminal",
    "turns",
    "tools",
    "acts",
    "exit",
    "stream",
    "unmapped_types",
    "stdout_truncated",
    "stderr_truncated",
    "stderr",
    "last_text",
    "timing",
];

const CODES: &[&str] = &["executor_unavailable", "executor_run_failed", "executor_cancelled", "executor_timed_out"];

const SOURCES: &[&str] = &["stdout", "stderr", "exit", "host"];

/// Checks what holds for every run of every executor.
pub fn always(input: &Input, reading: &Reading, diff: &mut Diff) {
    let Reading { events, envelope, .. } = reading;
    diff.eq("type of the envelope", envelope["type"].clone(), "envelope");
    for field in FIELDS.iter().filter(|field| envelope.get(field).is_none()) {
        diff.add(format!("the envelope lacks {field}"));
    }
    diff.eq("executor", envelope["executor"].clone(), input.executor.as_str());
    diff.hold(matches!(text(envelope, "status"), "ok" | "failed" | "cancelled"), || {
        format!("strange status {}", envelope["status"])
    });
    let errors = list(envelope, "errors");
    diff.hold((text(envelope, "status") == "ok") == errors.is_empty(), || {
        "errors must be empty exactly when the status is ok".into()
    });
    let command = format!("'{}'", command(&input.executor));
    for error in errors {
        let known = CODES.contains(&text(error, "code")) && SOURCES.contains(&text(error, "source"));
        diff.hold(known && !text(error, "class").is_empty(), || format!("strange code, source or class: {error}"));
        diff.hold(text(error, "message").contains(&command), || {
            format!("an error that does not name {command}: {}", abridge(text(error, "message")))
        });
    }
    diff.eq("exit.code", envelope["exit"]["code"].clone(), input.exit.code);
    diff.eq("exit.signal", envelope["exit"]["signal"].clone(), input.exit.signal);
    summary(envelope, diff);
    accounting::check(input, events, envelope, diff);
    invariants::check(events, envelope, diff);
}

/// The command of an executor, from its vendor's documentation, not from the profile.
fn command(executor: &str) -> &str {
    match executor {
        "claude-code" => "claude",
        "codex-legacy" => "codex",
        other => other,
    }
}

fn summary(envelope: &Value, diff: &mut Diff) {
    let want = match envelope["result"].as_str() {
        Some(result) => {
            diff.hold(!result.trim().is_empty(), || "a blank result must be null".into());
            result.lines().find(|line| !line.trim().is_empty()).map(|line| line.trim().chars().take(200).collect())
        }
        None => list(envelope, "errors").first().map(|error| text(error, "message").to_owned()),
    };
    let got = envelope["summary"].as_str();
    let agrees = match (&want, got) {
        // A message of several lines may be shortened like an answer.
        (Some(want), Some(got)) => want.contains(got.trim()) && !got.trim().is_empty() && got.chars().count() <= 200,
        (None, None) => true,
        _ => false,
    };
    diff.hold(agrees, || format!("summary is {got:?}, want {want:?}"));
}

/// Reads a run at once and by all the usual feeds, all two-way splits (of a small one) and `more`, and notes whatever
/// is not as it must be. `facts` compares the reading with what is right for this run.
pub fn conforms(input: &Input, more: &[Feed], diff: &mut Diff, facts: impl FnOnce(&Reading, &mut Diff)) {
    let Some((profile, reading)) = at_once(input, diff, facts) else { return };
    let whole = &reading.transcript;
    unmoved_by(&Feed::usual(), input, &profile, whole, diff);
    unmoved_by(more, input, &profile, whole, diff);
    unmoved_by(&splits(&input.stdout), input, &profile, whole, diff);
}

/// Like [`conforms`], but reads the run at once only. Nothing is returned where the executor has no profile.
pub fn at_once(input: &Input, diff: &mut Diff, facts: impl FnOnce(&Reading, &mut Diff)) -> Option<(Profile, Reading)> {
    let profile = input.profile().map_err(|error| diff.add(error)).ok()?;
    let reading = read(input, &profile, diff);
    always(input, &reading, diff);
    facts(&reading, diff);
    Some((profile, reading))
}
