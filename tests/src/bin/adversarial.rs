//! Streams made to cost: each is read, and its time per byte compared with the slowest of the ordinary streams, its memory
//! with the limits. Prints a table; ends with status 1 where something is over.
//!
//! `cargo run --release -p turnline-tests --bin adversarial [MEGABYTES] [NAME]`

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use turnline::{Exit, Parser, Profile};
use turnline_tests::conform::corpus::recordings;

/// How much slower per byte than the slowest ordinary stream anything may be.
const SLOWER: f64 = 5.0;

/// Name, executor, bytes.
type Stream = (String, &'static str, Vec<u8>);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let megabytes: usize = arguments.first().and_then(|n| n.parse().ok()).unwrap_or(10);
    let only = arguments.get(1);
    let size = megabytes << 20;
    let mut out = String::new();
    let mut slowest: f64 = 0.0;
    for (name, executor, bytes) in ordinary(size) {
        let (time, _) = measured(executor, &bytes);
        let cost = time.as_secs_f64() * 1e9 / bytes.len() as f64;
        slowest = slowest.max(cost);
        let _ = writeln!(out, "{name:<38} {executor:<12} {cost:>8.3} ns/byte");
    }
    let _ = writeln!(out, "{:-<38} slowest {slowest:.3} ns/byte", "");
    let mut over = Vec::new();
    for (name, executor, bytes) in adversarial(size) {
        if only.is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let (time, events) = measured(executor, &bytes);
        let ratio = time.as_secs_f64() * 1e9 / bytes.len() as f64 / slowest;
        let mark = if ratio > SLOWER { " OVER" } else { "" };
        let _ = writeln!(
            out,
            "{name:<38} {executor:<12} {ratio:>8.2} x, {:.1} MB, {events} events{mark}",
            bytes.len() as f64 / 1e6
        );
        if ratio > SLOWER {
            over.push(name);
        }
    }
    // Nothing is left to do where nobody reads.
    let _ = std::io::stdout().write_all(out.as_bytes());
    if over.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The fastest of three readings in 64 KiB chunks, every event taken.
fn measured(executor: &str, bytes: &[u8]) -> (Duration, u64) {
    let profile = Profile::builtin(executor).expect("a built-in profile");
    let read = || {
        let start = Instant::now();
        let mut parser = Parser::new(&profile);
        let mut events = 0;
        for chunk in bytes.chunks(64 << 10) {
            parser.push(chunk);
            while parser.next_event().is_some() {
                events += 1;
            }
        }
        parser.eof();
        while parser.next_event().is_some() {
            events += 1;
        }
        std::hint::black_box(parser.finish(&Exit::code(0)));
        (start.elapsed(), events)
    };
    (0..3).map(|_| read()).min().expect("three readings")
}

/// The recordings of each executor, over and over.
fn ordinary(size: usize) -> Vec<Stream> {
    let clis = ["claude-code", "codex", "opencode", "gemini", "qwen", "pi", "kimi"];
    let mut streams: Vec<Stream> = clis
        .iter()
        .map(|cli| {
            let all: Vec<u8> =
                recordings(cli).into_iter().filter(|r| r.input.executor == *cli).flat_map(|r| r.input.stdout).collect();
            ((*cli).to_owned(), *cli, all.iter().copied().cycle().take(size).collect())
        })
        .collect();
    streams.push(("lines of text".into(), "raw", repeat(size, |n| format!("line {n} of a program that prints\n"))));
    streams
}

fn repeat(size: usize, line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + 1024);
    let mut n = 0;
    while bytes.len() < size {
        bytes.extend_from_slice(line(n).as_bytes());
        n += 1;
    }
    bytes
}

/// One line: a piece over and over between a beginning and an end.
fn line(size: usize, begin: &str, piece: impl Fn(usize) -> String, end: &str) -> Vec<u8> {
    let mut bytes = begin.as_bytes().to_vec();
    bytes.extend(repeat(size, piece));
    bytes.extend_from_slice(end.as_bytes());
    bytes
}

fn adversarial(size: usize) -> Vec<Stream> {
    let claude = "claude-code";
    let say =
        |content: String| format!("{{\"type\":\"assistant\",\"message\":{{\"id\":\"m\",\"content\":[{content}]}}}}\n");
    let mut all: Vec<Stream> = Vec::new();
    let mut add = |name: &str, executor: &'static str, bytes: Vec<u8>| all.push((name.to_owned(), executor, bytes));
    add(
        "calls never closed",
        claude,
        repeat(size, |n| say(format!("{{\"type\":\"tool_use\",\"id\":\"t{n}\",\"name\":\"B\"}}"))),
    );
    add(
        "calls never closed, opencode",
        "opencode",
        repeat(size, |n| {
            format!(
                "{{\"type\":\"tool_use\",\"part\":{{\"callID\":\"c{n}\",\"tool\":\"bash\",\"state\":{{\"status\":\"running\"}}}}}}\n"
            )
        }),
    );
    add(
        "updates of calls never seen",
        claude,
        repeat(size, |n| {
            format!(
                "{{\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"t{n}\"}}]}}}}\n"
            )
        }),
    );
    add(
        "message ids, each another",
        claude,
        repeat(size, |n| {
            format!(
                "{{\"type\":\"assistant\",\"message\":{{\"id\":\"m{n}\",\"content\":[{{\"type\":\"text\",\"text\":\"x\"}}]}}}}\n"
            )
        }),
    );
    add(
        "ids that differ at their end",
        claude,
        repeat(size, |n| {
            format!(
                "{{\"type\":\"assistant\",\"message\":{{\"id\":\"{}{n}\",\"content\":[{{\"type\":\"text\",\"text\":\"x\"}}]}}}}\n",
                "m".repeat(900)
            )
        }),
    );
    add(
        "sub-agents, each another",
        claude,
        repeat(size, |n| {
            format!(
                "{{\"type\":\"assistant\",\"parent_tool_use_id\":\"p{n}\",\"message\":{{\"id\":\"m\",\"content\":[{{\"type\":\"text\",\"text\":\"x\"}}]}}}}\n"
            )
        }),
    );
    add(
        "sessions, each another",
        claude,
        repeat(size, |n| format!("{{\"type\":\"assistant\",\"session_id\":\"s{n}\"}}\n")),
    );
    add("unmapped types, each another", claude, repeat(size, |n| format!("{{\"type\":\"new_{n}\"}}\n")));
    add("unmapped elements", claude, repeat(size, |n| say(format!("{{\"type\":\"b{n}\"}}"))));
    add(
        "deltas without end",
        claude,
        repeat(size, |_| {
            "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"word \"}}}\n".into()
        }),
    );
    add(
        "deltas of ever new parts",
        claude,
        repeat(size, |n| {
            format!(
                "{{\"type\":\"stream_event\",\"event\":{{\"type\":\"content_block_delta\",\"index\":{n},\"delta\":{{\"type\":\"text_delta\",\"text\":\"word \"}}}}}}\n"
            )
        }),
    );
    add(
        "parts of one message",
        "opencode",
        repeat(size, |n| {
            format!("{{\"type\":\"text\",\"part\":{{\"id\":\"p{n}\",\"messageID\":\"m\",\"text\":\"x\"}}}}\n")
        }),
    );
    add(
        "deltas after tools, gemini",
        "gemini",
        repeat(size, |n| {
            format!("{{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"x{n}\",\"delta\":true}}\n")
        }),
    );
    add("one-byte lines", claude, repeat(size, |_| "x\n".into()));
    add("blank lines", claude, repeat(size, |_| "\n".into()));
    add("blank lines of text", "raw", repeat(size, |_| "\n".into()));
    add("one-byte lines of text", "raw", repeat(size, |_| "x\n".into()));
    add("empty objects", claude, repeat(size, |_| "{}\n".into()));
    add("empty objects on one line", claude, line(size, "", |_| "{}".into(), "\n"));
    add("empty objects in one array", claude, line(size, "[{}", |_| ",{}".into(), "]\n"));
    add("empty arrays", claude, repeat(size, |_| "[]\n".into()));
    add("numbers", claude, repeat(size, |_| "1\n".into()));
    add(
        "elements without a type",
        claude,
        line(size, "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[0", |_| ",0".into(), "]}}\n"),
    );
    add(
        "tiny elements",
        claude,
        line(size, "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{}", |_| ",{}".into(), "]}}\n"),
    );
    add("lines of 300 tiny elements", claude, repeat(size, |_| say(format!("{{}}{}", ",{}".repeat(300)))));
    add("lines of 15,000 tiny elements", claude, repeat(size, |_| say(format!("{{}}{}", ",{}".repeat(15_000)))));
    add(
        "entries of one object",
        claude,
        line(size, "{\"type\":\"result\",\"modelUsage\":{\"a\":{}", |n| format!(",\"m{n}\":{{}}"), "}}\n"),
    );
    add("one key over and over", claude, line(size, "{\"type\":\"x\"", |_| ",\"type\":\"x\"".into(), "}\n"));
    add(
        "one list over and over",
        claude,
        line(size, "{\"type\":\"assistant\"", |_| ",\"message\":{\"content\":[{\"type\":\"text\"}]}".into(), "}\n"),
    );
    add("keys that nobody knows", claude, line(size, "{\"type\":\"x\"", |n| format!(",\"k{n}\":0"), "}\n"));
    add(
        "records of keys that change",
        claude,
        repeat(size, |n| format!("{{\"k{n}\":0,\"j{n}\":1,\"type\":\"ping\"}}\n")),
    );
    add("deep arrays", claude, [vec![b'['; size / 2], vec![b']'; size / 2], b"\n".to_vec()].concat());
    add(
        "deep objects",
        claude,
        [b"{\"a\":".repeat(size / 6), b"1".to_vec(), vec![b'}'; size / 6], b"\n".to_vec()].concat(),
    );
    add("deep and never closed", claude, vec![b'['; size]);
    add("deep input", claude, [b"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"b\",\"input\":".to_vec(), vec![b'['; size / 2], vec![b']'; size / 2], b"}]}}\n".to_vec()].concat());
    add(
        "deep blocks as text",
        claude,
        [b"{\"type\":\"result\",\"result\":".to_vec(), vec![b'['; size / 2], vec![b']'; size / 2], b"}\n".to_vec()]
            .concat(),
    );
    add(
        "deep errors",
        claude,
        [
            b"{\"type\":\"result\",\"is_error\":true,\"errors\":".to_vec(),
            vec![b'['; size / 2],
            vec![b']'; size / 2],
            b"}\n".to_vec(),
        ]
        .concat(),
    );
    add(
        "errors in strings in strings",
        claude,
        line(
            size,
            "{\"type\":\"result\",\"is_error\":true,\"errors\":[\"{\\\"message\\\":\\\"",
            |_| "\\\\\\\\".into(),
            "\\\"}\"]}\n",
        ),
    );
    add(
        "list of errors",
        claude,
        line(size, "{\"type\":\"result\",\"is_error\":true,\"errors\":[\"a\"", |_| ",\"b\"".into(), "]}\n"),
    );
    add("escapes only", claude, line(size, "{\"type\":\"result\",\"result\":\"", |_| "\\n".into(), "\"}\n"));
    add(
        "unicode escapes only",
        claude,
        line(size, "{\"type\":\"result\",\"result\":\"", |_| "\\u00e9".into(), "\"}\n"),
    );
    add(
        "lone surrogates only",
        claude,
        line(size, "{\"type\":\"result\",\"result\":\"", |_| "\\ud800".into(), "\"}\n"),
    );
    add(
        "invalid UTF-8 only",
        claude,
        [b"{\"type\":\"result\",\"result\":\"".to_vec(), vec![0xFF; size], b"\"}\n".to_vec()].concat(),
    );
    add("terminal escapes only", claude, line(size, "", |_| "\x1b[0m".into(), "\n"));
    add("a terminal escape without an end", claude, line(size, "\x1b]", |_| "x".into(), "\n"));
    add("terminal escapes that begin", claude, line(size, "{}", |_| "\x1b]".into(), "\n"));
    add("terminal escapes in text", "raw", repeat(size, |_| "\x1b[1mx\x1b[0m\n".into()));
    add("terminal escapes that begin, in text", "raw", line(size, "", |_| "\x1b".into(), "\n"));
    add(
        "an escaped id",
        claude,
        repeat(size, |n| {
            format!(
                "{{\"type\":\"assistant\",\"session_id\":\"\\u0061{n}\",\"message\":{{\"id\":\"\\u006d\",\"content\":[{{\"type\":\"text\",\"text\":\"x\"}}]}}}}\n"
            )
        }),
    );
    add(
        "metadata that changes",
        claude,
        repeat(size, |n| format!("{{\"type\":\"result\",\"subtype\":\"s{n}\",\"session_id\":\"s{n}\"}}\n")),
    );
    add(
        "metadata that is huge",
        claude,
        repeat(size, |n| format!("{{\"type\":\"result\",\"subtype\":\"{n}{}\"}}\n", "s".repeat(20_000))),
    );
    add(
        "billed ids, each another",
        "opencode",
        repeat(size, |n| {
            format!(
                "{{\"type\":\"step_finish\",\"part\":{{\"id\":\"p{n}\",\"type\":\"step-finish\",\"tokens\":{{\"input\":1,\"output\":1}}}}}}\n"
            )
        }),
    );
    add(
        "windows, each another",
        claude,
        repeat(size, |n| {
            format!(
                "{{\"type\":\"rate_limit_event\",\"rate_limit_info\":{{\"rateLimitType\":\"w{n}\",\"utilization\":1}}}}\n"
            )
        }),
    );
    add("failures, each another", "codex", repeat(size, |n| format!("{{\"type\":\"error\",\"message\":\"e{n}\"}}\n")));
    add("failures that are the same", "codex", repeat(size, |_| "{\"type\":\"error\",\"message\":\"e\"}\n".into()));
    add(
        "a message for many patterns",
        "codex",
        repeat(size, |n| format!("{{\"type\":\"error\",\"message\":\"{n}{}\"}}\n", "r".repeat(4000))),
    );
    add(
        "a message of near matches",
        "codex",
        repeat(size, |n| format!("{{\"type\":\"error\",\"message\":\"{n}{}\"}}\n", "; retrying 1/1 in 1 ".repeat(400))),
    );
    add(
        "a message of digits",
        "codex",
        repeat(size, |_| format!("{{\"type\":\"error\",\"message\":\"{}\"}}\n", "1".repeat(16_000))),
    );
    add(
        "turns without end",
        "codex",
        repeat(size, |_| "{\"type\":\"turn.started\"}\n{\"type\":\"turn.completed\"}\n".into()),
    );
    add(
        "todo lists",
        claude,
        repeat(size, |_| {
            say(format!(
                "{{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"TodoWrite\",\"input\":{{\"todos\":[{{\"content\":\"a\"}}{}]}}}}",
                ",{\"content\":\"a\"}".repeat(200)
            ))
        }),
    );
    add(
        "records never complete",
        claude,
        repeat(size, |_| "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\"\n".into()),
    );
    add("arrays of objects never complete", claude, repeat(size, |_| format!("[{{}}{}\n", ",{}".repeat(100))));
    add(
        "numbers of many digits",
        claude,
        repeat(size, |_| format!("{{\"type\":\"result\",\"usage\":{{\"input_tokens\":{}}}}}\n", "9".repeat(3000))),
    );
    add("a type that is huge", claude, repeat(size, |n| format!("{{\"type\":\"{}{n}\"}}\n", "\\u0061".repeat(1300))));
    add(
        "a type that is an array",
        claude,
        repeat(size, |_| format!("{{\"type\":[{}\"a\"]}}\n", "\"a\",".repeat(1000))),
    );
    add(
        "a line over the limit of ids",
        claude,
        repeat(size, |n| format!("{{\"type\":\"assistant\",\"session_id\":\"{}{n}\"}}\n", "\\\\".repeat(600))),
    );
    all
}
