//! Each recording is read, and held against what is right of it.

use crate::cases::{CASES, OK};
use crate::recording;
use turnline::{EventKind, Parser, State, Status, StopReason, TurnReport};

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
