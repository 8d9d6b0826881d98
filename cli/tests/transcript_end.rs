//! What the transcript says at the end: the answer, the verdict, what the run cost.

mod common;

use common::events::{ended, piece, taken_back, whole};
use common::{CLAUDE, turnline};
use serde_json::{Value, json};

#[test]
fn the_verdict_with_what_it_cost() {
    let envelope = json!({
        "type": "envelope", "executor": "codex", "status": "ok", "result": "Hello you.", "session_id": "s-1", "turns": 1, "notices": 2,
        "tools": {"started": 3, "completed": 2, "failed": 1}, "usage": {"input": 1200, "cache_read": 5, "output": 34, "total": 1239},
        "model_usage": [{"model": "m-1", "input": 1200, "output": 34, "cost_usd": 0.0123}], "cost_usd": 0.0123,
        "rate_limits": [{"name": "five_hour", "utilization": 0.41, "resets_at": 1788491400}], "exit": {"code": 0},
        "stream": {"malformed_lines": 1, "unmapped": 2}, "timing": {"run_ms": 61_000.0},
    });
    let want = "assistant\nHello you.\n\n✓ ok  codex\n\
        \x20 work    1 turn, 3 tool calls (1 failed), 2 notices, 1 min 01 s\n\
        \x20 tokens  1,200 in, 5 from cache, 34 out, 1,239 in all\n\
        \x20 model   m-1: 1,200 in, 34 out, $0.0123\n\
        \x20 cost    $0.0123\n\
        \x20 limits  five_hour 0.41\n\
        \x20 session s-1\n\
        \x20 stream  1 line that is not JSON, 2 records of unknown types\n";
    assert_eq!(ended(&[whole("Hello you.")], envelope), want);
}

#[test]
fn a_run_that_goes_on_with_a_session_says_whose_its_figures_are() {
    let model = |input: u64| json!([{"model": "m-1", "input": input, "output": 1}]);
    let began = |resumed: Value| json!({"type": "session_started", "session_id": "s-1", "resumed": resumed});
    let rows = |resumed: Value, figures: Value| {
        let mut envelope = json!({"type": "envelope", "executor": "codex", "status": "ok"});
        envelope.as_object_mut().expect("an object").extend(figures.as_object().expect("an object").clone());
        let out = ended(&[began(resumed)], envelope);
        let row = |name: &str| out.lines().find_map(|line| line.strip_prefix(name)).map(|row| row.trim().to_owned());
        (row("  cost"), row("  model"))
    };
    let both = json!({"cost_usd": 0.05, "run_cost_usd": 0.02, "model_usage": model(30), "run_model_usage": model(20)});
    let same = json!({"cost_usd": 0.02, "run_cost_usd": 0.02, "model_usage": model(20), "run_model_usage": model(20)});
    let total = json!({"cost_usd": 0.05, "model_usage": model(30)});
    let table = [
        ("same", &both, "$0.0200 in this run, $0.0500 in the session so far", "m-1: 20 in, 1 out in this run"),
        ("same", &same, "$0.0200 in this run", "m-1: 20 in, 1 out in this run"),
        (
            "same",
            &total,
            "$0.0500 in the session so far; how much in this run is not known",
            "m-1: 30 in, 1 out in the session so far",
        ),
        (
            "replaced",
            &total,
            "$0.0500 in the session so far; how much in this run is not known",
            "m-1: 30 in, 1 out in the session so far",
        ),
        ("", &same, "$0.0200", "m-1: 20 in, 1 out"),
    ];
    for (resumed, figures, cost, model) in table {
        let began = if resumed.is_empty() { Value::Null } else { json!(resumed) };
        assert_eq!(
            rows(began, figures.clone()),
            (Some(cost.to_owned()), Some(model.to_owned())),
            "{resumed} {figures}"
        );
    }
    assert_eq!(rows(json!("same"), json!({})), (None, None));
}

#[test]
fn the_command_says_whose_a_resumed_runs_money_is() {
    let cost = |args: &[&str]| {
        let out = turnline(&[&["parse", "--output", "text"], args].concat(), CLAUDE).stdout;
        out.lines().find_map(|line| line.strip_prefix("  cost    ")).expect("a cost").to_owned()
    };
    assert_eq!(cost(&[]), "$0.0123");
    let total = "$0.0123 in the session so far; how much in this run is not known";
    assert_eq!(cost(&["--resume", "s-1"]), total);
    assert_eq!(cost(&["--resume", "s-1", "--envelope-only"]), total);
}

#[test]
fn the_verdict_with_its_reasons() {
    let envelope = json!({
        "type": "envelope", "executor": "codex", "status": "failed", "exit": {"code": 7},
        "errors": [{"code": "executor_run_failed", "class": "auth", "message": "executor 'codex' reported failure: no key\nsee the page", "source": "stdout"}],
    });
    let want = "✗ failed  codex\n  executor 'codex' reported failure: no key  [executor_run_failed, auth]\n    see the page\n\
        \x20 work    0 turns, 0 tool calls\n\x20 exit    code 7\n";
    assert_eq!(ended(&[], envelope), want);
    let envelope = json!({"type": "envelope", "executor": "codex", "status": "cancelled", "exit": {"signal": 2}});
    assert!(
        ended(&[], envelope)
            .contains("■ cancelled  codex\n  work    0 turns, 0 tool calls\n  exit    ended by signal 2\n")
    );
}

#[test]
fn a_structured_answer_is_shown_unless_the_answer_repeats_it() {
    let envelope = |result: &str| json!({"type": "envelope", "executor": "codex", "status": "ok", "result": result, "structured_output": {"n": 3, "m": 1}});
    assert!(ended(&[], envelope("It is 3.")).contains("\nstructured answer  {"));
    let out = ended(&[], envelope("{\"m\": 1, \"n\": 3}"));
    assert!(out.contains("answer\n{\"m\": 1, \"n\": 3}\n") && !out.contains("structured"), "{out}");
}

#[test]
fn an_answer_that_nobody_said_is_shown_before_the_verdict() {
    let envelope = |result: &str| json!({"type": "envelope", "executor": "codex", "status": "ok", "result": result});
    assert!(
        ended(&[whole("Something else.")], envelope("The answer."))
            .contains("Something else.\n\nanswer\nThe answer.\n\n✓ ok")
    );
    assert!(!ended(&[piece("The "), piece("answer.")], envelope("The answer.")).contains("\nanswer\n"));
    let other = json!({"type": "message", "role": "assistant", "message_id": "o", "part": 0, "text": "Part two."});
    assert!(!ended(&[whole("Part one."), other], envelope("Part one.\nPart two.")).contains("\nanswer\n"));
    let user = json!({"type": "message", "role": "user", "message_id": "o", "text": "The answer."});
    assert!(
        ended(&[user], envelope("The answer.")).contains("\nanswer\nThe answer.\n"),
        "an echo of the user is no answer"
    );
    let nested =
        json!({"type": "message", "role": "assistant", "message_id": "o", "agent": "g", "text": "The answer."});
    assert!(ended(&[nested], envelope("The answer.")).contains("\nanswer\nThe answer.\n"), "nor is a sub-agent's text");
}

#[test]
fn an_answer_that_was_only_said_in_a_text_taken_back_is_shown() {
    let envelope = |result: &str| json!({"type": "envelope", "executor": "codex", "status": "ok", "result": result});
    let void = || taken_back("message", 0);
    assert!(ended(&[whole("So."), void()], envelope("So.")).contains("back: So.\n\nanswer\nSo.\n\n✓ ok"));
    let again = [whole("So."), void(), whole("So.")];
    assert!(!ended(&again, envelope("So.")).contains("answer"), "it was said anew");
}
