//! Where turns begin and end, and what the session does in between.

use super::Engine;
use crate::envelope::ErrorClass;
use crate::event::{Outcome, StopReason};
use crate::pending::{Pending, Span, What};
use crate::profile::spec::TerminalPromise;
use crate::tally::turns::{Ending, Spent};
use crate::text::{Form, Text};
use crate::turn::{State, TurnFailure, TurnStatus};

impl Engine {
    /// What the session is doing, until its stream ends.
    pub(crate) fn state(&self) -> State {
        // What is owed before the first turn was asked for is owed to nobody.
        let owed = self.owed && (!self.interactive || self.conversation.turns() > 0);
        if self.requests.any() {
            State::Waiting
        } else if self.conversation.turn_is_open() || self.expected > 0 || owed {
            State::Working
        } else {
            State::Idle
        }
    }

    /// The host asked for one more turn.
    pub(crate) fn turn_sent(&mut self) {
        self.expected += 1;
    }

    /// The turn that runs was interrupted: where it does not end well it was cancelled.
    pub(crate) fn turn_interrupted(&mut self) {
        self.interrupted |= self.conversation.turn_is_open();
    }

    /// The host answered a question: told as an event, for the executor does not repeat it.
    pub(crate) fn permission_answered(&mut self, id: &str, outcome: Outcome, reason: Option<&str>) -> bool {
        let json = |text: &str| {
            let mut quoted = alloc::vec::Vec::new();
            Text::borrowed(text.as_bytes(), Form::Plain).write_json(&mut quoted);
            quoted.get(1..quoted.len() - 1).unwrap_or_default().to_vec()
        };
        let Some((id, call)) = self.requests.answer(id) else { return false };
        let (request, call) = (self.copy(&id), self.copy(&call));
        let reason = reason.map(|reason| {
            let mut words = alloc::string::String::from(reason);
            crate::tally::truncate(&mut words, self.limits.message);
            self.copy(&json(&words))
        });
        let what = What::Answered { request, call, outcome, reason: reason.unwrap_or_default() };
        // It is of no record.
        let turn = self.conversation.turn();
        let none = Span::default();
        self.queue.push(Pending { turn, native: none, rule: None, frame: 0, synthetic: true, what });
        true
    }

    /// A turn begins, where none is open.
    pub(super) fn turn_started(&mut self) {
        self.conversation.start_turn();
        self.interrupted = false;
        // Where turns are asked for one by one, what an earlier one came to stands in its own report.
        let exchange = self.interactive && self.conversation.turns() > 1;
        self.answer.turn_started(exchange);
        if exchange {
            if let Some(trace) = self.trace.as_mut().filter(|_| self.failures.len() > 0) {
                trace.status("a new turn starts: what failed before it is the earlier turn's alone");
            }
            self.failures.withdraw();
            self.structured_output = None;
        }
    }

    /// The record that ended a turn is read: its report is made. `queued` is how many turns the executor says are still
    /// to come of those that it was asked for.
    pub(super) fn turn_over(&mut self, stop_reason: StopReason, queued: Option<u64>) {
        let mut error = self.turn_failure();
        let status = match (stop_reason, &mut error) {
            (StopReason::Cancelled, error) => {
                // An interrupt is no error of the executor's, whatever it calls it.
                if let Some(error) = error.as_mut().filter(|error| error.class == ErrorClass::Unknown) {
                    error.class = ErrorClass::Interrupted;
                }
                TurnStatus::Cancelled
            }
            (StopReason::Error, _) | (_, Some(_)) => TurnStatus::Failed,
            (_, None) => TurnStatus::Ok,
        };
        self.last_cancelled = status == TurnStatus::Cancelled;
        self.expected = queued.unwrap_or(self.expected.saturating_sub(1));
        let ending = Ending { turn: self.conversation.turn(), status, stop_reason, error, last_line: self.line };
        let spent = self.spent();
        self.turns.ended(ending, spent, &self.answer);
        self.bill.turn_ended();
        // A question of the main agent's ends with its turn, however it ended; a sub-agent's call may go on.
        let conversation = &self.conversation;
        self.requests.keep(|call| {
            let open = conversation.open_call(call).and_then(|at| conversation.call(at));
            open.is_some_and(|(_, call)| !call.agent().is_empty() || !call.parent().is_empty())
        });
    }

    /// Why the turn that runs fails, as far as anything was said: the record's own word first.
    fn turn_failure(&mut self) -> Option<TurnFailure> {
        let (class, words) = self.record.error.or_else(|| self.told_of_turn())?;
        let message = self.scratch.get(words.range()).unwrap_or_default();
        Some(TurnFailure { class, message: alloc::string::String::from_utf8_lossy(message).into_owned() })
    }

    fn spent(&mut self) -> Spent {
        let bill = &mut self.bill;
        bill.replaced = self.conversation.replaced();
        Spent { usage: bill.turn_tokens(), model_usage: bill.turn_models(), cost_usd: bill.turn_cost() }
    }

    /// The end of the stream: what the executor left open is closed.
    pub(crate) fn close(&mut self) {
        while let Some(at) = self.conversation.oldest_call() {
            self.close_call(at);
        }
        self.requests.keep(|_| false);
        if self.conversation.turn_is_open() {
            let (error, turn) = (self.turn_failure(), self.conversation.turn());
            let stop_reason = StopReason::Unknown;
            let status = if self.interrupted { TurnStatus::Cancelled } else { TurnStatus::Killed };
            self.last_cancelled = self.interrupted;
            let ending = Ending { turn, status, stop_reason, error, last_line: self.line };
            let spent = self.spent();
            self.turns.cut_off(ending, spent, &self.answer);
            self.conversation.end_turn();
            self.queue(0, true, What::TurnEnded { stop: stop_reason, error: None });
            // The answer of an earlier turn is not this one's.
            self.owed |= self.interactive && self.promise != TerminalPromise::Never;
        }
        // A turn that was asked for and never began is owed like one that was cut off.
        self.owed |= self.interactive && self.expected > 0 && self.promise != TerminalPromise::Never;
    }
}
