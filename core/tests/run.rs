//! The run machine with a real parser, in simulated time. All orders of its decisions are explored beside it; here are
//! whole runs, told fact by fact, and arbitrary facts in any order.

use proptest::prelude::*;
use std::time::Duration;
use turnline::launch::{Host, Interrupt, Request, plan};
use turnline::run::{Action, Input, Run, RunOptions};
use turnline::{Envelope, Profile, SpawnError, SpawnErrorKind, Status};

const INIT: &[u8] = b"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\",\"tools\":[],\"model\":\"m\"}\n";
const PROGRESS: &[u8] = b"{\"type\":\"system\",\"subtype\":\"progress\",\"n\":1}\n";
const RESULT: &[u8] = b"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\",\"session_id\":\"s-1\",\
\"total_cost_usd\":0.01,\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":2}}\n";
const ABORTED: &[u8] =
    b"{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"session_id\":\"s-1\",\"errors\":[\"Request was aborted.\"]}\n";

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A run and what was asked of its driver.
struct Sim {
    run: Run,
    now: Duration,
    actions: Vec<Action>,
    events: Vec<String>,
}

impl Sim {
    fn new(request: Request) -> Self {
        Sim::with(request, RunOptions::default())
    }

    fn with(request: Request, options: RunOptions) -> Self {
        let profile = Profile::builtin("claude-code").unwrap();
        let plan = plan(&profile.spec().launch, profile.command(), &request, &Host::default()).unwrap();
        Sim { run: Run::new(&profile, plan, options), now: Duration::ZERO, actions: Vec::new(), events: Vec::new() }
    }

    fn started(request: Request) -> Self {
        let mut sim = Sim::new(request);
        sim.tell(Input::Started);
        sim
    }

    fn tell(&mut self, input: Input<'_>) -> &mut Self {
        self.run.handle(input, self.now);
        while let Some(action) = self.run.poll() {
            self.actions.push(action);
        }
        self
    }

    /// Lets time pass, with a tick at each time that was asked for.
    fn pass(&mut self, millis: u64) -> &mut Self {
        let until = self.now + ms(millis);
        for round in 0.. {
            let Some(deadline) = self.run.deadline().filter(|deadline| *deadline <= until) else { break };
            assert!(round < 100_000, "the machine is never content");
            // Taking events can call for a tick at once.
            self.now = self.now.max(deadline);
            self.tell(Input::Tick);
        }
        self.now = until;
        self
    }

    fn events(&mut self) -> usize {
        let before = self.events.len();
        while let Some(event) = self.run.next_event() {
            self.events.push(format!("{}", event.seq));
        }
        while let Some(action) = self.run.poll() {
            self.actions.push(action);
        }
        self.events.len() - before
    }

    /// The actions since the last call, timers left out.
    fn asked(&mut self) -> Vec<Action> {
        self.actions.drain(..).filter(|action| !matches!(action, Action::SetTimer(_))).collect()
    }

    fn exited(&mut self, code: i32) -> &mut Self {
        self.tell(Input::Exited { code: Some(code), signal: None })
    }

    fn closed(&mut self) -> &mut Self {
        self.tell(Input::StdoutClosed).tell(Input::StderrClosed)
    }

    fn gone(&mut self) -> &mut Self {
        self.tell(Input::TreeGone).tell(Input::Reaped)
    }
}

fn hello() -> Request {
    Request::new("hello")
}

fn message(envelope: &Envelope) -> String {
    envelope.errors.iter().map(|error| format!("{}/{}: {}\n", error.code, error.class, error.message)).collect()
}

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
    // Whether the break or the exit was seen first makes no difference.
    let mut sim = Sim::started(hello());
    sim.exited(1).tell(Input::StdinBroken("Broken pipe".into())).closed().gone();
    let seen_late = sim.run.finish();
    let classes = |envelope: &Envelope| envelope.errors.iter().map(|error| error.class).collect::<Vec<_>>();
    assert_eq!(classes(&seen_late), classes(&end(1, b"")));
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
    assert!(sim.run.send(b"one\n"));
    sim.tell(Input::Started);
    assert_eq!(sim.asked(), [Action::Write(0..4)]);
    assert!(sim.run.send(b"two\n"));
    sim.tell(Input::StdinWritten(4));
    assert_eq!(sim.asked(), [Action::Write(4..8)]);
    assert_eq!(sim.run.stdin(4..8), b"two\n");
    sim.tell(Input::StdinWritten(4)).tell(Input::Stdout(RESULT)).pass(3_600_000);
    assert!(!sim.run.is_ending(), "between two turns nothing is late");
    assert!(sim.run.send(b"three\n"));
    sim.tell(Input::Tick);
    assert_eq!(sim.asked(), [Action::Write(0..6)]);
    assert_eq!(sim.run.stdin(0..6), b"three\n");
    sim.run.end_input();
    sim.tell(Input::StdinWritten(6));
    assert_eq!(sim.asked(), [Action::CloseStdin]);
    assert!(!sim.run.send(b"four\n"));
    // Nothing has come of the last word yet: it is awaited.
    sim.pass(60_000);
    assert!(!sim.run.is_ending());
    assert!(!Sim::started(hello()).run.send(b"x"));
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

fn facts() -> impl Strategy<Value = Vec<(u8, u64)>> {
    prop::collection::vec((0u8..24, prop_oneof![Just(0), 0u64..200, 0u64..8_000]), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// Any facts in any order, true or not: nothing panics, the order of actions holds, one envelope comes out, and it
    /// agrees with what was told.
    #[test]
    fn any_facts_in_any_order(facts in facts(), read_ahead in prop_oneof![Just(16usize << 20), 0usize..300], leave in any::<bool>()) {
        let mut options = RunOptions::default();
        options.read_ahead = read_ahead;
        options.leave_background = leave;
        let mut sim = Sim::with(hello().timeout(ms(9_000)).idle_timeout(ms(7_000)), options);
        let (mut told_exit, mut signal_first, mut cancelled) = (None, false, false);
        let mut wants_signal = false;
        let mut started = false;
        for (fact, wait) in facts {
            sim.pass(wait);
            let open = !sim.run.is_done();
            match fact {
                0 | 1 => { started |= open; sim.tell(Input::Started); }
                2 => { sim.tell(Input::Stdout(INIT)); }
                3 => { sim.tell(Input::Stdout(RESULT)); }
                4 => { sim.tell(Input::Stdout(b"{\"type\":")); }
                5 => { sim.tell(Input::Stderr(b"noise\n")); }
                6 => { sim.tell(Input::StdoutClosed); }
                7 => { sim.tell(Input::StderrClosed); }
                8 => { sim.tell(Input::StdinWritten(2)); }
                9 => { sim.tell(Input::StdinBroken("broken".into())); }
                10 | 11 => {
                    if wants_signal && open && told_exit.is_none() { signal_first = true; }
                    sim.tell(Input::Signalled);
                }
                12 | 13 => {
                    if started && open { told_exit.get_or_insert(signal_first); }
                    sim.exited(0);
                }
                14 => { sim.tell(Input::TreeGone); }
                15 => { sim.tell(Input::Reaped); }
                16 => { cancelled |= open; sim.tell(Input::Cancel); }
                17 => { cancelled |= open; sim.tell(Input::CancelNow); }
                18 => { sim.events(); }
                19 => { sim.tell(Input::StdoutBroken("broken".into())); }
                20 => { sim.tell(Input::Stdout(&[])); }
                21 => { sim.run.send(b"x"); sim.run.end_input(); }
                22 => { sim.run.stdout_space(10); sim.tell(Input::StdoutFilled(0)); }
                _ => { sim.tell(Input::Tick); }
            }
            wants_signal |= sim.run.is_ending();
        }
        let ended_by_itself = told_exit == Some(false);
        let asked = sim.asked();
        let at = |wanted: fn(&Action) -> bool| asked.iter().position(wanted);
        let reap = at(|action| matches!(action, Action::Reap));
        for signal in [at(|action| matches!(action, Action::KillTree)), at(|action| matches!(action, Action::Interrupt(_)))] {
            prop_assert!(reap.is_none() || signal.is_none() || signal < reap, "{asked:?}");
        }
        let done = at(|action| matches!(action, Action::Done));
        prop_assert!(done.is_none_or(|done| done + 1 == asked.len()), "{asked:?}");
        for action in &asked {
            let once = !matches!(action, Action::Write(_) | Action::StopReading | Action::ResumeReading);
            prop_assert!(!once || asked.iter().filter(|other| *other == action).count() == 1, "{asked:?}");
        }
        let exit = sim.run.exit();
        let envelope = sim.run.finish();
        prop_assert_eq!(envelope.errors.is_empty(), envelope.status == Status::Ok);
        if ended_by_itself {
            prop_assert!(envelope.status != Status::Cancelled, "{}", message(&envelope));
        }
        if exit.cancelled {
            prop_assert_eq!(envelope.status, Status::Cancelled);
            prop_assert!(cancelled || told_exit.is_none());
        }
    }
}
