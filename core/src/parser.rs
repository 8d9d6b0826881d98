//! The path from bytes to events: it owns the rooms and adds nothing of its own.

mod lines;
mod turns;

use crate::acts::Watch;
use crate::decide::{self, Facts};
use crate::engine::Engine;
use crate::envelope::Envelope;
use crate::event::Event;
use crate::exit::Exit;
use crate::explain::Explanation;
use crate::framer::{self, Framer};
use crate::options::Options;
use crate::profile::{Framing, Profile};
use crate::scan::{Frames, Scanner};
use crate::tally::stderr::Stderr;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use lines::Reading;

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
    line: Reading,
    /// The current line, where the buffer was needed before all its events were taken.
    held: Vec<u8>,
    seq: u64,
    ended: Ended,
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
            line: Reading::default(),
            held: Vec::new(),
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
        // Who looks for no acts gets the event where it is put together: to look at it first costs a copy.
        if self.acts.is_some() {
            return self.next_with_acts();
        }
        if !self.advance() {
            return None;
        }
        self.seq += 1;
        let ctx = lines::ctx(&self.line, &self.framer, &self.held, &self.frames);
        self.engine.build(self.profile.rules(), ctx, self.seq - 1)
    }

    /// The next event, where acts are looked for.
    fn next_with_acts(&mut self) -> Option<Event<'_>> {
        if self.acts.as_ref().is_some_and(|acts| acts.is_ready()) {
            self.seq += 1;
            return self.acts.as_mut()?.next_event(self.seq - 1);
        }
        if !self.advance() {
            return None;
        }
        self.seq += 1;
        let ctx = lines::ctx(&self.line, &self.framer, &self.held, &self.frames);
        let rules = self.profile.rules();
        let event = self.engine.build(rules, ctx, self.seq - 1)?;
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
        while self.advance() {
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
}

impl fmt::Debug for Parser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parser").field("profile", &self.profile).field("events", &self.seq).finish_non_exhaustive()
    }
}
