//! How a line is read, value by value.

use super::{Ended, Parser};
use crate::ansi;
use crate::framer::{Framer, Line};
use crate::profile::Framing;
use crate::rules::eval::Ctx;
use crate::scan::{Frames, Item, Malformed, next_element};
use alloc::vec::Vec;

/// How far the current line is read.
#[derive(Clone, Copy)]
pub(super) struct Reading {
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

impl Parser {
    /// Before the buffer changes: a line whose events are not all taken is copied out of it.
    pub(super) fn settle(&mut self) {
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

    /// Goes on to the next event, which is then the queue's current one; false where none is left.
    pub(super) fn advance(&mut self) -> bool {
        loop {
            if self.engine.queue.advance() {
                return true;
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
                    return false;
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

/// The record at hand, in the line that is being read.
#[inline]
pub(super) fn ctx<'a>(line: Option<&Reading>, framer: &'a Framer, held: &'a [u8], frames: &'a Frames) -> Ctx<'a> {
    let line = line.map_or(&[][..], |reading| bytes(reading, framer, held));
    Ctx { line, frames, frame: 0, block: 0 }
}

/// The bytes of the line that is being read.
fn bytes<'a>(reading: &Reading, framer: &'a Framer, held: &'a [u8]) -> &'a [u8] {
    if reading.held { held } else { framer.buffer().get(reading.line.span()).unwrap_or_default() }
}
