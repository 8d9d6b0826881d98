//! A process, its pipes, its driver and its host, as they could be.

mod check;
mod talk;

use super::super::*;
use crate::exit::SpawnErrorKind;
use crate::run::options::WhenBusy;
use core::ops::Range;
use talk::Talk;

pub(super) const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What a world is like.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) timers: Timers,
    pub(super) interrupt: Option<Interrupt>,
    pub(super) leave_background: bool,
    /// A descendant holds the pipes until the tree is ended; with `escaped` even longer.
    pub(super) held: bool,
    pub(super) escaped: bool,
    /// No signal ends it.
    pub(super) unkillable: bool,
    /// The consumer may stall, so that nothing is read.
    pub(super) stalls: bool,
    pub(super) prompt: usize,
    /// So many turns may be said; with one at least it is interactive.
    pub(super) turns: u8,
    /// So often the host asks a turn to stop.
    pub(super) stops: u8,
    /// So many questions are asked.
    pub(super) asks: u8,
    pub(super) when_busy: WhenBusy,
    /// It may close its pipes before it ends.
    pub(super) closes_early: bool,
    pub(super) cancels: bool,
    /// How often time passes by itself, beside all limits.
    pub(super) seconds: u8,
}

pub(super) fn kind() -> Kind {
    let timers = Timers {
        after_terminal: Some(secs(4)),
        drain: Some(secs(2)),
        grace: secs(3),
        kill: secs(2),
        ..Timers::default()
    };
    Kind {
        timers,
        interrupt: Some(Interrupt::Interrupt),
        leave_background: false,
        held: false,
        escaped: false,
        unkillable: false,
        stalls: false,
        prompt: 0,
        turns: 0,
        stops: 0,
        asks: 0,
        when_busy: WhenBusy::Queue,
        closes_early: false,
        cancels: true,
        seconds: 1,
    }
}

/// What can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Start,
    FailToStart,
    Print,
    Finish,
    Background,
    Exit(i32),
    DieOfSignal,
    ExitSeen,
    StdoutEnds,
    StderrEnds,
    StdoutBreaks,
    DriverInterrupts,
    DriverKills,
    TreeIsGone,
    DriverReaps,
    Wrote,
    WriteBreaks,
    Cancel,
    CancelNow,
    Stall,
    Unstall,
    Timer,
    Second,
    Say,
    AskToStop,
    Answer,
    EndInput,
    Begin,
    Ask,
    Withdraw,
}

#[derive(Clone, Debug)]
pub(super) struct World {
    machine: Machine,
    // The truth.
    alive: bool,
    ended: Option<(i32, bool)>,
    asked_to_stop: bool,
    tree_killed: bool,
    // What was told.
    exit_told: bool,
    stdout_told: bool,
    stderr_told: bool,
    // What the driver has to do.
    writing: Option<Range<usize>>,
    interrupting: bool,
    killing: bool,
    ending_tree: bool,
    reaping: bool,
    // What was asked, ever.
    interrupts: u8,
    kills: u8,
    reaps: u8,
    closes: u8,
    pub(super) dones: u8,
    // What happened.
    prints: u8,
    finished: bool,
    finished_in_time: bool,
    background: bool,
    stalled: bool,
    cancel_asked: bool,
    cancel_now: bool,
    /// A signal was told before the exit; what the first cause was then.
    signal_first: bool,
    seconds: u8,
    /// Writing failed.
    broke: bool,
    talk: Talk,
}

pub(super) fn settings(kind: &Kind) -> Settings {
    let bounds = Bounds { open: 4, queue: 1 << 10 };
    Settings { timers: kind.timers, interrupt: kind.interrupt, leave_background: kind.leave_background, bounds }
}

pub(super) fn world(kind: &Kind) -> World {
    let settings = settings(kind);
    let out = match kind {
        Kind { turns: 1.., .. } => Outgoing::conversation(),
        Kind { prompt: 1.., .. } => Outgoing::prompt(kind.prompt),
        _ => Outgoing::none(),
    };
    World {
        machine: Machine::new(settings, out),
        alive: false,
        ended: None,
        asked_to_stop: false,
        tree_killed: false,
        exit_told: false,
        stdout_told: false,
        stderr_told: false,
        writing: None,
        interrupting: false,
        killing: false,
        ending_tree: false,
        reaping: false,
        interrupts: 0,
        kills: 0,
        reaps: 0,
        closes: 0,
        dones: 0,
        prints: 0,
        finished: false,
        finished_in_time: false,
        background: false,
        stalled: false,
        cancel_asked: false,
        cancel_now: false,
        signal_first: false,
        seconds: 0,
        broke: false,
        talk: Talk::default(),
    }
}

impl World {
    pub(super) fn steps(&self, kind: &Kind) -> Vec<Step> {
        if self.dones > 0 {
            return Vec::new();
        }
        let mut steps = Vec::new();
        let mut may = |condition: bool, step: Step| {
            if condition {
                steps.push(step);
            }
        };
        let started = self.alive || self.ended.is_some();
        may(!started, Step::Start);
        may(!started, Step::FailToStart);
        let reads = !self.stdout_told && !self.stalled;
        if kind.turns > 0 {
            self.talk_steps(kind, &mut may);
        } else {
            may(self.alive && reads && self.prints < 1 && !self.finished, Step::Print);
            may(self.alive && reads && !self.finished, Step::Finish);
        }
        may(self.alive && reads && self.finished && !self.background && kind.stalls, Step::Background);
        may(self.alive, Step::Exit(0));
        may(self.alive && self.asked_to_stop, Step::DieOfSignal);
        may(!self.alive && started && !self.exit_told, Step::ExitSeen);
        let gone = !self.alive && (!kind.held || (self.tree_killed && !kind.escaped));
        let may_end = started && (gone || (kind.closes_early && !kind.held));
        may(may_end && !self.stdout_told && !self.stalled, Step::StdoutEnds);
        may(may_end && !self.stderr_told, Step::StderrEnds);
        may(kind.closes_early && self.alive && reads, Step::StdoutBreaks);
        may(self.interrupting, Step::DriverInterrupts);
        may(self.killing, Step::DriverKills);
        may(self.ending_tree && !kind.unkillable, Step::TreeIsGone);
        may(self.reaping, Step::DriverReaps);
        may(self.writing.is_some(), Step::Wrote);
        may(self.writing.is_some(), Step::WriteBreaks);
        may(kind.cancels && started && !self.cancel_asked, Step::Cancel);
        may(kind.cancels && !self.cancel_now, Step::CancelNow);
        may(kind.stalls && started && !self.stalled && self.prints > 0, Step::Stall);
        may(kind.stalls && self.stalled, Step::Unstall);
        may(self.machine.deadline().is_some(), Step::Timer);
        may(started && self.seconds < kind.seconds, Step::Second);
        steps
    }

    fn fact(&mut self, tell: impl FnOnce(&mut Machine)) {
        tell(&mut self.machine);
        self.machine.settle();
    }

    fn tell_exit(&mut self) {
        if !self.exit_told {
            self.exit_told = true;
            let (code, by_signal) = self.ended.expect("it has ended");
            let (code, signal) = if by_signal { (None, Some(code)) } else { (Some(code), None) };
            self.fact(|machine| machine.exited(code, signal));
        }
    }

    fn tell_signal(&mut self) {
        self.signal_first |= !self.exit_told;
        self.fact(Machine::signalled);
    }

    pub(super) fn take(&mut self, step: Step, kind: &Kind) {
        let mut now = self.machine.now;
        match step {
            Step::Timer => now = now.max(self.machine.deadline().expect("it was there")),
            Step::Second => now += secs(1),
            _ => {}
        }
        self.machine.clock(now);
        match step {
            Step::Start => {
                self.alive = true;
                self.fact(Machine::started);
            }
            Step::FailToStart => {
                let error = SpawnError::new(SpawnErrorKind::Other, "no");
                self.fact(|machine| machine.spawn_failed(error));
            }
            Step::Print => {
                self.prints += 1;
                self.fact(|machine| {
                    machine.output();
                    machine.event_made();
                });
            }
            Step::Finish | Step::Background => {
                self.finished = true;
                self.finished_in_time |= self.machine.ending.is_none();
                self.background = step == Step::Background;
                let settled = !self.background;
                self.turn_over();
                self.fact(|machine| {
                    machine.output();
                    machine.event_made();
                    machine.observe(settled);
                });
            }
            Step::Exit(code) => {
                self.alive = false;
                self.ended = Some((code, false));
            }
            Step::DieOfSignal => {
                self.alive = false;
                self.ended = Some((2, true));
            }
            Step::ExitSeen => self.tell_exit(),
            Step::StdoutEnds => {
                self.stdout_told = true;
                self.fact(|machine| machine.stdout_closed(None));
            }
            Step::StdoutBreaks => {
                self.stdout_told = true;
                self.fact(|machine| machine.stdout_closed(Some("broken".into())));
            }
            Step::StderrEnds => {
                self.stderr_told = true;
                self.fact(Machine::stderr_closed);
            }
            Step::DriverInterrupts => {
                self.interrupting = false;
                if self.alive {
                    self.asked_to_stop = true;
                    self.tell_signal();
                } else {
                    self.tell_exit();
                }
            }
            Step::DriverKills => {
                self.killing = false;
                if self.alive {
                    self.tell_signal();
                    if !kind.unkillable {
                        self.alive = false;
                        self.ended = Some((9, true));
                    }
                } else {
                    self.tell_exit();
                }
                self.ending_tree = true;
            }
            Step::TreeIsGone => {
                self.ending_tree = false;
                self.tree_killed = true;
                self.fact(Machine::tree_gone);
            }
            Step::DriverReaps => {
                self.reaping = false;
                self.fact(Machine::reaped);
            }
            Step::Wrote => {
                let range = self.writing.take().expect("it was writing");
                // A pipe takes what it has room for.
                let taken = range.len().div_ceil(2);
                self.reads(range.start..range.start + taken);
                self.fact(|machine| machine.out.wrote(taken));
            }
            Step::WriteBreaks => {
                self.writing = None;
                self.broke = true;
                self.fact(|machine| machine.stdin_broken("broken".into()));
            }
            Step::Cancel => {
                self.cancel_asked = true;
                self.fact(|machine| machine.cancel(false));
            }
            Step::CancelNow => {
                self.cancel_asked = true;
                self.cancel_now = true;
                self.fact(|machine| machine.cancel(true));
            }
            Step::Stall | Step::Unstall => {
                self.stalled = step == Step::Stall;
                let stalled = self.stalled;
                self.machine.read_ahead_full(stalled);
                if stalled {
                    self.fact(|_| {});
                }
            }
            Step::Timer => self.fact(|_| {}),
            Step::Second => {
                self.seconds += 1;
                self.fact(|_| {});
            }
            step => self.talk(step, kind),
        }
        self.deny_expired();
        self.actions(kind);
    }

    /// Takes all actions, and checks what must hold of them.
    fn actions(&mut self, kind: &Kind) {
        for round in 0.. {
            assert!(round < 20, "the machine never stops asking");
            let Some(action) = self.machine.poll(None) else { break };
            assert_eq!(self.dones, 0, "{action:?} after the end");
            match action {
                Action::Write(range) => {
                    assert!(self.closes == 0 && self.writing.is_none(), "a write into the void, or two at once");
                    assert!(!range.is_empty());
                    assert!(!self.cancel_asked, "a cancelled run is told more");
                    self.check_write(&range, kind);
                    self.writing = Some(range);
                }
                Action::CloseStdin => {
                    if kind.turns > 0 {
                        self.check_close(kind);
                    }
                    self.closes += 1;
                    self.writing = None;
                }
                Action::Interrupt(_) => {
                    self.interrupts += 1;
                    self.interrupting = true;
                    assert_eq!((self.kills, self.reaps), (0, 0), "a polite signal too late");
                    assert!(!self.exit_told);
                }
                Action::KillTree => {
                    self.kills += 1;
                    self.killing = true;
                    assert_eq!(self.reaps, 0, "a signal after the exit was reaped");
                }
                Action::Reap => {
                    self.reaps += 1;
                    self.reaping = true;
                    assert!(self.exit_told, "reaping blocks while it runs");
                    // A driver gives up killing then.
                    self.killing = false;
                    self.ending_tree = false;
                }
                Action::StopReading | Action::ResumeReading | Action::SetTimer(_) => {}
                Action::Done => self.dones += 1,
            }
        }
        assert!(self.interrupts <= 1 && self.kills <= 1 && self.reaps <= 1 && self.closes <= 1 && self.dones <= 1);
        assert_eq!(self.dones == 1, self.machine.is_done());
        if let Some(deadline) = self.machine.deadline() {
            let armed = self.machine.timer.expect("a timer is set for the deadline");
            assert!(armed <= deadline, "the timer is late");
            assert!(armed >= self.machine.now, "a timer that has gone off is no timer");
            assert!(deadline >= self.machine.now, "a decision was put off");
        }
    }
}
