//! What must hold for any bytes: each is a function that panics where it does not. The fuzz targets are one line each over
//! these; ordinary tests replay the committed corpora through them.

use crate::conform::check::always;
use crate::conform::diff::{Diff, abridge};
use crate::conform::feed::{Chunks, Door, Drain, Feed};
use crate::conform::input::Input;
use crate::conform::json::same;
use crate::conform::reading::{read, unmoved_by};
use crate::reference::{self, value_of};
use serde_json::Value;
use turnline::profile::Framing;
use turnline::{Exit, NonzeroExit, Profile, SpawnError, SpawnErrorKind, TimeLimit};

/// The executors that the first byte picks by its remainder: their number is part of what the committed inputs mean.
const PICKED: [&str; 10] =
    ["claude-code", "codex", "codex-legacy", "opencode", "gemini", "qwen", "pi", "kimi", "cursor-agent", "raw"];
/// Those that it picks from here on, whose runs all end well.
const MORE: (usize, [&str; 5]) = (250, ["amp", "copilot", "crush", "droid", "goose"]);

/// The parts of a fuzz input: the first byte picks the executor and how the run ended, the rest is the stream.
#[must_use]
pub fn input_of(data: &[u8]) -> Input {
    let (pick, stdout) = data.split_first().map_or((0, data), |(pick, rest)| (usize::from(*pick), rest));
    if let Some(more) = pick.checked_sub(MORE.0).and_then(|at| MORE.1.get(at)) {
        return Input::clean(more, stdout);
    }
    let mut input = Input::clean(PICKED[pick % PICKED.len()], stdout);
    let exit = &mut input.exit;
    match pick / PICKED.len() {
        1 => *exit = Exit::code(1),
        2 => *exit = Exit::signal(9),
        3 => exit.cancelled = true,
        4 => exit.stdout_truncated = true,
        5 => input.resume = Some("last".into()),
        6 => (exit.stream_error, exit.prompt_pipe_only) = (Some("EPIPE".into()), true),
        7 => exit.stream_error = Some("EIO".into()),
        8 => exit.timed_out = Some(TimeLimit::Idle),
        9 => exit.spawn_error = Some(SpawnError::new(SpawnErrorKind::ProgramNotFound, "ENOENT")),
        10 => (exit.code, exit.nonzero) = (Some(3), NonzeroExit::TerminalRecordWins),
        11 => (exit.code, exit.ended_by_driver) = (None, true),
        12 => input.resume = Some("1".into()),
        20.. => input.interactive = true,
        13.. => {
            input.stderr = stdout.split(|byte| *byte == b'\n').next().unwrap_or_default().to_vec();
            *exit = Exit::code(i32::from(pick % 2 == 1));
        }
        _ => {}
    }
    input
}

/// Nothing panics, every event has the same value in all its forms, and the contract's invariants hold.
///
/// # Panics
/// Where one of that is not so.
pub fn stream(data: &[u8]) {
    let input = input_of(data);
    let profile = input.profile().expect("a built-in profile");
    let mut diff = Diff::new();
    let reading = read(&input, &profile, &mut diff);
    // The line-by-line account is of JSON lines; what is a terminal escape and what is none, the reference knows better.
    if profile.spec().framing != Framing::Text && !input.stdout.contains(&0x1b) {
        always(&input, &reading, &mut diff);
    }
    conclude(diff, data);
}

/// Where chunks are cut, by which door they enter and when events are taken changes nothing.
///
/// # Panics
/// Where it does.
pub fn split(data: &[u8]) {
    let (seed, data) = data.split_first().map_or((0, data), |(seed, rest)| (*seed, rest));
    let input = input_of(data);
    let profile = input.profile().expect("a built-in profile");
    let whole = input.whole(&profile);
    let mut diff = Diff::new();
    unmoved_by(&feeds(seed, input.stdout.len()), &input, &profile, &whole, &mut diff);
    conclude(diff, data);
}

/// The product reads what the reference reads.
///
/// # Panics
/// Where they differ.
pub fn differential(data: &[u8]) {
    let input = input_of(data);
    let profile = input.profile().expect("a built-in profile");
    let mut diff = Diff::new();
    compare(&input, &profile, &mut diff);
    conclude(diff, data);
}

/// A profile's text (TOML) is refused with a reason, or is a profile that reads any stream like the reference does. A line
/// `---` ends the text; the stream follows.
///
/// # Panics
/// Where it is not so.
pub fn profile(data: &[u8]) {
    let end = data.windows(5).position(|window| window == b"\n---\n").unwrap_or(data.len());
    let (text, stdout) = (&data[..end], data.get(end + 5..).unwrap_or_default());
    let text = String::from_utf8_lossy(text);
    let profile = match Profile::from_toml(&text) {
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.code().is_empty(), "an error without a word");
            return;
        }
        Ok(profile) => profile,
    };
    let mut diff = Diff::new();
    round_trip(&profile, &mut diff);
    let input = Input::clean(profile.id(), stdout);
    let whole = input.whole(&profile);
    unmoved_by(&feeds(stdout.len() as u8, stdout.len()), &input, &profile, &whole, &mut diff);
    compare(&input, &profile, &mut diff);
    conclude(diff, data);
}

/// A profile is the same after it was written and read again, in both formats.
pub fn round_trip(profile: &Profile, diff: &mut Diff) {
    let json = serde_json::to_string(profile).unwrap_or_default();
    match Profile::from_json(&json) {
        Ok(back) => diff.hold(back.spec() == profile.spec(), || "the profile is another after JSON".into()),
        Err(error) => diff.add(format!("the profile's own JSON is refused: {error}")),
    }
    match toml::to_string(profile).map(|text| Profile::from_toml(&text)) {
        Ok(Ok(back)) => diff.hold(back.spec() == profile.spec(), || "the profile is another after TOML".into()),
        Ok(Err(error)) => diff.add(format!("the profile's own TOML is refused: {error}")),
        Err(error) => diff.add(format!("the profile cannot be written as TOML: {error}")),
    }
}

/// Notes what the product reads otherwise than the reference.
pub fn compare(input: &Input, profile: &Profile, diff: &mut Diff) {
    let input = &Input { acts: true, ..input.clone() };
    let transcript = input.whole(profile);
    let options = input.options();
    let want = reference::read(profile, &options, &input.stdout, &input.stderr, &input.exit);
    let lines = transcript.events.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let events: Vec<Option<Value>> = lines.map(value_of).collect();
    for (n, (got, want)) in events.iter().zip(&want.events).enumerate() {
        let got = got.clone().unwrap_or_else(|| "no JSON".into());
        if !alike(&got, want) {
            diff.add(format!("event {n}: got {}, reference {}", apart(&got, want), apart(want, &got)));
            return;
        }
    }
    diff.eq("number of events", events.len(), want.events.len());
    let envelope = serde_json::to_vec(&transcript.envelope).ok().and_then(|json| value_of(&json)).unwrap_or_default();
    let keys = want.envelope.as_object().into_iter().flatten();
    for (key, want_value) in keys {
        let of_text = ["result", "last_text", "summary"].contains(&key.as_str());
        let (mut got, mut want_value) = (envelope[key].clone(), want_value.clone());
        if key == "turn_reports" {
            level(&mut got, &mut want_value, want.halves_in_deltas);
        }
        if want.halves_in_deltas && of_text || alike(&got, &want_value) {
            continue;
        }
        diff.add(format!("envelope.{key}: got {}, reference {}", apart(&got, &want_value), apart(&want_value, &got)));
    }
    diff.eq(
        "keys of the envelope",
        envelope.as_object().map(serde_json::Map::len),
        want.envelope.as_object().map(serde_json::Map::len),
    );
}

/// An answer that is cut is cut before it is decoded, in the product: what it keeps must be a beginning.
fn level(got: &mut Value, want: &mut Value, any_text: bool) {
    let (got, want) = (got.as_array_mut().into_iter().flatten(), want.as_array_mut().into_iter().flatten());
    for (got, want) in got.zip(want) {
        let (some, whole) = (got["result"].as_str().unwrap_or_default(), want["result"].as_str().unwrap_or_default());
        let cut = got["result_cut"] == true && whole.starts_with(some) && some.len() * 12 >= whole.len();
        if any_text || cut {
            for report in [got, want] {
                report["result"] = Value::Null;
                report["result_cut"] = Value::Null;
            }
        }
    }
}

/// Sums of money may differ in their last digits, by the order in which they were added.
fn alike(a: &Value, b: &Value) -> bool {
    if let (Some(x), Some(y)) = (a.as_f64(), b.as_f64()) {
        return same(a, b) || a.is_f64() && b.is_f64() && (x - y).abs() <= 1e-9 * x.abs().max(y.abs());
    }
    same(a, b)
}

/// What a value has that another one has not, or has otherwise.
fn apart(value: &Value, other: &Value) -> String {
    short(&difference(value, other))
}

fn difference(value: &Value, other: &Value) -> Value {
    match (value, other) {
        (Value::Object(members), Value::Object(_)) => {
            let differ = members.iter().filter(|(key, value)| {
                *key == "type" || other.get(key.as_str()).is_none_or(|other| !alike(value, other))
            });
            differ.map(|(key, value)| (key.clone(), difference(value, &other[key]))).collect()
        }
        (Value::Array(elements), Value::Array(others)) if elements.len() == others.len() => {
            elements.iter().zip(others).map(|(value, other)| difference(value, other)).collect()
        }
        _ => value.clone(),
    }
}

fn short(value: &Value) -> String {
    abridge(&value.to_string())
}

/// Some ways to feed a stream, chosen by a seed.
#[must_use]
pub fn feeds(seed: u8, len: usize) -> Vec<Feed> {
    let mut state = u32::from(seed).wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below.max(1)
    };
    let sizes: Vec<usize> = (0..64).map(|n| 1 + next(if n % 2 == 0 { 3 } else { 200 })).collect();
    vec![
        Feed { chunks: Chunks::Each(1), door: Door::Push, drain: Drain::Always },
        Feed { chunks: Chunks::Sizes(sizes.clone()), door: Door::Space, drain: Drain::Always },
        Feed { chunks: Chunks::Sizes(sizes), door: Door::Push, drain: Drain::AtEnd },
        Feed { chunks: Chunks::SplitAt(next(len)), door: Door::Space, drain: Drain::AtEnd },
    ]
}

fn conclude(diff: Diff, data: &[u8]) {
    let differences = diff.into_vec();
    let head = String::from_utf8_lossy(&data[..data.len().min(300)]).into_owned();
    assert!(differences.is_empty(), "{}\nof {head:?}", differences.join("\n"));
}
