//! Runs in the shape of `opencode run --format json` (1.0 and later).

use super::node::{Node, object};
use super::rng::Rng;
use super::words::{code, prose, signature};
use super::{BIG_OUTPUT, tool_output};

/// The lines of one run of this many steps; with `big`, the tool of its third step prints a megabyte.
pub(super) fn run(rng: &mut Rng, steps: usize, big: bool) -> Vec<String> {
    let session = format!("ses_{}{}", rng.hex(12), rng.base62(14));
    let mut run = Run { lines: Vec::new(), session, message: String::new(), time: 1_770_000_000_000 };
    for step in 0..steps {
        let last = step + 1 == steps;
        run.message = format!("msg_{}{}", rng.hex(12), rng.base62(14));
        let snapshot = rng.hex(40);
        run.print(rng, "step_start", object! { "type": "step-start", "snapshot": snapshot });
        if rng.chance(0.3) {
            run.reasoning(rng);
        }
        if last || rng.chance(0.5) {
            let part = object! { "type": "text", "text": prose(rng, 40..=1800), "time": run.span(500) };
            run.print(rng, "text", part);
        }
        if !last {
            run.tool(rng, big && step == 2);
        }
        run.step_finish(rng, last);
    }
    run.lines
}

struct Run {
    lines: Vec<String>,
    session: String,
    message: String,
    /// Milliseconds since 1970.
    time: usize,
}

impl Run {
    fn print(&mut self, rng: &mut Rng, kind: &'static str, part: Node) {
        self.time += rng.within(1..=3000);
        let id = format!("prt_{}{}", rng.hex(12), rng.base62(14));
        let head = object! { "id": id, "sessionID": self.session.clone(), "messageID": self.message.clone() };
        let record = object! {
            "type": kind, "timestamp": self.time, "sessionID": self.session.clone(), "part": head.with(part),
        };
        self.lines.push(record.to_line());
    }

    fn span(&self, length: usize) -> Node {
        object! { "start": self.time, "end": self.time + length }
    }

    fn reasoning(&mut self, rng: &mut Rng) {
        let part = object! {
            "type": "reasoning", "text": prose(rng, 100..=2000),
            "metadata": object! { "anthropic": object! { "signature": signature(rng, 200..=1000) } },
            "time": self.span(900),
        };
        self.print(rng, "reasoning", part);
    }

    fn tool(&mut self, rng: &mut Rng, big: bool) {
        let tool = rng.pick(&["bash", "read", "edit"]);
        let size = if big { BIG_OUTPUT } else { tool_output(rng) };
        let output = code(rng, size);
        let (input, metadata) = match tool {
            "bash" => (
                object! { "command": code(rng, 10..=200), "description": prose(rng, 30..=30) },
                object! { "output": output.clone(), "exit": 0_usize, "description": "x", "truncated": false },
            ),
            "read" => (
                object! { "filePath": "/home/user/project/src/a.rs" },
                object! { "preview": output.chars().take(400).collect::<String>(), "truncated": false },
            ),
            _ => {
                let input = object! {
                    "filePath": "/home/user/project/src/a.rs",
                    "oldString": code(rng, 50..=600), "newString": code(rng, 50..=900),
                };
                let diff = code(rng, 800..=800);
                let change = object! {
                    "file": "a.rs", "before": code(rng, 500..=6000), "after": code(rng, 500..=6000),
                    "additions": 3_usize, "deletions": 1_usize,
                };
                (input, object! { "diff": diff, "filediff": change, "diagnostics": object! {} })
            }
        };
        let call = format!("toolu_01{}", rng.base62(22));
        let state = object! {
            "status": "completed", "input": input, "output": output, "title": prose(rng, 25..=25),
            "metadata": metadata, "time": self.span(700),
        };
        self.print(rng, "tool_use", object! { "type": "tool", "callID": call, "tool": tool, "state": state });
    }

    fn step_finish(&mut self, rng: &mut Rng, last: bool) {
        let part = object! {
            "type": "step-finish", "reason": if last { "stop" } else { "tool-calls" }, "snapshot": rng.hex(40),
            "cost": (rng.unit() * 1e6).round() / 1e7,
            "tokens": object! {
                "total": rng.within(1000..=90_000), "input": rng.within(1..=9000), "output": rng.within(1..=900),
                "reasoning": 0_usize,
                "cache": object! { "read": rng.within(0..=90_000), "write": rng.within(0..=9000) },
            },
        };
        self.print(rng, "step_finish", part);
    }
}
