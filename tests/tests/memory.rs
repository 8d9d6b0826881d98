//! Memory stays bounded by the limits, however long a stream is and whatever is in it.

use turnline::{Exit, Limits, Options, Parser, Profile};

const MIB: u64 = 1 << 20;

/// Feeds a stream that is made piece by piece, and returns the most bytes that the parser held at once.
fn peak(executor: &str, limits: Limits, pieces: impl Iterator<Item = Vec<u8>>) -> u64 {
    let profile = Profile::builtin(executor).expect("a profile");
    let mut largest = 0;
    let counted = allocation_counter::measure(|| {
        let mut options = Options::default();
        options.limits = limits;
        let mut parser = Parser::with_options(&profile, options);
        for piece in pieces {
            largest = largest.max(piece.len() as u64);
            for chunk in piece.chunks(64 << 10) {
                parser.push(chunk);
                while let Some(event) = parser.next_event() {
                    std::hint::black_box(event);
                }
            }
        }
        parser.eof();
        while parser.next_event().is_some() {}
        std::hint::black_box(parser.finish(&Exit::code(0)));
    });
    // The generator's own piece is not the parser's.
    counted.bytes_max.saturating_sub(2 * largest)
}

fn small_lines() -> Limits {
    let mut limits = Limits::default();
    limits.line = 1 << 20;
    limits.text = 64 << 10;
    limits
}

#[track_caller]
fn bounded(what: &str, peak: u64, bound: u64) {
    assert!(peak <= bound, "{what}: {peak} bytes at once, at most {bound} expected");
}

fn repeat(total: u64, mut line: impl FnMut(u64) -> String) -> impl Iterator<Item = Vec<u8>> {
    let mut sent = 0;
    let mut n = 0;
    std::iter::from_fn(move || {
        let mut piece = String::with_capacity(80 << 10);
        while piece.len() < 64 << 10 && sent + (piece.len() as u64) < total {
            piece.push_str(&line(n));
            piece.push('\n');
            n += 1;
        }
        sent += piece.len() as u64;
        (!piece.is_empty()).then(|| piece.into_bytes())
    })
}

#[test]
fn a_quarter_of_a_gibibyte_of_tool_calls() {
    let line = |n: u64| {
        let (call, output) = (n / 2, "line of output\\n".repeat(100));
        let begins = n.is_multiple_of(2);
        let state = if begins { "item.started" } else { "item.completed" };
        let status = if begins { "in_progress" } else { "completed" };
        format!(
            r#"{{"type":"{state}","item":{{"id":"item_{call}","type":"command_execution","command":"ls {call}","aggregated_output":"{output}","exit_code":0,"status":"{status}"}}}}"#
        )
    };
    bounded("tool calls", peak("codex", Limits::default(), repeat(256 * MIB, line)), 2 * MIB);
}

#[test]
fn a_message_that_never_ends() {
    let line = |n: u64| {
        format!(
            r#"{{"type":"stream_event","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{}"}}}},"session_id":"s","parent_tool_use_id":null,"uuid":"{n:032x}"}}"#,
            "word ".repeat(40)
        )
    };
    bounded("deltas", peak("claude-code", small_lines(), repeat(64 * MIB, line)), 2 * MIB);
}

#[test]
fn a_line_that_never_ends() {
    let line = |_: u64| "x".repeat(0);
    let endless = (0..1024).map(|_| vec![b'x'; 64 << 10]);
    bounded("a line of 64 MiB over its limit", peak("codex", small_lines(), endless), 4 * MIB);
    bounded("blank lines", peak("codex", Limits::default(), repeat(MIB, line)), MIB);
}

#[test]
fn the_buffer_of_a_huge_line_is_given_back() {
    let profile = Profile::builtin("codex").expect("a profile");
    let huge = format!("{{\"type\":\"x\",\"a\":\"{}\"}}\n", "x".repeat(32 << 20));
    let counted = allocation_counter::measure(|| {
        let mut parser = Parser::new(&profile);
        for chunk in huge.as_bytes().chunks(64 << 10) {
            parser.push(chunk);
            while parser.next_event().is_some() {}
        }
        for _ in 0..1000 {
            parser.push(b"{\"type\":\"turn.started\"}\n");
            while parser.next_event().is_some() {}
        }
        // What is measured is what the parser still holds here.
        std::mem::forget(parser);
    });
    let held = counted.bytes_current;
    assert!(held <= 2 * MIB as i64, "{held} bytes are still held after a line of 32 MiB");
}

/// Streams that name something new in every line: each list that could grow is bounded.
#[test]
fn everything_new_in_every_line() {
    let name = |n: u64| format!("{n:08}{}", "n".repeat(200));
    type Line = fn(String) -> String;
    let rows: &[(&str, &str, Line)] = &[
        ("types", "codex", |n| format!(r#"{{"type":"{n}"}}"#)),
        ("sessions", "codex", |n| format!(r#"{{"type":"thread.started","thread_id":"{n}"}}"#)),
        ("open calls", "codex", |n| {
            format!(
                r#"{{"type":"item.started","item":{{"id":"{n}","type":"command_execution","command":"{n}","status":"in_progress"}}}}"#
            )
        }),
        ("messages", "codex", |n| {
            format!(r#"{{"type":"item.completed","item":{{"id":"{n}","type":"agent_message","text":"{n}"}}}}"#)
        }),
        ("failures", "codex", |n| format!(r#"{{"type":"error","message":"{n}"}}"#)),
        ("failed turns", "codex", |n| format!(r#"{{"type":"turn.failed","error":{{"message":"{n}"}}}}"#)),
        ("sub-agents", "claude-code", |n| {
            format!(
                r#"{{"type":"assistant","parent_tool_use_id":"{n}","session_id":"s","message":{{"id":"{n}","role":"assistant","content":[{{"type":"text","text":"{n}"}}]}}}}"#
            )
        }),
        ("open calls of blocks", "claude-code", |n| {
            format!(
                r#"{{"type":"assistant","parent_tool_use_id":null,"session_id":"s","message":{{"id":"{n}","role":"assistant","content":[{{"type":"tool_use","id":"{n}","name":"Bash","input":{{"command":"git push {n}"}}}}]}}}}"#
            )
        }),
        ("results", "claude-code", |n| {
            format!(
                r#"{{"type":"result","subtype":"success","is_error":false,"result":"{n}","session_id":"{n}","modelUsage":{{"{n}":{{"inputTokens":1,"outputTokens":1,"costUSD":0.1}}}}}}"#
            )
        }),
        ("limits", "claude-code", |n| {
            format!(
                r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"allowed","resetsAt":1,"rateLimitType":"{n}"}},"session_id":"s"}}"#
            )
        }),
        ("billed steps", "opencode", |n| {
            format!(
                r#"{{"type":"step_finish","sessionID":"s","part":{{"id":"{n}","messageID":"{n}","type":"step-finish","reason":"stop","cost":1,"tokens":{{"input":1,"output":1,"reasoning":0,"cache":{{"read":0,"write":0}}}}}}}}"#
            )
        }),
        ("malformed lines", "codex", |n| n),
    ];
    for (what, executor, line) in rows {
        bounded(what, peak(executor, Limits::default(), repeat(24 * MIB, |n| line(name(n)))), 6 * MIB);
    }
}

/// Names of a quarter of a mebibyte: what is kept of each is bounded too.
fn long_names(what: &str, line: impl Fn(u64, String) -> String) {
    let name = |n: u64| format!("{n:08}{}", "n".repeat(256 << 10));
    bounded(what, peak("codex", Limits::default(), repeat(96 * MIB, |n| line(n, name(n)))), 4 * MIB);
}

#[test]
fn long_types() {
    long_names("long types", |_, name| format!(r#"{{"type":"{name}"}}"#));
}

#[test]
fn long_errors() {
    long_names("long errors", |_, name| format!(r#"{{"type":"error","message":"{name}"}}"#));
}

#[test]
fn long_commands() {
    long_names("long commands", |n, name| {
        format!(
            r#"{{"type":"item.started","item":{{"id":"{n}","type":"command_execution","command":"git push {name}","status":"in_progress"}}}}"#
        )
    });
}

#[test]
fn long_ids() {
    long_names("long ids", |_, name| {
        format!(
            r#"{{"type":"item.started","item":{{"id":"{name}","type":"command_execution","command":"ls","status":"in_progress"}}}}"#
        )
    });
}

#[test]
fn long_session_ids() {
    long_names("long session ids", |_, name| format!(r#"{{"type":"thread.started","thread_id":"{name}"}}"#));
}

#[test]
fn stderr_without_end() {
    let profile = Profile::builtin("codex").expect("a profile");
    let noise = [b'e'; 64 << 10];
    let counted = allocation_counter::measure(|| {
        let mut parser = Parser::new(&profile);
        for _ in 0..1024 {
            parser.push_stderr(&noise);
        }
        parser.eof();
        while parser.next_event().is_some() {}
        std::hint::black_box(parser.finish(&Exit::code(1)));
    });
    bounded("stderr", counted.bytes_max, MIB);
}
