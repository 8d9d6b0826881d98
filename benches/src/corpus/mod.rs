//! Deterministic streams in the shapes that the CLIs print: same keys, same order of keys, same spread of sizes.
//!
//! Nothing in them was captured. The same arguments give the same bytes on every machine.

mod claude;
mod codex;
mod dirty;
mod node;
mod opencode;
mod recorded;
mod rng;
mod special;
mod words;

pub use dirty::dirty;
pub use recorded::{DOCUMENTED, RECORDINGS, documented, recorded};
pub use special::{HUGE_LINE, huge_line, run14, small_lines, tiny_messages, tiny_unmapped};

use rng::Rng;
use std::ops::RangeInclusive;

/// A stream and the profile that reads it.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// Name of the corpus in tables.
    pub name: String,
    /// Id of the built-in profile.
    pub executor: &'static str,
    /// The stream, of whole runs one after the other.
    pub bytes: Vec<u8>,
}

impl Corpus {
    fn new(name: impl Into<String>, executor: &'static str, bytes: Vec<u8>) -> Self {
        Corpus { name: name.into(), executor, bytes }
    }
}

/// The generated corpora, each of at least `size` bytes: three executors, nothing but deltas, and each executor with
/// two per cent of its lines damaged.
#[must_use]
pub fn generated(size: usize) -> Vec<Corpus> {
    let claude = claude(size);
    let codex = codex(size);
    let opencode = opencode(size);
    vec![
        Corpus::new("claude-deltas", "claude-code", claude_deltas(&claude, size)),
        Corpus::new("claude-dirty", "claude-code", dirty(&claude)),
        Corpus::new("codex-dirty", "codex", dirty(&codex)),
        Corpus::new("opencode-dirty", "opencode", dirty(&opencode)),
        Corpus::new("claude", "claude-code", claude),
        Corpus::new("codex", "codex", codex),
        Corpus::new("opencode", "opencode", opencode),
    ]
}

/// Runs of `claude --print --output-format stream-json --verbose`, half of them with `--include-partial-messages`.
#[must_use]
pub fn claude(size: usize) -> Vec<u8> {
    fill(10, size, |rng, run| {
        let turns = rng.within(8..=60);
        let deltas = rng.chance(0.5);
        claude::run(rng, &claude::Shape { turns, deltas, big: run % 6 == 1 })
    })
}

/// Runs of `codex exec --json`.
#[must_use]
pub fn codex(size: usize) -> Vec<u8> {
    fill(13, size, |rng, run| {
        let steps = rng.within(8..=80);
        codex::run(rng, steps, run % 12 == 1)
    })
}

/// Runs of `opencode run --format json`.
#[must_use]
pub fn opencode(size: usize) -> Vec<u8> {
    fill(23, size, |rng, run| {
        let steps = rng.within(8..=60);
        opencode::run(rng, steps, run % 12 == 1)
    })
}

/// The small delta records of a claude corpus and nothing else, repeated to more than `size` bytes: the most events a
/// byte that a real stream has.
#[must_use]
pub fn claude_deltas(claude: &[u8], size: usize) -> Vec<u8> {
    let deltas: Vec<u8> = claude
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.len() < 2000 && line.starts_with(br#"{"type":"stream_event""#))
        .flatten()
        .copied()
        .collect();
    deltas.repeat(size / deltas.len().max(1) + 1)
}

/// Runs one after the other until there are `size` bytes. The seeds were chosen for a usual mix of long and short runs.
fn fill(seed: u64, size: usize, mut run: impl FnMut(&mut Rng, usize) -> Vec<String>) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut bytes = Vec::with_capacity(size + size / 8);
    let mut runs = 0;
    while bytes.len() < size {
        append(&mut bytes, &run(&mut rng, runs));
        runs += 1;
    }
    bytes
}

fn append(bytes: &mut Vec<u8>, lines: &[String]) {
    for line in lines {
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
}

/// The size of what a tool gives back, in characters: mostly short, with a long tail.
fn tool_output(rng: &mut Rng) -> RangeInclusive<usize> {
    match rng.unit() {
        x if x < 0.45 => 20..=900,
        x if x < 0.80 => 900..=4000,
        x if x < 0.97 => 4000..=24_000,
        _ => 24_000..=64_000,
    }
}

/// What a tool gives back in the step that is made large on purpose.
const BIG_OUTPUT: RangeInclusive<usize> = 1_000_000..=1_000_000;
