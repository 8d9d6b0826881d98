//! `turnline parse`: every flag, every exit status, and how it behaves on pipes.

mod common;

use common::{CLAUDE, CLAUDE_FAILED, CODEX, OPENCODE, command, turnline};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

fn file(content: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(content.as_bytes()).expect("written");
    file
}

fn path(file: &tempfile::NamedTempFile) -> &str {
    file.path().to_str().expect("a plain path")
}

#[test]
fn events_then_one_envelope_and_the_verdict_as_exit_status() {
    let ran = turnline(&["parse"], CLAUDE);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let lines = ran.json();
    let types = ran.types();
    assert_eq!(types.first().map(String::as_str), Some("session_started"));
    assert!(types.iter().any(|kind| kind == "message"), "{types:?}");
    assert_eq!(types.iter().filter(|kind| *kind == "envelope").count(), 1);
    let seqs: Vec<_> = lines.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert_eq!(seqs, (0..types.len() as u64 - 1).collect::<Vec<_>>());
    let envelope = ran.envelope();
    assert_eq!(envelope["executor"], "claude-code");
    assert_eq!(envelope["status"], "ok");
    assert_eq!(envelope["result"], "Hello there.");
    assert_eq!(envelope["stream"]["events"], types.len() as u64 - 1);
    assert_eq!(envelope["exit"], serde_json::json!({"code": null, "signal": null}));
}

#[test]
fn each_verdict_has_its_exit_status() {
    assert_eq!(turnline(&["parse"], CLAUDE_FAILED).code, 1);
    assert_eq!(turnline(&["parse"], "").code, 1);
    assert_eq!(turnline(&["parse", "--cancelled", "--signal", "15"], CLAUDE).code, 130);
    assert_eq!(turnline(&["parse", "--exit-code", "0"], CLAUDE).code, 0);
}

#[test]
fn the_executor_is_chosen_by_its_id() {
    let ran = turnline(&["parse", "--executor", "codex"], CODEX);
    assert_eq!((ran.code, &ran.envelope()["result"]), (0, &"All done.".into()));
    assert_eq!(ran.envelope()["usage"]["total"], 33);
    let ran = turnline(&["parse", "--executor", "opencode"], OPENCODE);
    assert_eq!((ran.code, &ran.envelope()["result"]), (0, &"Wrote it.".into()));
}

#[test]
fn an_unknown_executor_is_a_coded_error_that_lists_those_there_are() {
    let ran = turnline(&["parse", "--executor", "nobody"], CLAUDE);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    for part in ["executor_not_found", "nobody", "claude-code", "codex", "opencode", "raw"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

#[test]
fn a_profile_file_reads_the_stream() {
    let source = turnline(&["profile", "show", "codex"], "").stdout;
    let profile = file(&source);
    let ran = turnline(&["parse", "--profile", path(&profile)], CODEX);
    assert_eq!((ran.code, &ran.envelope()["result"]), (0, &"All done.".into()));

    let broken = file("id = \"x\"\ncommand = \n");
    let ran = turnline(&["parse", "--profile", path(&broken)], CODEX);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("profile_invalid") && ran.stderr.contains("line 2"), "{}", ran.stderr);
    assert!(ran.stderr.contains(path(&broken)), "{}", ran.stderr);

    let ran = turnline(&["parse", "--profile", path(&profile), "--executor", "codex"], CODEX);
    assert_eq!(ran.code, 2, "both at once is wrong usage");
}

#[test]
fn the_stream_may_be_a_file() {
    let stream = file(CLAUDE);
    let from_file = turnline(&["parse", path(&stream)], "");
    assert_eq!(from_file.code, 0);
    assert_eq!(from_file.stdout, turnline(&["parse", "-"], CLAUDE).stdout);
}

#[test]
fn what_cannot_be_read_is_said_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().to_str().expect("a plain path");
    let missing = format!("{folder}/no-such-stream");
    for args in [
        vec!["parse", missing.as_str()],
        vec!["parse", folder],
        vec!["parse", "--stderr", missing.as_str()],
        vec!["parse", "--profile", missing.as_str()],
        vec!["parse", "--profile", folder],
    ] {
        let ran = turnline(&args, CLAUDE);
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.stderr.contains("cannot read") && ran.stderr.contains(folder), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn wrong_usage_is_two() {
    for args in [
        &["parse", "--nonsense"][..],
        &["parse", "--exit-code", "x"],
        &["parse", "--chunk-size", "0"],
        &["parse", "--max-line", "0"],
        &["parse", "--output", "xml"],
        &["parse", "--signal", "0"],
        &["parse", "a", "b"],
        &["nonsense"],
        &[],
    ] {
        let ran = turnline(args, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(!ran.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn facts_of_the_exit_reach_the_envelope() {
    let ran = turnline(&["parse", "--exit-code", "3"], CLAUDE);
    assert_eq!((ran.code, &ran.envelope()["exit"]["code"]), (1, &3.into()));
    let ran = turnline(&["parse", "--exit-code", "-1"], CLAUDE);
    assert_eq!(ran.envelope()["exit"]["code"], -1);
    let ran = turnline(&["parse", "--signal", "KILL"], CLAUDE);
    assert_eq!((ran.code, &ran.envelope()["exit"]["signal"]), (1, &9.into()));

    let ran = turnline(&["parse", "--spawn-error", "spawn claude ENOENT"], "");
    let error = &ran.envelope()["errors"][0];
    assert_eq!((ran.code, &error["code"]), (1, &"executor_unavailable".into()));
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("'claude'") && message.contains("ENOENT"), "{message}");

    let ran = turnline(&["parse", "--stream-error", "EPIPE while reading"], CLAUDE);
    assert_eq!(ran.code, 1);
    assert!(ran.envelope()["errors"].to_string().contains("EPIPE while reading"));

    let ran = turnline(&["parse", "--cancelled"], CLAUDE);
    assert_eq!((ran.code, &ran.envelope()["status"]), (130, &"cancelled".into()));

    let ran = turnline(&["parse", "--stdout-truncated"], CLAUDE);
    assert_eq!((ran.code, &ran.envelope()["stdout_truncated"]), (1, &true.into()));
    let ran = turnline(&["parse", "--stderr-truncated"], CLAUDE);
    assert_eq!((ran.code, &ran.envelope()["stderr_truncated"]), (0, &true.into()));
}

#[test]
fn standard_error_comes_from_a_file() {
    let stderr = file("warming up\nboom: no such key\n");
    let ran = turnline(&["parse", "--stderr", path(&stderr), "--exit-code", "1"], "");
    let envelope = ran.envelope();
    assert_eq!((ran.code, &envelope["stderr"]["lines"]), (1, &2.into()));
    assert!(envelope["stderr"]["head"].as_str().expect("text").contains("warming up"));
    assert!(envelope["errors"].to_string().contains("boom: no such key"), "{}", envelope["errors"]);
}

#[test]
fn the_session_that_was_asked_for_is_compared() {
    let started = |args: &[&str]| turnline(args, CLAUDE).json()[0]["resumed"].clone();
    assert_eq!(started(&["parse"]), serde_json::Value::Null);
    assert_eq!(started(&["parse", "--resume", "s-1"]), "same");
    assert_eq!(started(&["parse", "--resume", "s-2"]), "replaced");
    assert_eq!(started(&["parse", "--resume", "last"]), "same");
}

#[test]
fn the_size_of_the_pieces_changes_nothing() {
    let whole = turnline(&["parse"], CLAUDE).stdout;
    for size in ["1", "7", "64", "100000000"] {
        assert_eq!(turnline(&["parse", "--chunk-size", size], CLAUDE).stdout, whole, "{size}");
    }
}

#[test]
fn lines_over_the_limit_are_discarded() {
    let long = format!("{{\"type\":\"assistant\",\"x\":\"{}\"}}\n{CLAUDE}", "a".repeat(5000));
    let ran = turnline(&["parse", "--max-line", "4K"], &long);
    let stream = &ran.envelope()["stream"];
    assert_eq!((ran.code, &stream["oversize_lines"], &stream["malformed_lines"]), (0, &1.into(), &1.into()));
    let ran = turnline(&["parse", "--max-line", "8K"], &long);
    assert_eq!(ran.envelope()["stream"]["oversize_lines"], 0);
}

#[test]
fn the_envelope_alone() {
    let ran = turnline(&["parse", "--envelope-only"], CLAUDE);
    assert_eq!((ran.code, ran.types()), (0, vec!["envelope".to_owned()]));
    assert_eq!(ran.envelope(), turnline(&["parse"], CLAUDE).envelope());
    let ran = turnline(&["parse", "--envelope-only", "--output", "text"], CLAUDE);
    assert!(ran.stdout.contains("ok") && ran.stdout.contains("1,200 in"), "{}", ran.stdout);
}

#[test]
fn help_teaches_and_version_says_which() {
    let ran = turnline(&["--version"], "");
    assert_eq!((ran.code, ran.stdout), (0, format!("turnline {}\n", env!("CARGO_PKG_VERSION"))));
    let ran = turnline(&["parse", "--help"], "");
    assert_eq!(ran.code, 0);
    for part in ["Examples:", "--executor", "Exit status:", "130"] {
        assert!(ran.stdout.contains(part), "{part}");
    }
    for args in [&["--help"][..], &["executors", "--help"], &["profile", "--help"], &["profile", "check", "--help"]] {
        assert_eq!(turnline(args, "").code, 0, "{args:?}");
    }
}

/// Lines of a child's output as they come.
fn lines(child: &mut Child) -> mpsc::Receiver<String> {
    let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    receive
}

const SOON: Duration = Duration::from_secs(20);

#[test]
fn each_event_is_there_when_its_line_has_come() {
    for (format, first) in [("jsonl", "\"session_started\""), ("text", "s-1")] {
        let mut command = command(&["parse", "--output", format]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let lines = lines(&mut child);
        let mut fed = CLAUDE.lines();

        stdin.write_all(fed.next().expect("a line").as_bytes()).expect("written");
        // Half a line is nothing yet; its end makes the event.
        assert!(lines.recv_timeout(Duration::from_millis(200)).is_err());
        stdin.write_all(b"\n").expect("written");
        let line = lines.recv_timeout(SOON).expect("the first event, while the input is open");
        assert!(line.contains(first), "{line}");

        stdin.write_all(format!("{}\n", fed.next().expect("a line")).as_bytes()).expect("written");
        let text = std::iter::from_fn(|| lines.recv_timeout(SOON).ok()).find(|line| line.contains("Hello there."));
        assert!(text.is_some(), "the text, while the input is open");
        drop(stdin);
        child.wait().expect("it ends");
    }
}

#[test]
fn a_piece_of_a_text_is_shown_before_its_line_ends() {
    let mut command = command(&["parse", "--output", "text"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let event = |event: &str| format!("{{\"type\":\"stream_event\",\"session_id\":\"s-1\",\"event\":{event}}}\n");
    let begin = [
        event(r#"{"type":"message_start","message":{"id":"msg-1","role":"assistant","content":[]}}"#),
        event(r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#),
        event(r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello th"}}"#),
    ];
    stdin.write_all(begin.concat().as_bytes()).expect("written");

    let mut stdout = child.stdout.take().expect("a pipe");
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(read @ 1..) = stdout.read(&mut chunk) {
            if send.send(String::from_utf8_lossy(&chunk[..read]).into_owned()).is_err() {
                break;
            }
        }
    });
    let mut seen = String::new();
    while !seen.ends_with("Hello th") {
        seen += &receive.recv_timeout(SOON).expect("the piece, while the input is open");
    }
    drop(stdin);
    child.wait().expect("it ends");
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    for format in ["jsonl", "text"] {
        let mut command = command(&["parse", "--output", format]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let feeder = std::thread::spawn(move || {
            // Far more than pipes hold; ends when the command has gone.
            while stdin.write_all(CLAUDE.as_bytes()).is_ok() {}
        });
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        drop(stdout);
        let mut stderr = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("UTF-8");
        let status = child.wait().expect("it ends");
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{format}");
        feeder.join().expect("the pipe broke");
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut child =
        command(&["parse"]).stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().expect("it starts");
    let _ = child.stdin.take().expect("a pipe").write_all(CLAUDE.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write"));
}
