//! Reading with turnline: the whole of it, from the first byte to the envelope.

use super::texts::texts;
use std::hint::black_box;
use std::slice::Chunks;
use turnline::{Event, Exit, Parser, Profile};

pub(super) fn lazy(chunks: Chunks<'_, u8>, profile: &Profile) -> usize {
    events(chunks, profile, |event| {
        black_box(&event);
    })
}

pub(super) fn decoded(chunks: Chunks<'_, u8>, profile: &Profile) -> usize {
    let mut buffer = String::new();
    events(chunks, profile, |event| {
        buffer.clear();
        texts(&event, &mut |text| text.decode_into(&mut buffer));
        black_box(&buffer);
    })
}

pub(super) fn owned(chunks: Chunks<'_, u8>, profile: &Profile) -> usize {
    events(chunks, profile, |event| drop(black_box(event.into_owned())))
}

pub(super) fn json(chunks: Chunks<'_, u8>, profile: &Profile) -> usize {
    let mut buffer = Vec::new();
    events(chunks, profile, |event| {
        buffer.clear();
        serialize(&event, &mut buffer);
        black_box(&buffer);
    })
}

/// Appends the event as the command prints it: one line of JSON.
pub fn serialize(event: &Event<'_>, out: &mut Vec<u8>) {
    event.write_json(out);
    out.push(b'\n');
}

/// Creates a parser and drops it.
pub fn create(profile: &Profile) {
    black_box(Parser::new(profile));
}

/// Reads a stream that came in one piece, to its envelope.
pub fn run(stream: &[u8], profile: &Profile) {
    black_box(lazy(stream.chunks(stream.len().max(1)), profile));
}

fn events(chunks: Chunks<'_, u8>, profile: &Profile, mut each: impl FnMut(Event<'_>)) -> usize {
    let mut parser = Parser::new(profile);
    let mut count = 0;
    for chunk in chunks {
        parser.push(chunk);
        while let Some(event) = parser.next_event() {
            each(event);
            count += 1;
        }
    }
    parser.eof();
    while let Some(event) = parser.next_event() {
        each(event);
        count += 1;
    }
    black_box(parser.finish(&Exit::code(0)));
    count
}
