//! `turnline parse --acts`: what a run did that others see, told by the command.

mod common;

use common::turnline;
use serde_json::{Value, json};

const KEY: &str = "a1B2c3D4e5F6g7H8i9J0";

/// A push that fails, a pull request that is opened, and a command that only speaks of a push.
fn stream() -> String {
    let call = |id: &str, command: &str| {
        json!({"type": "assistant", "session_id": "s-1", "message": {"id": id, "role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}},
        ]}})
    };
    let end = |id: &str, output: &str, failed: bool| {
        json!({"type": "user", "session_id": "s-1", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed},
        ]}})
    };
    let records = [
        json!({"type": "system", "subtype": "init", "session_id": "s-1", "tools": ["Bash"]}),
        call("c-1", &format!("cargo test && git push https://me:{KEY}@example.org/r.git fix-7")),
        end("c-1", "error: failed to push some refs", true),
        call("c-2", &format!("GH_TOKEN={KEY} gh pr create --fill")),
        end("c-2", "https://github.com/o/r/pull/12\n", false),
        call("c-3", "echo git push"),
        end("c-3", "git push", false),
        json!({"type": "result", "subtype": "success", "is_error": false, "result": "Opened it.", "session_id": "s-1"}),
    ];
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// The two acts, as the envelope has them.
fn acts() -> [Value; 2] {
    [
        json!({
            "act_id": "act-1", "kind": "push", "target": "https://[redacted]@example.org/r.git fix-7",
            "command": "git push https://[redacted]@example.org/r.git fix-7",
            "tool_call_id": "c-1", "ok": false, "irreversible": false,
        }),
        json!({
            "act_id": "act-2", "kind": "pull_request_opened", "target": "12",
            "command": "GH_TOKEN=[redacted] gh pr create --fill",
            "tool_call_id": "c-2", "ok": true, "irreversible": false,
        }),
    ]
}

#[test]
fn each_act_is_an_event_behind_the_end_of_its_call_and_stands_in_the_envelope() {
    let ran = turnline(&["parse", "--acts"], stream());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let lines = ran.json();
    let told: Vec<usize> = (0..lines.len()).filter(|at| lines[*at]["type"] == "act").collect();
    assert_eq!(told.len(), 2, "{}", ran.stdout);
    for (at, act) in told.into_iter().zip(acts()) {
        let (event, call) = (&lines[at], &lines[at - 1]);
        for (name, value) in act.as_object().expect("an object") {
            // Of an event a false one is left out.
            assert_eq!(event.get(name).unwrap_or(&Value::Bool(false)), value, "{name}: {event}");
        }
        assert_eq!((&call["type"], &call["tool_call_id"]), (&"tool_call_update".into(), &act["tool_call_id"]));
        assert_eq!((&event["seq"], &event["line"]), (&at.into(), &call["line"]));
    }
    assert_eq!(ran.envelope()["acts"], json!(acts()));
    assert_eq!(ran.envelope()["stream"]["events"], lines.len() - 1);
}

#[test]
fn no_act_tells_a_secret() {
    let ran = turnline(&["parse", "--acts"], stream());
    // The call itself is told as the executor printed it.
    let (calls, others): (Vec<Value>, Vec<Value>) =
        ran.json().into_iter().partition(|line| line["type"] == "tool_call");
    assert_eq!(calls.iter().filter(|call| call.to_string().contains(KEY)).count(), 2);
    assert!(others.iter().all(|line| !line.to_string().contains(KEY)), "{}", ran.stdout);
    let ran = turnline(&["parse", "--acts", "--envelope-only"], stream());
    assert_eq!(ran.envelope()["acts"], json!(acts()));
    assert!(!ran.stdout.contains(KEY), "{}", ran.stdout);
}

#[test]
fn the_transcript_has_a_line_for_each_act() {
    let ran = turnline(&["parse", "--acts", "--output", "text"], stream());
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with('‼')).collect();
    let want = [
        "‼ push https://[redacted]@example.org/r.git fix-7: git push https://[redacted]@example.org/r.git fix-7, failed",
        "‼ pull_request_opened 12: GH_TOKEN=[redacted] gh pr create --fill",
    ];
    assert_eq!(lines, want, "{}", ran.stdout);
}

#[test]
fn nobody_who_did_not_ask_is_told_of_acts() {
    let (with, without) = (turnline(&["parse", "--acts"], stream()), turnline(&["parse"], stream()));
    let rest = |mut lines: Vec<Value>| -> Vec<Value> {
        lines.retain(|line| line["type"] != "act" && line["type"] != "envelope");
        lines.iter_mut().for_each(|line| line["seq"] = Value::Null);
        lines
    };
    assert!(!without.types().contains(&"act".to_owned()), "{}", without.stdout);
    assert_eq!(without.envelope()["acts"], json!([]));
    // All else is the same but for the numbers.
    assert_eq!(rest(without.json()), rest(with.json()));
    let text = turnline(&["parse", "--output", "text"], stream()).stdout;
    assert!(!text.contains('‼'), "{text}");
}
