//! Whose verdict is the run's: of one that the host drives turn by turn, and of one that it does not.

use crate::recording;
use turnline::{Envelope, Exit, Status, TurnStatus};

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
