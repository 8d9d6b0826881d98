//! A second reader of the same profiles: slow, obvious, and written from the contract, so that it can disagree.
//!
//! Every line is first made valid text (invalid UTF-8 and lone surrogate escapes become U+FFFD); then it is read with
//! `serde_json`, value by value, with nothing compiled beforehand, nothing borrowed from buffers and nothing bounded but
//! what an event shows. It reads the whole stream at once. What it does not do is listed in [`KNOWN_DIFFERENCES`]. The acts in
//! a command it has the product find (that is tested by a table of commands); where the command is, and what came of it, it
//! reads itself.

mod acts;
mod answer;
mod bill;
mod emit;
mod failures;
mod field;
mod joins;
mod lines;
mod models;
mod node;
mod pattern;
mod record;
mod state;
mod turns;
mod verdict;
mod windows;

pub use node::{Node, value_of};

use serde_json::Value;
use turnline::profile::Framing;
use turnline::{Exit, Options, Profile};

/// Where the reference knowingly differs, and why. Inputs that show one of these are not compared.
pub const KNOWN_DIFFERENCES: &[(&str, &str)] = &[
    (
        "halves of a character in two deltas",
        "the product joins what was cut before it repairs, and so does not lose the character; the reference repairs each line",
    ),
    (
        "more than the limits remember",
        "the reference forgets nothing: over 256 sessions, sub-agents, windows, models or billed ids, over 1,024 parts of a \
         message, over 16,384 elements of a record, and over 16 MiB of text (256 KiB of a turn's answer) it says more",
    ),
    (
        "texts taken back before the last two",
        "the product keeps the last two texts that may become the answer; the reference looks back further",
    ),
    (
        "a record's type that is a list of more than 8 KiB",
        "a name is a string: of anything else that is that long the product shows the beginning of its JSON",
    ),
];

/// What a run came to, as the reference reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The events.
    pub events: Vec<Value>,
    /// The envelope.
    pub envelope: Value,
    /// Something was seen that [`KNOWN_DIFFERENCES`] lists: only the events may be compared.
    pub halves_in_deltas: bool,
}

/// Reads a whole run.
#[must_use]
pub fn read(profile: &Profile, options: &Options, stdout: &[u8], stderr: &[u8], exit: &Exit) -> Outcome {
    let spec = profile.spec();
    let (lines, count) = lines::cut(stdout, spec.framing, options.limits.line);
    let mut state = state::State::new(spec, options);
    for line in &lines {
        state.line_number = line.number;
        if line.oversize {
            state.oversize(line);
        } else if spec.framing == Framing::Text {
            state.text_line(&line.bytes);
        } else {
            state.json_line(&line.bytes);
        }
    }
    state.end_of_stream();
    let acts = acts::add(&mut state);
    state.counts.bytes = stdout.len() as u64;
    state.counts.lines = count;
    let mut outcome = verdict::outcome(state, profile, stderr, exit);
    outcome.envelope["acts"] = acts.into();
    outcome
}
