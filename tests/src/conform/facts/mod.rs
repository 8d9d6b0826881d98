//! Compares a reading of a recording with the facts beside it.

mod claude;
mod codex;
mod other;
mod plain;

use super::corpus::Recording;
use super::diff::Diff;
use super::json::text;
use super::reading::Reading;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Notes every fact that the reading does not bear out.
pub fn check(recording: &Recording, reading: &Reading, diff: &mut Diff) {
    match recording.input.executor.as_str() {
        "codex" | "codex-legacy" => codex::check(recording, reading, diff),
        "claude-code" => claude::check(recording, reading, diff),
        _ => other::check(recording, reading, diff),
    }
}

/// True when the process itself ended badly.
fn ended_badly(recording: &Recording) -> bool {
    !matches!(recording.input.exit.code, Some(0) | None) || recording.input.exit.signal.is_some()
}

fn status(bad: bool) -> &'static str {
    if bad { "failed" } else { "ok" }
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first 60 characters: as much of a message as is compared.
fn beginning(message: &str) -> String {
    message.chars().take(60).collect()
}

/// True for a text with something in it.
fn filled(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// Compares the answer with the fact under `key`, or with the digest of it where it is long.
fn answer(what: &str, envelope: &Value, key: &str, facts: &Value, digest_key: &str, diff: &mut Diff) {
    match facts[digest_key].as_str() {
        Some(want) => diff.eq(format_args!("digest of {what}"), digest(text(envelope, what)), want),
        None => diff.eq(what, envelope[what].clone(), facts[key].clone()),
    }
}
