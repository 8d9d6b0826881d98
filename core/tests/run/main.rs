//! The run machine with a real parser, in simulated time. All orders of its decisions are explored beside it; here are
//! whole runs, told fact by fact, and arbitrary facts in any order.

mod any_order;
mod sim;
mod talk;
mod unread;

use sim::{ABORTED, INIT, PROGRESS, RESULT, Sim, hello, message, ms};
use std::time::Duration;
use turnline::launch::{Interrupt, Request};
use turnline::run::{Action, Input, RunOptions};
use turnline::{SpawnError, SpawnErrorKind, Status};

#[test]
fn a_plain_run() {
    let mut sim = Sim::new(hello());
    sim.now = ms(3);
    sim.tell(Input::Started);
    assert_eq!(sim.asked(), [Action::Write(0..5)]);
    assert_eq!(sim.run.stdin(0..5), b"hello");
    sim.tell(Input::StdinWritten(2));
    assert_eq!(sim.asked(), [Action::Write(2..5)]);
    assert_eq!(sim.run.stdin(2..5), b"llo");
    sim.tell(Input::StdinWritten(3));
    assert_eq!(sim.asked(), [Action::CloseStdin]);
    sim.now = ms(40);
    sim.tell(Input::Stdout(&INIT[..20]));
    sim.now = ms(50);
    sim.tell(Input::Stdout(&INIT[20..]));
    assert!(sim.events() > 0);
    sim.now = ms(90);
    sim.tell(Input::Stdout(RESULT)).exited(0).tell(Input::StdoutClosed);
    assert_eq!(sim.asked(), []);
    sim.tell(Input::StderrClosed);
    assert_eq!(sim.asked(), [Action::KillTree]);
    sim.tell(Input::TreeGone);
    assert_eq!(sim.asked(), [Action::Reap]);
    sim.now = ms(100);
    sim.tell(Input::Reaped);
    assert_eq!(sim.asked(), [Action::Done]);
    assert!(sim.events() > 0);
    let envelope = sim.run.finish();
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")), "{}", message(&envelope));
    let timing = envelope.timing.unwrap();
    assert_eq!(
        (timing.spawn_setup_ms, timing.first_byte_ms, timing.first_event_ms, timing.run_ms),
        (Some(3.0), Some(40.0), Some(50.0), Some(100.0))
    );
}

#[test]
fn cancelled_politely_and_then_by_force() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::Stdout(INIT));
    sim.asked();
    sim.tell(Input::Cancel);
    assert_eq!(sim.asked(), [Action::Interrupt(Interrupt::Interrupt)]);
    sim.tell(Input::Signalled).tell(Input::Cancel).pass(4_999);
    assert_eq!(sim.asked(), []);
    sim.pass(1);
    assert_eq!(sim.asked(), [Action::KillTree]);
    sim.tell(Input::Exited { code: None, signal: Some(9) }).closed().tell(Input::TreeGone).tell(Input::Reaped);
    assert_eq!(sim.asked(), [Action::CloseStdin, Action::Reap, Action::Done]);
    let envelope = sim.run.finish();
    assert_eq!((envelope.status, envelope.session_id.as_deref()), (Status::Cancelled, Some("s-1")));
    assert_eq!(envelope.exit.signal, Some(9));
}

#[test]
fn a_cancelled_run_returns_soon_after_it_went() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::Stdout(INIT)).tell(Input::Cancel).tell(Input::Signalled).pass(500);
    sim.tell(Input::Stdout(ABORTED)).exited(143).closed();
    assert_eq!(sim.asked().last(), Some(&Action::KillTree));
    sim.gone();
    assert!(sim.run.is_done());
    let envelope = sim.run.finish();
    assert_eq!(envelope.status, Status::Cancelled);
    assert_eq!(envelope.errors[0].code.as_str(), "executor_cancelled");
}

#[test]
fn behind_a_shim_that_is_gone_the_rest_has_its_grace() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::Cancel).tell(Input::Signalled).exited(130).pass(3_000);
    assert!(!sim.asked().contains(&Action::KillTree));
    sim.closed();
    assert!(sim.asked().contains(&Action::KillTree));
}

#[test]
fn at_once() {
    let mut sim = Sim::started(hello());
    sim.asked();
    sim.tell(Input::CancelNow);
    assert_eq!(sim.asked(), [Action::KillTree]);
    // The second Ctrl-C.
    let mut sim = Sim::started(hello());
    sim.tell(Input::Cancel).tell(Input::Signalled).asked();
    sim.tell(Input::CancelNow);
    assert_eq!(sim.asked(), [Action::KillTree]);
    // No grace.
    let mut sim = Sim::started(hello().grace(Duration::ZERO));
    sim.asked();
    sim.tell(Input::Cancel);
    assert_eq!(sim.asked(), [Action::KillTree]);
    // Before the start.
    let mut sim = Sim::new(hello());
    sim.tell(Input::CancelNow).tell(Input::Started);
    assert_eq!(sim.asked(), [Action::KillTree]);
    sim.tell(Input::Signalled).exited(0).gone().pass(1_000);
    assert_eq!(sim.run.finish().status, Status::Cancelled);
}

#[test]
fn a_run_that_ended_before_the_signal_keeps_its_verdict() {
    for at_once in [false, true] {
        let mut sim = Sim::started(hello());
        sim.tell(Input::StdinWritten(5)).tell(Input::Stdout(RESULT));
        sim.tell(if at_once { Input::CancelNow } else { Input::Cancel });
        // The driver looks for the exit before it signals, and finds it.
        sim.exited(0).closed().gone();
        assert!(sim.run.is_done());
        let envelope = sim.run.finish();
        assert_eq!(envelope.status, Status::Ok, "{}", message(&envelope));
    }
}

#[test]
fn a_cancel_after_the_answer_keeps_the_answer() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::Stdout(RESULT)).tell(Input::Cancel).tell(Input::Signalled);
    sim.tell(Input::Stdout(ABORTED)).exited(143).closed().gone();
    let envelope = sim.run.finish();
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Cancelled, Some("done")));
    assert!(envelope.usage.is_some());
}

#[test]
fn one_that_lingers_is_ended_and_is_ok() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::StdinWritten(5)).tell(Input::Stdout(RESULT)).pass(9_000);
    // Every later record starts the time again.
    sim.tell(Input::Stdout(PROGRESS)).pass(9_999);
    assert!(!sim.run.is_ending());
    sim.pass(1);
    assert_eq!(sim.asked().last(), Some(&Action::Interrupt(Interrupt::Interrupt)));
    // What it answers to the signal says nothing about the run.
    sim.tell(Input::Signalled).tell(Input::Stdout(ABORTED)).exited(143).closed().gone();
    assert!(sim.run.is_done());
    let envelope = sim.run.finish();
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")), "{}", message(&envelope));
    assert_eq!(envelope.exit.code, Some(143));
}

#[test]
fn a_total_limit_after_the_last_word_is_no_failure() {
    let mut sim = Sim::started(hello().timeout(ms(5_000)));
    sim.tell(Input::StdinWritten(5)).tell(Input::Stdout(RESULT)).pass(5_000);
    sim.tell(Input::Signalled).exited(0).closed().gone();
    assert_eq!(sim.run.finish().status, Status::Ok);
}

#[test]
fn the_last_word_is_noticed_when_nobody_takes_events() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::Stdout(INIT)).tell(Input::Stdout(RESULT)).pass(10_000);
    assert!(sim.run.is_ending());
    sim.tell(Input::Signalled).exited(0).closed().gone();
    assert!(sim.events() >= 2, "what was set aside is still there");
    let seqs: Vec<String> = (0..sim.events.len()).map(|seq| seq.to_string()).collect();
    assert_eq!(sim.events, seqs);
}

#[test]
fn limits_of_time() {
    for (request, before, limit) in [
        (hello().timeout(ms(700)), 699, "total"),
        (hello().idle_timeout(ms(400)), 399, "idle"),
        (hello().first_event_timeout(ms(300)), 299, "first event"),
    ] {
        let mut sim = Sim::started(request);
        sim.pass(before);
        assert!(!sim.run.is_ending(), "{limit}");
        sim.pass(1);
        assert!(sim.run.is_ending(), "{limit}");
        sim.tell(Input::Signalled).exited(0).closed().gone();
        let envelope = sim.run.finish();
        assert_eq!(envelope.status, Status::Failed, "{limit}");
        assert_eq!(envelope.errors[0].code.as_str(), "executor_timed_out", "{limit}");
    }
    // Output of any kind is a sign of life, and an event is an event whoever takes it.
    let mut sim = Sim::started(hello().idle_timeout(ms(400)).first_event_timeout(ms(500)));
    sim.pass(300).tell(Input::Stderr(b"x")).pass(150).tell(Input::Stdout(INIT)).pass(399);
    assert!(!sim.run.is_ending());
    sim.pass(1);
    assert!(sim.run.is_ending());
}

#[test]
fn a_broken_prompt_pipe() {
    let end = |code: i32, output: &[u8]| {
        let mut sim = Sim::started(hello());
        sim.tell(Input::StdinBroken("Broken pipe".into()));
        assert_eq!(sim.asked().last(), Some(&Action::CloseStdin));
        sim.tell(Input::Stdout(output)).exited(code).closed().gone();
        sim.run.finish()
    };
    assert_eq!(end(0, RESULT).status, Status::Ok);
    assert_eq!(end(1, RESULT).status, Status::Failed);
    let failed = end(1, ABORTED);
    assert!(failed.errors[0].message.contains("aborted"), "{}", message(&failed));
}

#[test]
fn what_breaks_after_our_signal_is_no_news() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::Cancel).tell(Input::Signalled).tell(Input::StdinBroken("Broken pipe".into()));
    sim.tell(Input::StdoutBroken("Input/output error".into())).exited(130).tell(Input::StderrClosed).gone();
    assert_eq!(sim.run.exit().stream_error, None);
    assert_eq!(sim.run.finish().status, Status::Cancelled);
}

#[test]
fn a_signal_after_the_exit_changes_nothing() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::StdinWritten(5)).tell(Input::Stdout(RESULT)).tell(Input::Cancel).exited(0).tell(Input::Signalled);
    sim.tell(Input::Stdout(PROGRESS)).closed().gone();
    let envelope = sim.run.finish();
    assert_eq!(envelope.status, Status::Ok, "{}", message(&envelope));
    assert_eq!(envelope.stream.lines, 2, "what it printed before its end is read");
}

#[test]
fn a_cancel_before_the_start_has_its_whole_grace() {
    let mut sim = Sim::new(hello());
    sim.tell(Input::Cancel).pass(10_000).tell(Input::Started);
    assert_eq!(sim.asked(), [Action::Interrupt(Interrupt::Interrupt)]);
    sim.tell(Input::Signalled).pass(4_999);
    assert_eq!(sim.asked(), []);
    sim.pass(1);
    assert_eq!(sim.asked(), [Action::KillTree]);
}

#[test]
fn a_broken_output_pipe_fails_the_run() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::Stdout(RESULT)).tell(Input::StdoutBroken("Input/output error".into()));
    assert!(sim.run.is_ending());
    sim.tell(Input::Signalled).exited(0).tell(Input::StderrClosed).gone();
    let envelope = sim.run.finish();
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Failed, Some("done")));
    assert!(message(&envelope).contains("Input/output error"));
}

#[test]
fn could_not_be_started() {
    let mut sim = Sim::new(hello().program("/nowhere/tool"));
    sim.tell(Input::SpawnFailed(SpawnError::new(SpawnErrorKind::ProgramNotFound, "No such file or directory")));
    assert_eq!(sim.asked(), [Action::Done]);
    let envelope = sim.run.finish();
    assert_eq!(envelope.errors[0].code.as_str(), "executor_unavailable");
    assert!(envelope.errors[0].message.contains("'/nowhere/tool'"), "{}", message(&envelope));
}

#[test]
fn what_was_left_behind() {
    // A descendant holds the pipes: what it prints in time is read, then it is ended.
    let mut sim = Sim::started(hello());
    sim.tell(Input::StdinWritten(5)).tell(Input::Stdout(INIT)).exited(0).pass(1_000);
    sim.tell(Input::Stdout(RESULT)).pass(999);
    assert!(!sim.asked().contains(&Action::KillTree));
    sim.pass(1);
    assert_eq!(sim.asked(), [Action::KillTree]);
    sim.gone();
    assert_eq!(sim.run.finish().status, Status::Ok);
    // Left alone on request.
    let mut options = RunOptions::default();
    options.leave_background = true;
    let mut sim = Sim::with(hello(), options);
    sim.tell(Input::Started).tell(Input::StdinWritten(5)).tell(Input::Stdout(RESULT)).exited(0).asked();
    sim.pass(2_000);
    assert_eq!(sim.asked(), [Action::Reap]);
    sim.tell(Input::Reaped);
    assert_eq!(sim.asked(), [Action::Done]);
}

#[test]
fn what_cannot_be_ended_is_given_up() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::CancelNow).tell(Input::Signalled).pass(4_999);
    assert!(!sim.run.is_done());
    sim.pass(1);
    assert!(sim.run.is_done() && sim.run.gave_up());
    assert!(!sim.asked().contains(&Action::Reap), "it would block");
    assert_eq!(sim.run.finish().status, Status::Cancelled);
}

#[test]
fn given_up_by_the_host() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::Stdout(INIT));
    let envelope = sim.run.finish();
    assert_eq!((envelope.status, envelope.session_id.as_deref()), (Status::Cancelled, Some("s-1")));
    let mut sim = Sim::started(hello());
    sim.tell(Input::Stdout(RESULT)).exited(0);
    assert_eq!(sim.run.finish().status, Status::Ok);
}

#[test]
fn reading_ahead_is_bounded_and_loses_nothing() {
    let mut options = RunOptions::default();
    options.read_ahead = 1 << 20;
    let mut sim = Sim::with(hello().idle_timeout(ms(1_000)), options);
    sim.tell(Input::Started);
    let line = format!("{{\"type\":\"system\",\"subtype\":\"progress\",\"pad\":\"{}\"}}\n", "y".repeat(1000));
    let chunk = line.repeat(60);
    let mut chunks = 0;
    while !sim.actions.contains(&Action::StopReading) {
        sim.tell(Input::Stdout(chunk.as_bytes()));
        chunks += 1;
    }
    assert_eq!(chunks, (1usize << 20).div_ceil(chunk.len()));
    // Nobody is blamed for a silence that is the consumer's.
    sim.pass(60_000);
    assert!(!sim.run.is_ending());
    sim.asked();
    let mut taken = 0;
    while !sim.actions.contains(&Action::ResumeReading) {
        assert!(sim.run.next_event().is_some(), "no room although all was taken");
        taken += 1;
        while let Some(action) = sim.run.poll() {
            sim.actions.push(action);
        }
    }
    assert!(taken >= chunks * 60 / 2, "{taken}");
    // The clock goes on from where it stood.
    sim.pass(10);
    sim.pass(980);
    assert!(!sim.run.is_ending());
    let rest = sim.events();
    assert_eq!(taken + rest, chunks * 60);
    sim.tell(Input::Stdout(RESULT)).exited(0).closed().gone();
    sim.events();
    assert_eq!(sim.run.finish().status, Status::Ok);
}

#[test]
fn the_drain_stands_still_while_nothing_is_read() {
    let mut options = RunOptions::default();
    options.read_ahead = 1;
    let mut sim = Sim::with(hello(), options);
    sim.tell(Input::Started).tell(Input::StdinWritten(5)).tell(Input::Stdout(INIT)).exited(0).pass(60_000);
    assert!(!sim.asked().contains(&Action::KillTree), "what it printed last is still in the pipe");
    sim.events();
    assert!(sim.asked().contains(&Action::ResumeReading));
    sim.pass(1_999);
    assert!(!sim.asked().contains(&Action::KillTree));
    sim.tell(Input::Stdout(RESULT));
    sim.events();
    sim.pass(1);
    assert!(sim.asked().contains(&Action::KillTree));
    sim.gone();
    assert_eq!(sim.run.finish().status, Status::Ok);
}

#[test]
fn what_was_reaped_unasked_is_not_over() {
    let mut sim = Sim::started(hello());
    sim.tell(Input::Reaped).tell(Input::Stdout(RESULT)).exited(0).closed();
    assert!(sim.asked().contains(&Action::KillTree));
    assert!(!sim.run.is_done());
    sim.tell(Input::TreeGone);
    assert_eq!(sim.asked(), [Action::Reap]);
}

#[test]
fn a_cancel_ends_a_run_whose_consumer_stalls() {
    let mut options = RunOptions::default();
    options.read_ahead = 1;
    let mut sim = Sim::with(hello(), options);
    sim.tell(Input::Started).tell(Input::Stdout(INIT));
    assert!(sim.asked().contains(&Action::StopReading));
    sim.tell(Input::Cancel).tell(Input::Signalled).exited(130).pass(5_000);
    assert!(sim.asked().contains(&Action::KillTree));
    sim.gone().pass(1_000);
    assert!(sim.run.is_done());
    assert!(sim.events() > 0);
    assert_eq!(sim.run.finish().status, Status::Cancelled);
}

#[test]
fn a_conversation_keeps_stdin_open() {
    let mut sim = Sim::new(Request::default().interactive(true));
    assert!(sim.say_raw(b"one\n"));
    sim.tell(Input::Started);
    assert_eq!(sim.asked(), [Action::Write(0..4)]);
    assert!(sim.say_raw(b"two\n"));
    sim.tell(Input::StdinWritten(4));
    assert_eq!(sim.asked(), [Action::Write(4..8)]);
    assert_eq!(sim.run.stdin(4..8), b"two\n");
    sim.tell(Input::StdinWritten(4)).tell(Input::Stdout(RESULT)).pass(3_600_000);
    assert!(!sim.run.is_ending(), "between two turns nothing is late");
    assert!(sim.say_raw(b"three\n"));
    sim.tell(Input::Tick);
    assert_eq!(sim.asked(), [Action::Write(0..6)]);
    assert_eq!(sim.run.stdin(0..6), b"three\n");
    sim.run.end_input(sim.now);
    sim.tell(Input::StdinWritten(6));
    assert_eq!(sim.asked(), [Action::CloseStdin]);
    assert!(!sim.say_raw(b"four\n"));
    // Nothing has come of the last word yet: it is awaited.
    sim.pass(60_000);
    assert!(!sim.run.is_ending());
    assert!(!Sim::started(hello()).say_raw(b"x"));
}

#[test]
fn reading_into_the_parser_is_the_same_as_pushing() {
    let mut sim = Sim::started(hello());
    for chunk in [INIT, RESULT].concat().chunks(7) {
        let space = sim.run.stdout_space(7);
        space[..chunk.len()].copy_from_slice(chunk);
        sim.tell(Input::StdoutFilled(chunk.len()));
    }
    let mut pushed = Sim::started(hello());
    pushed.tell(Input::Stdout(INIT)).tell(Input::Stdout(RESULT));
    assert_eq!(sim.events(), pushed.events());
    assert!(sim.events.len() >= 2);
}

#[test]
fn timers_are_set_seldom() {
    let mut sim = Sim::started(hello().idle_timeout(ms(1_000)));
    for _ in 0..10_000 {
        sim.tell(Input::Stdout(PROGRESS)).pass(1);
        sim.events();
    }
    let timers = sim.actions.iter().filter(|action| matches!(action, Action::SetTimer(_))).count();
    assert!(timers < 500, "{timers} timers in 10 s");
}
