//! Runs in the shape of `claude --print --output-format stream-json --verbose` (2.1).

mod block;

use super::node::{Node, object};
use super::rng::Rng;
use super::words::{code, numbered_code};
use super::{BIG_OUTPUT, tool_output};
use block::{Block, blocks};
use std::ops::RangeInclusive;

/// What kind of run it is.
pub(super) struct Shape {
    /// Requests to the model.
    pub(super) turns: usize,
    /// Whether partial messages are printed.
    pub(super) deltas: bool,
    /// Whether the tools of the third turn give back a megabyte.
    pub(super) big: bool,
}

/// The lines of one run.
pub(super) fn run(rng: &mut Rng, shape: &Shape) -> Vec<String> {
    let mut run = Run { session: rng.uuid(), message: String::new(), lines: Vec::new() };
    run.init(rng);
    let mut answer = String::new();
    for turn in 0..shape.turns {
        let last = turn + 1 == shape.turns;
        run.message = format!("msg_01{}", rng.base62(22));
        let blocks = blocks(rng, last);
        if let Some(Block::Text(text)) = blocks.iter().find(|block| matches!(block, Block::Text(_))) {
            answer.clone_from(text);
        }
        run.turn(rng, &blocks, shape.deltas.then_some(if last { "end_turn" } else { "tool_use" }));
        for block in &blocks {
            if let Block::Tool { id, tool, input } = block {
                run.tool_result(rng, id, tool, input, shape.big && turn == 2);
            }
        }
        if rng.chance(0.05) {
            run.rate_limit(rng);
        }
    }
    run.result(rng, shape.turns, answer);
    run.lines
}

fn usage(rng: &mut Rng) -> Node {
    object! {
        "input_tokens": rng.within(1..=9),
        "cache_creation_input_tokens": rng.within(0..=9000),
        "cache_read_input_tokens": rng.within(9000..=90_000),
        "cache_creation": object! {
            "ephemeral_5m_input_tokens": rng.within(0..=9000), "ephemeral_1h_input_tokens": 0_usize,
        },
        "output_tokens": rng.within(1..=900),
        "service_tier": "standard",
        "inference_geo": "not_available",
    }
}

struct Run {
    session: String,
    message: String,
    lines: Vec<String>,
}

impl Run {
    fn print(&mut self, record: &Node) {
        self.lines.push(record.to_line());
    }

    /// Prints a record of the conversation, with the fields that all of them end in.
    fn record(&mut self, rng: &mut Rng, record: Node, more: Node) {
        let tail = object! {
            "parent_tool_use_id": Node::Null, "session_id": self.session.clone(), "uuid": rng.uuid(),
        };
        self.print(&record.with(tail).with(more));
    }

    fn stream_event(&mut self, rng: &mut Rng, event: Node) {
        self.record(rng, object! { "type": "stream_event", "event": event }, object! {});
    }

    fn init(&mut self, rng: &mut Rng) {
        let list = |names: &[&'static str]| names.iter().copied().map(Node::from).collect::<Vec<_>>();
        let tools = [
            "Task",
            "Bash",
            "Glob",
            "Grep",
            "Read",
            "Edit",
            "Write",
            "WebFetch",
            "TodoWrite",
            "WebSearch",
            "mcp__docs__search",
        ];
        self.print(&object! {
            "type": "system", "subtype": "init", "cwd": "/home/user/project", "session_id": self.session.clone(),
            "tools": list(&tools),
            "mcp_servers": vec![object! { "name": "docs", "status": "connected" }],
            "model": MODEL, "permissionMode": "bypassPermissions",
            "slash_commands": list(&["compact", "context", "cost", "init", "review"]),
            "apiKeySource": "none", "claude_code_version": "2.1.0", "output_style": "default",
            "agents": list(&["general-purpose", "Explore", "Plan"]),
            "skills": list(&[]), "plugins": list(&[]), "uuid": rng.uuid(),
        });
    }

    /// A message of the model: a record a block, and its deltas around them where a stop reason is given.
    fn turn(&mut self, rng: &mut Rng, blocks: &[Block], deltas: Option<&'static str>) {
        if deltas.is_some() {
            let message = object! {
                "model": MODEL, "id": self.message.clone(), "type": "message", "role": "assistant",
                "content": Vec::new(), "stop_reason": Node::Null, "stop_sequence": Node::Null, "usage": usage(rng),
            };
            self.stream_event(rng, object! { "type": "message_start", "message": message });
        }
        for (index, block) in blocks.iter().enumerate() {
            if deltas.is_some() {
                self.deltas(rng, index, block);
            }
            let message = object! {
                "model": MODEL, "id": self.message.clone(), "type": "message", "role": "assistant",
                "content": vec![block.whole()], "stop_reason": Node::Null, "stop_sequence": Node::Null,
                "usage": usage(rng), "context_management": Node::Null,
            };
            self.record(rng, object! { "type": "assistant", "message": message }, object! {});
            if deltas.is_some() {
                self.stream_event(rng, object! { "type": "content_block_stop", "index": index });
            }
        }
        if let Some(reason) = deltas {
            let delta = object! { "stop_reason": reason, "stop_sequence": Node::Null };
            let usage = usage(rng);
            self.stream_event(rng, object! { "type": "message_delta", "delta": delta, "usage": usage });
            self.stream_event(rng, object! { "type": "message_stop" });
        }
    }

    fn deltas(&mut self, rng: &mut Rng, index: usize, block: &Block) {
        let start = object! { "type": "content_block_start", "index": index, "content_block": block.empty() };
        self.stream_event(rng, start);
        let content = block.content();
        let mut rest = content.chars().peekable();
        while rest.peek().is_some() {
            let piece = rest.by_ref().take(rng.within(6..=60)).collect();
            self.delta(rng, index, block.delta(piece));
        }
        if let Block::Thinking { signature, .. } = block {
            self.delta(rng, index, object! { "type": "signature_delta", "signature": signature.clone() });
        }
    }

    fn delta(&mut self, rng: &mut Rng, index: usize, delta: Node) {
        self.stream_event(rng, object! { "type": "content_block_delta", "index": index, "delta": delta });
    }

    fn tool_result(&mut self, rng: &mut Rng, id: &str, tool: &str, input: &Node, big: bool) {
        let size = if big { BIG_OUTPUT } else { tool_output(rng) };
        let failed = rng.chance(0.05);
        let (mut output, mut detail) = match tool {
            "Read" => read_output(rng, input, size),
            "Bash" => bash_output(rng, size),
            _ => edit_output(rng, input, size),
        };
        if failed {
            let start: String = output.chars().take(300).collect();
            output = format!("<tool_use_error>{start}</tool_use_error>");
            detail = Node::from(format!("Error: {output}"));
        }
        let content = if rng.chance(0.9) {
            Node::from(output)
        } else {
            Node::from(vec![object! { "type": "text", "text": output }])
        };
        let mut block = object! { "tool_use_id": id.to_owned(), "type": "tool_result", "content": content };
        if failed || rng.chance(0.4) {
            block = block.with(object! { "is_error": failed });
        }
        let message = object! { "role": "user", "content": vec![block] };
        let more = object! { "timestamp": "2026-01-01T00:00:00.000Z", "tool_use_result": detail };
        self.record(rng, object! { "type": "user", "message": message }, more);
    }

    fn rate_limit(&mut self, rng: &mut Rng) {
        let info = object! {
            "status": "allowed", "resetsAt": 1_770_000_000_usize, "rateLimitType": "five_hour",
            "overageStatus": "rejected", "isUsingOverage": false,
        };
        self.print(&object! {
            "type": "rate_limit_event", "rate_limit_info": info, "uuid": rng.uuid(),
            "session_id": self.session.clone(),
        });
    }

    fn result(&mut self, rng: &mut Rng, turns: usize, answer: String) {
        let tools = object! { "web_search_requests": 0_usize, "web_fetch_requests": 0_usize };
        let model = object! {
            "inputTokens": rng.within(1..=99), "outputTokens": rng.within(1..=9999),
            "cacheReadInputTokens": rng.within(1..=99_999), "cacheCreationInputTokens": rng.within(1..=9999),
            "webSearchRequests": 0_usize, "costUSD": 0.123_456_7, "contextWindow": 200_000_usize,
        };
        self.print(&object! {
            "type": "result", "subtype": "success", "is_error": false,
            "duration_ms": rng.within(1000..=900_000), "duration_api_ms": rng.within(1000..=900_000),
            "num_turns": turns, "result": answer, "stop_reason": "end_turn", "session_id": self.session.clone(),
            "total_cost_usd": (rng.unit() * 1e8).round() / 1e8,
            "usage": usage(rng).with(object! { "server_tool_use": tools }),
            "modelUsage": Node::Object(vec![(MODEL, model)]),
            "permission_denials": Vec::new(), "uuid": rng.uuid(),
        });
    }
}

/// What a tool gives back: the text for the model, and the same in the CLI's own form.
type Output = (String, Node);

fn read_output(rng: &mut Rng, input: &Node, size: RangeInclusive<usize>) -> Output {
    let output = numbered_code(rng, size);
    let file = object! {
        "filePath": input.member("file_path"), "content": output.clone(), "numLines": 200_usize,
        "startLine": 1_usize, "totalLines": 900_usize,
    };
    (output, object! { "type": "text", "file": file })
}

fn bash_output(rng: &mut Rng, size: RangeInclusive<usize>) -> Output {
    let output = code(rng, size);
    let detail = object! {
        "stdout": output.clone(), "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false,
    };
    (output, detail)
}

/// What tools that change files give back; others are given the same form, since only its size matters.
fn edit_output(rng: &mut Rng, input: &Node, size: RangeInclusive<usize>) -> Output {
    let size = rng.within(size);
    let size = if size < *BIG_OUTPUT.start() { size.min(2000) } else { size };
    let output = code(rng, size..=size);
    let lines = code(rng, 600..=600).split('\n').map(|line| Node::from(line.to_owned())).collect::<Vec<_>>();
    let hunk = object! {
        "oldStart": 1_usize, "oldLines": 7_usize, "newStart": 1_usize, "newLines": 9_usize, "lines": lines,
    };
    let detail = object! {
        "filePath": "/home/user/project/src/x.rs",
        "oldString": input.member("old_string"), "newString": input.member("new_string"),
        "originalFile": code(rng, 500..=8000), "structuredPatch": vec![hunk], "userModified": false,
    };
    (output, detail)
}

const MODEL: &str = "claude-model-4-5-20250929";
