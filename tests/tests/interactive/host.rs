//! What a host says while a run goes on, and what it is told.

use turnline::State::{Ended, Idle, Waiting, Working};
use turnline::{Exit, Outcome, Parser, Profile, Status, StopReason, TurnStatus};

fn parser() -> Parser {
    let mut options = turnline::Options::default();
    options.interactive = true;
    Parser::with_options(&Profile::builtin("claude-code").expect("a profile"), options)
}

fn drain(parser: &mut Parser) -> Vec<String> {
    let mut events = Vec::new();
    while let Some(event) = parser.next_event() {
        events.push(serde_json::to_string(&event).expect("JSON"));
    }
    events
}

const INIT: &[u8] = b"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}\n";
const FAILED: &[u8] =
    b"{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"errors\":[\"odd\"],\"session_id\":\"s\"}\n";

/// What the host says is known at once: a turn that was sent runs, an answered question is none any more.
#[test]
fn what_the_host_says_counts_at_once() {
    let mut parser = parser();
    assert_eq!(parser.state(), Idle);
    parser.turn_sent();
    assert_eq!(parser.state(), Working);
    parser.push(INIT);
    drain(&mut parser);
    for (id, call) in [("r-1", "c-1"), ("r-\\u00e9", "c-2")] {
        let asked = format!(
            "{{\"type\":\"control_request\",\"request_id\":\"{id}\",\"request\":{{\"subtype\":\"can_use_tool\",\"tool_use_id\":\"{call}\"}}}}\n"
        );
        parser.push(asked.as_bytes());
    }
    drain(&mut parser);
    assert_eq!(parser.state(), Waiting);
    assert!(!parser.permission_answered("r-3", Outcome::Allowed, None));
    assert!(parser.permission_answered("r-é", Outcome::Denied, Some("not \"that\" one")));
    assert_eq!(parser.state(), Waiting);
    let told = drain(&mut parser);
    assert_eq!(told.len(), 1);
    let told: serde_json::Value = serde_json::from_str(&told[0]).expect("JSON");
    let want = serde_json::json!({
        "type": "permission_resolved", "seq": told["seq"], "turn": 0, "line": 3, "synthetic": true, "request_id": "r-é",
        "tool_call_id": "c-2", "outcome": "denied", "by": "host", "reason": "not \"that\" one",
    });
    assert_eq!(told, want);
    assert!(parser.permission_answered("r-1", Outcome::Allowed, None));
    assert!(!parser.permission_answered("r-1", Outcome::Allowed, None), "it was answered");
    assert_eq!(parser.state(), Working);
    // The host interrupts, and the executor calls it a failure.
    parser.turn_interrupted();
    parser.push(FAILED);
    drain(&mut parser);
    assert_eq!(parser.state(), Idle);
    let report = parser.take_turn().expect("a report");
    assert_eq!((report.status, report.stop_reason), (TurnStatus::Cancelled, StopReason::Cancelled));
    let error = report.error.expect("an error");
    assert_eq!((error.class.as_str(), error.message.as_str()), ("interrupted", "odd"));
    parser.eof();
    drain(&mut parser);
    assert_eq!(parser.state(), Ended);
    assert_eq!(parser.finish(&Exit::code(1)).status, Status::Cancelled);
}

/// A turn that the host sent and that never began is not done: the earlier answer is not the run's verdict.
#[test]
fn a_turn_that_never_began_is_owed() {
    let mut parser = parser();
    parser.turn_sent();
    parser.push(INIT);
    parser.push(
        b"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"one\",\"session_id\":\"s\"}\n",
    );
    drain(&mut parser);
    assert_eq!(parser.state(), Idle);
    parser.turn_sent();
    assert_eq!(parser.state(), Working);
    let envelope = parser.finish(&Exit::code(0));
    assert_eq!((envelope.status, envelope.errors[0].class.as_str()), (Status::Failed, "interrupted"));
}

/// Messages that came while a turn ran may make one turn together: the executor says how many turns are to come.
#[test]
fn the_executors_word_on_its_queue_counts() {
    let mut parser = parser();
    (0..3).for_each(|_| parser.turn_sent());
    for (queued, state) in [(2, Working), (0, Idle)] {
        parser.push(INIT);
        let result = format!(
            "{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"x\",\"queued_turn_count\":{queued}}}\n"
        );
        parser.push(result.as_bytes());
        drain(&mut parser);
        assert_eq!(parser.state(), state, "{queued} queued");
    }
    let envelope = parser.finish(&Exit::code(0));
    assert_eq!((envelope.status, envelope.turns), (Status::Ok, 2));
}

/// Two calls run, and one of two requests without a call is still open when one of them ends.
#[test]
fn a_request_that_names_no_call_waits_as_long_as_a_call_may_wait_for_it() {
    let mut parser = parser();
    parser.push(INIT);
    for call in ["a", "b"] {
        let line = format!(
            "{{\"type\":\"assistant\",\"message\":{{\"id\":\"m\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"{call}\",\"name\":\"Bash\",\"input\":{{}}}}]}}}}\n"
        );
        parser.push(line.as_bytes());
    }
    let asked = b"{\"type\":\"control_request\",\"request_id\":\"r\",\"request\":{\"subtype\":\"can_use_tool\"}}\n";
    parser.push(asked);
    let ended = |call: &str| {
        format!(
            "{{\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"{call}\",\"content\":\"\"}}]}}}}\n"
        )
    };
    parser.push(ended("a").as_bytes());
    drain(&mut parser);
    assert_eq!(parser.state(), Waiting);
    parser.push(ended("b").as_bytes());
    drain(&mut parser);
    assert_eq!(parser.state(), Working);
}

/// More turns than reports are kept: what is taken as it comes is lost to nobody.
#[test]
fn reports_taken_as_turns_end_are_all_there() {
    let mut options = turnline::Options::default();
    (options.interactive, options.limits.turns, options.limits.turn_text) = (true, 2, 4);
    let mut parser = Parser::with_options(&Profile::builtin("claude-code").expect("a profile"), options);
    let mut taken = Vec::new();
    for n in 0..5 {
        parser.push(INIT);
        let result =
            format!("{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"no. {n}é\"}}\n");
        parser.push(result.as_bytes());
        drain(&mut parser);
        if n != 3 {
            taken.extend(
                std::iter::from_fn(|| parser.take_turn()).map(|report| (report.turn, report.result, report.result_cut)),
            );
        }
    }
    // Four bytes are kept of each answer.
    let want: Vec<_> = (0..5).map(|n| (n, Some("no. ".to_owned()), true)).collect();
    assert_eq!(taken, want);
    let envelope = parser.finish(&Exit::code(0));
    assert_eq!(envelope.turn_reports.iter().map(|report| report.turn).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(envelope.result.as_deref(), Some("no. 4é"));
}
