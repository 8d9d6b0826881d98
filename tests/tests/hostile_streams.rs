//! Streams that are hostile as a whole: marks at their start, ends in mid-line, nothing at all, noise on stderr.

use turnline_tests::conform::check;
use turnline_tests::conform::corpus::{Recording, recordings};
use turnline_tests::conform::diff::Diff;
use turnline_tests::conform::input::Input;
use turnline_tests::conform::reading::Reading;
use turnline_tests::conform::suite;

const STREAM: &str = concat!(
    "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n",
    "{\"type\":\"turn.started\"}\n",
    "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"é中😀\"}}\n",
    "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}\n",
);

/// Reads it at all chunkings; nothing may be amiss.
#[track_caller]
fn read(input: &Input) -> Reading {
    let mut diff = Diff::new();
    check::conforms(input, &[], &mut diff, |_, _| ());
    assert_eq!(diff.into_vec(), Vec::<String>::new());
    check::at_once(input, &mut Diff::new(), |_, _| ()).expect("a profile").1
}

#[test]
fn a_byte_order_mark_at_the_start_is_dropped() {
    let plain = read(&Input::clean("codex", STREAM));
    let marked = read(&Input::clean("codex", format!("\u{FEFF}{STREAM}")));
    assert_eq!(marked.events, plain.events);
    assert_eq!(marked.envelope["stream"]["bytes"], STREAM.len() + 3);
    assert_eq!(marked.envelope["stream"]["malformed_lines"], 0);
    assert_eq!(marked.envelope["stream"]["repaired_lines"], 0);
}

#[test]
fn only_one_mark_and_only_a_whole_one_is_dropped() {
    let rows: [(&[u8], u64, u64); 4] = [
        (b"\xEF\xBB\xBF\xEF\xBB\xBF", 1, 3),
        (b"\xEF\xBB", 1, 3),
        (b"\xFF\xFE", 1, 3),
        // A mark on a line of its own leaves a blank line.
        (b"\xEF\xBB\xBF\n", 0, 4),
    ];
    for (mark, malformed, records) in rows {
        let reading = read(&Input::clean("codex", [mark, STREAM.as_bytes()].concat()));
        assert_eq!(reading.envelope["stream"]["malformed_lines"], malformed, "{mark:?}");
        assert_eq!(reading.envelope["stream"]["records"], records, "{mark:?}");
        assert_eq!(reading.envelope["result"], "é中😀", "{mark:?}");
    }
    let alone = read(&Input::clean("codex", "\u{FEFF}"));
    assert_eq!(alone.envelope["stream"]["bytes"], 3);
    assert_eq!(alone.envelope["stream"]["lines"], 1);
    assert_eq!(alone.envelope["stream"]["malformed_lines"], 0);
}

#[test]
fn a_stream_of_nothing() {
    let rows: [(&str, u64); 7] =
        [("", 0), ("\n", 1), ("\r\n", 1), (" \t", 1), ("\n\n\n", 3), (" \n\t\r\n\r", 3), ("\u{FEFF}\n", 1)];
    for executor in ["claude-code", "codex", "opencode"] {
        for (stream, lines) in rows {
            let reading = read(&Input::clean(executor, stream));
            let envelope = &reading.envelope;
            assert_eq!(reading.events.len(), 0, "{executor} {stream:?}");
            assert_eq!(envelope["status"], "failed", "{executor} {stream:?}");
            assert_eq!(envelope["stream"]["lines"], lines, "{executor} {stream:?}");
            for null in ["result", "usage", "session_id", "last_text", "cost_usd"] {
                assert!(envelope[null].is_null(), "{executor} {stream:?}: {null}");
            }
        }
    }
}

/// Cut at every byte: the lines that are whole are read, the one that is not is malformed, nothing else changes.
#[test]
fn a_stream_cut_at_every_byte() {
    let whole = read(&Input::clean("codex", STREAM));
    let bytes = STREAM.as_bytes();
    let cuts: Vec<usize> = (0..=bytes.len()).collect();
    suite::all(
        &cuts,
        |at| format!("cut at {at}"),
        |at, diff| {
            let stdout = &bytes[..*at];
            let rest: &[u8] = stdout.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
            let complete = rest.is_empty() || bytes[*at..].starts_with(b"\n");
            let lines = stdout.iter().filter(|byte| **byte == b'\n').count() + usize::from(!rest.is_empty());
            let input = Input::clean("codex", stdout);
            check::conforms(&input, &[], diff, |reading, diff| {
                let stream = &reading.envelope["stream"];
                diff.eq("malformed_lines", stream["malformed_lines"].clone(), usize::from(!complete));
                diff.eq("lines", stream["lines"].clone(), lines);
                diff.eq("records", stream["records"].clone(), lines - usize::from(!complete));
                let read = lines - usize::from(!complete);
                let want: Vec<_> =
                    whole.events.iter().filter(|event| event["line"].as_u64() <= Some(read as u64)).collect();
                let got: Vec<_> =
                    reading.events.iter().filter(|event| event["line"].as_u64() <= Some(read as u64)).collect();
                // What we add at the end of a turn that never ended comes after them.
                let same = want.iter().zip(&got).filter(|(want, got)| want == got).count();
                diff.eq("events of the whole lines", same, want.len());
                diff.eq("status", reading.envelope["status"].clone(), if read == 4 { "ok" } else { "failed" });
                diff.eq("last_text", reading.envelope["last_text"].clone(), (read >= 3).then_some("é中😀"));
            });
        },
    );
}

/// Real streams, each of whose lines is followed by noise: the events of the executor stay the same.
#[test]
fn noise_between_all_lines_of_real_streams() {
    const NOISE: [&[u8]; 7] = [
        b"Warning: deprecated",
        b"",
        b"\x00\x00",
        b"{\"cut",
        b"[]",
        b"\xff\xfe}",
        b"(node:1) ExperimentalWarning: {x}",
    ];
    let small = |r: &Recording| {
        r.input.stdout.len() < 16 << 10 && !r.input.stdout.is_empty() && r.input.stdout.ends_with(b"\n")
    };
    let clis = ["claude-code", "codex", "opencode", "gemini", "qwen", "pi", "kimi"];
    let all: Vec<Recording> = clis.iter().flat_map(|cli| recordings(cli).into_iter().filter(small).take(25)).collect();
    suite::all(
        &all,
        |recording| recording.name.clone(),
        |recording, diff| {
            let mut noisy = recording.input.clone();
            let lines: Vec<&[u8]> = noisy.stdout[..noisy.stdout.len() - 1].split(|byte| *byte == b'\n').collect();
            let mixed =
                lines.iter().enumerate().flat_map(|(n, line)| [line, b"\n".as_slice(), NOISE[n % NOISE.len()], b"\n"]);
            let mixed: Vec<u8> = mixed.flatten().copied().collect();
            let plain = check::at_once(&recording.input, diff, |_, _| ());
            noisy.stdout = mixed;
            let noisy = check::at_once(&noisy, diff, |_, _| ());
            let (Some((_, plain)), Some((_, noisy))) = (plain, noisy) else {
                return;
            };
            let bare = |reading: &Reading| {
                let of_lines =
                    reading.events.iter().filter(|e| e["reason"] != "malformed" && e["reason"] != "non_object");
                of_lines
                    .cloned()
                    .map(|mut event| {
                        event["seq"] = 0.into();
                        event["line"] = 0.into();
                        event
                    })
                    .collect::<Vec<_>>()
            };
            diff.eq("events", bare(&noisy), bare(&plain));
            for key in [
                "status",
                "result",
                "errors",
                "session_id",
                "usage",
                "last_text",
                "cost_usd",
                "tools",
                "terminal",
                "turns",
            ] {
                diff.eq(key, noisy.envelope[key].clone(), plain.envelope[key].clone());
            }
        },
    );
}

#[test]
fn stderr_is_kept_at_both_ends_and_never_read_as_the_protocol() {
    let lines = 200_000;
    let mut stderr = b"first words \xff\n".to_vec();
    for n in 0..lines {
        stderr.extend_from_slice(format!("{{\"type\":\"error\",\"message\":\"noise {n}\"}}\n").as_bytes());
    }
    stderr.extend_from_slice(b"last words");
    let mut input = Input::clean("codex", STREAM);
    input.stderr = stderr;
    let mut diff = Diff::new();
    let (_, reading) = check::at_once(&input, &mut diff, |_, _| ()).expect("a profile");
    assert_eq!(diff.into_vec(), Vec::<String>::new());
    let envelope = &reading.envelope;
    assert_eq!(envelope["status"], "ok");
    assert_eq!(envelope["stderr"]["lines"], lines + 2);
    let (head, tail) = (envelope["stderr"]["head"].as_str().unwrap(), envelope["stderr"]["tail"].as_str().unwrap());
    assert!(head.starts_with("first words \u{FFFD}\n{"), "{}", &head[..40]);
    assert!(tail.ends_with("last words"), "{}", &tail[tail.len() - 40..]);
    assert!(head.len() <= 9 << 10 && tail.len() <= 33 << 10, "{} and {} bytes are kept", head.len(), tail.len());
}
