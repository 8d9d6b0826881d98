//! What holds for every stream: arbitrary bytes, and recordings with some things changed.

use proptest::prelude::*;
use serde_json::Value;
use std::cell::RefCell;
use turnline::{Exit, Parser, Profile};
use turnline_tests::conform::diff::Diff;
use turnline_tests::conform::feed::{Chunks, Door, Drain, Feed};
use turnline_tests::conform::input::Input;
use turnline_tests::conform::reading::unmoved_by;
use turnline_tests::mutate::{Dice, Stream, mutated, streams};
use turnline_tests::oracles;
use turnline_tests::reference::value_of;

fn executor() -> impl Strategy<Value = String> {
    let ids: Vec<String> = turnline::catalogue::ids().map(str::to_owned).collect();
    prop::sample::select(ids)
}

/// A recording, changed in up to eight places.
fn almost_right() -> impl Strategy<Value = Stream> {
    (0..streams().len(), any::<u64>(), 0..9_usize).prop_map(|(at, seed, changes)| {
        let (executor, stream) = &streams()[at];
        (executor.clone(), mutated(stream, &mut Dice::new(seed), changes))
    })
}

fn any_stream() -> impl Strategy<Value = Stream> {
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        "([\\[\\]{}:,\"\\\\a1 \n\r\u{1b}é]|true|null|\\\\u0061|\\\\ud83d|\"type\":|\"text\"){0,60}"
            .prop_map(String::into_bytes),
    ];
    prop_oneof![1 => (executor(), bytes), 2 => almost_right()]
}

/// Fails with what differs.
fn none(diff: Diff) -> Result<(), TestCaseError> {
    let differences = diff.into_vec();
    prop_assert!(differences.is_empty(), "{}", differences.join("\n"));
    Ok(())
}

/// The events as values, and the envelope.
fn reading(input: &Input) -> (Vec<Value>, Value) {
    let transcript = input.whole(&input.profile().unwrap());
    let lines = transcript.events.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let events = lines.map(|line| value_of(line).expect("an event is JSON")).collect();
    (events, value_of(&serde_json::to_vec(&transcript.envelope).unwrap()).unwrap())
}

/// An event without the number and the place that it has in its stream.
fn placeless(event: &Value) -> Value {
    let mut event = event.clone();
    let members = event.as_object_mut().expect("an event");
    members.remove("seq");
    members.remove("line");
    event
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn where_chunks_are_cut_changes_nothing(
        (executor, stream) in any_stream(),
        sizes in prop::collection::vec(1..40_usize, 0..60),
        by_space: bool,
        drained_late: bool,
    ) {
        let input = Input::clean(&executor, stream);
        let profile = input.profile().unwrap();
        let feed = Feed {
            chunks: Chunks::Sizes(sizes),
            door: if by_space { Door::Space } else { Door::Push },
            drain: if drained_late { Drain::AtEnd } else { Drain::Always },
        };
        let mut diff = Diff::new();
        unmoved_by(&[feed, Feed::push(Chunks::Each(1))], &input, &profile, &input.whole(&profile), &mut diff);
        none(diff)?;
    }

    /// Nothing is carried from one stream's last line to another stream's first: what the first one said stays said.
    #[test]
    fn streams_behind_each_other_are_read_behind_each_other((executor, mut first) in almost_right(), (_, second) in almost_right()) {
        if !first.ends_with(b"\n") {
            first.push(b'\n');
        }
        let (events, envelope) = reading(&Input::clean(&executor, first.clone()));
        let (both, whole) = reading(&Input::clean(&executor, [first, second.clone()].concat()));
        // What only the end of the first stream made is not made now.
        let at_end = events.iter().rev().take_while(|event| {
            event["synthetic"] == true && event.get("native_type").is_none()
                && ["turn_ended", "tool_call_update"].contains(&event["type"].as_str().unwrap_or_default())
        });
        let kept = events.len() - at_end.count();
        prop_assert_eq!(&both[..kept], &events[..kept]);
        // A byte order mark counts at the very start only.
        if second.starts_with(b"\xEF") {
            return Ok(());
        }
        let (_, alone) = reading(&Input::clean(&executor, second));
        for key in ["bytes", "lines", "records", "malformed_lines", "non_object", "oversize_lines", "repaired_lines"] {
            let sum = envelope["stream"][key].as_u64().unwrap() + alone["stream"][key].as_u64().unwrap();
            prop_assert_eq!(&whole["stream"][key], &Value::from(sum), "{}", key);
        }
    }

    /// Noise on a line of its own is a `raw` event, and nothing else happens.
    #[test]
    fn a_malformed_line_anywhere_changes_nothing_else(
        (executor, stream) in almost_right(),
        place: prop::sample::Index,
        noise in "[^\n{\\[\"0-9tfn \t\r\u{1b}][^\n\u{0}]{0,40}",
    ) {
        prop_assume!(executor != "raw" && serde_json::from_str::<Value>(&noise).is_err());
        let mut lines: Vec<&[u8]> = stream.split_inclusive(|byte| *byte == b'\n').collect();
        let noise = format!("{}\n", noise.trim_end_matches('\r'));
        // At the very start a byte order mark is no noise, and behind a line without an end there is no line of its own.
        let ends = lines.last().is_none_or(|line| line.ends_with(b"\n"));
        lines.insert(place.index(lines.len() + usize::from(ends)), noise.as_bytes());
        prop_assume!(!lines[0].starts_with(b"\xEF") && !stream.starts_with(b"\xEF"));
        let (events, envelope) = reading(&Input::clean(&executor, stream.clone()));
        let (noisy, noisy_envelope) = reading(&Input::clean(&executor, lines.concat()));
        let telling = |events: &[Value]| -> Vec<Value> {
            events.iter().filter(|event| event["reason"] != "malformed").map(placeless).collect()
        };
        prop_assert_eq!(telling(&events), telling(&noisy));
        prop_assert_eq!(events.len() + 1, noisy.len());
        for (key, value) in envelope.as_object().unwrap().iter().filter(|(key, _)| *key != "stream") {
            prop_assert_eq!(shifted(value.clone()), shifted(noisy_envelope[key].clone()), "{}", key);
        }
        for (key, more) in [("malformed_lines", 1), ("lines", 1), ("events", 1), ("bytes", noise.len() as u64), ("records", 0)] {
            let want = envelope["stream"][key].as_u64().unwrap() + more;
            prop_assert_eq!(&noisy_envelope["stream"][key], &Value::from(want), "{}", key);
        }
    }

    #[test]
    fn the_invariants_hold_on_changed_recordings((executor, stream) in any_stream(), how: u8) {
        let ids: Vec<&str> = turnline::catalogue::ids().collect();
        let pick = ids.iter().position(|id| *id == executor).unwrap() + ids.len() * usize::from(how % 25);
        let data = [&[pick as u8], &*stream].concat();
        oracles::stream(&data);
        oracles::differential(&data);
    }

    /// `finish` at any moment, with anything left untaken, says what it says after all was taken.
    #[test]
    fn the_envelope_needs_no_reader((executor, stream) in any_stream(), cut: prop::sample::Index, taken in 0..20_usize) {
        let profile = Profile::builtin(&executor).unwrap();
        let stream = &stream[..cut.index(stream.len() + 1)];
        let read = |taken: usize| {
            let mut parser = Parser::new(&profile);
            for chunk in stream.chunks(512) {
                parser.push(chunk);
                for _ in 0..taken {
                    if parser.next_event().is_none() {
                        break;
                    }
                }
            }
            parser.finish(&Exit::code(0))
        };
        let all = read(usize::MAX);
        prop_assert_eq!(&read(taken), &all);
        prop_assert_eq!(&read(0), &all);
    }

    /// Extra keys, and the order of those there are, say nothing.
    #[test]
    fn unknown_fields_and_the_order_of_keys_change_nothing(at in 0..streams().len(), seed: u64) {
        let (executor, stream) = &streams()[at];
        let dice = RefCell::new(Dice::new(seed));
        let other = by_record(stream, |record| dressed(record, &mut dice.borrow_mut()));
        same_but_for_raw(executor, &by_record(stream, Value::to_string), &other)?;
    }

    /// A string written with escapes is the same string: ids, types and names among them.
    #[test]
    fn how_a_string_is_escaped_changes_nothing(at in 0..streams().len(), seed: u64) {
        let (executor, stream) = &streams()[at];
        let dice = RefCell::new(Dice::new(seed));
        let other = by_record(stream, |record| escaped(&record.to_string(), &mut dice.borrow_mut()));
        same_but_for_raw(executor, &by_record(stream, Value::to_string), &other)?;
    }
}

/// The stream with every line that is one record written anew.
fn by_record(stream: &[u8], write: impl Fn(&Value) -> String) -> Vec<u8> {
    let lines = stream.split_inclusive(|byte| *byte == b'\n').map(|line| match serde_json::from_slice::<Value>(line) {
        Ok(record) if record.is_object() => format!("{}\n", write(&record)).into_bytes(),
        _ => line.to_vec(),
    });
    lines.collect::<Vec<_>>().concat()
}

/// A record with its keys in another order and some that nobody knows.
fn dressed(record: &Value, dice: &mut Dice) -> String {
    let mut members: Vec<String> = record
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, value)| format!("{}: {value}", Value::from(key.as_str())))
        .collect();
    for n in 0..dice.below(4) {
        let value =
            *dice.one(&["1", "null", "\"text\"", "[{\"type\": \"result\"}]", "{\"type\": \"error\", \"message\": {}}"]);
        members.push(format!("\"zz_nobody_knows_{n}\" :{value}"));
    }
    for at in (1..members.len()).rev() {
        members.swap(at, dice.below(at + 1));
    }
    format!("{{{}}}", members.join(" , "))
}

/// JSON with some letters inside of its strings written as escapes.
fn escaped(json: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    let (mut inside, mut chars) = (false, json.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                inside = !inside;
                out.push(c);
            }
            '\\' => {
                out.push(c);
                let kind = chars.next();
                out.extend(kind);
                if kind == Some('u') {
                    out.extend(chars.by_ref().take(4));
                }
            }
            c if inside && c.is_ascii_alphanumeric() && dice.below(6) == 0 => {
                out.push_str(&format!("\\u{:04x}", c as u32))
            }
            c => out.push(c),
        }
    }
    out
}

/// Numbers of lines are left out of the turns' reports: a line more moves them.
fn shifted(mut value: Value) -> Value {
    for report in value.as_array_mut().into_iter().flatten() {
        if let Some(line) = report.get_mut("last_line") {
            line.take();
        }
    }
    value
}

/// What is handed on as the executor's own JSON is compared by what it says: it keeps the escapes that it came with.
fn opened(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        Value::Array(items) => items.iter().map(opened).collect(),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), opened(value))).collect(),
        _ => value.clone(),
    }
}

/// Both streams say the same, but for how their own pieces look.
fn same_but_for_raw(executor: &str, a: &[u8], b: &[u8]) -> Result<(), TestCaseError> {
    let (events, envelope) = reading(&Input::clean(executor, a));
    let (other, other_envelope) = reading(&Input::clean(executor, b));
    let plain = |event: &Value| {
        let mut event = opened(event);
        if event["type"] == "raw" {
            event["text"].take();
            event["bytes"].take();
        }
        event
    };
    for (event, other) in events.iter().zip(&other) {
        prop_assert_eq!(plain(event), plain(other));
    }
    prop_assert_eq!(events.len(), other.len());
    for (key, value) in envelope.as_object().unwrap() {
        let (mut value, mut other) = (opened(value), opened(&other_envelope[key]));
        if key == "stream" {
            value["bytes"].take();
            other["bytes"].take();
        }
        prop_assert_eq!(value, other, "{}", key);
    }
    Ok(())
}
