//! The layout: blocks apart by blank lines, lines with the marks of their sub-agent and block before them.
//!
//! It knows nothing of events. All that it writes has been cleaned, here or by its caller.

use super::clean::Cleaner;
use super::paint::{Paint, Tone};

/// What stands in a block; blocks of one kind may stand close together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// Nothing was written yet.
    Start,
    /// Who speaks; what is said follows at once.
    Label,
    /// What somebody says or thinks.
    Text,
    /// Tools and their outcomes.
    Tool,
    /// Everything else.
    Note,
}

/// Where the writing stands.
#[derive(Debug)]
pub(super) struct Screen {
    paint: Paint,
    /// Line ends since the last character: 0 inside a line, 1 at the beginning of one, 2 after a blank one.
    line_ends: u8,
    block: Block,
    /// What stands before each line of the block.
    mark: (Tone, &'static str),
    /// True inside a sub-agent's lane.
    nested: bool,
    cleaner: Cleaner,
    scratch: String,
}

impl Screen {
    pub(super) fn new(paint: Paint) -> Self {
        Screen {
            paint,
            line_ends: 2,
            block: Block::Start,
            mark: (Tone::Plain, ""),
            nested: false,
            cleaner: Cleaner::default(),
            scratch: String::new(),
        }
    }

    /// True when the next character begins a line.
    pub(super) fn at_line_start(&self) -> bool {
        self.line_ends > 0
    }

    /// Says whether what follows is a sub-agent's.
    pub(super) fn nest(&mut self, nested: bool) {
        self.nested = nested;
    }

    /// Begins a block.
    pub(super) fn begin(&mut self, block: Block, mark: (Tone, &'static str), out: &mut Vec<u8>) {
        self.end_line(out);
        let close = match self.block {
            Block::Start | Block::Label => true,
            Block::Text => false,
            before => before == block,
        };
        if !close && self.line_ends < 2 {
            self.line_end(out);
        }
        self.block = block;
        self.mark = mark;
        self.cleaner = Cleaner::default();
    }

    /// Ends the line, if one is open.
    pub(super) fn end_line(&mut self, out: &mut Vec<u8>) {
        if self.line_ends == 0 {
            self.line_end(out);
        }
    }

    /// Writes a piece of a text of unknown origin.
    pub(super) fn foreign(&mut self, tone: Tone, text: &str, out: &mut Vec<u8>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        self.cleaner.push(text, &mut scratch);
        self.write(tone, &scratch, out);
        scratch.shrink_to(64 << 10);
        self.scratch = scratch;
    }

    /// Writes clean text; it may hold line ends.
    pub(super) fn write(&mut self, tone: Tone, text: &str, out: &mut Vec<u8>) {
        for piece in text.split_inclusive('\n') {
            let (line, ended) = match piece.strip_suffix('\n') {
                Some(line) => (line, true),
                None => (piece, false),
            };
            if !line.is_empty() {
                if self.line_ends > 0 {
                    self.begin_line(out);
                }
                self.paint.start(tone, out);
                out.extend_from_slice(line.as_bytes());
                self.paint.end(tone, out);
            }
            if ended {
                self.line_end(out);
            }
        }
    }

    /// Writes clean text as a line of its own.
    pub(super) fn line(&mut self, tone: Tone, text: &str, out: &mut Vec<u8>) {
        self.write(tone, text, out);
        self.end_line(out);
    }

    fn begin_line(&mut self, out: &mut Vec<u8>) {
        if self.nested {
            self.paint.start(Tone::Faint, out);
            out.extend_from_slice("│ ".as_bytes());
            self.paint.end(Tone::Faint, out);
        }
        let (tone, mark) = self.mark;
        if !mark.is_empty() {
            self.paint.start(tone, out);
            out.extend_from_slice(mark.as_bytes());
            self.paint.end(tone, out);
        }
        self.line_ends = 0;
    }

    fn line_end(&mut self, out: &mut Vec<u8>) {
        out.push(b'\n');
        self.line_ends = (self.line_ends + 1).min(2);
    }
}
