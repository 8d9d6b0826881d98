//! Allocations are counted: none a line where events are only looked at, one where each is kept.

use std::collections::HashSet;
use turnline::{Event, Parser, Profile};
use turnline_tests::conform::corpus::{Recording, recordings};
use turnline_tests::conform::feed::{Chunks, Feed};

/// Recordings with many kinds of records, whose lines are fed over and over.
const STREAMS: &[(&str, &str)] = &[
    ("claude-code", "claude-code/2.1.332/07-partial-messages"),
    ("claude-code", "claude-code/2.1.332/06-many-blocks-parallel-tools"),
    ("claude-code", "claude-code/2.1.332/16-subagent"),
    ("codex", "codex/0.171.0/many-commands"),
    ("codex", "codex/0.171.0/patch-add-update-delete"),
    ("codex", "codex/0.39.0/shell-fail-recover"),
    ("opencode", "opencode/1.18.33/06-text-parts-parallel-tools"),
    ("opencode", "opencode/1.18.33/13d-progressive-output"),
    ("gemini", "gemini/0.61.0/04-write-edit-read"),
    ("qwen", "qwen/0.24.4/04-write-edit-read"),
    ("pi", "pi/0.73.1/04-write-edit-read"),
    ("kimi", "kimi/2.1.0/04-write-edit-read"),
];

const CHUNKS: &[usize] = &[64, 1000, 4096, 64 << 10];

/// Rounds before counting: every buffer has its size by then.
const WARM: usize = 24;
/// Rounds that are counted.
const COUNTED: usize = 16;

/// Nothing an event; what is allowed is the buffer of the answer, which doubles now and then as a turn goes on.
const NOTHING: f64 = 0.01;

/// What a run is made of between its beginning and its end: the lines that open a session or a turn, and those that end
/// one or bill it, come once a turn and may cost an allocation.
fn steady(recording: &Recording, profile: &Profile) -> (Vec<u8>, Vec<u8>) {
    const ONCE: [&str; 4] = ["session_started", "turn_started", "turn_ended", "usage"];
    let mut once = HashSet::new();
    recording.input.read(profile, &Feed::push(Chunks::Whole), |event| {
        if ONCE.contains(&event.kind.name()) {
            once.insert(event.line);
        }
    });
    let (mut head, mut middle) = (Vec::new(), Vec::new());
    for (line, number) in recording.input.stdout.split_inclusive(|byte| *byte == b'\n').zip(1_u64..) {
        match once.contains(&number) {
            false => middle.extend_from_slice(line),
            true if middle.is_empty() => head.extend_from_slice(line),
            true => {}
        }
    }
    (head, middle)
}

/// A parser that has seen the middle of a run before, and that middle.
fn warm(name: &str, cli: &str, chunk: usize) -> (Parser, Vec<u8>) {
    let recording = recordings(cli).into_iter().find(|recording| recording.name == name).expect("a recording");
    let profile = Profile::builtin(&recording.input.executor).expect("a profile");
    let (head, middle) = steady(&recording, &profile);
    let mut parser = Parser::new(&profile);
    round(&mut parser, &head, chunk, |_| ());
    for _ in 0..WARM {
        round(&mut parser, &middle, chunk, |_| ());
    }
    (parser, middle)
}

fn round(parser: &mut Parser, stream: &[u8], chunk: usize, mut each: impl FnMut(Event<'_>)) -> u64 {
    let mut events = 0;
    for piece in stream.chunks(chunk) {
        parser.push(piece);
        while let Some(event) = parser.next_event() {
            each(event);
            events += 1;
        }
    }
    events
}

/// Every stream at every chunk size; the report names all that allocate.
fn count(mut each: impl FnMut(Event<'_>), bound: f64) {
    let mut report = String::new();
    for (cli, name) in STREAMS {
        for chunk in CHUNKS {
            let (mut parser, stream) = warm(name, cli, *chunk);
            let mut events = 0;
            let counted = allocation_counter::measure(|| {
                for _ in 0..COUNTED {
                    events += round(&mut parser, &stream, *chunk, &mut each);
                }
            });
            let rate = counted.count_total as f64 / events as f64;
            if rate > bound {
                report +=
                    &format!("\n{name} in chunks of {chunk}: {rate:.3} ({} for {events} events)", counted.count_total);
            }
        }
    }
    assert!(report.is_empty(), "allocations an event, more than {bound}:{report}\n");
}

#[test]
fn looking_at_an_event_allocates_nothing() {
    count(|event| drop(std::hint::black_box(event)), NOTHING);
}

#[test]
fn decoding_into_a_buffer_of_ones_own_allocates_nothing() {
    let mut text = String::with_capacity(1 << 20);
    count(
        |event| {
            text.clear();
            if let turnline::EventKind::Message(message) = &event.kind {
                message.text.decode_into(&mut text);
            }
        },
        NOTHING,
    );
}

#[test]
fn writing_an_event_allocates_nothing() {
    let mut line = Vec::with_capacity(4 << 20);
    count(
        |event| {
            line.clear();
            event.write_json(&mut line);
        },
        NOTHING,
    );
}

#[test]
fn keeping_an_event_is_one_allocation() {
    count(|event| drop(std::hint::black_box(event.into_owned())), 1.1);
}
