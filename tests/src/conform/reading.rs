//! One run read at once, as JSON values; every event is put through all its forms on the way.

use crate::conform::diff::{Diff, abridge};
use crate::conform::feed::{Chunks, Feed};
use crate::conform::input::{Input, Transcript};
use crate::conform::json::{parse, same};
use serde_json::Value;
use turnline::{Event, Profile};

/// Everything that came out of one run.
#[derive(Debug)]
pub struct Reading {
    /// The events.
    pub events: Vec<Value>,
    /// The envelope.
    pub envelope: Value,
    /// The same as bytes.
    pub transcript: Transcript,
}

/// Reads the run at once.
///
/// Notes a difference where an event's forms disagree: what `write_json` writes, what serde writes, what serde reads
/// back, what the owned event writes.
pub fn read(input: &Input, profile: &Profile, diff: &mut Diff) -> Reading {
    let mut transcript = Transcript { events: Vec::new(), envelope: turnline::Envelope::default() };
    let mut events = Vec::new();
    transcript.envelope = input.read(profile, &Feed::push(Chunks::Whole), |event| {
        let at = transcript.events.len();
        event.write_json(&mut transcript.events);
        match parse(&transcript.events[at..]) {
            Ok(value) => {
                forms(event, &transcript.events[at..], &value, diff);
                events.push(value);
            }
            Err(error) => diff.add(format!("write_json wrote no JSON: {error}")),
        }
        transcript.events.push(b'\n');
    });
    transcript.envelope.timing = None;
    let written = serde_json::to_vec(&transcript.envelope).unwrap_or_default();
    match serde_json::from_slice::<turnline::Envelope>(&written) {
        Ok(back) => diff.hold(alike(&back, &transcript.envelope), || "the envelope does not survive serde".into()),
        Err(error) => diff.add(format!("the envelope cannot be read back: {error}")),
    }
    let envelope = parse(&written).unwrap_or_default();
    Reading { events, envelope, transcript }
}

fn alike(a: &turnline::Envelope, b: &turnline::Envelope) -> bool {
    let value = |envelope| serde_json::to_vec(envelope).ok().and_then(|bytes| parse(&bytes).ok());
    value(a).zip(value(b)).is_some_and(|(a, b)| same(&a, &b))
}

fn forms(event: Event<'_>, written: &[u8], value: &Value, diff: &mut Diff) {
    let name = format!("event {}", event.seq);
    match serde_json::to_vec(&event).map(|bytes| parse(&bytes)) {
        Ok(Ok(by_serde)) => diff.hold(same(&by_serde, value), || {
            format!(
                "{name}: serde writes {}, write_json {}",
                abridge(&by_serde.to_string()),
                abridge(&value.to_string())
            )
        }),
        Ok(Err(error)) => diff.add(format!("{name}: serde writes no JSON: {error}")),
        Err(error) => diff.add(format!("{name}: serde does not write it: {error}")),
    }
    let mut again = Vec::new();
    match read_back(written) {
        Ok(back) => {
            back.write_json(&mut again);
            diff.hold(parse(&again).is_ok_and(|back| same(&back, value)), || {
                format!("{name} is another after serde: {}", abridge(&String::from_utf8_lossy(&again)))
            });
        }
        Err(error) => diff.add(format!("{name} cannot be read back: {error}")),
    }
    let owned = event.into_owned();
    again.clear();
    owned.write_json(&mut again);
    diff.hold(again == written, || {
        format!("{name} is another when owned: {}", abridge(&String::from_utf8_lossy(&again)))
    });
}

fn read_back(written: &[u8]) -> Result<Event<'_>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(written);
    deserializer.disable_recursion_limit();
    serde::Deserialize::deserialize(&mut deserializer)
}

/// Notes a difference when the run reads otherwise with one of the feeds.
pub fn unmoved_by(feeds: &[Feed], input: &Input, profile: &Profile, whole: &Transcript, diff: &mut Diff) {
    for feed in feeds {
        let got = input.transcribe(profile, feed);
        if got == *whole {
            continue;
        }
        let differs = got.events.split(|b| *b == b'\n').zip(whole.events.split(|b| *b == b'\n')).find(|(a, b)| a != b);
        let how = match differs {
            Some((got, want)) => {
                let line = |bytes: &[u8]| abridge(&String::from_utf8_lossy(bytes));
                format!("got {}, whole {}", line(got), line(want))
            }
            None if got.events != whole.events => "another number of events".into(),
            None => format!(
                "another envelope: {:?}, whole {:?}",
                abridge(&serde_json::to_string(&got.envelope).unwrap_or_default()),
                abridge(&serde_json::to_string(&whole.envelope).unwrap_or_default())
            ),
        };
        diff.add(format!("fed by {:?} {:?} {:?}: {how}", feed.chunks, feed.door, feed.drain));
        return;
    }
}

/// All two-way splits of a stream that is small enough for them (4 KiB), else none.
#[must_use]
pub fn splits(stdout: &[u8]) -> Vec<Feed> {
    match stdout.len() {
        0..=4096 => (1..stdout.len()).map(|at| Feed::push(Chunks::SplitAt(at))).collect(),
        _ => Vec::new(),
    }
}
