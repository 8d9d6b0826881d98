//! What a run came to, by the facts about its end that no stream holds.

use turnline::{Envelope, ErrorClass, EventKind, Exit, NonzeroExit, Parser, Profile, Status, StopReason, TurnStatus};

fn run(executor: &str, lines: &[&str], exit: &Exit) -> Envelope {
    let mut parser = Parser::new(&Profile::builtin(executor).unwrap());
    parser.push(lines.join("\n").as_bytes());
    parser.eof();
    while parser.next_event().is_some() {}
    parser.finish(exit)
}

fn classes(envelope: &Envelope) -> Vec<ErrorClass> {
    envelope.errors.iter().map(|error| error.class).collect()
}

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"pong","session_id":"s"}"#;

/// A process that had said its last word and would not go was ended by us: with a signal of ours, which is no fault of its.
#[test]
fn a_signal_of_ours_does_not_count_against_a_run() {
    let mut exit = Exit::signal(9);
    exit.ended_by_driver = true;
    let envelope = run("claude-code", &[RESULT], &exit);
    assert_eq!((envelope.status, classes(&envelope)), (Status::Ok, vec![]));
    assert_eq!(envelope.result.as_deref(), Some("pong"));

    // The same signal from somewhere else is one.
    let envelope = run("claude-code", &[RESULT], &Exit::signal(9));
    assert_eq!((envelope.status, classes(&envelope)), (Status::Failed, vec![ErrorClass::Exit]));
}

/// The code that an ended process left counts no more than the signal.
#[test]
fn nor_does_the_code_of_a_process_that_was_ended() {
    let mut exit = Exit::code(143);
    exit.ended_by_driver = true;
    assert_eq!(run("claude-code", &[RESULT], &exit).status, Status::Ok);
    assert_eq!(classes(&run("claude-code", &[RESULT], &Exit::code(143))), vec![ErrorClass::Exit]);
}

/// Where the terminal record is to win over the exit, it is one that nothing is owed behind.
#[test]
fn a_terminal_record_wins_only_when_it_is_the_last_word() {
    let turn = [
        r#"{"type":"turn.started"}"#,
        r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"pong"}}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}"#,
    ];
    let mut exit = Exit::code(1);
    assert_eq!(classes(&run("codex", &turn, &exit)), vec![ErrorClass::Exit]);
    exit.nonzero = NonzeroExit::TerminalRecordWins;
    assert_eq!(run("codex", &turn, &exit).status, Status::Ok);
    // Another turn began and never ended: the exit says how.
    let cut = [&turn[..], &turn[..1]].concat();
    assert_eq!(classes(&run("codex", &cut, &exit)), vec![ErrorClass::Exit]);
}

/// A turn whose record reports a failure did not end well, whatever reason a profile would give for its end.
#[test]
fn a_failed_turn_did_not_end_well() {
    let mut parser = Parser::new(&Profile::builtin("cursor-agent").unwrap());
    parser.push(br#"{"type":"result","subtype":"error_max_turns","is_error":false,"session_id":"s"}"#);
    parser.eof();
    let mut ends = Vec::new();
    while let Some(event) = parser.next_event() {
        if let EventKind::TurnEnded(end) = &event.kind {
            ends.push((end.stop_reason, end.error.is_some()));
        }
    }
    assert_eq!(ends, [(StopReason::Error, true)]);
}

/// Words behind the result, after an interrupt: the run ended well by its record, and that record is no answer of the turn
/// that was cut off.
#[test]
fn a_turn_that_was_cut_off_has_no_earlier_turns_answer() {
    let told = run(
        "claude-code",
        &[
            r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"One."}]},"session_id":"s"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"One.","session_id":"s"}"#,
            r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]},"session_id":"s"}"#,
            r#"{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"Two."}]},"session_id":"s"}"#,
        ],
        &Exit::code(0),
    );
    let reports: Vec<_> = told.turn_reports.iter().map(|report| (report.status, report.result.as_deref())).collect();
    assert_eq!((told.status, told.result.as_deref()), (Status::Ok, Some("One.")));
    assert_eq!(reports, [(TurnStatus::Ok, Some("One.")), (TurnStatus::Ok, None)]);
}

/// Where no record is promised at the end of a turn, what an interrupted one said is looked at when the verdict is known.
#[test]
fn a_turn_that_was_cut_off_keeps_what_it_said() {
    let profile = Profile::from_toml(
        r#"
id = "x"
title = "X"
command = "x"
answer = "last_message"
terminal = "never"
record_type = ["type"]

[[rules]]
match = { type = "end" }
emit = [{ event = "turn_ended", stop_reason = "=end_turn" }]

[[rules]]
match = { type = "stop" }
emit = [{ event = "interrupted" }]

[[rules]]
match = { type = "m" }
emit = [{ event = "message", text = "text" }]
"#,
    )
    .unwrap();
    let mut parser = Parser::new(&profile);
    parser.push(b"{\"type\":\"m\",\"text\":\"One.\"}\n{\"type\":\"end\"}\n{\"type\":\"m\",\"text\":\"Two.\"}\n{\"type\":\"stop\"}\n");
    parser.eof();
    let told = parser.finish(&Exit::code(0));
    let reports: Vec<_> = told.turn_reports.iter().map(|report| (report.status, report.result.as_deref())).collect();
    assert_eq!(told.status, Status::Ok);
    assert_eq!(reports, [(TurnStatus::Ok, Some("One.")), (TurnStatus::Ok, Some("Two."))]);
}

/// What a turn's end says of its failure is what the report and the envelope say: of weak words and better ones the better,
/// and where the record that ends it has no word of its own, what was told before.
#[test]
fn the_end_of_a_turn_knows_what_failed_it() {
    for (end, want) in [
        (r#"{ event = "failure", weak = true, message = "=no success" }, "#, "disk full"),
        (r#"{ event = "failure", message = "=gave up" }, "#, "gave up"),
        ("", "disk full"),
    ] {
        let profile = Profile::from_toml(&format!(
            "id = \"x\"\ncommand = \"x\"\n[[rules]]\nmatch = {{ t = \"go\" }}\nemit = [{{ event = \"turn_started\" }}]\n\
             [[rules]]\nmatch = {{ t = \"bad\" }}\nemit = [{{ event = \"failure\", message = \"m\" }}]\n\
             [[rules]]\nmatch = {{ t = \"end\" }}\nterminal = true\nemit = [{end}{{ event = \"turn_ended\", stop_reason = \"=error\" }}]\n"
        ))
        .unwrap();
        let mut parser = Parser::new(&profile);
        parser.push(b"{\"t\":\"go\"}\n{\"t\":\"bad\",\"m\":\"disk full\"}\n{\"t\":\"end\"}\n");
        parser.eof();
        let mut told = Vec::new();
        while let Some(event) = parser.next_event() {
            if let EventKind::TurnEnded(ended) = &event.kind {
                told.push(ended.error.as_ref().map(|error| error.message.decode().into_owned()));
            }
        }
        assert_eq!(told, [Some(want.to_owned())], "{end}");
        let report = parser.take_turn().expect("a report");
        assert_eq!(report.error.map(|error| error.message).as_deref(), Some(want), "{end}");
        assert_eq!(parser.finish(&Exit::code(0)).status, Status::Failed);
    }
}
