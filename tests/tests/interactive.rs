//! The recorded interactive runs, with the right turns, states, usage and permissions of each, thought out from what was
//! said to the CLI and from what it printed; and what a host says to a parser while such a run goes on.

use turnline::{
    Envelope, EventKind, Exit, Outcome, Parser, Profile, State, Status, StopReason, TurnReport, TurnStatus,
};
use turnline_tests::conform::corpus::{Recording, recordings};

fn recording(name: &str) -> Recording {
    let cli = name.split('/').next().expect("a CLI");
    let mut recording = recordings(cli).into_iter().find(|recording| recording.name == name).expect("a recording");
    recording.input.interactive = true;
    recording
}

/// What a host sees of a run.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    /// The states, each change once.
    states: Vec<State>,
    /// `ask CALL` (its number among the calls, `-` where the request names none), and each outcome with the call or `@`
    /// where it names the request alone.
    permissions: Vec<String>,
    taken: Vec<TurnReport>,
}

fn watch(parser: &mut Parser, stdout: &[u8]) -> Seen {
    let mut seen = Seen { states: vec![parser.state()], ..Seen::default() };
    let mut calls: Vec<String> = Vec::new();
    parser.push(stdout);
    parser.eof();
    while let Some(event) = parser.next_event().map(|event| event.into_owned()) {
        let number = |call: Option<&turnline::Text<'_>>, none: &str| match call {
            Some(id) => calls.iter().position(|known| *id == **known).map_or("?".into(), |n| n.to_string()),
            None => none.to_owned(),
        };
        match &event.kind {
            EventKind::PermissionRequest(asked) => {
                seen.permissions.push(format!("ask {}", number(asked.tool_call_id.as_ref(), "-")));
            }
            EventKind::PermissionResolved(told) => {
                seen.permissions.push(format!("{} {}", told.outcome, number(told.tool_call_id.as_ref(), "@")));
            }
            EventKind::ToolCall(call) => calls.push(call.tool_call_id.to_string()),
            _ => {}
        }
        if seen.states.last() != Some(&parser.state()) {
            seen.states.push(parser.state());
        }
        if matches!(event.kind, EventKind::TurnEnded(_)) && !event.synthetic {
            seen.taken.push(parser.take_turn().expect("the report is there when the event is"));
            assert_eq!(parser.take_turn(), None, "a report is taken once");
        }
    }
    if seen.states.last() != Some(&parser.state()) {
        seen.states.push(parser.state());
    }
    seen
}

use State::{Ended, Idle, Waiting, Working};

/// A turn: verdict, last line, answer, input, cache read, cache write, output, money.
type Turn = (TurnStatus, u64, Option<&'static str>, [u64; 4], f64);

struct Case {
    name: &'static str,
    states: &'static [State],
    permissions: &'static [&'static str],
    turns: &'static [Turn],
    /// The model of the last turn, with its input tokens.
    model: (&'static str, u64),
}

const TWO: &[State] = &[Idle, Working, Idle, Working, Idle, Ended];
const ONE: &[State] = &[Idle, Working, Idle, Ended];
const ASKED: &[State] = &[Idle, Working, Waiting, Working, Idle, Ended];
const OK: TurnStatus = TurnStatus::Ok;
const CUT: TurnStatus = TurnStatus::Cancelled;
const OPUS: &str = "claude-opus-5-5";
const SONNET: &str = "claude-sonnet-4-20250514";

const CASES: &[Case] = &[
    Case {
        name: "2.1.332/21-two-turns",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 3, Some("First answer."), [10, 100, 5, 1], 0.000_105),
            (OK, 6, Some("Second answer."), [20, 200, 6, 2], 0.000_19),
        ],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21-two-turns",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 3, Some("First answer."), [10, 100, 5, 1], 0.000_093_75),
            (OK, 6, Some("Second answer."), [20, 200, 6, 2], 0.000_172_5),
        ],
        model: (SONNET, 20),
    },
    Case {
        name: "2.1.332/21c-replay-user-messages",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 4, Some("First answer."), [10, 100, 5, 1], 0.000_105),
            (OK, 8, Some("Second answer."), [20, 200, 6, 2], 0.000_19),
        ],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21c-replay-user-messages",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 4, Some("First answer."), [10, 100, 5, 1], 0.000_093_75),
            (OK, 8, Some("Second answer."), [20, 200, 6, 2], 0.000_172_5),
        ],
        model: (SONNET, 20),
    },
    Case {
        name: "2.1.332/21d-interrupt",
        states: TWO,
        permissions: &[],
        turns: &[
            (CUT, 7, None, [10, 0, 0, 1], 0.000_06),
            (OK, 10, Some("After the interrupt."), [20, 0, 0, 2], 0.000_12),
        ],
        model: (OPUS, 20),
    },
    Case {
        // The first turn's money is more than its model's: a small model was asked for a title.
        name: "1.0.128/21d-interrupt",
        states: TWO,
        permissions: &[],
        turns: &[
            (CUT, 7, None, [10, 0, 0, 1], 0.000_062_6),
            (OK, 10, Some("After the interrupt."), [20, 0, 0, 2], 0.000_09),
        ],
        model: (SONNET, 20),
    },
    Case {
        // The answers to control requests come before the first turn: the session is idle all the while.
        name: "2.1.332/21f-control-requests",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 9, Some("First answer."), [10, 100, 5, 1], 0.000_093_75),
            (OK, 12, Some("Second answer."), [20, 200, 6, 2], 0.000_172_5),
        ],
        model: ("claude-sonnet-4-5", 20),
    },
    Case {
        name: "1.0.128/21f-control-requests",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 8, Some("First answer."), [10, 100, 5, 1], 0.000_093_75),
            (OK, 11, Some("Second answer."), [20, 200, 6, 2], 0.000_172_5),
        ],
        model: ("claude-sonnet-4-5", 20),
    },
    Case {
        // One call allowed, one denied: the one with its result, the other in the turn's list.
        name: "2.1.332/21g-can-use-tool",
        states: &[Idle, Working, Waiting, Working, Waiting, Working, Idle, Ended],
        permissions: &["ask 0", "allowed 0", "ask 1", "denied 1"],
        turns: &[(OK, 9, Some("One allowed, one denied."), [30, 0, 0, 3], 0.000_18)],
        model: (OPUS, 30),
    },
    Case {
        // Requests of 1.0 do not name their call.
        name: "1.0.128/21g-can-use-tool",
        states: &[Idle, Working, Waiting, Working, Waiting, Working, Idle, Ended],
        permissions: &["ask -", "ask -", "denied 1"],
        turns: &[(OK, 9, Some("One allowed, one denied."), [30, 0, 0, 3], 0.000_187_8)],
        model: (SONNET, 30),
    },
    Case {
        // Nobody answers, and standard input is closed: that is a denial.
        name: "2.1.332/21i-can-use-tool-unanswered",
        states: ASKED,
        permissions: &["ask 0", "denied 0"],
        turns: &[(OK, 6, Some("Denied by silence."), [20, 0, 0, 2], 0.000_12)],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21i-can-use-tool-unanswered",
        states: ASKED,
        permissions: &["ask -", "denied 0"],
        turns: &[(OK, 6, Some("Denied by silence."), [20, 0, 0, 2], 0.000_107_6)],
        model: (SONNET, 20),
    },
    Case {
        name: "2.1.332/21m-eof-mid-turn",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 5, Some("Finished all the same."), [20, 0, 0, 2], 0.000_12)],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21m-eof-mid-turn",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 5, Some("Finished all the same."), [20, 0, 0, 2], 0.000_107_6)],
        model: (SONNET, 20),
    },
    Case {
        // The interrupt withdraws the question; the call that was never made is among the denials all the same.
        name: "2.1.332/21o-interrupt-open-question",
        states: &[Idle, Working, Waiting, Working, Idle, Working, Idle, Ended],
        permissions: &["ask 0", "cancelled @", "denied 0"],
        turns: &[(CUT, 8, None, [10, 0, 0, 1], 0.000_06), (OK, 11, Some("After."), [10, 0, 0, 1], 0.000_06)],
        model: (OPUS, 10),
    },
    Case {
        name: "1.0.128/21o-interrupt-open-question",
        states: &[Idle, Working, Waiting, Working, Idle, Working, Idle, Ended],
        permissions: &["ask -", "cancelled @", "denied 0"],
        turns: &[(CUT, 8, None, [10, 0, 0, 1], 0.000_062_6), (OK, 11, Some("After."), [10, 0, 0, 1], 0.000_045)],
        model: (SONNET, 10),
    },
    Case {
        name: "2.1.332/21q-exit-plan-mode",
        states: ASKED,
        permissions: &["ask 0", "allowed 0"],
        turns: &[(OK, 7, Some("Plan accepted."), [20, 0, 0, 2], 0.000_12)],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21q-exit-plan-mode",
        states: ASKED,
        permissions: &["ask -"],
        turns: &[(OK, 6, Some("Plan accepted."), [20, 0, 0, 2], 0.000_09)],
        model: (SONNET, 20),
    },
    Case {
        // Hooks that call the host back are no questions of permission.
        name: "2.1.332/21r-hook-callbacks",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 8, Some("Called back."), [20, 0, 0, 2], 0.000_12)],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21r-hook-callbacks",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 8, Some("Called back."), [20, 0, 0, 2], 0.000_107_6)],
        model: (SONNET, 20),
    },
    Case {
        name: "2.1.332/21t-sdk-mcp-server",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 10, Some("Host said hello."), [30, 0, 0, 3], 0.000_18)],
        model: (OPUS, 30),
    },
    Case {
        // 1.0 does not offer the tool; the scripted model says its line all the same.
        name: "1.0.128/21t-sdk-mcp-server",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 7, Some("Host said hello."), [30, 0, 0, 3], 0.000_135)],
        model: (SONNET, 30),
    },
];

fn near(got: Option<f64>, want: f64) -> bool {
    got.is_some_and(|got| (got - want).abs() < 1e-12)
}

#[test]
fn recorded_runs_have_the_right_turns_states_usage_and_permissions() {
    for case in CASES {
        let name = format!("claude-code/{}", case.name);
        let recording = recording(&name);
        let mut parser = recording.input.parser(&recording.input.profile().expect("a profile"));
        let seen = watch(&mut parser, &recording.input.stdout);
        let envelope = parser.finish(&recording.input.exit);
        assert_eq!(seen.states, case.states, "{name}: states");
        assert_eq!(seen.permissions, case.permissions, "{name}: permissions");
        let last = case.turns.last().expect("a turn");
        assert_eq!(
            (envelope.status, envelope.result.as_deref()),
            (Status::Ok, last.2),
            "{name}: {:?}",
            envelope.errors
        );
        assert_eq!(envelope.turns, case.turns.len() as u64, "{name}: turns");
        assert_eq!(envelope.turn_reports.len(), case.turns.len(), "{name}: reports");
        for (n, (report, want)) in envelope.turn_reports.iter().zip(case.turns).enumerate() {
            let (status, line, answer, tokens, money) = *want;
            assert_eq!((report.turn as usize, report.status, report.last_line), (n, status, line), "{name}: turn {n}");
            assert_eq!((report.result.as_deref(), report.result_cut), (answer, false), "{name}: answer {n}");
            let usage = report.usage.expect("usage");
            let got = [usage.input, usage.cache_read, usage.cache_write, usage.output];
            assert_eq!(got, tokens.map(Some), "{name}: usage of turn {n}");
            assert!(near(report.cost_usd, money), "{name}: money of turn {n}: {:?}", report.cost_usd);
            let stop = if status == OK { StopReason::EndTurn } else { StopReason::Cancelled };
            assert_eq!(report.stop_reason, stop, "{name}: why turn {n} ended");
            let class = report.error.as_ref().map(|error| error.class.as_str());
            assert_eq!(class, (status != OK).then_some("interrupted"), "{name}: error of turn {n}");
            let is_last = n + 1 == case.turns.len();
            assert_eq!(report.exit.map(|exit| exit.code), is_last.then_some(Some(0)), "{name}: exit of turn {n}");
        }
        // The reports that were taken are the same, but that nobody knew yet how the process would end.
        let mut listed = envelope.turn_reports.clone();
        listed.iter_mut().for_each(|report| report.exit = None);
        assert_eq!(seen.taken, listed, "{name}: taken");
        let models = &envelope.turn_reports.last().expect("a turn").model_usage;
        let model = models.iter().find(|model| model.model == case.model.0).expect("the model");
        assert_eq!(model.input, Some(case.model.1), "{name}: the model's input");
    }
}

/// 2.0 reads like 1.0, but for the money of a small model and for naming the call in its requests.
#[test]
fn version_2_0_has_the_same_turns() {
    for case in CASES.iter().filter(|case| case.name.starts_with("1.0.128/")) {
        let name = format!("claude-code/{}", case.name.replace("1.0.128", "2.0.76"));
        let recording = recording(&name);
        let mut parser = recording.input.parser(&recording.input.profile().expect("a profile"));
        let seen = watch(&mut parser, &recording.input.stdout);
        assert_eq!(seen.states, case.states, "{name}: states");
        let asked: Vec<String> =
            seen.permissions.iter().map(|told| told.replace("ask 0", "ask -").replace("ask 1", "ask -")).collect();
        assert_eq!(asked, case.permissions, "{name}: permissions");
        let envelope = parser.finish(&recording.input.exit);
        let got: Vec<_> =
            envelope.turn_reports.iter().map(|report| (report.status, report.result.as_deref())).collect();
        let want: Vec<_> = case.turns.iter().map(|turn| (turn.0, turn.2)).collect();
        assert_eq!(got, want, "{name}: turns");
        assert_eq!(envelope.status, Status::Ok, "{name}");
    }
}

/// A run that the host does not drive turn by turn keeps a reported failure.
#[test]
fn a_one_shot_stream_keeps_a_failure() {
    let mut recording = recording("claude-code/2.1.332/21d-interrupt");
    recording.input.interactive = false;
    let envelope = recording.input.whole(&recording.input.profile().expect("a profile")).envelope;
    assert_eq!(envelope.status, Status::Failed);
    assert_eq!(envelope.errors.len(), 1);
    let statuses: Vec<TurnStatus> = envelope.turn_reports.iter().map(|report| report.status).collect();
    assert_eq!(statuses, [TurnStatus::Cancelled, TurnStatus::Ok]);
}

fn cut(name: &str, lines: usize, exit: &Exit) -> Envelope {
    let recording = recording(name);
    let stdout: Vec<u8> =
        recording.input.stdout.split_inclusive(|byte| *byte == b'\n').take(lines).flatten().copied().collect();
    let mut parser = recording.input.parser(&recording.input.profile().expect("a profile"));
    parser.push(&stdout);
    parser.finish(exit)
}

/// The last turn's verdict is the run's, whatever the earlier ones came to.
#[test]
fn the_last_turns_verdict_is_the_runs() {
    let interrupted = cut("claude-code/2.1.332/21d-interrupt", 7, &Exit::code(0));
    assert_eq!(interrupted.status, Status::Cancelled);
    assert_eq!(interrupted.errors[0].code.as_str(), "executor_cancelled");
    assert_eq!(interrupted.errors[0].class.as_str(), "interrupted");

    // The second turn never ends: the first one's answer is not the run's.
    let killed = cut("claude-code/2.1.332/21-two-turns", 5, &Exit::code(0));
    assert_eq!((killed.status, killed.result.as_deref()), (Status::Failed, None));
    assert_eq!(killed.errors[0].class.as_str(), "interrupted");
    assert_eq!(killed.last_text.as_deref(), Some("Second answer."));
    let turns: Vec<_> =
        killed.turn_reports.iter().map(|turn| (turn.status, turn.last_line, turn.result.as_deref())).collect();
    assert_eq!(turns, [(TurnStatus::Ok, 3, Some("First answer.")), (TurnStatus::Killed, 5, None)]);
    assert_eq!(killed.turn_reports[1].usage, None);

    let signalled = cut("claude-code/2.1.332/21d-interrupt", 4, &Exit::signal(9));
    assert_eq!((signalled.status, signalled.errors[0].class.as_str()), (Status::Failed, "exit"));
    assert_eq!(signalled.turn_reports[0].status, TurnStatus::Killed);
    assert_eq!(signalled.turn_reports[0].exit.and_then(|exit| exit.signal), Some(9));

    let mut exit = Exit::signal(15);
    exit.cancelled = true;
    let cancelled = cut("claude-code/2.1.332/21d-interrupt", 4, &exit);
    assert_eq!((cancelled.status, cancelled.turn_reports[0].status), (Status::Cancelled, TurnStatus::Cancelled));

    // Nothing was asked for, and nothing came.
    let nothing = cut("claude-code/2.1.332/21f-control-requests", 6, &Exit::code(0));
    assert_eq!((nothing.status, nothing.turns, nothing.turn_reports.len()), (Status::Failed, 0, 0));
}

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
