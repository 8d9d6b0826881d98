//! What is said in a world: turns, questions, answers. A turn's line is its number; `i` interrupts, `a` answers, `d` denies
//! what has waited too long.

use super::{Kind, Step, World};
use crate::input::UserTurn;
use crate::run::dialog::{Asked, Question, Refusal};
use crate::run::options::WhenBusy;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

/// What was said so far, and the executor's view of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Talk {
    /// Turns of the host that were taken.
    said: u8,
    /// What the executor has read.
    got: Vec<u8>,
    begun: u8,
    /// The executor is in a turn.
    inside: bool,
    over: u8,
    asks: u8,
    /// The executor waits for an answer.
    open: bool,
    interrupts: u8,
    ended: bool,
}

impl World {
    pub(super) fn talk_steps(&self, kind: &Kind, may: &mut impl FnMut(bool, Step)) {
        let talk = &self.talk;
        let reads = !self.stdout_told && !self.stalled;
        may(talk.said < kind.turns, Step::Say);
        may(!talk.ended, Step::EndInput);
        may(talk.said > 0 && talk.interrupts < kind.stops, Step::AskToStop);
        let turns = talk.got.iter().filter(|byte| byte.is_ascii_digit()).count();
        may(self.alive && reads && !talk.inside && usize::from(talk.begun) < turns, Step::Begin);
        may(self.alive && reads && talk.inside, Step::Finish);
        may(self.alive && reads && talk.inside && talk.asks < kind.asks && !talk.open, Step::Ask);
        may(self.alive && reads && talk.open, Step::Withdraw);
        may(self.machine.dialog.asked_since().is_some(), Step::Answer);
    }

    pub(super) fn talk(&mut self, step: Step, kind: &Kind) {
        let id = "q";
        match step {
            Step::Say => {
                let line = Vec::from([b'1' + self.talk.said]);
                match self.machine.turn_said(UserTurn::from("x"), line, kind.when_busy) {
                    Ok(now) => {
                        assert!(!self.talk.ended && !self.cancel_asked, "it took a turn after its end");
                        let waits = self.talk.over < self.talk.said;
                        assert!(now || waits, "a turn waits for nothing");
                        self.talk.said += 1;
                    }
                    Err(Refusal::Busy) => assert_eq!(kind.when_busy, WhenBusy::Refuse),
                    Err(refusal) => {
                        let over = self.talk.ended || self.cancel_asked || self.exit_told || self.closes > 0;
                        assert!(refusal == Refusal::Ended && (over || self.machine.is_over()), "{refusal:?}");
                    }
                }
                self.machine.settle();
            }
            Step::AskToStop => {
                if self.machine.can_interrupt() {
                    self.machine.interrupt_said(b"i").expect("it can be said");
                    self.talk.interrupts += 1;
                    assert!(!self.machine.can_interrupt(), "asked twice to stop one turn");
                }
                self.machine.settle();
            }
            Step::Answer => {
                if self.machine.answer_said(id, b"a").is_ok() {
                    let again = self.machine.answer_said(id, b"a");
                    assert!(matches!(again, Err(Refusal::Answered | Refusal::Ended)), "{again:?}");
                }
                self.machine.settle();
            }
            Step::EndInput => {
                self.talk.ended = true;
                self.machine.said_all();
                self.machine.settle();
            }
            Step::Begin => {
                self.talk.begun += 1;
                self.talk.inside = true;
                self.finished = false;
                self.fact(|machine| {
                    machine.output();
                    machine.dialog.turn_began();
                    machine.observe(false);
                });
            }
            Step::Ask => {
                self.talk.asks += 1;
                self.talk.open = true;
                let since = self.machine.now;
                let question = Question { id: Box::from(id), call: None, input: Asked::None, since };
                self.fact(|machine| {
                    machine.output();
                    machine.dialog.asked(question);
                });
            }
            Step::Withdraw => {
                self.talk.open = false;
                self.fact(|machine| {
                    machine.output();
                    machine.dialog.settle(|open| *open.id == *id);
                });
            }
            _ => {}
        }
        self.deny_expired();
    }

    /// The executor ends its turn, and with it what it asked.
    pub(super) fn turn_over(&mut self) {
        if self.talk.inside {
            self.talk.inside = false;
            self.talk.over += 1;
            self.talk.open = false;
            self.machine.dialog.settle(|_| true);
            self.machine.dialog.turn_over();
        }
    }

    /// What a run does with its encoder.
    pub(super) fn deny_expired(&mut self) {
        while let Some(question) = self.machine.expired() {
            let (id, since) = (question.id.clone(), question.since);
            let limit = self.machine.settings.timers.answer.expect("a limit");
            assert!(self.machine.now >= since + limit, "denied too soon");
            self.machine.answer_said(&id, b"d").expect("it can be said");
        }
    }

    /// The executor reads what was written.
    pub(super) fn reads(&mut self, range: Range<usize>) {
        let bytes = self.machine.said_bytes(range);
        if bytes.contains(&b'a') || bytes.contains(&b'd') {
            self.talk.open = false;
        }
        self.talk.got.extend_from_slice(bytes);
    }

    /// A write is asked for.
    pub(super) fn check_write(&self, range: &Range<usize>, kind: &Kind) {
        for turn in self.machine.said_bytes(range.clone()).iter().filter(|byte| byte.is_ascii_digit()) {
            let before = turn - b'1';
            assert!(
                kind.when_busy == WhenBusy::Write || self.talk.over >= before,
                "a turn is said while another one runs"
            );
        }
    }

    /// Standard input is to be closed.
    pub(super) fn check_close(&self, kind: &Kind) {
        // Turns that are written at once may have one end.
        let read = self.talk.got.iter().filter(|byte| byte.is_ascii_digit()).count();
        let taken = kind.when_busy == WhenBusy::Write && self.talk.over > 0 && read == usize::from(self.talk.said);
        let all = self.talk.ended && (taken || self.talk.over == self.talk.said);
        assert!(all || self.exit_told || self.machine.is_over() || self.broke, "closed in the middle of a turn");
    }

    pub(super) fn check_talk(&self, kind: &Kind) {
        let count = |which: &dyn Fn(&u8) -> bool| self.talk.got.iter().filter(|byte| which(byte)).count();
        assert!(count(&|byte| b"ad".contains(byte)) <= usize::from(self.talk.asks), "answered twice");
        assert!(count(&|byte| *byte == b'i') <= usize::from(self.talk.said), "asked to stop twice");
        let turns: Vec<u8> = self.talk.got.iter().copied().filter(u8::is_ascii_digit).collect();
        assert!(turns.iter().zip(b'1'..).all(|(turn, want)| *turn == want), "out of order: {turns:?}");
        // Nothing that was taken is lost: it was written, is about to be, or can be taken back.
        let unsent = self.machine.dialog.clone().take_unsent().len();
        let about = self
            .machine
            .out
            .left()
            .map_or(0, |left| self.machine.said_bytes(left).iter().filter(|byte| byte.is_ascii_digit()).count());
        assert_eq!(turns.len() + about + unsent, usize::from(self.talk.said), "a turn is lost");
        if kind.when_busy != WhenBusy::Queue {
            assert_eq!(unsent, 0);
        }
        let idle = self.talk.over == self.talk.said && self.writing.is_none() && self.alive;
        if self.talk.ended && idle && !self.machine.is_over() && self.machine.started.is_some() && !self.broke {
            assert_eq!(self.closes, 1, "all is said, and its input stays open");
        }
    }
}
