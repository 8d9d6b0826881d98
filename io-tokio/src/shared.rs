//! What the task of a run and its handles share.

use crate::trace::told;
use crate::tree::{Delivery, EndStep, Polite, Tree};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;
use tokio::time::Instant;
use turnline::input::{InputError, InputErrorKind};
use turnline::launch::Interrupt;
use turnline::run::{Action, Input, Run};
use turnline::{Envelope, SpawnError};

/// One run: its machine, its processes, and who waits for it.
///
/// The lock is held for as long as a chunk is parsed, or the system's processes are looked through; never while waiting.
pub(crate) struct Shared {
    pub(crate) begin: Instant,
    /// The command, as messages name it.
    pub(crate) command: String,
    pub(crate) spawn_error: Option<SpawnError>,
    state: Mutex<State>,
}

pub(crate) struct State {
    begin: Instant,
    /// Gone when the envelope was taken.
    pub(crate) run: Option<Run>,
    /// Gone when it was reaped.
    pub(crate) tree: Option<Tree>,
    /// Nothing more happens; events may still be there to be taken.
    pub(crate) over: bool,
    /// Standard output is not read for now: taking events may change that.
    pub(crate) paused: bool,
    /// Nobody wants events any more.
    pub(crate) discard: bool,
    pub(crate) driver: Option<Waker>,
    pub(crate) consumer: Option<Waker>,
}

impl Shared {
    pub(crate) fn new(run: Run, tree: Option<Tree>, spawn_error: Option<SpawnError>, begin: Instant) -> Self {
        let command = run.plan().command.clone();
        let over = tree.is_none();
        let state =
            State { begin, run: Some(run), tree, over, paused: false, discard: false, driver: None, consumer: None };
        Shared { begin, command, spawn_error, state: Mutex::new(state) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // What a panic left is still to be cleaned up.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something to the executor.
    pub(crate) fn say<T>(
        &self,
        what: impl FnOnce(&mut Run, Duration) -> Result<T, InputError>,
    ) -> Result<T, InputError> {
        let mut state = self.lock();
        let now = state.now();
        let said = match &mut state.run {
            Some(run) => what(run, now),
            None => Err(InputError::new(InputErrorKind::Ended, &self.command, "its run is over")),
        };
        // An answer is an event, too.
        let consumer = if state.discard { None } else { state.consumer.take() };
        let driver = state.driver.take();
        drop(state);
        wake(driver);
        wake(consumer);
        said
    }

    /// Tells a fact from outside, and wakes the task.
    pub(crate) fn tell(&self, input: Input<'_>) {
        let mut state = self.lock();
        state.tell(input);
        let waker = state.driver.take();
        drop(state);
        wake(waker);
    }
}

pub(crate) fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl State {
    /// The time since the run was asked for.
    pub(crate) fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Tells a fact that is true now.
    pub(crate) fn tell(&mut self, input: Input<'_>) {
        let now = self.now();
        if let Some(run) = &mut self.run {
            run.handle(input, now);
            while self.discard && run.next_event().is_some() {}
        }
    }

    /// Looks for the exit, and tells it.
    pub(crate) fn tell_exit(&mut self) -> bool {
        let Some(Ok(Some(exit))) = self.tree.as_mut().map(Tree::exited) else { return false };
        told!(code = exit.code, signal = exit.signal, "exited");
        self.tell(Input::Exited { code: exit.code, signal: exit.signal });
        true
    }

    /// Carries out [`Action::Interrupt`].
    pub(crate) fn interrupt(&mut self, signal: Interrupt) {
        if self.tell_exit() {
            return;
        }
        let polite = match signal {
            Interrupt::Terminate => Polite::Terminate,
            _ => Polite::Interrupt,
        };
        match self.tree.as_mut().map(|tree| tree.interrupt(polite)) {
            Some(Ok(Delivery::Sent)) => {
                told!(signal = ?polite, "interrupted");
                self.tell(Input::Signalled);
            }
            Some(Ok(Delivery::SentAfterExit | Delivery::AlreadyOver)) => _ = self.tell_exit(),
            // It gets its grace, and then the kill.
            _ => {}
        }
    }

    /// Begins to carry out [`Action::KillTree`].
    pub(crate) fn begin_kill(&mut self) {
        if !self.tell_exit() {
            self.tell(Input::Signalled);
        }
    }

    /// Goes on with it; when to call it again.
    pub(crate) fn kill_step(&mut self) -> Option<Duration> {
        let tree = self.tree.as_mut()?;
        let step = loop {
            match tree.end_step() {
                EndStep::Again(Duration::ZERO) => {}
                step => break step,
            }
        };
        match step {
            EndStep::Again(pause) => Some(self.now().saturating_add(pause)),
            EndStep::Done(ended) => {
                let _ = &ended;
                told!(killed = ended.killed, "nothing of it is left");
                self.tell_exit();
                self.tell(Input::TreeGone);
                None
            }
        }
    }

    /// Carries out [`Action::Reap`]; false: it has to be tried again.
    pub(crate) fn reap(&mut self) -> bool {
        if let Some(Ok(None)) = self.tree.as_mut().map(Tree::reap) {
            return false;
        }
        self.tree = None;
        self.tell(Input::Reaped);
        true
    }

    /// Ends everything here and now, blocking within the bound of a dropped [`Tree`]: the task that would do it is gone.
    pub(crate) fn end_now(&mut self) {
        if let Some(mut tree) = self.tree.take() {
            // A run that had ended by itself keeps its verdict.
            let exit = tree.exited().ok().flatten();
            if let Some(exit) = exit {
                self.tell(Input::Exited { code: exit.code, signal: exit.signal });
            }
            self.tell(Input::CancelNow);
            self.answer();
            tree.end(crate::tree::DROP_WITHIN);
            if let Ok(Some(exit)) = tree.reap() {
                self.tell(Input::Exited { code: exit.code, signal: exit.signal });
            }
            drop(tree);
        }
        self.tell(Input::StdoutClosed);
        self.tell(Input::StderrClosed);
        self.tell(Input::TreeGone);
        self.answer();
        self.over = true;
    }

    /// Answers what the machine asks when all is done already.
    fn answer(&mut self) {
        while let Some(action) = self.run.as_mut().and_then(Run::poll) {
            match action {
                Action::KillTree => self.tell(Input::Signalled),
                Action::Reap => self.tell(Input::Reaped),
                _ => {}
            }
        }
    }

    pub(crate) fn finish(&mut self) -> Option<Envelope> {
        self.run.take().map(Run::finish)
    }
}
