//! The path from bytes to events: it owns the rooms and adds nothing of its own.

use crate::acts::Watch;
use crate::ansi;
use crate::decide::{self, Facts};
use crate::engine::Engine;
use crate::envelope::Envelope;
use crate::event::{Event, Outcome};
use crate::exit::Exit;
use crate::explain::Explanation;
use crate::framer::{self, Framer, Line};
use crate::options::Options;
use crate::pending::Pending;
use crate::profile::{Framing, Profile};
use crate::rules::eval::Ctx;
use crate::scan::{Frames, Item, Malformed, Scanner, next_element};
use crate::tally::stderr::Stderr;
use crate::turn::{State, TurnReport};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// Bytes in, events and one envelope out.
///
/// Inputs are [`push`](Parser::push) (or [`space`](Parser::space) and [`filled`](Parser::filled), which save a copy),
/// [`push_stderr`](Parser::push_stderr) and [`eof`](Parser::eof); the output is [`next_event`](Parser::next_event); the
/// end is [`finish`](Parser::finish). Nothing fails: malformed input is data. Where chunks are cut changes nothing.
///
/// Events that are not taken cost the memory of their lines, never correctness: `push` again is legal, and `finish`
/// still counts what nobody took.
///
/// ```
/// use turnline::{EventKind, Exit, Parser, Profile};
///
/// let profile = Profile::builtin("codex")?;
/// let mut parser = Parser::new(&profile);
/// parser.push(br#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"pong"}}"#);
/// parser.eof();
/// while let Some(event) = parser.next_event() {
///     if let EventKind::Message(message) = &event.kind {
///         assert_eq!(message.text, "pong");
///     }
/// }
/// let envelope = parser.finish(&Exit::code(0));
/// assert_eq!(envelope.result.as_deref(), Some("pong"));
/// # Ok::<(), turnline::ProfileError>(())
/// ```
pub struct Parser {
    profile: Profile,
    framer: Framer,
    scanner: Scanner,
    frames: Frames,
    engine: Engine,
    stderr: Stderr,
    options: Options,
    /// Looks for acts, where that was asked for.
    acts: Option<Box<Watch>>,
    /// The stream is lines of records.
    records: bool,
    /// The line that is being read, and how far it is read.
    line: Option<Reading>,
    /// The current line, where the buffer was needed before all its events were taken.
    held: Vec<u8>,
    /// The line of the last event.
    number: u64,
    seq: u64,
    ended: Ended,
}

/// How far the current line is read.
#[derive(Clone, Copy)]
struct Reading {
    line: Line,
    /// Where in the line the next value begins.
    at: usize,
    /// The end of the array whose elements are being read.
    array_end: Option<usize>,
    /// A record of the line was read.
    any: bool,
    repaired: bool,
    /// Nothing of the line is left.
    done: bool,
    /// The line was copied out of the framer's buffer.
    held: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    No,
    Asked,
    Done,
}

impl Parser {
    /// A parser for one run of this executor.
    #[must_use]
    pub fn new(profile: &Profile) -> Self {
        Parser::with_options(profile, Options::default())
    }

    /// A parser that is told more about the run.
    #[must_use]
    pub fn with_options(profile: &Profile, options: Options) -> Self {
        let spec = profile.spec();
        let framing = match spec.framing {
            Framing::Json => framer::Framing::Document,
            Framing::Jsonl | Framing::Text => framer::Framing::Lines,
        };
        let limits = &options.limits;
        Parser {
            framer: Framer::new(framing, limits.line, limits.preview),
            scanner: Scanner::new(),
            frames: Frames::new(u32::try_from(limits.elements).unwrap_or(u32::MAX)),
            stderr: Stderr::new(limits),
            engine: Engine::new(options.clone(), spec.answer, spec.terminal),
            acts: options.acts.clone().map(|table| Box::new(Watch::new(table, &options.limits))),
            profile: profile.clone(),
            options,
            records: spec.framing == Framing::Jsonl,
            line: None,
            held: Vec::new(),
            number: 0,
            seq: 0,
            ended: Ended::No,
        }
    }

    /// Takes a chunk of standard output, of any size. After [`eof`](Parser::eof) it is not read any more.
    pub fn push(&mut self, chunk: &[u8]) {
        if self.ended == Ended::No {
            self.settle();
            self.framer.push(chunk);
        }
    }

    /// Room of at least `min` bytes in the parser's own buffer, to read standard output into without a copy.
    ///
    /// What the room holds before it is filled is arbitrary.
    pub fn space(&mut self, min: usize) -> &mut [u8] {
        self.settle();
        self.framer.space(min)
    }

    /// Says how many bytes of the room were filled.
    pub fn filled(&mut self, count: usize) {
        if self.ended == Ended::No {
            self.framer.filled(count);
        }
    }

    /// Takes a chunk of standard error. It is kept (its head and its tail) and never read as the protocol.
    pub fn push_stderr(&mut self, chunk: &[u8]) {
        self.stderr.push(chunk);
    }

    /// Says that standard output has ended: a last line without a line end counts, and what is open is closed.
    pub fn eof(&mut self) {
        if self.ended == Ended::No {
            self.ended = Ended::Asked;
            self.framer.eof();
        }
    }

    /// The next event; none until more bytes come.
    pub fn next_event(&mut self) -> Option<Event<'_>> {
        if self.acts.as_ref().is_some_and(|acts| acts.is_ready()) {
            self.seq += 1;
            return self.acts.as_mut()?.next_event(self.seq - 1);
        }
        let pending = self.next_pending()?;
        let seq = self.seq;
        self.seq += 1;
        let line = self.line.as_ref().map_or(&[][..], |reading| bytes(reading, &self.framer, &self.held));
        let ctx = Ctx { line, frames: &self.frames, frame: 0, block: 0 };
        let rules = self.profile.rules();
        let event = self.engine.build(pending, rules, ctx, seq, self.number);
        if let Some(acts) = &mut self.acts {
            acts.see(&event, &rules.commands);
        }
        Some(event)
    }

    /// Ends the run: what it came to, with the facts about its end that the stream does not hold.
    ///
    /// It may be called at any moment, with anything left undrained: what was pushed counts.
    #[must_use]
    pub fn finish(self, exit: &Exit) -> Envelope {
        self.finish_explained(exit).0
    }

    /// [`finish`](Parser::finish), and why the envelope is what it is: which record decided the status, which rule read the
    /// answer, where each figure comes from, what was ignored. Empty unless [`Options::explain`] was set.
    #[must_use]
    pub fn finish_explained(mut self, exit: &Exit) -> (Envelope, Vec<Explanation>) {
        self.eof();
        if self.acts.is_some() {
            while self.next_event().is_some() {}
        }
        while self.next_pending().is_some() {
            self.seq += 1;
        }
        let mut counts = self.engine.counts;
        counts.bytes = self.framer.bytes();
        counts.lines = self.framer.lines();
        counts.events = self.seq;
        let trace = self.engine.trace.take();
        let mut envelope = decide::envelope(
            Facts { profile: &self.profile, engine: self.engine, stderr: &self.stderr, options: &self.options, counts },
            exit,
        );
        envelope.acts = self.acts.map(|acts| acts.into_records()).unwrap_or_default();
        let reasons = trace.map(|trace| trace.finish(&self.profile, &envelope)).unwrap_or_default();
        (envelope, reasons)
    }

    /// True when the executor printed its terminal record.
    #[must_use]
    pub fn terminal_seen(&self) -> bool {
        self.engine.terminal && !self.engine.owed
    }

    /// True while the executor says that background work goes on.
    #[must_use]
    pub fn background(&self) -> bool {
        self.engine.background
    }

    /// What the session is doing, as far as its records were read: that is, up to the record of the event taken last.
    ///
    /// A run that takes one turn works from the start; an [interactive](Options::interactive) one is idle until a turn is
    /// [sent](Parser::turn_sent) or the executor starts one.
    #[must_use]
    pub fn state(&self) -> State {
        if self.ended == Ended::Done { State::Ended } else { self.engine.state() }
    }

    /// Takes the next report of a turn that is over: each is handed out once, in order. It is there when the turn's
    /// [`turn_ended`](crate::TurnEnded) event is.
    ///
    /// The turn that the end of the stream cut off is not among them: what it came to is known with the process's end, and
    /// stands in the envelope. [`Envelope::turn_reports`] lists the taken ones too.
    ///
    /// ```
    /// use turnline::{Exit, Options, Parser, Profile, State, TurnStatus};
    ///
    /// let mut options = Options::default();
    /// options.interactive = true;
    /// let mut parser = Parser::with_options(&Profile::builtin("claude-code")?, options);
    /// assert_eq!(parser.state(), State::Idle);
    /// parser.turn_sent();
    /// assert_eq!(parser.state(), State::Working);
    /// parser.push(br#"{"type":"system","subtype":"init","session_id":"s-1"}"#);
    /// parser.push(b"\n");
    /// parser.push(br#"{"type":"result","subtype":"success","is_error":false,"result":"pong","session_id":"s-1"}"#);
    /// parser.push(b"\n");
    /// while parser.next_event().is_some() {}
    /// let turn = parser.take_turn().expect("it is over");
    /// assert_eq!((turn.status, turn.result.as_deref()), (TurnStatus::Ok, Some("pong")));
    /// assert_eq!((parser.state(), parser.take_turn()), (State::Idle, None));
    /// # Ok::<(), turnline::ProfileError>(())
    /// ```
    pub fn take_turn(&mut self) -> Option<TurnReport> {
        self.engine.turns.take()
    }

    /// Says that the host sent one more user turn: the session works until it is over.
    pub fn turn_sent(&mut self) {
        self.engine.turn_sent();
    }

    /// Says that the host interrupts the turn that runs: unless it ends well it is `cancelled`, not `failed`.
    pub fn turn_interrupted(&mut self) {
        self.engine.turn_interrupted();
    }

    /// Says that the host answered a permission request. Its resolution is the next event (`synthetic`, by `host`), and
    /// the session does not wait for it any more. False where no such request is open: nothing is said then.
    pub fn permission_answered(&mut self, request_id: &str, outcome: Outcome, reason: Option<&str>) -> bool {
        self.engine.permission_answered(request_id, outcome, reason)
    }

    /// How many events were taken.
    #[must_use]
    pub fn events_made(&self) -> u64 {
        self.seq
    }

    /// The id to resume the session with, as far as it is known.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.engine.conversation.session_id()
    }

    /// Before the buffer changes: a line whose events are not all taken is copied out of it.
    fn settle(&mut self) {
        if let Some(reading) = self.line.as_mut().filter(|reading| !reading.held) {
            if self.engine.queue.is_empty() && reading.done {
                self.line = None;
                return;
            }
            self.held.clear();
            self.held.extend_from_slice(self.framer.buffer().get(reading.line.span()).unwrap_or_default());
            reading.held = true;
        }
    }

    fn next_pending(&mut self) -> Option<Pending> {
        loop {
            if let Some(pending) = self.engine.queue.pop_front() {
                return Some(pending);
            }
            self.engine.next_record();
            match &self.line {
                Some(reading) if !reading.done => {
                    self.read_on();
                    continue;
                }
                Some(reading) if reading.held => {
                    self.held = Vec::new();
                    self.line = None;
                }
                _ => {}
            }
            if self.records && self.read_whole() {
                continue;
            }
            match self.framer.next_line() {
                Some(line) => self.begin(line),
                None if self.ended == Ended::Asked => {
                    self.line = None;
                    self.ended = Ended::Done;
                    self.engine.close();
                }
                None => {
                    self.line = None;
                    return None;
                }
            }
        }
    }

    /// Begins to read a line.
    fn begin(&mut self, line: Line) {
        self.number = line.number;
        self.engine.line = line.number;
        if let Some(trace) = &mut self.engine.trace {
            trace.line = line.number;
        }
        self.line =
            Some(Reading { line, at: 0, array_end: None, any: false, repaired: false, done: false, held: false });
    }

    /// Reads the next line if all of it is there and it begins with an object, which on most lines is all there is; the end
    /// of the object tells the end of the line.
    fn read_whole(&mut self) -> bool {
        let Some(lines) = self.framer.objects() else { return false };
        let result = self.scanner.first(&self.profile.rules().trie, lines, &mut self.frames);
        let (Ok(passed) | Err(Malformed { at: passed })) = result;
        let Some(line) = self.framer.next_line_from(passed) else { return false };
        self.begin(line);
        let Some(reading) = self.line.as_mut().filter(|reading| !reading.line.oversize) else { return true };
        let rules = self.profile.rules();
        let bytes = self.framer.buffer().get(line.span()).unwrap_or_default();
        match result {
            Ok(end) => {
                reading.found(end, &self.frames);
                reading.done = end == bytes.len();
                self.engine.record(rules, Ctx { line: bytes, frames: &self.frames, frame: 0, block: 0 }, (0, end));
                if reading.done {
                    self.engine.counts.repaired_lines += u64::from(reading.repaired);
                }
            }
            Err(_) => {
                self.engine.malformed(bytes, 0);
                reading.done = true;
            }
        }
        true
    }

    /// Reads the next value of the line.
    fn read_on(&mut self) {
        let Some(reading) = &mut self.line else { return };
        let line = bytes(reading, &self.framer, &self.held);
        let engine = &mut self.engine;
        if reading.line.oversize {
            engine.oversize(line, reading.line.size);
            reading.done = true;
            return;
        }
        if self.profile.spec().framing == Framing::Text {
            engine.text_line(line);
            reading.done = true;
            return;
        }
        if let Some(end) = reading.array_end {
            match next_element(line, reading.at) {
                Some(start) => reading.at = start,
                None => {
                    reading.array_end = None;
                    reading.at = end;
                }
            }
        }
        let (at, escapes) = ansi::skip(line, reading.at);
        reading.repaired |= escapes;
        match line.get(at) {
            None => {
                reading.done = true;
                engine.counts.repaired_lines += u64::from(reading.any && reading.repaired);
                return;
            }
            Some(b'[') if reading.array_end.is_none() => {
                if let Ok(Some(end)) = self.scanner.array_of_objects(line, at) {
                    reading.array_end = Some(end);
                    reading.at = at + 1;
                    return;
                }
            }
            Some(_) => {}
        }
        let rules = self.profile.rules();
        match self.scanner.next(&rules.trie, line, at, &mut self.frames) {
            Ok(Item::Record { end }) => {
                reading.found(end, &self.frames);
                engine.record(rules, Ctx { line, frames: &self.frames, frame: 0, block: 0 }, (at, end));
            }
            // Only a value that stands alone is JSON: `"key": 1` is not, nor is `{} 1` but for its record.
            Ok(Item::NonObject { end }) if !reading.any && ansi::skip(line, end).0 == line.len() => {
                reading.at = end;
                engine.non_object(line, at, end);
            }
            Ok(Item::NonObject { .. }) | Err(_) => {
                engine.malformed(line, if reading.any { at } else { 0 });
                engine.counts.repaired_lines += u64::from(reading.any && reading.repaired);
                reading.done = true;
            }
        }
    }
}

impl Reading {
    /// A record that ends at `end` was read.
    fn found(&mut self, end: usize, frames: &Frames) {
        self.any = true;
        self.repaired |= frames.repaired();
        self.at = end;
    }
}

/// The bytes of the line that is being read.
fn bytes<'a>(reading: &Reading, framer: &'a Framer, held: &'a [u8]) -> &'a [u8] {
    if reading.held { held } else { framer.buffer().get(reading.line.span()).unwrap_or_default() }
}

impl fmt::Debug for Parser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parser").field("profile", &self.profile).field("events", &self.seq).finish_non_exhaustive()
    }
}
