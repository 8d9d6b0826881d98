//! Every bound of the parser, with its default and the reason for it.

/// The bounds that keep memory and time in hand whatever an executor prints.
///
/// Nothing a parser keeps grows with the stream: each field bounds one thing. Values are taken as they are; zero
/// means that nothing of the kind is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one line of standard output (default 64 MiB). A longer line is discarded as it arrives and counted.
    ///
    /// Lines of 12 MiB (an image twice in a tool result) were reported by users; one MiB, the usual cap, breaks runs.
    /// At most 4 GiB - 1, since positions in a line are kept in 32 bits.
    pub line: usize,
    /// Bytes of text kept for the answer and for the last text (default 16 MiB each). What goes over it is cut, and
    /// a run whose answer was cut fails as `truncated`.
    ///
    /// An answer of a coding CLI is at most some hundred KiB; a runaway stream of deltas has no end.
    pub text: usize,
    /// Tool calls open at the same time (default 256). Over it the oldest is closed as `unknown`.
    ///
    /// Parallel calls come in tens; a CLI that never closes its calls must not cost memory for ever.
    pub open_calls: usize,
    /// Elements read from the arrays of one record (default 16,384); the rest is skipped and handed over as one
    /// `raw` event of reason `oversize`.
    pub elements: usize,
    /// Bytes of the preview in a `raw` event (default 1,024): enough to recognise a line, too little to flood a log.
    pub preview: usize,
    /// Different unmapped record types counted by name (default 256); later ones are counted together as `(other)`.
    pub unmapped_types: usize,
    /// Bytes kept of the beginning of standard error (default 8 KiB): a failed start says why at its beginning.
    pub stderr_head: usize,
    /// Bytes kept of the end of standard error (default 32 KiB): a crash says why at its end.
    pub stderr_tail: usize,
    /// Failures kept with their messages (default 32); an executor that repeats itself adds nothing after that.
    pub failures: usize,
    /// Bytes of a message in an error or a notice of the envelope (default 16 KiB); the rest is cut.
    pub message: usize,
    /// Sessions, sub-agents, messages, rate-limit windows, models and billed ids remembered, each (default 256).
    ///
    /// A run has a handful of each; when the number is passed the oldest is forgotten. What a forgotten
    /// billed record counted stays counted.
    pub remembered: usize,
    /// Finished turns whose reports are kept (default 64); of more the oldest are forgotten. A host that takes each report
    /// as its turn ends loses none.
    pub turns: usize,
    /// Bytes of its answer kept with a turn's report (default 256 KiB, with 64 turns 16 MiB in all); the rest is cut, and
    /// the report says so.
    pub turn_text: usize,
    /// Bytes of a tool's command line that acts are looked for in (default 128 KiB); a longer one is not looked into, since
    /// cut anywhere it would be another command. Linux gives a shell no longer one as an argument.
    pub command: usize,
    /// Acts of one tool call (default 32), the first ones: `rm -r` of a thousand folders is told by its first.
    pub acts_of_call: usize,
    /// Acts kept for the envelope (default 256), the first ones. Later ones still are events.
    pub acts: usize,
    /// Bytes kept of an act's command, and of its target (default 2 KiB); the rest is cut.
    pub act: usize,
}

impl Limits {
    /// Bytes of an id (1 KiB), counted as it reads and cut at a character's end: two ids that begin with the same 1,024
    /// bytes are one, however they are written. Ids of sessions, messages, calls and sub-agents have at most some
    /// hundred; they are what is remembered, so their length bounds memory.
    pub const ID_BYTES: usize = 1024;
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            line: 64 << 20,
            text: 16 << 20,
            open_calls: 256,
            elements: 16_384,
            preview: 1024,
            unmapped_types: 256,
            stderr_head: 8 << 10,
            stderr_tail: 32 << 10,
            failures: 32,
            message: 16 << 10,
            remembered: 256,
            turns: 64,
            turn_text: 256 << 10,
            command: 128 << 10,
            acts_of_call: 32,
            acts: 256,
            act: 2 << 10,
        }
    }
}
