//! Every decision about the life of one process. Knows no stream: what was read comes in as facts about it.
//!
//! ```text
//!             Cancel, a limit                   grace over
//!   running ───────────────────> asked to end ─────────────> tree killed ──> reaped ──> done
//!      │                             │ exit, and pipes ended     ^             ^
//!      │ exit                        └───────────────────────────┤             │
//!      └──────────> draining ── pipes ended, or drain over ──────┴─(or left)───┘
//! ```

mod decisions;
mod talk;
mod times;

#[cfg(test)]
mod tests;

use super::dialog::{Bounds, Dialog};
use super::facts::Action;
use super::outgoing::Outgoing;
use crate::exit::{Exit, SpawnError, TimeLimit};
use crate::launch::{Interrupt, Timers};
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

/// The settings of a machine.
#[derive(Clone, Debug)]
pub(in crate::run) struct Settings {
    pub(in crate::run) timers: Timers,
    pub(in crate::run) interrupt: Option<Interrupt>,
    pub(in crate::run) leave_background: bool,
    pub(in crate::run) bounds: Bounds,
}

/// Why the driver ends a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::run) enum Cause {
    /// The host wants it.
    Cancelled,
    /// A limit was reached.
    TimedOut(TimeLimit),
    /// It had said its last word and would not go.
    Lingers,
    /// Its output cannot be read.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tree {
    /// Nothing was done to it.
    Alone,
    /// It is being ended.
    Killing,
    /// Nothing of it is left, or what is left stays.
    Over,
    /// It could not be ended in time.
    GivenUp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exited {
    code: Option<i32>,
    signal: Option<i32>,
}

/// An action that is asked once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ask {
    #[default]
    No,
    Wanted,
    Asked,
}

impl Ask {
    fn want(&mut self) {
        if *self == Ask::No {
            *self = Ask::Wanted;
        }
    }

    fn take(&mut self) -> bool {
        let wanted = *self == Ask::Wanted;
        if wanted {
            *self = Ask::Asked;
        }
        wanted
    }
}

/// The decisions of a run. Time is counted from the run's beginning and never goes back.
#[derive(Clone, Debug)]
pub(in crate::run) struct Machine {
    settings: Settings,
    pub(in crate::run) out: Outgoing,
    pub(in crate::run) dialog: Dialog,
    /// What the host has said and is still to be written.
    outbox: Vec<u8>,
    pub(in crate::run) now: Duration,
    pub(in crate::run) started: Option<Duration>,
    spawn_error: Option<SpawnError>,
    stdout_open: bool,
    stderr_open: bool,
    stdout_error: Option<String>,
    stdin_error: Option<String>,
    /// The terminal record is there, and nothing goes on in the background.
    settled: bool,
    /// The host said something to which no turn has begun yet.
    unanswered: bool,
    any_event: bool,
    last_output: Duration,
    /// The consumer is so far behind that standard output is not read.
    full: bool,
    /// Since when the clocks that depend on reading stand still.
    held_since: Option<Duration>,
    reading: bool,
    ending: Option<Cause>,
    ending_since: Duration,
    /// The host asked for the end, whatever the process was ended for.
    cancel_asked: bool,
    /// Without asking the process first.
    at_once: bool,
    /// A signal of ours reached it before it had ended.
    signalled: bool,
    /// What it prints from now on is an answer to that signal, after its last word.
    muted: bool,
    exited: Option<Exited>,
    exited_at: Duration,
    /// It had ended before any signal of ours.
    by_itself: bool,
    tree: Tree,
    killed_at: Duration,
    over_at: Duration,
    /// Nothing more is waited for in the pipes.
    drained: bool,
    reap_at: Duration,
    reaped: bool,
    interrupt: Ask,
    kill: Ask,
    reap: Ask,
    pub(in crate::run) done_at: Option<Duration>,
    done: Ask,
    timer: Option<Duration>,
}

impl Machine {
    pub(in crate::run) fn new(settings: Settings, out: Outgoing) -> Self {
        Machine {
            dialog: Dialog::new(settings.bounds),
            settings,
            out,
            outbox: Vec::new(),
            now: Duration::ZERO,
            started: None,
            spawn_error: None,
            stdout_open: true,
            stderr_open: true,
            stdout_error: None,
            stdin_error: None,
            settled: false,
            unanswered: false,
            any_event: false,
            last_output: Duration::ZERO,
            full: false,
            held_since: None,
            reading: true,
            ending: None,
            ending_since: Duration::ZERO,
            cancel_asked: false,
            at_once: false,
            signalled: false,
            muted: false,
            exited: None,
            exited_at: Duration::ZERO,
            by_itself: false,
            tree: Tree::Alone,
            killed_at: Duration::ZERO,
            over_at: Duration::ZERO,
            drained: false,
            reap_at: Duration::ZERO,
            reaped: false,
            interrupt: Ask::No,
            kill: Ask::No,
            reap: Ask::No,
            done_at: None,
            done: Ask::No,
            timer: None,
        }
    }

    /// The time of the fact that follows.
    pub(in crate::run) fn clock(&mut self, now: Duration) {
        self.now = self.now.max(now);
        self.timer = self.timer.filter(|timer| *timer > self.now);
        if !self.full {
            // Time in which nothing was read is nobody's silence.
            if let Some(since) = self.held_since.take() {
                let held = self.now.saturating_sub(since);
                self.last_output = self.last_output.saturating_add(held);
                self.exited_at = self.exited_at.saturating_add(held);
            }
        }
    }

    pub(in crate::run) fn started(&mut self) {
        if self.started.is_none() && self.spawn_error.is_none() {
            self.started = Some(self.now);
            self.last_output = self.now;
        }
    }

    pub(in crate::run) fn spawn_failed(&mut self, error: SpawnError) {
        if self.started.is_none() && self.spawn_error.is_none() {
            self.spawn_error = Some(error);
        }
    }

    /// Output of any kind came.
    pub(in crate::run) fn output(&mut self) {
        self.last_output = self.now;
    }

    /// What the stream has said so far.
    pub(in crate::run) fn observe(&mut self, settled: bool) {
        self.unanswered &= settled;
        self.settled = settled && !self.unanswered;
    }

    /// It has said its last word on all that it was told.
    fn is_settled(&self) -> bool {
        self.settled && !self.dialog.is_busy()
    }

    /// An event came of it.
    pub(in crate::run) fn event_made(&mut self) {
        self.any_event = true;
    }

    /// Whether the consumer is too far behind to read on.
    pub(in crate::run) fn read_ahead_full(&mut self, full: bool) {
        self.full = full && self.stdout_open;
        if self.full && self.held_since.is_none() {
            self.held_since = Some(self.now);
        }
    }

    pub(in crate::run) fn stdout_closed(&mut self, error: Option<String>) {
        if self.stdout_open {
            self.stdout_open = false;
            self.last_output = self.now;
            // There is nothing left to read for which a consumer could be too slow.
            self.full = false;
            self.held_since = None;
            if error.is_some() && !self.signalled {
                self.stdout_error = error;
                self.end(Cause::Broken);
            }
        }
    }

    pub(in crate::run) fn stderr_closed(&mut self) {
        self.stderr_open = false;
    }

    pub(in crate::run) fn stdin_broken(&mut self, error: String) {
        if self.out.broken() && !self.signalled && self.out.outgrows_a_pipe() {
            self.stdin_error = Some(error);
        }
    }

    pub(in crate::run) fn signalled(&mut self) {
        if self.exited.is_none() && self.ending.is_some() && !self.signalled {
            self.signalled = true;
            // It would spoil a verdict that is there already.
            self.muted = self.is_settled();
        }
    }

    pub(in crate::run) fn exited(&mut self, code: Option<i32>, signal: Option<i32>) {
        if self.exited.is_some() || self.started.is_none() {
            return;
        }
        self.exited = Some(Exited { code, signal });
        self.exited_at = self.now;
        if self.full {
            // The drain begins when reading does.
            self.held_since = Some(self.now);
        }
        self.by_itself = !self.signalled;
        if self.by_itself && self.out.is_cut() && self.out.outgrows_a_pipe() && self.stdin_error.is_none() {
            // Whether the pipe was seen to break, or the exit was seen first, is chance.
            self.stdin_error = Some("the process ended before it had taken its whole prompt".into());
        }
        self.out.close();
        if self.interrupt == Ask::Wanted {
            self.interrupt = Ask::No;
        }
    }

    pub(in crate::run) fn tree_gone(&mut self) {
        if self.tree == Tree::Killing {
            self.tree = Tree::Over;
            self.over_at = self.now;
        }
    }

    pub(in crate::run) fn reaped(&mut self) {
        // Whoever reaped it unasked has told nothing that matters.
        self.reaped |= self.reap == Ask::Asked;
    }

    pub(in crate::run) fn cancel(&mut self, at_once: bool) {
        self.end(Cause::Cancelled);
        self.cancel_asked = true;
        self.at_once |= at_once;
    }

    /// The next action, the most urgent first.
    pub(in crate::run) fn poll(&mut self, extra_deadline: Option<Duration>) -> Option<Action> {
        if self.done_at.is_some() {
            return self.done.take().then_some(Action::Done);
        }
        if self.kill.take() {
            return Some(Action::KillTree);
        }
        if self.interrupt.take() {
            return self.settings.interrupt.map(Action::Interrupt);
        }
        if self.reading == self.full && self.stdout_open {
            self.reading = !self.full;
            return Some(if self.full { Action::StopReading } else { Action::ResumeReading });
        }
        if self.started.is_some()
            && let Some(action) = self.out.poll()
        {
            return Some(action);
        }
        if self.reap.take() {
            return Some(Action::Reap);
        }
        let next = [self.deadline(), extra_deadline].into_iter().flatten().min()?;
        // One that comes too early is told the time and set again: output that moves a limit sets no timer.
        if self.timer.is_none_or(|timer| next < timer) {
            self.timer = Some(next);
            return Some(Action::SetTimer(next));
        }
        None
    }

    /// The facts about the end, as far as they are known.
    pub(in crate::run) fn exit(&self) -> Exit {
        let exited = self.exited.unwrap_or(Exited { code: None, signal: None });
        let mut exit = Exit { code: exited.code, signal: exited.signal, ..Exit::default() };
        let cause = self.ending.filter(|_| !self.by_itself);
        exit.cancelled = cause == Some(Cause::Cancelled);
        if !exit.cancelled {
            exit.spawn_error.clone_from(&self.spawn_error);
        }
        match cause {
            Some(Cause::TimedOut(limit)) => exit.timed_out = Some(limit),
            Some(Cause::Lingers) => exit.ended_by_driver = true,
            Some(Cause::Cancelled | Cause::Broken) => {}
            // Nobody waited for the end: the host gave the run up.
            None if exited_unknown(self) => exit.cancelled = true,
            None => {}
        }
        exit.prompt_pipe_only = self.stdout_error.is_none() && self.stdin_error.is_some();
        exit.stream_error = self.stdout_error.clone().or_else(|| self.stdin_error.clone());
        exit
    }

    /// Whether the process, or some of its tree, could not be ended in time.
    pub(in crate::run) fn gave_up(&self) -> bool {
        self.tree == Tree::GivenUp
    }

    /// Whether what comes on standard output is read.
    pub(in crate::run) fn listens(&self) -> bool {
        self.stdout_open && !self.muted && self.done_at.is_none()
    }

    pub(in crate::run) fn is_done(&self) -> bool {
        self.done_at.is_some()
    }

    /// Nobody can be spoken to any more.
    pub(in crate::run) fn is_over(&self) -> bool {
        self.is_done()
            || self.ending.is_some()
            || self.exited.is_some()
            || self.spawn_error.is_some()
            || !self.stdout_open
    }

    pub(in crate::run) fn is_ending(&self) -> bool {
        self.ending.is_some() && !self.is_done()
    }
}

fn exited_unknown(machine: &Machine) -> bool {
    machine.exited.is_none() && machine.spawn_error.is_none()
}
