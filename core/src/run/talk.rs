//! Talking to an executor that goes on listening.

use super::Run;
use super::dialog::{Asked, Question, Refusal};
use super::machine::Machine;
use super::options::WhenBusy;
use crate::event::{Event, EventKind, Outcome};
use crate::input::{Answer, Encoder, InputError, InputErrorKind, UserTurn};
use crate::launch::Stdin;
use crate::turn::{State, TurnReport};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;
use serde_json::Value;

/// How a turn was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sent {
    /// It is being written.
    Now,
    /// It waits for the turn that runs.
    Queued,
}

/// What a host says to an [interactive](crate::launch::Request::interactive) run. All of it is refused with a code when it
/// cannot be said; nothing is written then. `now` is the time since the run was asked for; poll for actions after each.
impl Run {
    /// Says a turn. While another one runs it waits, unless [`RunOptions::when_busy`](super::RunOptions::when_busy) says
    /// otherwise; [`take_unsent`](Run::take_unsent) gives back what was never written.
    ///
    /// # Errors
    ///
    /// The run is not interactive, or over, or its input has ended; the turn is empty, or has parts that the executor does not
    /// take; one runs and the host wants no queue, or the queue is full.
    pub fn send(&mut self, turn: impl Into<UserTurn>, now: Duration) -> Result<Sent, InputError> {
        self.send_as(turn.into(), self.options.when_busy, now)
    }

    pub(super) fn send_as(&mut self, turn: UserTurn, busy: WhenBusy, now: Duration) -> Result<Sent, InputError> {
        self.converses()?;
        let line = self.encoder().turn(&turn)?;
        let at_once = self.talk(now, |machine| machine.turn_said(turn, line, busy))?;
        Ok(if at_once { Sent::Now } else { Sent::Queued })
    }

    /// Asks the turn that runs to stop; the process lives on, and turns that wait are said when it has stopped. False: no turn
    /// runs, or it was asked already, and nothing is said.
    ///
    /// # Errors
    ///
    /// The run is not interactive, or the executor cannot be told that.
    pub fn interrupt(&mut self, now: Duration) -> Result<bool, InputError> {
        self.converses()?;
        let (id, line) = self.numbered(|encoder, id| encoder.interrupt(id))?;
        if !self.look(now).can_interrupt() {
            return Ok(false);
        }
        self.talk(now, |machine| machine.interrupt_said(&line))?;
        self.parser.turn_interrupted();
        self.requests = id;
        Ok(true)
    }

    /// Answers a question of the executor: the `request_id` of its
    /// [`PermissionRequest`](crate::PermissionRequest). Each is answered once.
    ///
    /// # Errors
    ///
    /// The executor has not asked that, or it was answered or withdrawn; it takes no such answer; the run is over.
    pub fn answer(&mut self, request_id: &str, answer: &Answer, now: Duration) -> Result<(), InputError> {
        self.converses()?;
        let question = match self.look(now).dialog.question(request_id) {
            Ok(question) => question.clone(),
            Err(refusal) => return Err(self.refused(refusal)),
        };
        let asked = match (&question.input, answer) {
            (Asked::Kept(input), _) => Some(input),
            (Asked::Dropped, Answer::Allow { input: None, .. }) => {
                let why = "the input that it asked for was too large to keep: give one";
                return Err(InputError::new(InputErrorKind::Unsupported, &self.plan.command, why));
            }
            _ => None,
        };
        let line = self.encoder().answer(request_id, answer, asked)?;
        self.talk(now, |machine| machine.answer_said(request_id, &line))?;
        let (outcome, reason) = match answer {
            Answer::Deny { message, .. } => (Outcome::Denied, Some(&**message)),
            _ => (Outcome::Allowed, None),
        };
        self.resolved(request_id, outcome, reason);
        Ok(())
    }

    /// Changes the model. Returns the id of the request, which the executor's own answer names.
    ///
    /// # Errors
    ///
    /// The run is not interactive, or over; the executor cannot be told that.
    pub fn set_model(&mut self, model: &str, now: Duration) -> Result<String, InputError> {
        self.requested(now, |encoder, id| encoder.set_model(id, model))
    }

    /// Changes the permission mode, in the vendor's word. Returns the id of the request.
    ///
    /// # Errors
    ///
    /// As [`set_model`](Run::set_model).
    pub fn set_permission_mode(&mut self, mode: &str, now: Duration) -> Result<String, InputError> {
        self.requested(now, |encoder, id| encoder.set_permission_mode(id, mode))
    }

    /// Asks the executor for something else, in its own terms. Returns the id of the request.
    ///
    /// # Errors
    ///
    /// As [`set_model`](Run::set_model).
    pub fn request(&mut self, request: &Value, now: Duration) -> Result<String, InputError> {
        self.requested(now, |encoder, id| encoder.request(id, request))
    }

    /// Writes bytes as they are, for what has no method here. False when that is no longer possible: the run is not
    /// interactive, its input has ended, or it is being ended.
    pub fn send_raw(&mut self, bytes: &[u8], now: Duration) -> bool {
        self.converses().is_ok() && self.talk(now, |machine| machine.bytes_said(bytes)).is_ok()
    }

    /// Says no more turns. Standard input is closed when all that were said are over; until then questions can be answered,
    /// and the turn that runs can be asked to stop.
    pub fn end_input(&mut self, now: Duration) {
        let _ = self.talk(now, |machine| {
            machine.said_all();
            Ok(())
        });
    }

    /// What the run is doing, as far as its output was read.
    #[must_use]
    pub fn state(&self) -> State {
        if self.machine.is_over() {
            return State::Ended;
        }
        match self.parser.state() {
            // It was said, and is not begun.
            State::Idle if self.machine.dialog.is_busy() => State::Working,
            state => state,
        }
    }

    /// The next report of a turn that is over, when its [`turn_ended`](crate::TurnEnded) was read: what it came to, and what it
    /// used. Each is handed out once; see [`Parser::take_turn`](crate::Parser::take_turn).
    pub fn take_turn(&mut self) -> Option<TurnReport> {
        // The reader has it a moment before it tells the end of the turn.
        let report = self.report.take().or_else(|| self.parser.take_turn())?;
        if self.machine.dialog.last.is_some_and(|last| report.turn <= last) {
            return Some(report);
        }
        self.report = Some(report);
        None
    }

    /// Whether a turn was written that has not begun: one of which there will be no report if the run ends now.
    #[must_use]
    pub fn is_turn_owed(&self) -> bool {
        self.machine.dialog.is_owed()
    }

    /// The id to resume the session with, as far as it is known.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.parser.session_id()
    }

    /// The ids of the questions that wait for an answer, in the order they were asked.
    pub fn questions(&self) -> impl Iterator<Item = &str> {
        self.machine.dialog.questions().map(|question| &*question.id)
    }

    /// The turns that were said and not written, in order; they wait no longer. What a host asks for when it changes its mind,
    /// or when the run has ended before their time came.
    pub fn take_unsent(&mut self) -> Vec<UserTurn> {
        self.machine.dialog.take_unsent()
    }

    /// The first turn that the plan brings along. One that cannot be said stays in the plan.
    pub(super) fn say_first(&mut self) {
        if let Some(first) = &self.plan.first_turn
            && self.send_as(first.into(), WhenBusy::Queue, Duration::ZERO).is_ok()
        {
            self.plan.first_turn = None;
        }
    }

    /// Answers in the host's place what has waited too long.
    pub(super) fn answer_expired(&mut self) {
        while let Some(question) = self.machine.expired() {
            let id = question.id.clone();
            let limit = self.plan.timers.answer.unwrap_or_default();
            let why = format!("No answer came within {} s.", limit.as_secs_f64());
            let line = self.encoder().answer(&id, &Answer::deny(&*why), None);
            let said = line.map_err(|_| Refusal::Ended).and_then(|line| self.machine.answer_said(&id, &line));
            if said.is_err() {
                return;
            }
            self.resolved(&id, Outcome::Denied, Some(&why));
        }
    }

    /// Tells the reader which turns were written.
    pub(super) fn tell_turns(&mut self) {
        for _ in 0..core::mem::take(&mut self.machine.dialog.untold) {
            self.parser.turn_sent();
        }
    }

    /// A question was answered: an event tells it, for the executor does not.
    fn resolved(&mut self, id: &str, outcome: Outcome, reason: Option<&str>) {
        if self.parser.permission_answered(id, outcome, reason) {
            self.ahead.push(0, self.machine.now);
        }
    }

    fn encoder(&self) -> Encoder<'_> {
        Encoder::named(&self.profile, &self.plan.command)
    }

    fn converses(&self) -> Result<(), InputError> {
        match self.plan.stdin {
            Stdin::Open => Ok(()),
            _ => Err(InputError::new(
                InputErrorKind::NotInteractive,
                &self.plan.command,
                "the run takes one prompt and no more",
            )),
        }
    }

    fn requested(
        &mut self,
        now: Duration,
        encode: impl FnOnce(&Encoder<'_>, &str) -> Result<Vec<u8>, InputError>,
    ) -> Result<String, InputError> {
        self.converses()?;
        let (number, line) = self.numbered(encode)?;
        self.talk(now, |machine| machine.line_said(&line))?;
        self.requests = number;
        Ok(request_id(number))
    }

    /// A line with the next id, and its number.
    fn numbered(
        &self,
        encode: impl FnOnce(&Encoder<'_>, &str) -> Result<Vec<u8>, InputError>,
    ) -> Result<(u64, Vec<u8>), InputError> {
        let number = self.requests + 1;
        Ok((number, encode(&self.encoder(), &request_id(number))?))
    }

    /// The machine, told the time and all that was read: what is said is an answer to that.
    fn look(&mut self, now: Duration) -> &mut Machine {
        self.machine.clock(now);
        self.look_ahead();
        self.notice();
        &mut self.machine
    }

    fn talk<T>(
        &mut self,
        now: Duration,
        say: impl FnOnce(&mut Machine) -> Result<T, Refusal>,
    ) -> Result<T, InputError> {
        let said = say(self.look(now));
        self.settle();
        said.map_err(|refusal| self.refused(refusal))
    }

    fn refused(&self, refusal: Refusal) -> InputError {
        let (kind, why) = match refusal {
            Refusal::Ended => (InputErrorKind::Ended, "its input has ended"),
            Refusal::Busy => (InputErrorKind::Busy, "a turn runs"),
            Refusal::Full => (InputErrorKind::Busy, "too much waits to be said already"),
            Refusal::Unknown => (InputErrorKind::UnknownRequest, "it has asked nothing under this id"),
            Refusal::Answered => {
                (InputErrorKind::AlreadyAnswered, "this question was answered already, or is asked no longer")
            }
        };
        InputError::new(kind, &self.plan.command, why)
    }
}

/// The id of a request of ours.
fn request_id(number: u64) -> String {
    format!("turnline-{number}")
}

/// Tells the machine what an event means for the dialog.
pub(super) fn heard(machine: &mut Machine, event: &Event<'_>) {
    if let EventKind::TurnEnded(_) = event.kind {
        machine.dialog.last = Some(event.turn);
    }
    if !machine.out.converses() {
        return;
    }
    match &event.kind {
        EventKind::TurnStarted if event.agent.is_none() => machine.dialog.turn_began(),
        EventKind::TurnEnded(_) if event.agent.is_none() => machine.dialog.turn_over(),
        EventKind::PermissionRequest(request) => {
            let question = Question {
                id: boxed(&request.request_id),
                call: request.tool_call_id.as_ref().map(boxed),
                input: request.input.clone().map_or(Asked::None, |input| Asked::Kept(input.into_owned())),
                since: machine.now,
            };
            machine.dialog.asked(question);
        }
        EventKind::PermissionResolved(resolved) => {
            let (id, call) = (resolved.request_id.as_ref(), resolved.tool_call_id.as_ref());
            machine.dialog.settle(|open| match id {
                Some(id) => *id == *open.id,
                None => call.is_some_and(|call| open.call.as_ref().is_some_and(|waits| *call == **waits)),
            });
        }
        EventKind::ToolCallUpdate(update) if update.status.is_terminal() => {
            let call = &update.tool_call_id;
            machine.dialog.settle(|open| open.call.as_ref().is_some_and(|waits| *call == **waits));
        }
        _ => {}
    }
}

fn boxed(text: &crate::text::Text<'_>) -> Box<str> {
    text.decode().into()
}
