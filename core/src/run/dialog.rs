//! What the host and the executor of an interactive run say to each other: which turn runs, what waits for it, and which
//! questions are open. Knows no shape and no pipe.

use crate::input::UserTurn;
use crate::text::Json;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::time::Duration;

/// How many answered questions are remembered (256), to tell "answered already" from "never asked".
const ANSWERED: usize = 256;
/// Bytes of the inputs of open questions that are kept (16 MiB in all), to allow calls as they were asked for.
const INPUTS: usize = 16 << 20;
/// What a turn that waits takes beside its bytes.
const ENTRY: usize = 64;

/// The bounds of a dialog.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Questions open at the same time.
    pub(super) open: usize,
    /// Bytes of turns that wait.
    pub(super) queue: usize,
}

/// Why nothing was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Ended,
    Busy,
    Full,
    Unknown,
    Answered,
}

/// The turn that the host waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    No,
    /// It was said, and has not begun.
    Said,
    Runs,
}

/// What the executor waits to be answered.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) id: Box<str>,
    /// The call that waits.
    pub(super) call: Option<Box<str>>,
    pub(super) input: Asked,
    pub(super) since: Duration,
}

/// The input of a call that is to be allowed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Asked {
    None,
    Kept(Json<'static>),
    /// It was too large.
    Dropped,
}

#[derive(Clone, Debug)]
struct Waiting {
    turn: UserTurn,
    line: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(super) struct Dialog {
    bounds: Bounds,
    queue: VecDeque<Waiting>,
    queued: usize,
    turn: Turn,
    /// The turn that runs was asked to stop.
    interrupted: bool,
    questions: Vec<Question>,
    answered: VecDeque<Box<str>>,
    /// The host says no more turns.
    pub(super) closing: bool,
    /// It says what is not understood here: when it waits for an answer is not known.
    pub(super) raw: bool,
    /// Turns that were written and of which the reader was not told.
    pub(super) untold: u32,
    /// The number of the last turn that is over.
    pub(super) last: Option<u32>,
    /// When the host said its first word.
    pub(super) begun: Option<Duration>,
}

impl Dialog {
    pub(super) fn new(bounds: Bounds) -> Self {
        Dialog {
            bounds,
            queue: VecDeque::new(),
            queued: 0,
            turn: Turn::No,
            interrupted: false,
            questions: Vec::new(),
            answered: VecDeque::new(),
            closing: false,
            raw: false,
            untold: 0,
            last: None,
            begun: None,
        }
    }

    /// A turn runs, or waits.
    pub(super) fn is_busy(&self) -> bool {
        self.turn != Turn::No || !self.queue.is_empty()
    }

    /// A turn was written, and has not begun.
    pub(super) fn is_owed(&self) -> bool {
        self.turn == Turn::Said
    }

    /// A turn was written.
    pub(super) fn said(&mut self) {
        self.untold += 1;
        if self.turn == Turn::No {
            self.turn = Turn::Said;
            self.interrupted = false;
        }
    }

    pub(super) fn turn_began(&mut self) {
        self.turn = Turn::Runs;
    }

    /// The turn that runs is over. One that was said and has not begun is another one.
    pub(super) fn turn_over(&mut self) {
        if self.turn == Turn::Runs {
            self.turn = Turn::No;
            self.interrupted = false;
        }
    }

    /// Puts a turn behind those that wait.
    pub(super) fn wait(&mut self, turn: UserTurn, line: Vec<u8>) -> Result<(), Refusal> {
        let size = line.len().saturating_add(ENTRY);
        if self.queued.saturating_add(size) > self.bounds.queue {
            return Err(Refusal::Full);
        }
        self.queued += size;
        self.queue.push_back(Waiting { turn, line });
        Ok(())
    }

    /// The next turn to write, when none runs.
    pub(super) fn due(&mut self) -> Option<Vec<u8>> {
        if self.turn != Turn::No {
            return None;
        }
        let next = self.queue.pop_front()?;
        self.queued = self.queued.saturating_sub(next.line.len() + ENTRY);
        Some(next.line)
    }

    /// The turns that were not written, in order; they wait no longer.
    pub(super) fn take_unsent(&mut self) -> Vec<UserTurn> {
        self.queued = 0;
        self.queue.drain(..).map(|waiting| waiting.turn).collect()
    }

    /// Whether there is a turn to stop that was not asked to.
    pub(super) fn can_interrupt(&self) -> bool {
        self.turn != Turn::No && !self.interrupted
    }

    pub(super) fn interrupted(&mut self) {
        self.interrupted = true;
    }

    /// The executor asks. The same question asked again is one.
    pub(super) fn asked(&mut self, mut question: Question) {
        self.questions.retain(|open| open.id != question.id);
        self.answered.retain(|id| **id != *question.id);
        let size = |asked: &Asked| if let Asked::Kept(json) = asked { json.bytes().len() } else { 0 };
        let kept: usize = self.questions.iter().map(|open| size(&open.input)).sum();
        if kept.saturating_add(size(&question.input)) > INPUTS {
            question.input = Asked::Dropped;
        }
        if self.questions.len() >= self.bounds.open && !self.questions.is_empty() {
            self.questions.remove(0);
        }
        if self.bounds.open > 0 {
            self.questions.push(question);
        }
    }

    /// The question that this id names, if it can be answered.
    pub(super) fn question(&self, id: &str) -> Result<&Question, Refusal> {
        let open = self.questions.iter().find(|open| *open.id == *id);
        let known = self.answered.iter().any(|answered| **answered == *id);
        open.ok_or(if known { Refusal::Answered } else { Refusal::Unknown })
    }

    /// Those that pass are answered, withdrawn, or about a call that is over.
    pub(super) fn settle(&mut self, settled: impl Fn(&Question) -> bool) {
        for question in self.questions.extract_if(.., |open| settled(open)) {
            if self.answered.len() >= ANSWERED {
                self.answered.pop_front();
            }
            self.answered.push_back(question.id);
        }
    }

    pub(super) fn questions(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter()
    }

    /// Since when the oldest question is open.
    pub(super) fn asked_since(&self) -> Option<Duration> {
        self.questions.iter().map(|open| open.since).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialog(open: usize, queue: usize) -> Dialog {
        Dialog::new(Bounds { open, queue })
    }

    fn asks(id: &str, bytes: usize) -> Question {
        let json = alloc::format!("\"{}\"", "x".repeat(bytes.saturating_sub(2)));
        let input = if bytes == 0 { Asked::None } else { Asked::Kept(Json::borrowed(json.as_bytes()).into_owned()) };
        Question { id: id.into(), call: None, input, since: Duration::ZERO }
    }

    #[test]
    fn turns_wait_for_the_one_that_runs() {
        let mut dialog = dialog(4, 1000);
        dialog.said();
        assert_eq!(dialog.wait("b".into(), b"b".to_vec()), Ok(()));
        assert_eq!(dialog.due(), None);
        // The end of a turn that began before this one was said is not its own.
        dialog.turn_over();
        assert_eq!(dialog.due(), None);
        dialog.turn_began();
        dialog.turn_over();
        assert!(dialog.is_busy());
        assert_eq!(dialog.due().as_deref(), Some(&b"b"[..]));
        assert!(!dialog.is_busy());
    }

    #[test]
    fn what_waits_is_bounded_and_given_back() {
        let mut dialog = dialog(4, 3 * ENTRY);
        dialog.said();
        assert_eq!(dialog.wait("a".into(), b"a".to_vec()), Ok(()));
        assert_eq!(dialog.wait("b".into(), b"b".to_vec()), Ok(()));
        assert_eq!(dialog.wait("c".into(), b"c".to_vec()), Err(Refusal::Full));
        assert_eq!(dialog.take_unsent(), ["a".into(), "b".into()]);
        assert_eq!(dialog.wait("c".into(), b"c".to_vec()), Ok(()));
    }

    #[test]
    fn a_question_is_answered_once() {
        let mut dialog = dialog(2, 0);
        assert_eq!(dialog.question("q").err(), Some(Refusal::Unknown));
        dialog.asked(asks("q", 0));
        assert!(dialog.question("q").is_ok());
        dialog.settle(|open| *open.id == *"q");
        assert_eq!(dialog.question("q").err(), Some(Refusal::Answered));
        // It may ask again under the same id.
        dialog.asked(asks("q", 0));
        assert!(dialog.question("q").is_ok());
        dialog.asked(asks("r", 0));
        dialog.asked(asks("s", 0));
        assert_eq!(dialog.question("q").err(), Some(Refusal::Unknown));
        for n in 0..300 {
            let id = alloc::format!("{n}");
            dialog.asked(asks(&id, 0));
            dialog.settle(|open| *open.id == *id);
        }
        assert_eq!(dialog.answered.len(), ANSWERED);
    }

    #[test]
    fn inputs_are_kept_within_their_bound() {
        let mut dialog = dialog(4, 0);
        dialog.asked(asks("a", INPUTS));
        dialog.asked(asks("b", 10));
        assert_eq!(dialog.question("b").unwrap().input, Asked::Dropped);
        dialog.settle(|open| *open.id == *"a");
        dialog.asked(asks("b", 10));
        assert!(matches!(dialog.question("b").unwrap().input, Asked::Kept(_)));
    }
}
