//! Sizes: lines at and over the limit, nesting deeper than any stack, names of a megabyte.

use turnline_tests::conform::diff::Diff;
use turnline_tests::conform::feed::{Chunks, Feed};
use turnline_tests::conform::input::Input;
use turnline_tests::conform::json::{list, text};
use turnline_tests::conform::sandwich::Middle;
use turnline_tests::conform::{check, corpus, suite};

const HEAD: &str = r#"{"type":"item.completed","item":{"id":"item_5","type":"agent_message","text":""#;
const TAIL: &str = r#""}}"#;
const OVERHEAD: usize = HEAD.len() + TAIL.len();

/// A record of exactly so many bytes: a message of nothing but `x`.
fn record_of(size: usize) -> Vec<u8> {
    [HEAD, &"x".repeat(size - OVERHEAD), TAIL].concat().into_bytes()
}

fn oversize(bytes: impl AsRef<[u8]>) -> Middle {
    Middle { malformed: 1, oversize: 1, ..Middle::line(bytes) }.event("raw oversize")
}

#[test]
fn lines_at_and_over_a_small_limit() {
    const LIMIT: usize = 128;
    let text = |size: usize| "x".repeat(size - OVERHEAD);
    let rows = vec![
        Middle::message(record_of(LIMIT - 1), &text(LIMIT - 1)),
        Middle::message(record_of(LIMIT), &text(LIMIT)),
        oversize(record_of(LIMIT + 1)),
        oversize(record_of(LIMIT + 2)),
        oversize(record_of(LIMIT * 20)),
        oversize("x".repeat(LIMIT + 1)),
        oversize([b"\xff".as_slice(), &[0; LIMIT]].concat()),
        oversize([b"{\"a\":\"".as_slice(), &[b'['; LIMIT]].concat()),
        Middle::malformed("x".repeat(LIMIT)),
    ];
    let rows: Vec<Middle> = rows.into_iter().map(|row| Middle { max_line: Some(LIMIT), ..row }).collect();
    suite::all(&rows, |row| format!("a line of {} bytes", row.bytes.len() - 1), |row, diff| row.check(diff));
}

#[test]
fn a_last_line_over_the_limit_without_its_end() {
    let mut input = Input { max_line: Some(128), ..Middle::default().input() };
    input.stdout.extend_from_slice(&[b'x'; 1000]);
    let mut diff = Diff::new();
    check::conforms(&input, &[], &mut diff, |reading, diff| {
        diff.eq("status", reading.envelope["status"].clone(), "ok");
        diff.eq("oversize_lines", reading.envelope["stream"]["oversize_lines"].clone(), 1);
        diff.eq("malformed_lines", reading.envelope["stream"]["malformed_lines"].clone(), 1);
        let last = reading.events.iter().rfind(|event| event["type"] == "raw").cloned().unwrap_or_default();
        diff.eq("bytes of the raw event", last["bytes"].clone(), 1000);
        diff.hold(text(&last, "text").starts_with("xxx"), || "no preview of the line".into());
    });
    assert_eq!(diff.into_vec(), Vec::<String>::new());
}

#[test]
fn the_default_limit_is_64_mib() {
    const LIMIT: usize = 64 << 20;
    let read = |size: usize| {
        let input = Middle::line(record_of(size)).input();
        let profile = input.profile().expect("a profile");
        input.transcribe(&profile, &Feed::push(Chunks::Each(64 << 10)))
    };
    let at = read(LIMIT);
    assert_eq!((at.envelope.stream.oversize_lines, at.envelope.stream.malformed_lines), (0, 0));
    assert!(at.events.len() > LIMIT - 1000, "the text is whole");
    assert_eq!(at.envelope.result.as_deref(), Some("after"));
    let over = read(LIMIT + 1);
    assert_eq!((over.envelope.stream.oversize_lines, over.envelope.stream.malformed_lines), (1, 1));
    assert!(over.events.len() < 10_000, "a preview, not the line");
    assert_eq!(over.envelope.result.as_deref(), Some("after"));
}

/// Deeper than any stack. The record may be read or refused; nothing else happens.
#[test]
fn a_million_levels() {
    const DEEP: usize = 1_000_000;
    let arrays = ("[".repeat(DEEP), "]".repeat(DEEP));
    let objects = ("{\"a\":".repeat(DEEP), "}".repeat(DEEP));
    let tool = |input: &str| {
        format!(
            r#"{{"type":"item.started","item":{{"id":"item_5","type":"mcp_tool_call","server":"s","tool":"t","arguments":{input},"status":"in_progress"}}}}"#
        )
    };
    let rows = [
        ("an unknown record", format!(r#"{{"type":"x","a":{}{}}}"#, arrays.0, arrays.1), Some(0)),
        ("arrays", format!("{}{}", arrays.0, arrays.1), None),
        ("objects", format!("{}1{}", objects.0, objects.1), None),
        ("unclosed arrays", arrays.0.clone(), Some(1)),
        ("unclosed objects", objects.0.clone(), Some(1)),
        ("closed arrays", arrays.1.clone(), Some(1)),
        ("a field nobody reads", format!(r#"{{"type":"turn.started","x":{}1{}}}"#, objects.0, objects.1), None),
        ("a tool's input", tool(&format!("{}1{}", objects.0, objects.1)), None),
        ("a text that is none", tool("{}").replace("\"t\"", &format!("{}{}", arrays.0, arrays.1)), None),
    ];
    for (name, line, malformed) in rows {
        let input = Middle::line(&line).input();
        let profile = input.profile().expect("a profile");
        for chunks in [Chunks::Whole, Chunks::Each(64 << 10), Chunks::Each(1)] {
            let got = input.transcribe(&profile, &Feed::push(chunks));
            assert_eq!(got.envelope.result.as_deref(), Some("after"), "{name}");
            assert_eq!(got.envelope.status.as_str(), "ok", "{name}");
            let stream = got.envelope.stream;
            assert!(stream.malformed_lines <= 1, "{name}: {stream:?}");
            assert!(malformed.is_none_or(|n| stream.malformed_lines <= n), "{name}: {stream:?}");
            assert_eq!(stream.records + stream.malformed_lines + stream.non_object, 6, "{name}: {stream:?}");
        }
    }
}

#[test]
fn a_type_of_a_megabyte() {
    let input = Middle::line(format!(r#"{{"type":"{}"}}"#, "x".repeat(1 << 20))).input();
    let got = input.whole(&input.profile().expect("a profile"));
    assert_eq!(got.envelope.result.as_deref(), Some("after"));
    assert_eq!(got.envelope.stream.unmapped, 1);
    let size = serde_json::to_vec(&got.envelope).expect("an envelope").len();
    assert!(size < 64 << 10, "the envelope has {size} bytes");
}

#[test]
fn many_types_are_counted_by_name_up_to_a_bound() {
    let lines: Vec<String> = (0..5000).map(|n| format!("{{\"type\":\"x{n}\"}}")).collect();
    let input = Middle { bytes: (lines.join("\n") + "\n").into(), ..Middle::default() }.input();
    let got = input.whole(&input.profile().expect("a profile"));
    assert_eq!(got.envelope.stream.unmapped, 5000);
    assert_eq!(got.envelope.unmapped_types.values().sum::<u64>(), 5000);
    assert!(got.envelope.unmapped_types.len() <= 257, "{} names", got.envelope.unmapped_types.len());
}

/// The preview of a raw event is bounded, whatever the line.
#[test]
fn previews_are_bounded() {
    for line in ["x".repeat(1 << 20), "é中😀".repeat(100_000), format!("{{\"type\":\"{}\"", "y".repeat(1 << 20))] {
        let mut diff = Diff::new();
        check::at_once(&Middle::malformed(&line).input(), &mut diff, |reading, diff| {
            let raw = reading.events.iter().find(|event| event["type"] == "raw").cloned().unwrap_or_default();
            let preview = text(&raw, "text");
            diff.hold((900..=1024).contains(&preview.len()), || format!("a preview of {} bytes", preview.len()));
            diff.hold(line.starts_with(preview), || "the preview is not the beginning of the line".into());
            diff.eq("bytes", raw["bytes"].clone(), line.len());
        });
        assert_eq!(diff.into_vec(), Vec::<String>::new());
    }
}

/// Every case of the public corpus with a huge line keeps its call and its answer.
#[test]
fn a_line_of_twelve_mebibytes_is_read() {
    let cases = corpus::public_cases();
    let case = cases.iter().find(|case| case.name == "b030-huge-line").expect("the case");
    let profile = case.input.profile().expect("a profile");
    for chunks in [Chunks::Whole, Chunks::Each(4096), Chunks::Each(1 << 20)] {
        let got = case.input.transcribe(&profile, &Feed::push(chunks));
        let envelope = serde_json::to_value(&got.envelope).expect("an envelope");
        assert_eq!(envelope["stream"]["malformed_lines"], 0);
        assert_eq!(envelope["tools"]["completed"], 1);
        assert!(list(&envelope, "errors").is_empty());
    }
}
