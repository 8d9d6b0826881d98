//! What a session and its handles share.

use super::error::SessionError;
use crate::shared::wake;
use crate::talk::RunHandle;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use turnline::State;
use turnline::input::{InputError, InputErrorKind, Part, UserTurn};
use turnline::run::{Sent, WhenBusy};

/// What a turn that waits takes beside its bytes.
const ENTRY: usize = 64;

/// What does not change in a session.
#[derive(Clone, Debug)]
pub(super) struct Nature {
    pub(super) command: String,
    /// One process takes all turns.
    pub(super) lasting: bool,
    pub(super) resumes: bool,
    pub(super) when_busy: WhenBusy,
    /// Bytes of turns that may wait.
    pub(super) queue: usize,
}

impl Nature {
    pub(super) fn refused(&self, kind: InputErrorKind, why: &str) -> SessionError {
        InputError::new(kind, &self.command, why).into()
    }
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) nature: Nature,
    state: Mutex<Inner>,
}

#[derive(Debug, Default)]
pub(super) struct Inner {
    queue: VecDeque<UserTurn>,
    queued: usize,
    pub(super) closing: bool,
    /// A turn was taken before.
    pub(super) begun: bool,
    /// The process that runs.
    pub(super) run: Option<RunHandle>,
    waker: Option<Waker>,
}

impl Shared {
    pub(super) fn new(nature: Nature) -> Self {
        Shared { nature, state: Mutex::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says a turn to the process that takes all of them, or puts it behind those that wait. `None`: nothing runs and nothing
    /// waits, and it may be said at once.
    pub(super) fn send(&self, turn: &UserTurn) -> Result<Option<Sent>, SessionError> {
        let nature = &self.nature;
        let mut state = self.lock();
        if state.closing {
            return Err(SessionError::Closed);
        }
        if let Some(run) = state.run.as_ref().filter(|_| nature.lasting) {
            match run.send(turn.clone()) {
                // It is gone: another one is started for it.
                Err(error) if error.kind() == InputErrorKind::Ended => {}
                other => return Ok(Some(other?)),
            }
        }
        if !nature.lasting {
            match turn.as_text() {
                Some(text) if text.trim().is_empty() => {
                    return Err(nature.refused(InputErrorKind::Empty, "the turn is empty"));
                }
                Some(_) => {}
                None => return Err(nature.refused(InputErrorKind::Unsupported, "it takes text alone")),
            }
        }
        if state.begun && !nature.resumes {
            return Err(SessionError::CannotResume { command: nature.command.clone() });
        }
        if state.run.is_none() && state.queue.is_empty() {
            return Ok(None);
        }
        if nature.when_busy == WhenBusy::Refuse {
            return Err(nature.refused(InputErrorKind::Busy, "a turn runs"));
        }
        if state.queued.saturating_add(size(turn)) > nature.queue {
            return Err(nature.refused(InputErrorKind::Busy, "too much waits to be said already"));
        }
        state.push(turn.clone());
        Ok(Some(Sent::Queued))
    }

    /// Puts a turn behind those that wait, for whoever asks for the next step.
    pub(super) fn push(&self, turn: UserTurn) {
        let mut state = self.lock();
        state.push(turn);
        let waker = state.waker.take();
        drop(state);
        wake(waker);
    }

    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closing = true;
        let (run, waker) = (state.run.clone(), state.waker.take());
        drop(state);
        if let Some(run) = run.filter(|_| self.nature.lasting) {
            run.end_input();
        }
        wake(waker);
    }

    /// Stops the turn that runs: the process lives on where it can.
    pub(super) fn interrupt(&self) -> Result<bool, SessionError> {
        let Some(run) = self.lock().run.clone() else { return Ok(false) };
        if self.nature.lasting {
            match run.interrupt() {
                Err(error) if error.kind() == InputErrorKind::Unsupported => {}
                other => return Ok(other?),
            }
        }
        let running = run.state() != State::Ended;
        run.cancel();
        Ok(running)
    }

    pub(super) fn state(&self) -> State {
        let state = self.lock();
        match &state.run {
            Some(run) => match run.state() {
                // Its end was not taken yet.
                State::Ended => State::Working,
                state => state,
            },
            None if !state.queue.is_empty() => State::Working,
            None if state.closing => State::Ended,
            None => State::Idle,
        }
    }

    /// The next turn that waits; `None`: none comes any more.
    pub(super) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Option<UserTurn>> {
        let mut state = self.lock();
        match state.pop() {
            Some(turn) => Poll::Ready(Some(turn)),
            None if state.closing => Poll::Ready(None),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Inner {
    fn push(&mut self, turn: UserTurn) {
        self.queued = self.queued.saturating_add(size(&turn));
        self.queue.push_back(turn);
    }

    fn pop(&mut self) -> Option<UserTurn> {
        let turn = self.queue.pop_front()?;
        self.queued = self.queued.saturating_sub(size(&turn));
        Some(turn)
    }

    /// Puts turns that were not said before all others.
    pub(super) fn put_back(&mut self, turns: Vec<UserTurn>) {
        for turn in turns.into_iter().rev() {
            self.queued = self.queued.saturating_add(size(&turn));
            self.queue.push_front(turn);
        }
    }

    pub(super) fn take_unsent(&mut self) -> Vec<UserTurn> {
        self.queued = 0;
        self.queue.drain(..).collect()
    }
}

fn size(turn: &UserTurn) -> usize {
    let part = |part: &Part| match part {
        Part::Text(text) => text.len(),
        Part::Image { data, .. } => data.len(),
        _ => 0,
    };
    turn.parts().iter().map(part).sum::<usize>().saturating_add(ENTRY)
}
