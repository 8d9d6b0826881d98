//! The run machine under facts in any order, true or not: each byte is a fact, some with a time before it.

use std::time::Duration;
use turnline::launch::{Host, Interrupt, Request, plan};
use turnline::run::{Action, Input, Run, RunOptions};
use turnline::{Profile, SpawnError, SpawnErrorKind, Status};

const INIT: &[u8] = b"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\",\"tools\":[],\"model\":\"m\"}\n";
const RESULT: &[u8] =
    b"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\",\"session_id\":\"s-1\"}\n";
const FAILED: &[u8] =
    b"{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"session_id\":\"s-1\"}\n";

/// A run, its time, and all that it asked for.
struct World {
    run: Run,
    now: Duration,
    asked: Vec<Action>,
}

impl World {
    fn new(options: u8) -> Self {
        let profile = Profile::builtin("claude-code").expect("built in");
        let mut request = Request::new("hello");
        if options & 1 != 0 {
            request = request.timeout(Duration::from_millis(900));
        }
        if options & 2 != 0 {
            request = request.idle_timeout(Duration::from_millis(700));
        }
        let mut run_options = RunOptions::default();
        run_options.leave_background = options & 4 != 0;
        if options & 8 != 0 {
            run_options.read_ahead = 64;
        }
        let plan = plan(&profile.spec().launch, profile.command(), &request, &Host::default()).expect("a plan");
        World { run: Run::new(&profile, plan, run_options), now: Duration::ZERO, asked: Vec::new() }
    }

    fn tell(&mut self, input: Input<'_>) {
        self.run.handle(input, self.now);
        self.poll();
    }

    fn poll(&mut self) {
        let before = self.asked.len();
        while let Some(action) = self.run.poll() {
            if !matches!(action, Action::SetTimer(_)) {
                self.asked.push(action);
            }
            assert!(self.asked.len() - before < 1000, "the machine is never content");
        }
    }

    /// Lets time pass, with a tick at each time that was asked for.
    fn pass(&mut self, time: Duration) {
        let until = self.now + time;
        for round in 0.. {
            let Some(deadline) = self.run.deadline().filter(|deadline| *deadline <= until) else { break };
            assert!(round < 100_000, "the machine is never content");
            self.now = self.now.max(deadline);
            self.tell(Input::Tick);
        }
        self.now = until;
    }
}

/// Whatever facts come in whatever order: nothing panics, the order of actions holds, exactly one envelope comes out, and it
/// agrees with what was told. The first byte says how the run is watched.
///
/// # Panics
/// Where one of that is not so.
pub fn run(data: &[u8]) {
    let (options, facts) = data.split_first().map_or((0, data), |(options, facts)| (*options, facts));
    let mut world = World::new(options);
    // What was told, as far as the verdict depends on it.
    let (mut started, mut cancelled, mut wanted, mut signalled) = (false, false, false, false);
    let mut exited: Option<bool> = None;
    for byte in facts {
        let open = !world.run.is_done();
        // The high bits are time: none, or up to some seconds.
        world.pass(Duration::from_millis([0, 1, 60, 400, 3_000, 11_000, 0, 7][usize::from(byte >> 5)]));
        match byte & 31 {
            0 | 1 => {
                started |= open;
                world.tell(Input::Started);
            }
            2 => world.tell(Input::Stdout(INIT)),
            3 => world.tell(Input::Stdout(RESULT)),
            4 => world.tell(Input::Stdout(FAILED)),
            5 => world.tell(Input::Stdout(b"{\"type\":")),
            6 => world.tell(Input::Stderr(b"noise\n")),
            7 => world.tell(Input::StdoutClosed),
            8 => world.tell(Input::StderrClosed),
            9 => world.tell(Input::StdinWritten(2)),
            10 => world.tell(Input::StdinBroken("EPIPE".into())),
            11 | 12 => {
                signalled |= wanted && open && exited.is_none();
                world.tell(Input::Signalled);
            }
            13..=15 => {
                let (code, signal) = [(Some(0), None), (Some(3), None), (None, Some(9))][usize::from(byte & 31) - 13];
                if started && open {
                    exited.get_or_insert(signalled);
                }
                world.tell(Input::Exited { code, signal });
            }
            16 => world.tell(Input::TreeGone),
            17 => world.tell(Input::Reaped),
            18 | 19 => {
                cancelled |= open;
                world.tell(if byte & 1 == 0 { Input::Cancel } else { Input::CancelNow });
            }
            20 | 21 => {
                while world.run.next_event().is_some() {}
                world.poll();
            }
            22 => world.tell(Input::StdoutBroken("EIO".into())),
            23 => {
                world.run.stdout_space(10);
                world.tell(Input::StdoutFilled(0));
            }
            24 => world.tell(Input::SpawnFailed(SpawnError::new(SpawnErrorKind::ProgramNotFound, "ENOENT"))),
            25 => world.tell(Input::Stdout(&[])),
            26 => {
                let _ = world.run.next_event();
                world.poll();
            }
            _ => world.tell(Input::Tick),
        }
        wanted |= world.run.is_ending();
    }
    conclude(world, cancelled, exited);
}

fn conclude(world: World, cancelled: bool, exited: Option<bool>) {
    let asked = &world.asked;
    let at = |wanted: &dyn Fn(&Action) -> bool| asked.iter().position(wanted);
    let reap = at(&|action| matches!(action, Action::Reap));
    for signal in
        [at(&|action| matches!(action, Action::KillTree)), at(&|action| matches!(action, Action::Interrupt(_)))]
    {
        assert!(reap.is_none() || signal.is_none() || signal < reap, "a signal after the reaping: {asked:?}");
    }
    let done = at(&|action| matches!(action, Action::Done));
    assert!(done.is_none_or(|done| done + 1 == asked.len()), "something after the end: {asked:?}");
    for action in asked {
        let often = matches!(action, Action::Write(_) | Action::StopReading | Action::ResumeReading);
        assert!(often || asked.iter().filter(|other| *other == action).count() == 1, "asked twice: {asked:?}");
        assert!(!matches!(action, Action::Interrupt(signal) if *signal != Interrupt::Interrupt), "{asked:?}");
    }
    let exit = world.run.exit();
    let envelope = world.run.finish();
    assert_eq!(envelope.errors.is_empty(), envelope.status == Status::Ok);
    assert_eq!(envelope.status == Status::Cancelled, exit.cancelled, "{envelope:?}");
    // It ended before any signal of ours: its verdict is its own.
    assert!(exited != Some(false) || !exit.cancelled, "{envelope:?}");
    // Nobody asked for the end: only a host that gives up before the exit cancels.
    assert!(!exit.cancelled || cancelled || exited.is_none(), "{envelope:?}");
}
