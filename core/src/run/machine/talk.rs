//! What may be said to the process, and when it is written.

use super::Machine;
use crate::input::UserTurn;
use crate::run::dialog::{Question, Refusal};
use crate::run::options::WhenBusy;
use alloc::vec::Vec;
use core::ops::Range;
use core::time::Duration;

impl Machine {
    /// The host says a turn; true: it is to be written now, false: it waits.
    pub(in crate::run) fn turn_said(&mut self, turn: UserTurn, line: Vec<u8>, busy: WhenBusy) -> Result<bool, Refusal> {
        if self.dialog.closing || !self.out.talks() {
            return Err(Refusal::Ended);
        }
        let now = match busy {
            _ if !self.dialog.is_busy() => true,
            WhenBusy::Write => true,
            WhenBusy::Refuse => return Err(Refusal::Busy),
            WhenBusy::Queue => false,
        };
        if now {
            self.put(&line)?;
            self.dialog.said();
        } else {
            self.dialog.wait(turn, line)?;
        }
        Ok(now)
    }

    /// The host says something that is no turn.
    pub(in crate::run) fn line_said(&mut self, line: &[u8]) -> Result<(), Refusal> {
        self.put(line)
    }

    /// Whether there is a turn that can be asked to stop.
    pub(in crate::run) fn can_interrupt(&self) -> bool {
        self.out.talks() && self.dialog.can_interrupt()
    }

    pub(in crate::run) fn interrupt_said(&mut self, line: &[u8]) -> Result<(), Refusal> {
        self.put(line)?;
        self.dialog.interrupted();
        Ok(())
    }

    /// The host, or the limit of time in its place, answers.
    pub(in crate::run) fn answer_said(&mut self, id: &str, line: &[u8]) -> Result<(), Refusal> {
        self.dialog.question(id)?;
        self.put(line)?;
        self.dialog.settle(|open| *open.id == *id);
        Ok(())
    }

    /// The host says something that this machine does not understand.
    pub(in crate::run) fn bytes_said(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.put(bytes)?;
        self.unanswered = true;
        self.settled = false;
        self.dialog.raw = true;
        Ok(())
    }

    /// The host says no more turns: standard input is closed when the last one is over.
    pub(in crate::run) fn said_all(&mut self) {
        self.dialog.closing = true;
        self.last_output = self.now;
    }

    /// The question that has waited as long as it may.
    pub(in crate::run) fn expired(&self) -> Option<&Question> {
        let limit = self.settings.timers.answer.filter(|_| self.out.talks())?;
        self.dialog.questions().find(|open| open.since.saturating_add(limit) <= self.now)
    }

    pub(super) fn answer_end(&self) -> Option<Duration> {
        let limit = self.settings.timers.answer.filter(|_| self.out.talks())?;
        Some(self.dialog.asked_since()?.saturating_add(limit))
    }

    /// It is the host's turn to speak: silence is not the executor's.
    pub(super) fn waits_for_host(&self) -> bool {
        self.out.talks() && (self.dialog.asked_since().is_some() || !(self.dialog.is_busy() || self.dialog.raw))
    }

    /// The bytes that are still to be written.
    pub(in crate::run) fn said_bytes(&self, range: Range<usize>) -> &[u8] {
        self.outbox.get(range).unwrap_or_default()
    }

    /// Says what has become due.
    pub(super) fn talk(&mut self) {
        if !self.out.talks() {
            return;
        }
        if let Some(line) = self.dialog.due() {
            // It talks: this is taken.
            let _ = self.put(&line);
            self.dialog.said();
        }
        if self.dialog.closing && (self.dialog.raw || !self.dialog.is_busy()) {
            self.out.complete();
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        if self.out.is_flushed() {
            self.outbox.clear();
            self.out.rewind();
        }
        if !self.out.talks() || !self.out.add(bytes.len()) {
            return Err(Refusal::Ended);
        }
        self.outbox.extend_from_slice(bytes);
        self.last_output = self.now;
        self.dialog.begun.get_or_insert(self.now);
        Ok(())
    }
}
