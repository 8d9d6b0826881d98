//! How a line is read, value by value.

use super::{Ended, Parser};
use crate::ansi;
use crate::framer::{Framer, Line};
use crate::profile::Framing;
use crate::rules::eval::Ctx;
use crate::scan::{Frames, Item, Malformed, next_element};
use alloc::vec::Vec;

/// How far the framer's line is read. Never copied: see [`Framer`].
#[derive(Default)]
pub(super) struct Reading {
    /// There is a line, and it is not left behind yet.
    open: bool,
    /// Nothing of the line is left.
    done: bool,
    /// A record of the line was read.
    any: bool,
    repaired: bool,
    /// The line was copied out of where it lay.
    held: bool,
    /// Where in the line the next value begins.
    at: usize,
    /// The end of the array whose elements are being read; 0 for none.
    array_end: usize,
}

impl Parser {
    /// Before the buffer changes: a line whose events are not all taken is copied out of it.
    pub(super) fn settle(&mut self) {
        if self.line.open && !self.line.held {
            if self.engine.queue.is_empty() && self.line.done {
                self.line.open = false;
                return;
            }
            self.held.clear();
            self.held.extend_from_slice(self.framer.line_bytes());
            self.line.held = true;
        }
    }

    /// Goes on to the next event, which is then the queue's current one; false where none is left.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        // What is asked most often, first: a record's further events, and by who pushes bytes one by one for nothing.
        if self.engine.queue.advance() {
            return true;
        }
        let waits = !self.line.open && self.ended == Ended::No && self.engine.queue.is_clear() && self.framer.waits();
        !waits && self.read_to_event()
    }

    /// Reads until there is an event.
    #[inline(never)]
    fn read_to_event(&mut self) -> bool {
        loop {
            self.engine.next_record();
            if !self.read_more() {
                return false;
            }
            if self.engine.queue.advance() {
                return true;
            }
        }
    }

    /// Reads the next value, or begins the next line, or ends the stream; false where nothing of it is there.
    #[inline(always)]
    fn read_more(&mut self) -> bool {
        if self.line.open {
            if !self.line.done {
                self.read_on();
                return true;
            }
            if self.line.held {
                self.held = Vec::new();
                self.line.held = false;
            }
            self.line.open = false;
        }
        if self.records && self.read_whole() {
            return true;
        }
        if self.framer.next_line() {
            self.begin();
            return true;
        }
        let ends = self.ended == Ended::Asked;
        if ends {
            self.ended = Ended::Done;
            self.engine.close();
        }
        ends
    }

    /// Begins to read the framer's line.
    fn begin(&mut self) {
        let number = self.framer.line().number;
        self.engine.line = number;
        if let Some(trace) = &mut self.engine.trace {
            trace.line = number;
        }
        self.line = Reading { open: true, ..Reading::default() };
    }

    /// Reads the next line if all of it is there and it begins with an object, which on most lines is all there is; the end
    /// of the object tells the end of the line.
    fn read_whole(&mut self) -> bool {
        let Some(lines) = self.framer.objects() else { return false };
        let result = self.scanner.first(&self.profile.rules().trie, lines, &mut self.frames);
        let (Ok(passed) | Err(Malformed { at: passed })) = result;
        if !self.framer.next_line_from(passed) {
            return false;
        }
        self.begin();
        if self.framer.line().oversize {
            return true;
        }
        let reading = &mut self.line;
        let rules = self.profile.rules();
        let bytes = self.framer.line_bytes();
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
        let line = bytes(&self.line, &self.framer, &self.held);
        let reading = &mut self.line;
        let engine = &mut self.engine;
        let Line { oversize, size, .. } = *self.framer.line();
        if oversize {
            engine.oversize(line, size);
            reading.done = true;
            return;
        }
        if self.profile.spec().framing == Framing::Text {
            engine.text_line(line);
            reading.done = true;
            return;
        }
        if reading.array_end != 0 {
            match next_element(line, reading.at) {
                Some(start) => reading.at = start,
                None => reading.at = core::mem::take(&mut reading.array_end),
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
            Some(b'[') if reading.array_end == 0 => {
                if let Ok(Some(end)) = self.scanner.array_of_objects(line, at) {
                    reading.array_end = end;
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

/// The record at hand, in the line that is being read.
#[inline]
pub(super) fn ctx<'a>(reading: &Reading, framer: &'a Framer, held: &'a [u8], frames: &'a Frames) -> Ctx<'a> {
    let line = if reading.open { bytes(reading, framer, held) } else { &[] };
    Ctx { line, frames, frame: 0, block: 0 }
}

/// The bytes of the line that is being read.
fn bytes<'a>(reading: &Reading, framer: &'a Framer, held: &'a [u8]) -> &'a [u8] {
    if reading.held { held } else { framer.line_bytes() }
}
