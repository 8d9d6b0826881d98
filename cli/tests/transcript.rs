//! What the transcript says of events.

mod common;

use common::events::{piece, show, shown, taken_back, whole};
use common::{CLAUDE, CODEX, turnline};
use serde_json::{Value, json};
use turnline_cli::transcript::{Paint, Transcript};

fn call(id: &str, name: &str, title: &str) -> Value {
    json!({"type": "tool_call", "tool_call_id": id, "name": name, "kind": "execute", "title": title})
}

fn done(id: &str) -> Value {
    json!({"type": "tool_call_update", "tool_call_id": id, "status": "completed"})
}

fn thought(text: &str, delta: bool) -> Value {
    json!({"type": "reasoning", "message_id": "m", "part": 1, "text": text, "delta": delta})
}

#[test]
fn who_spoke_is_said_once_until_another_speaks() {
    let say =
        |role: &str, id: &str, text: &str| json!({"type": "message", "role": role, "message_id": id, "text": text});
    let events = [
        say("user", "1", "Do it,\nplease."),
        say("assistant", "2", "I will."),
        say("assistant", "3", "Done."),
        say("user", "4", "Thanks"),
    ];
    let want = "user\n> Do it,\n> please.\n\nassistant\nI will.\n\nDone.\n\nuser\n> Thanks\n";
    assert_eq!(shown(&events), want);
}

#[test]
fn what_the_cli_itself_said_is_not_the_models() {
    let event =
        json!({"type": "message", "role": "assistant", "message_id": "1", "text": "Not logged in", "synthetic": true});
    assert_eq!(shown(&[event]), "codex\nNot logged in\n");
}

#[test]
fn each_text_once() {
    let table: &[(&[Value], &str)] = &[
        (&[whole("Hello you.")], "Hello you."),
        (&[piece("Hel"), piece("lo "), piece("you."), whole("Hello you.")], "Hello you."),
        (&[piece("Hello "), piece("you.\n"), whole("Hello you.")], "Hello you."),
        (&[piece("Hello"), whole("Hello you.")], "Hello you."),
        (&[whole("Hello you."), whole("Hello you.")], "Hello you."),
        (&[piece(""), piece("Hello you."), piece("")], "Hello you."),
        (&[piece("\n\nHello you.")], "Hello you."),
    ];
    for (events, want) in table {
        assert_eq!(shown(events).trim_end(), format!("assistant\n{want}"), "{events:?}");
    }
    assert_eq!(shown(&[whole("")]), "", "an empty text is an event but no line");
}

#[test]
fn a_replaced_text_is_said_to_be() {
    let out = shown(&[piece("Wrong"), whole("Right")]);
    assert_eq!(out, "assistant\nWrong\n\n(the text above was replaced by this one:)\n\nRight\n");
}

#[test]
fn a_text_taken_back_is_said_to_be() {
    let void = || taken_back("message", 0);
    let other = json!({"type": "message", "role": "assistant", "message_id": "o", "text": "Right."});
    let table: &[(&[Value], &str)] = &[
        (&[whole("Wrong."), void()], "assistant\nWrong.\n\n✗ an earlier text was taken back: Wrong.\n"),
        (&[piece("Wr"), piece("ong."), void()], "assistant\nWrong.\n\n✗ an earlier text was taken back: Wrong.\n"),
        (
            &[whole("Wrong.\nAll of it."), other.clone(), void()],
            "assistant\nWrong.\nAll of it.\n\nRight.\n\n✗ an earlier text was taken back: Wrong. All of it.\n",
        ),
        // What comes under its key afterwards is another text.
        (
            &[whole("Wrong."), void(), whole("Wrong.")],
            "assistant\nWrong.\n\n✗ an earlier text was taken back: Wrong.\n\nWrong.\n",
        ),
        (&[whole("Wrong."), void(), void()], "assistant\nWrong.\n\n✗ an earlier text was taken back: Wrong.\n"),
        (&[thought("Hm.", false), taken_back("reasoning", 1)], "~ Hm.\n\n✗ an earlier thought was taken back: Hm.\n"),
        // Nothing is known of it; nothing of it was to be seen.
        (&[other, void()], "assistant\nRight.\n\n✗ an earlier text was taken back\n"),
        (&[whole(""), void()], ""),
    ];
    for (events, want) in table {
        assert_eq!(shown(events), *want, "{events:?}");
    }
}

#[test]
fn what_is_taken_back_is_quoted_clean_and_short() {
    let long = format!("\u{1b}]0;t\u{7}\u{1b}[2JWrong\u{202e}\nand {}", "long ".repeat(100));
    let out = shown(&[whole(&long), taken_back("message", 0)]);
    let line = out.lines().last().expect("a line");
    let want = "✗ an earlier text was taken back: Wrong<U+202E> and long long long";
    assert!(line.starts_with(want) && line.ends_with('…') && line.chars().count() < 100, "{line}");
}

#[test]
fn a_sub_agents_text_is_taken_back_in_its_lane() {
    let [mut said, mut void] = [whole("Wrong."), taken_back("message", 0)];
    (said["agent"], void["agent"]) = (json!("g"), json!("g"));
    let out = shown(&[said, void]);
    assert_eq!(out, "╭ g\n│ assistant\n│ Wrong.\n\n│ ✗ an earlier text was taken back: Wrong.\n");
}

#[test]
fn pieces_appear_as_they_come() {
    let mut transcript = Transcript::new("codex", Paint::plain());
    let mut out = Vec::new();
    for (text, want) in [("Hel", "assistant\nHel"), ("lo", "assistant\nHello"), ("\n", "assistant\nHello\n")] {
        show(&mut transcript, &[piece(text)], &mut out);
        assert_eq!(String::from_utf8_lossy(&out), want);
        assert_eq!(transcript.at_line_start(), want.ends_with('\n'));
    }
}

#[test]
fn a_text_that_others_interrupt_goes_on_and_is_still_shown_once() {
    let notice = json!({"type": "notice", "severity": "warning", "message": "slow", "code": "x"});
    let out = shown(&[piece("Hello "), notice, piece("you."), whole("Hello you.")]);
    assert_eq!(out, "assistant\nHello \n\n! slow [x]\n\nyou.");
}

#[test]
fn usage_does_not_break_a_text() {
    let usage = json!({"type": "usage", "scope": "turn", "mode": "delta", "input": 1});
    assert_eq!(shown(&[piece("Hello "), usage, piece("you.")]), "assistant\nHello you.");
}

#[test]
fn thoughts_are_marked() {
    let out = shown(&[
        thought("Let me ", true),
        thought("see.\nYes.", true),
        thought("Let me see.\nYes.", false),
        whole("Here."),
    ]);
    assert_eq!(out, "~ Let me see.\n~ Yes.\n\nassistant\nHere.\n");
    let withheld = json!({"type": "reasoning", "message_id": "m", "text": "", "redacted": true});
    assert_eq!(shown(&[withheld]), "~ (a thought that the vendor withholds)\n");
}

#[test]
fn tools_with_their_outcome() {
    let update = |fields: Value| {
        let mut update = json!({"type": "tool_call_update", "tool_call_id": "a"});
        update.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        update
    };
    let table = [
        (json!({"status": "completed"}), "  ✓ ok\n"),
        (json!({"status": "completed", "exit_code": 0, "output": "one\n  two\n"}), "  ✓ ok\n    one\n      two\n"),
        (
            json!({"status": "completed", "output": "1\n2\n3\n4\n5\n6"}),
            "  ✓ ok\n    1\n    2\n    3\n    4\n    … 2 more lines\n",
        ),
        (
            json!({"status": "failed", "exit_code": 1, "error": "no such file"}),
            "  ✗ failed (exit 1)\n    no such file\n",
        ),
        (json!({"status": "failed", "error": "same", "output": "same"}), "  ✗ failed\n    same\n"),
        (json!({"status": "declined"}), "  ✗ not allowed\n"),
        (json!({"status": "cancelled"}), "  ✗ cancelled\n"),
        (json!({"status": "unknown"}), "  ? the outcome was never told\n"),
        (json!({"status": "in_progress"}), ""),
        (
            json!({"status": "completed", "changes": [{"path": "a.rs", "op": "update", "diff": "--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n+y\n+z\n"}]}),
            "  ✓ ok\n    update a.rs  +2 -1\n",
        ),
    ];
    for (fields, want) in table {
        let out = shown(&[call("a", "Bash", "cargo test"), update(fields.clone())]);
        assert_eq!(out, format!("● Bash  cargo test\n{want}"), "{fields}");
    }
}

#[test]
fn the_outcome_of_a_call_further_up_names_it() {
    let out = shown(&[call("a", "Bash", "one"), call("b", "Bash", "two"), done("a"), done("b")]);
    assert_eq!(out, "● Bash  one\n● Bash  two\n  ✓ ok  Bash  one\n  ✓ ok  Bash  two\n");
}

#[test]
fn a_call_is_named_by_what_tells_most() {
    let table = [
        (json!({"input": {"command": "ls -a"}}), "● Tool  ls -a\n"),
        (json!({"input": {"command": ["bash", "-c", "ls"]}}), "● Tool  bash -c ls\n"),
        (json!({"input": {"file_path": "/a/b.rs", "content": "long"}}), "● Tool  /a/b.rs\n"),
        (json!({"input": {"n": 1}}), "● Tool  {\"n\":1}\n"),
        (json!({"input": {"n": 1}, "locations": [{"path": "/a"}, {"path": "/b"}]}), "● Tool  /a, /b\n"),
        (json!({"input": {"n": 1}, "title": "Looks up n"}), "● Tool  Looks up n\n"),
        (json!({"input": {"command": "ls"}, "title": "Lists", "kind": "execute"}), "● Tool  ls  (Lists)\n"),
        (json!({"input": {"command": "ls"}, "title": "ls", "kind": "execute"}), "● Tool  ls\n"),
        (json!({"input": {"command": "ls"}, "title": "Lists", "kind": "other"}), "● Tool  Lists\n"),
        (json!({"title": "x", "server": "files"}), "● files/Tool  x\n"),
        (json!({"title": "two\nlines"}), "● Tool  two lines\n"),
    ];
    for (fields, want) in table {
        let mut call = json!({"type": "tool_call", "tool_call_id": "a", "name": "Tool", "kind": "other"});
        call.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        assert_eq!(shown(&[call]), want, "{fields}");
    }
}

#[test]
fn a_call_whose_input_comes_later_is_shown_then() {
    let bare = json!({"type": "tool_call", "tool_call_id": "a", "name": "Bash", "kind": "execute", "input": {}});
    let more =
        json!({"type": "tool_call_update", "tool_call_id": "a", "status": "in_progress", "input_delta": "{\"comm"});
    let input =
        json!({"type": "tool_call_update", "tool_call_id": "a", "status": "in_progress", "input": {"command": "ls"}});
    assert_eq!(shown(&[bare.clone(), more.clone()]), "");
    assert_eq!(shown(&[bare.clone(), more, input, done("a")]), "● Bash  ls\n  ✓ ok\n");
    assert_eq!(shown(&[bare, done("a")]), "● Bash\n  ✓ ok\n");
}

#[test]
fn plans_when_they_change() {
    let plan = |status: &str| json!({"type": "plan", "entries": [{"content": "one", "status": "completed"}, {"content": "two", "status": status}]});
    let out = shown(&[plan("pending"), plan("pending"), plan("in_progress")]);
    assert_eq!(out, "plan\n  [x] one\n  [ ] two\nplan\n  [x] one\n  [>] two\n");
}

#[test]
fn lines_for_all_that_is_worth_one() {
    let table = [
        (
            json!({"type": "session_started", "session_id": "s-1", "model": "m-1", "cwd": "/x", "cli_version": "1.2"}),
            "codex 1.2, m-1, session s-1, in /x\n",
        ),
        (
            json!({"type": "session_started", "session_id": "s-1", "resumed": "replaced"}),
            "codex, session s-1\nnot the session that was asked for\n",
        ),
        (json!({"type": "turn_started", "turn": 0}), ""),
        (json!({"type": "turn_started", "turn": 1}), "── turn 2 ──\n"),
        (json!({"type": "turn_ended", "stop_reason": "end_turn"}), ""),
        (json!({"type": "turn_ended", "stop_reason": "refusal"}), "! the model refused\n"),
        (
            json!({"type": "notice", "severity": "warning", "message": "Reconnecting", "code": "retry", "retry": {"attempt": 2, "max": 5, "delay_ms": 184}}),
            "! Reconnecting (tries again, 2 of 5, in 184 ms)\n",
        ),
        (json!({"type": "notice", "severity": "info", "message": "", "code": "hook"}), "i hook\n"),
        (
            json!({"type": "permission_request", "request_id": "r", "title": "Run rm?"}),
            "? asks for permission: Run rm?\n",
        ),
        (
            json!({"type": "permission_resolved", "outcome": "denied", "tool_call_id": "zz", "reason": "rules"}),
            "✗ permission denied: call zz: rules\n",
        ),
        (
            json!({"type": "compaction", "phase": "ended", "trigger": "auto", "tokens_before": 120000, "tokens_after": 2000}),
            "… shortened its context (auto) from 120,000 to 2,000 tokens\n",
        ),
        (
            json!({"type": "act", "act_id": "1", "kind": "push", "target": "origin", "command": "git push", "ok": true, "irreversible": true}),
            "‼ push origin: git push (cannot be taken back)\n",
        ),
        (json!({"type": "raw", "reason": "malformed", "text": "[debug] noise", "bytes": 13}), "· [debug] noise\n"),
        (json!({"type": "raw", "reason": "text", "text": "a line", "bytes": 6}), "a line\n"),
        (json!({"type": "raw", "reason": "unmapped", "text": "{}", "bytes": 2}), ""),
        (json!({"type": "rate_limit", "name": "five_hour", "utilization": 0.5}), ""),
    ];
    for (event, want) in table {
        assert_eq!(shown(std::slice::from_ref(&event)), want, "{event}");
    }
}

#[test]
fn a_denial_names_its_call() {
    let denied = json!({"type": "permission_resolved", "outcome": "denied", "tool_call_id": "a"});
    let out = shown(&[call("a", "Bash", "rm x"), denied]);
    assert_eq!(out, "● Bash  rm x\n\n✗ permission denied: Bash  rm x\n");
}

#[test]
fn sub_agents_are_named_and_set_apart() {
    let nested = |text: &str| json!({"type": "message", "role": "assistant", "message_id": "n", "part": 0, "text": text, "agent": "g-1", "delta": true});
    let began =
        json!({"type": "subagent", "agent": "g-1", "phase": "started", "name": "explorer", "description": "looks"});
    let over = json!({"type": "subagent", "agent": "g-1", "phase": "ended", "description": "It was found.", "status": "completed"});
    let mut inner = call("b", "Grep", "x");
    inner["agent"] = json!("g-1");
    let out =
        shown(&[whole("I ask."), began, nested("Look\ning"), nested("."), inner, over, whole("I ask.\nIt says.")]);
    let want = "assistant\nI ask.\n\n▸ sub-agent explorer began: looks\n\n╭ explorer\n│ assistant\n│ Look\n│ ing.\n\n│ ● Grep  x\n\n\
        │ ◂ sub-agent explorer ended: completed\n\nassistant\nIt says.\n";
    assert_eq!(out, want);
}

#[test]
fn the_command_shows_that_a_text_was_taken_back() {
    let said = |uuid: &str, id: &str, text: &str, more: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","message":{{"id":"{id}","role":"assistant","content":[{{"type":"text","text":"{text}"}}]}},"session_id":"s-1"{more}}}"#
        ) + "\n"
    };
    let stream = [
        said("u-1", "m-1", "Wr\\u001b[31mong.", ""),
        said("u-2", "m-2", "Right.", r#","supersedes":["u-1"]"#),
        r#"{"type":"result","subtype":"success","is_error":false,"result":"Right.","session_id":"s-1"}"#.to_owned(),
    ];
    let ran = turnline(&["parse", "--output", "text"], stream.concat());
    let want = "\n\nassistant\nWrong.\n\n✗ an earlier text was taken back: Wrong.\n\nRight.\n\n✓ ok";
    assert!(ran.stdout.contains(want), "{:?}", ran.stdout);
}

#[test]
fn the_command_shows_a_claude_run() {
    let ran = turnline(&["parse", "--output", "text"], CLAUDE);
    let want = "claude-code, m-1, session s-1, in /somewhere\n\nassistant\nHello there.\n\n✓ ok  claude-code\n";
    assert!(ran.stdout.starts_with(want), "{}", ran.stdout);
    for row in
        ["\n  tokens  1,200 in, 5 from cache, 34 out, 1,239 in all\n", "\n  cost    $0.0123\n", "\n  session s-1\n"]
    {
        assert!(ran.stdout.contains(row), "{row}: {}", ran.stdout);
    }
    assert_eq!(ran.stdout.matches("Hello there.").count(), 1);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn the_command_shows_a_codex_run() {
    let ran = turnline(&["parse", "--executor", "codex", "--output", "text"], CODEX);
    let want = "codex, session t-1\n\n● command_execution  ls -a\n  ✓ ok\n    one\n    two\n\nassistant\nAll done.\n\n✓ ok  codex\n";
    assert!(ran.stdout.starts_with(want), "{}", ran.stdout);
}

#[test]
fn a_sub_agent_without_a_name_is_called_by_its_call() {
    let mut nested = whole("Looking.");
    nested["parent_tool_call_id"] = json!("a");
    let out = shown(&[call("a", "Task", "explore"), nested.clone()]);
    assert_eq!(out, "● Task  explore\n\n╭ Task  explore\n│ assistant\n│ Looking.\n");
    assert_eq!(shown(&[nested]), "╭ a\n│ assistant\n│ Looking.\n");
}
