//! What reaches a terminal: colours only where they are wanted, and nothing of the executor's that could steer it.

mod common;

use common::events::{ended, show};
use common::{CLAUDE, turnline};
use serde_json::{Value, json};
use turnline_cli::transcript::{Paint, Transcript};

/// All that a terminal obeys or that turns text around: controls but line feed and tab, C1, bidi overrides and isolates.
fn obeyed(text: &str) -> Option<char> {
    text.chars().find(|c| {
        (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    })
}

/// Puts the text into every string of a value.
fn infect(value: &mut Value, with: &str) {
    match value {
        Value::String(text) => *text = format!("{text}{with}{text}"),
        Value::Array(items) => items.iter_mut().for_each(|item| infect(item, with)),
        Value::Object(members) => {
            // Names of ours stay, or the event would be another.
            let ours = [
                "type",
                "role",
                "kind",
                "status",
                "severity",
                "outcome",
                "phase",
                "stop_reason",
                "reason",
                "scope",
                "mode",
                "resumed",
            ];
            let of_type = members.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
            for (name, value) in members.iter_mut() {
                let vendors = matches!(
                    (of_type.as_str(), name.as_str()),
                    ("permission_request" | "act", "kind")
                        | ("subagent" | "rate_limit", "status")
                        | ("permission_resolved", "reason")
                );
                if vendors || !ours.contains(&name.as_str()) {
                    infect(value, with);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn no_field_of_any_event_steers_the_terminal() {
    let events = [
        json!({"type": "session_started", "session_id": "s", "model": "m", "cwd": "/x", "cli_version": "1", "permission_mode": "p", "tools": ["t"]}),
        json!({"type": "message", "role": "assistant", "message_id": "m", "part": "p", "text": "text", "delta": true}),
        json!({"type": "message", "role": "user", "message_id": "u", "text": "text", "agent": "agent", "parent_tool_call_id": "parent"}),
        json!({"type": "message", "role": "assistant", "message_id": "v", "text": "text", "synthetic": true, "native_type": "n"}),
        json!({"type": "reasoning", "message_id": "m", "text": "thought"}),
        json!({"type": "reasoning", "message_id": "m", "withdrawn": true, "synthetic": true}),
        json!({"type": "message", "role": "assistant", "message_id": "w", "text": "wrong"}),
        json!({"type": "message", "role": "assistant", "message_id": "w", "withdrawn": true, "synthetic": true}),
        json!({"type": "tool_call", "tool_call_id": "a", "name": "n", "kind": "edit", "server": "s", "title": "t", "input": {"k": "v"}, "locations": [{"path": "p"}]}),
        json!({"type": "tool_call", "tool_call_id": "b", "name": "n", "kind": "edit", "input": {"command": "v"}}),
        json!({"type": "tool_call", "tool_call_id": "c", "name": "n", "kind": "edit", "input": {"k": "v"}}),
        json!({"type": "tool_call", "tool_call_id": "d", "name": "n", "kind": "edit", "locations": [{"path": "p"}]}),
        json!({"type": "tool_call_update", "tool_call_id": "a", "status": "failed", "output": "out\nput", "error": "err\nor", "changes": [{"path": "p", "op": "o", "diff": "+d"}]}),
        json!({"type": "tool_call_update", "tool_call_id": "b", "status": "completed", "output": "o"}),
        json!({"type": "plan", "entries": [{"content": "c", "status": "odd", "priority": "p"}]}),
        json!({"type": "notice", "severity": "warning", "code": "c", "message": "m"}),
        json!({"type": "permission_request", "request_id": "r", "kind": "k", "title": "t"}),
        json!({"type": "permission_resolved", "request_id": "r", "tool_call_id": "zz", "outcome": "denied", "by": "b", "reason": "r"}),
        json!({"type": "subagent", "agent": "g", "phase": "started", "name": "n", "description": "d"}),
        json!({"type": "subagent", "agent": "g", "phase": "ended", "status": "s"}),
        json!({"type": "compaction", "phase": "ended", "trigger": "t"}),
        json!({"type": "act", "act_id": "1", "kind": "k", "target": "t", "command": "c"}),
        json!({"type": "turn_ended", "stop_reason": "error", "error": {"class": "c", "message": "m"}}),
        json!({"type": "raw", "reason": "text", "text": "t", "bytes": 1}),
        json!({"type": "raw", "reason": "malformed", "text": "t", "bytes": 1}),
        json!({"type": "raw", "reason": "oversize", "text": "t", "bytes": 1}),
    ];
    let envelope = json!({
        "type": "envelope", "executor": "x", "status": "failed", "result": "answer", "session_id": "s", "metadata": {"k": "v"},
        "errors": [{"code": "executor_run_failed", "class": "auth", "message": "m\nmore", "source": "stdout"}],
        "rate_limits": [{"name": "n", "status": "s"}], "model_usage": [{"model": "m", "input": 1}], "structured_output": {"k": "v"},
        "usage": {"input": 1}, "unmapped_types": {"x": 1}, "stderr": {"head": "h"}, "last_text": "l",
    });
    for poison in [
        "\x1b[2J",
        "\x1b]0;t\x07",
        "\x1b]52;c;eA==\x1b\\",
        "\x1b",
        "\x07\x08\0",
        "\r",
        "\u{9b}2J",
        "\u{85}",
        "\x7f",
        "\u{202e}",
        "\u{2066}",
    ] {
        let mut events = events.clone();
        events.iter_mut().for_each(|event| infect(event, poison));
        let mut envelope = envelope.clone();
        infect(&mut envelope["result"], poison);
        for name in ["executor", "session_id", "rate_limits", "model_usage", "structured_output", "last_text"] {
            infect(&mut envelope[name], poison);
        }
        infect(&mut envelope["errors"][0]["message"], poison);
        let out = ended(&events, envelope);
        assert_eq!(obeyed(&out), None, "{poison:?}: {out:?}");
        assert!(out.contains("text") && out.contains("answer"), "{out}");
        assert!(out.contains("taken back: wrong") && out.contains("taken back: thought"), "{out}");
    }
}

#[test]
fn colours_only_when_asked_for() {
    let mut out = Vec::new();
    let mut transcript = Transcript::new("codex", Paint::coloured());
    let events = [
        json!({"type": "reasoning", "message_id": "m", "text": "hm"}),
        json!({"type": "message", "role": "assistant", "message_id": "m", "text": "Hello", "delta": true}),
        json!({"type": "tool_call", "tool_call_id": "a", "name": "Bash", "kind": "execute", "title": "x"}),
    ];
    show(&mut transcript, &events, &mut out);
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(out.contains("\x1b[2m") && out.contains("\x1b[1m"), "{out:?}");
    // Never left on at the end of a line: whatever comes between is not coloured by accident.
    for line in out.lines() {
        assert!(
            !line.contains('\x1b') || line.rfind("\x1b[0m").is_some_and(|at| !line[at + 4..].contains('\x1b')),
            "{line:?}"
        );
    }
}

#[test]
fn the_command_colours_as_it_is_told() {
    let run = |variables: &[(&str, &str)]| {
        let mut command = common::command(&["parse", "--output", "text"]);
        command.envs(variables.iter().copied());
        common::finish(&mut command, CLAUDE.as_bytes()).stdout.contains('\x1b')
    };
    assert!(!run(&[]), "a pipe is not coloured");
    assert!(run(&[("CLICOLOR_FORCE", "1")]));
    assert!(!run(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!run(&[("CLICOLOR_FORCE", "")]));
}

#[test]
fn the_command_lets_no_escape_through() {
    let poison = "\\u001b]0;pwned\\u0007\\u001b[31mred\\u001b[0m\\u009b2J\\u202e";
    let stream = CLAUDE.replace("Hello there.", &format!("Hello{poison} there.")).replace("s-1", &format!("s{poison}"));
    let noise = "\x1b[2J\x1b[31mnoise \u{9b}2J\n";
    let ran = turnline(&["parse", "--output", "text"], format!("{noise}{stream}"));
    assert_eq!(obeyed(&ran.stdout), None, "{:?}", ran.stdout);
    assert!(ran.stdout.contains("Hellored<U+202E> there."), "{}", ran.stdout);

    let ran = turnline(&["parse", "--executor", "a\x1b[31mb\u{9b}c"], "");
    assert_eq!(obeyed(&ran.stderr), None, "{:?}", ran.stderr);
}
