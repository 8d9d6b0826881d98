//! Applies a profile's rules to scanned records: what becomes an event, what adds up, what changes the conversation.

mod apply;
mod build;
mod emit;
mod joins;
mod lists;
mod names;
mod texts;
mod turns;
mod withdraw;

use crate::conversation::{Conversation, Saying};
use crate::envelope::StreamCounts;
use crate::event::{RawReason, Severity, StopReason};
use crate::explain::Trace;
use crate::limits::Limits;
use crate::options::Options;
use crate::pending::{Pending, Queue, Span, What, Withdrawn};
use crate::profile::spec::{AnswerRule, TerminalPromise};
use crate::requests::Requests;
use crate::rules::pattern::Captures;
use crate::said::Sayings;
use crate::tally::answer::{Answer, Key};
use crate::tally::failures::Failures;
use crate::tally::turns::Turns;
use crate::tally::usage::{Bill, Figure};
use crate::tally::windows::Windows;
use crate::tally::{Metadata, StructuredOutput, Unmapped};
use crate::text::{Form, Text};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// What a stream has come to so far, and the events that wait to be taken.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) limits: Limits,
    pub(crate) conversation: Conversation,
    pub(crate) queue: Queue,
    /// The names of records, then what belongs to the record at hand.
    pub(crate) scratch: Vec<u8>,
    names: names::Names,
    /// What events of the record at hand refer to by number.
    figures: Vec<Figure>,
    captures: Vec<Captures>,
    withdrawn: Vec<Withdrawn>,
    /// Texts that several elements of the lists at hand make together.
    joins: Vec<joins::Joined>,
    /// Texts that may be taken back.
    said: Sayings,
    pub(crate) counts: StreamCounts,
    pub(crate) unmapped: Unmapped,
    pub(crate) metadata: Metadata,
    pub(crate) bill: Bill,
    pub(crate) windows: Windows,
    pub(crate) answer: Answer,
    pub(crate) failures: Failures,
    pub(crate) structured_output: StructuredOutput,
    pub(crate) notices: u64,
    /// A terminal record came.
    pub(crate) terminal: bool,
    /// A terminal record is owed.
    pub(crate) owed: bool,
    /// The executor says that background work goes on.
    pub(crate) background: bool,
    /// The line that is being read.
    pub(crate) line: u64,
    /// Questions that wait for the host.
    pub(crate) requests: Requests,
    pub(crate) turns: Turns,
    /// Turns that the host asked for and that have not ended.
    expected: u64,
    /// The turn that runs was interrupted.
    interrupted: bool,
    /// The last turn that ended was interrupted.
    pub(crate) last_cancelled: bool,
    /// The host asks for each turn.
    pub(crate) interactive: bool,
    promise: TerminalPromise,
    /// Line ends that stand before the next line of text, and whether there was one.
    line_ends: usize,
    spoke: bool,
    /// The last notice of severity error.
    last_error: Option<String>,
    /// Notes for those who want to know why.
    pub(crate) trace: Option<Box<Trace>>,
    /// The rule, type and failure of the record that is being read.
    record: Current,
}

#[derive(Clone, Copy, Debug, Default)]
struct Current {
    rule: Option<u16>,
    native: Span,
    /// Where it stands in its line.
    place: (usize, usize),
    failed: bool,
    /// The reason of the failure that this record reports, in the scratch space.
    error: Option<(crate::envelope::ErrorClass, Span)>,
    /// The record is terminal.
    terminal: bool,
    /// The record ended its turn, and how; the first word on that counts.
    ended_turn: Option<StopReason>,
    /// The record is of a sub-agent.
    nested: bool,
    /// Hash of the record's own id, where its texts may be taken back; and the call that started its sub-agent.
    id: Option<u64>,
    parent: Span,
    /// The list of blocks that is gone through, by the element that it is in, and the one whose message was numbered: 1 is the
    /// record's, 0 none.
    list: u32,
    numbered: u32,
}

impl Engine {
    pub(crate) fn new(options: Options, answer: AnswerRule, promise: TerminalPromise) -> Self {
        let limits = options.limits;
        Engine {
            queue: Queue::default(),
            scratch: Vec::new(),
            names: names::Names::default(),
            figures: Vec::new(),
            captures: Vec::new(),
            withdrawn: Vec::new(),
            joins: Vec::new(),
            said: Sayings::new(limits.remembered),
            counts: StreamCounts::default(),
            unmapped: Unmapped::new(&limits),
            metadata: Metadata::default(),
            bill: Bill::new(&limits, options.resume.is_some(), options.baseline),
            conversation: Conversation::new(&limits, options.resume, options.forked),
            windows: Windows::new(&limits),
            answer: Answer::new(answer, &limits),
            failures: Failures::new(&limits),
            structured_output: None,
            notices: 0,
            terminal: false,
            owed: promise == TerminalPromise::Always,
            background: false,
            line: 0,
            requests: Requests::new(&limits),
            turns: Turns::new(&limits),
            // A run that takes one turn was asked for it when it was started.
            expected: u64::from(!options.interactive),
            interrupted: false,
            last_cancelled: false,
            interactive: options.interactive,
            promise,
            line_ends: 0,
            spoke: false,
            last_error: None,
            trace: options.explain.then(Box::default),
            record: Current::default(),
            limits,
        }
    }

    /// Forgets what only the last record's events needed. The queue must be empty.
    pub(crate) fn next_record(&mut self) {
        self.queue.clear();
        self.scratch.truncate(self.names.end());
        if self.scratch.capacity() > 1 << 20 {
            self.scratch.shrink_to(0);
        }
        self.figures.clear();
        self.captures.clear();
        self.withdrawn.clear();
        self.record = Current::default();
    }

    fn copy(&mut self, bytes: &[u8]) -> Span {
        Span::put(&mut self.scratch, bytes)
    }

    fn queue(&mut self, frame: u32, synthetic: bool, what: What) {
        self.queue.push(Pending {
            turn: self.conversation.turn(),
            native: self.record.native,
            rule: self.record.rule,
            frame,
            synthetic,
            what,
        });
    }

    /// A piece of the line that is handed over as it came.
    pub(crate) fn raw(&mut self, line: &[u8], reason: RawReason, start: usize, end: usize, bytes: u64) {
        let end = preview(line, start, end, self.limits.preview);
        self.queue(0, false, What::Raw { reason, start: start as u32, end: end as u32, bytes });
    }

    fn trace_line(&mut self, why: &'static str) {
        if let Some(trace) = &mut self.trace {
            trace.ignored_line(why);
        }
    }

    fn trace_ignored(&mut self, why: &'static str) {
        if let Some(trace) = &mut self.trace {
            trace.ignored(why);
        }
    }

    /// A line that is not JSON, or what follows the last record on one.
    pub(crate) fn malformed(&mut self, line: &[u8], start: usize) {
        self.counts.malformed_lines += 1;
        self.trace_line("it is not JSON");
        self.raw(line, RawReason::Malformed, start, line.len(), (line.len() - start) as u64);
    }

    /// A JSON value that is not an object.
    pub(crate) fn non_object(&mut self, line: &[u8], start: usize, end: usize) {
        self.counts.non_object += 1;
        self.trace_line("it is JSON, but no object");
        self.raw(line, RawReason::NonObject, start, end, (end - start) as u64);
    }

    /// A line over the limit, of which only the beginning was kept.
    pub(crate) fn oversize(&mut self, line: &[u8], bytes: u64) {
        self.counts.malformed_lines += 1;
        self.counts.oversize_lines += 1;
        self.trace_line("it is over the limit of a line");
        self.raw(line, RawReason::Oversize, 0, line.len(), bytes);
    }

    /// A line of text, its terminal escape sequences dropped. Line ends stand before the lines that follow them, so
    /// that the pieces joined are the text without an end of its own.
    pub(crate) fn text_line(&mut self, line: &[u8]) {
        if self.line_ends <= 1 && line.first().is_some_and(|byte| *byte > b' ') && crate::text::is_plain_ascii(line) {
            return self.plain_line(line);
        }
        let start = self.scratch.len();
        for _ in 0..self.line_ends {
            self.scratch.push(b'\n');
        }
        let mut rest = line;
        let mut stripped = false;
        while let Some(escape) = memchr::memchr(0x1b, rest) {
            self.whole_characters(rest.get(..escape).unwrap_or_default());
            rest = rest.get(escape..).unwrap_or_default();
            rest = rest.get(crate::ansi::sequence(rest).unwrap_or(1)..).unwrap_or_default();
            stripped = true;
        }
        if stripped {
            self.whole_characters(rest);
        } else {
            self.scratch.extend_from_slice(rest);
        }
        let text = Span { start: start as u32, end: self.scratch.len() as u32 };
        let said = self.scratch.get(start + self.line_ends..).unwrap_or_default();
        let blank = said.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        let repaired = core::str::from_utf8(said).is_err() || stripped;
        // Of a run of blank lines no more is kept than shows that there was one.
        if blank {
            self.line_ends = (self.line_ends + usize::from(self.spoke)).min(self.limits.preview);
            return;
        }
        self.counts.repaired_lines += u64::from(repaired);
        self.say(text, Form::Plain);
    }

    /// A line that stands for itself even inside a JSON string: what nearly all are.
    fn plain_line(&mut self, line: &[u8]) {
        let start = self.scratch.len() as u32;
        if self.line_ends == 1 {
            self.scratch.extend_from_slice(b"\\n");
        }
        self.scratch.extend_from_slice(line);
        self.say(Span { start, end: self.scratch.len() as u32 }, Form::Escaped);
    }

    /// A piece of the text that the lines are together.
    #[inline(always)]
    fn say(&mut self, text: Span, form: Form) {
        self.ensure_turn();
        let (message, id) = self.message_of(None, Saying::PIECE);
        let bytes = self.scratch.get(text.range()).unwrap_or_default();
        self.answer.text(Key { message: id, part: 0 }, &Text::borrowed(bytes, form), true);
        self.queue(0, false, What::Text { text, form, message });
        self.line_ends = 1;
        self.spoke = true;
    }

    /// Adds a piece of a line of text from which something was dropped: halves of characters on both sides of that are none
    /// together.
    fn whole_characters(&mut self, piece: &[u8]) {
        for chunk in piece.utf8_chunks() {
            self.scratch.extend_from_slice(chunk.valid().as_bytes());
            if !chunk.invalid().is_empty() {
                self.scratch.extend_from_slice("\u{FFFD}".as_bytes());
            }
        }
    }

    fn notice(&mut self, frame: u32, severity: Severity, code: Span, message: Span, retry: Option<Captures>) {
        self.notices += 1;
        let retry = retry.map(|captures| self.keep(captures));
        self.queue(frame, false, What::Notice { severity, code, message, retry });
    }

    fn keep(&mut self, captures: Captures) -> u32 {
        self.captures.push(captures);
        self.captures.len() as u32 - 1
    }

    /// Starts a turn that nothing announced, where the main agent does something outside of one.
    fn ensure_turn(&mut self) {
        if !self.record.nested && !self.conversation.turn_is_open() {
            self.turn_started();
            self.queue(0, true, What::TurnStarted);
        }
    }

    /// Closes a call whose end the executor did not tell.
    fn close_call(&mut self, at: usize) {
        let Some((id, call)) = self.conversation.call(at) else { return };
        let start = self.scratch.len();
        self.scratch.extend_from_slice(id);
        let middle = self.scratch.len();
        self.scratch.extend_from_slice(call.agent());
        let last = self.scratch.len();
        self.scratch.extend_from_slice(call.parent());
        let end = self.scratch.len();
        let span = |start: usize, end: usize| Span { start: start as u32, end: end as u32 };
        let what = What::CallEnded { id: span(start, middle), agent: span(middle, last), parent: span(last, end) };
        self.conversation.end_call(at, crate::event::ToolStatus::Unknown);
        let native = core::mem::take(&mut self.record.native);
        let rule = self.record.rule.take();
        self.queue(0, true, what);
        self.record.native = native;
        self.record.rule = rule;
    }
}

/// The end of a preview: bounded, and not inside a character.
fn preview(line: &[u8], start: usize, end: usize, bound: usize) -> usize {
    if end - start <= bound {
        return end;
    }
    let mut cut = start + bound;
    while cut > start && line.get(cut).is_some_and(|byte| byte & 0xc0 == 0x80) && start + bound - cut < 3 {
        cut -= 1;
    }
    cut
}
