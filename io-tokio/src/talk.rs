//! Talking to an executor that goes on listening.

use crate::run::Run;
use crate::shared::{Shared, wake};
use serde_json::Value;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Weak};
use std::task::Poll;
use turnline::input::{Answer, InputError, InputErrorKind, UserTurn};
use turnline::run::{Input, Sent};
use turnline::{State, TurnReport};

/// Talking to an [interactive](crate::Runner::interactive) run. What is said is written by the run's task; nothing here waits,
/// and what cannot be said is refused with a code, nothing of it being written.
impl Run {
    /// Says a turn. While another one runs it waits for its end, unless the runner says
    /// [otherwise](crate::Runner::when_busy); what was never written can be [taken back](Run::take_unsent).
    ///
    /// # Errors
    ///
    /// The run is not interactive, or over, or its input has ended; the turn is empty, or has parts that the executor does not
    /// take; one runs and the host wants no queue, or the queue is full.
    pub fn send(&self, turn: impl Into<UserTurn>) -> Result<Sent, InputError> {
        send(&self.shared, turn.into())
    }

    /// Asks the turn that runs to stop; the process lives on, and turns that wait are said when it has stopped. False: no turn
    /// runs, or it was asked already.
    ///
    /// # Errors
    ///
    /// The run is not interactive, or over; the executor cannot be told that.
    pub fn interrupt(&self) -> Result<bool, InputError> {
        self.shared.say(|run, now| run.interrupt(now))
    }

    /// Answers a question of the executor: the `request_id` of its [`PermissionRequest`](turnline::PermissionRequest). Each is
    /// answered once; an event ([`PermissionResolved`](turnline::PermissionResolved)) tells that it was.
    ///
    /// # Errors
    ///
    /// The executor has not asked that, or it was answered or withdrawn; it takes no such answer; the run is over.
    pub fn answer(&self, request_id: &str, answer: &Answer) -> Result<(), InputError> {
        self.shared.say(|run, now| run.answer(request_id, answer, now))
    }

    /// Changes the model. Returns the id of the request, which the executor's own answer names.
    ///
    /// # Errors
    ///
    /// The run is not interactive, or over; the executor cannot be told that.
    pub fn set_model(&self, model: &str) -> Result<String, InputError> {
        self.shared.say(|run, now| run.set_model(model, now))
    }

    /// Changes the permission mode, in the vendor's word. Returns the id of the request.
    ///
    /// # Errors
    ///
    /// As [`set_model`](Run::set_model).
    pub fn set_permission_mode(&self, mode: &str) -> Result<String, InputError> {
        self.shared.say(|run, now| run.set_permission_mode(mode, now))
    }

    /// Asks the executor for something else, in its own terms. Returns the id of the request.
    ///
    /// # Errors
    ///
    /// As [`set_model`](Run::set_model).
    pub fn request(&self, request: &Value) -> Result<String, InputError> {
        self.shared.say(|run, now| run.request(request, now))
    }

    /// Writes bytes as they are, for what has no method here. False when that is no longer possible: the run is not
    /// interactive, its input has ended, or it is being ended.
    pub fn send_raw(&self, bytes: &[u8]) -> bool {
        self.shared.say(|run, now| Ok(run.send_raw(bytes, now))).unwrap_or(false)
    }

    /// Says no more turns. Standard input is closed when all that were said are over; until then questions can be answered,
    /// and the turn that runs can be asked to stop.
    pub fn end_input(&self) {
        end_input(&self.shared);
    }

    /// What the run is doing, as far as its output was read: that is, a little ahead of the events that were taken.
    #[must_use]
    pub fn state(&self) -> State {
        state(&self.shared)
    }

    /// The report of the next turn that is over, if there is one: what it came to, and what it used. Each is handed out once,
    /// in order. It is there when its `turn_ended` event was taken.
    #[must_use]
    pub fn take_turn(&mut self) -> Option<TurnReport> {
        self.shared.lock().run.as_mut()?.take_turn()
    }

    /// Waits for the end of the next turn, and tells what it came to. Events that were not taken until then are let go.
    /// `None`: the run is over, and no turn's end is left to be told; the turn that its end cut off is in the envelope.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a report that was not returned is not lost. Events may have been let go.
    pub async fn next_turn(&mut self) -> Option<TurnReport> {
        poll_fn(|cx| {
            let mut state = self.shared.lock();
            let over = state.over;
            let Some(run) = &mut state.run else { return Poll::Ready(None) };
            let report = loop {
                match run.take_turn() {
                    None if run.next_event().is_some() => {}
                    report => break report,
                }
            };
            if report.is_none() && !over {
                state.consumer = Some(cx.waker().clone());
            }
            // Room was made, or a turn ended that another one waited for.
            let driver = state.driver.take();
            drop(state);
            wake(driver);
            if report.is_none() && !over { Poll::Pending } else { Poll::Ready(report) }
        })
        .await
    }

    /// The turns that were said and not written, in order; they wait no longer. What a host asks for when it changes its mind,
    /// or when the run has ended before their time came.
    pub fn take_unsent(&self) -> Vec<UserTurn> {
        self.shared.lock().run.as_mut().map(turnline::run::Run::take_unsent).unwrap_or_default()
    }

    /// Whether a turn was written that has not begun.
    pub(crate) fn is_turn_owed(&self) -> bool {
        self.shared.lock().run.as_ref().is_some_and(turnline::run::Run::is_turn_owed)
    }

    /// The id to resume the session with, as far as it is known.
    #[must_use]
    pub fn session_id(&self) -> Option<String> {
        self.shared.lock().run.as_ref()?.session_id().map(str::to_owned)
    }

    /// What talks to this run from elsewhere: another task, a signal handler's thread.
    #[must_use]
    pub fn handle(&self) -> RunHandle {
        RunHandle { shared: Arc::downgrade(&self.shared), command: self.shared.command.as_str().into() }
    }
}

/// Talks to a run, and cancels it, from any task or thread. It does not keep the run alive: when that is gone, all is refused.
#[derive(Clone)]
pub struct RunHandle {
    shared: Weak<Shared>,
    command: Arc<str>,
}

impl RunHandle {
    /// As [`Run::send`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn send(&self, turn: impl Into<UserTurn>) -> Result<Sent, InputError> {
        send(&*self.run()?, turn.into())
    }

    /// As [`Run::interrupt`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn interrupt(&self) -> Result<bool, InputError> {
        self.run()?.say(|run, now| run.interrupt(now))
    }

    /// As [`Run::answer`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn answer(&self, request_id: &str, answer: &Answer) -> Result<(), InputError> {
        self.run()?.say(|run, now| run.answer(request_id, answer, now))
    }

    /// As [`Run::end_input`].
    pub fn end_input(&self) {
        if let Ok(shared) = self.run() {
            end_input(&shared);
        }
    }

    /// As [`Run::state`]; `Ended` when the run is gone.
    #[must_use]
    pub fn state(&self) -> State {
        self.run().map_or(State::Ended, |shared| state(&shared))
    }

    /// As [`Run::cancel`].
    pub fn cancel(&self) {
        if let Ok(shared) = self.run() {
            shared.tell(Input::Cancel);
        }
    }

    /// As [`Run::kill`].
    pub fn kill(&self) {
        if let Ok(shared) = self.run() {
            shared.tell(Input::CancelNow);
        }
    }

    fn run(&self) -> Result<Arc<Shared>, InputError> {
        self.shared.upgrade().ok_or_else(|| InputError::new(InputErrorKind::Ended, &self.command, "its run is over"))
    }
}

impl fmt::Debug for RunHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunHandle").field("command", &self.command).finish_non_exhaustive()
    }
}

fn send(shared: &Shared, turn: UserTurn) -> Result<Sent, InputError> {
    shared.say(|run, now| run.send(turn, now))
}

fn end_input(shared: &Shared) {
    let _ = shared.say(|run, now| {
        run.end_input(now);
        Ok(())
    });
}

fn state(shared: &Shared) -> State {
    shared.lock().run.as_ref().map_or(State::Ended, turnline::run::Run::state)
}
