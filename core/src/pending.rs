//! Events that are decided and not yet taken: places in the line and in the scratch space, no borrows.

use crate::envelope::ErrorClass;
use crate::event::{RawReason, Severity, StopReason};
use crate::text::Form;
use alloc::vec::Vec;
use core::ops::Range;

/// A piece of the scratch space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    /// Puts bytes behind what is in the scratch space.
    pub(crate) fn put(scratch: &mut Vec<u8>, bytes: &[u8]) -> Span {
        let start = scratch.len() as u32;
        scratch.extend_from_slice(bytes);
        Span { start, end: scratch.len() as u32 }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// Events in the order in which they are taken. They stay where they were put until all are taken: a record's events are
/// few, and reading one in place is cheaper than moving it out.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    events: Vec<Pending>,
    /// How many were taken.
    taken: usize,
}

/// Room for more events than this is given back: only a hostile record makes that many.
const KEEP: usize = 1024;

impl Queue {
    pub(crate) fn push(&mut self, pending: Pending) {
        self.events.push(pending);
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.taken == self.events.len()
    }

    /// Whether nothing waits and nothing that was taken is left.
    #[inline]
    pub(crate) fn is_clear(&self) -> bool {
        self.events.is_empty()
    }

    /// Takes the next event: [`current`](Self::current) is it from now on. False where none waits.
    #[inline]
    pub(crate) fn advance(&mut self) -> bool {
        let waits = !self.is_empty();
        self.taken += usize::from(waits);
        waits
    }

    /// The event that was taken last, until the queue is cleared.
    #[inline]
    pub(crate) fn current(&self) -> Option<&Pending> {
        self.events.get(self.taken.wrapping_sub(1))
    }

    /// Forgets the events that were taken, which must be all.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.taken = 0;
        if self.events.capacity() > KEEP {
            self.events.shrink_to(0);
        }
    }
}

/// An event that waits to be taken. Small, since each one is moved into the queue: what only some kinds need lies beside
/// the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) turn: u32,
    /// Type of the record, in the scratch space; empty: none.
    pub(crate) native: Span,
    /// The rule whose `agent` and `parent_tool_call_id` are the event's.
    pub(crate) rule: Option<u16>,
    /// The element that the event is of; 0 is the record.
    pub(crate) frame: u32,
    pub(crate) synthetic: bool,
    pub(crate) what: What,
}

/// What kind of event waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// An event of a rule, made from the record.
    Emit { emit: u32, fix: Fix },
    /// A session that only its id tells of.
    Session { id: Span },
    /// A turn that nothing announced.
    TurnStarted,
    /// A turn that ends.
    TurnEnded { stop: StopReason, error: Option<(ErrorClass, Span)> },
    /// A call whose end the executor never told.
    CallEnded { id: Span, agent: Span, parent: Span },
    /// Tokens that are billed.
    Usage { rule: u16, figure: u32 },
    /// A reading of a limit.
    RateLimit { rule: u16 },
    /// A reported failure, or something of ours to tell.
    Notice { severity: Severity, code: Span, message: Span, retry: Option<u32> },
    /// A text that the executor takes back.
    Withdrawn { at: u32 },
    /// The host's answer to a question.
    Answered { request: Span, call: Span, outcome: crate::event::Outcome, reason: Span },
    /// A piece of the line as it came.
    Raw { reason: RawReason, start: u32, end: u32, bytes: u64 },
    /// A line of text.
    Text { text: Span, form: Form, message: Span },
}

/// A text that is taken back; its ids lie in the scratch space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Withdrawn {
    pub(crate) message: Span,
    pub(crate) part: Option<u64>,
    pub(crate) part_id: Span,
    pub(crate) agent: Span,
    pub(crate) parent: Span,
    pub(crate) reasoning: bool,
}

/// What the conversation decided of an event beside what the record says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fix {
    /// Id of the message or of the call, where the record has none of its own.
    pub(crate) id: Option<Span>,
    /// Number of the part, where it is counted.
    pub(crate) part: Option<u64>,
    /// What is made of several elements: the list of the event, as JSON, or its text, as the inside of a JSON string.
    pub(crate) made: Option<Span>,
    /// Which pattern says what a notice is, and which captures it kept.
    pub(crate) notice: Option<(u16, u32)>,
    /// Whether the session is the one asked for.
    pub(crate) resumed: Option<crate::event::Resumed>,
    /// The call was announced before: only its input is news.
    pub(crate) known_call: bool,
}
