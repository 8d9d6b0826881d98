//! Runs in the shape of `codex exec --json` (0.44 and later).

use super::node::{Node, object};
use super::rng::Rng;
use super::words::{code, name, prose};
use super::{BIG_OUTPUT, tool_output};

/// The lines of one run of this many steps; with `big`, its third step prints a megabyte if it runs a command.
pub(super) fn run(rng: &mut Rng, steps: usize, big: bool) -> Vec<String> {
    let mut run = Run { lines: Vec::new(), items: 0 };
    run.print(&object! { "type": "thread.started", "thread_id": rng.uuid() });
    run.print(&object! { "type": "turn.started" });
    for step in 0..steps {
        if rng.chance(0.6) {
            let heading = prose(rng, 30..=30);
            run.say("reasoning", format!("**{heading}**\n\n{}", prose(rng, 60..=1500)));
        }
        match rng.unit() {
            x if x < 0.70 => run.command(rng, big && step == 2),
            x if x < 0.85 => run.file_change(rng),
            x if x < 0.95 => run.mcp_call(rng),
            _ => run.todo_list(rng),
        }
        run.items += 1;
        if rng.chance(0.35) {
            run.say("agent_message", prose(rng, 40..=1500));
        }
    }
    if rng.chance(0.1) {
        let message = "stream disconnected before completion: retrying 1/5 in 200ms…";
        run.print(&object! { "type": "error", "message": message });
    }
    run.say("agent_message", prose(rng, 200..=2500));
    let usage = object! {
        "input_tokens": rng.within(9000..=900_000),
        "cached_input_tokens": rng.within(1..=9000),
        "output_tokens": rng.within(100..=9000),
        "reasoning_output_tokens": rng.within(0..=4000),
    };
    run.print(&object! { "type": "turn.completed", "usage": usage });
    run.lines
}

struct Run {
    lines: Vec<String>,
    items: usize,
}

impl Run {
    fn print(&mut self, record: &Node) {
        self.lines.push(record.to_line());
    }

    fn item(&mut self, event: &'static str, item: Node) {
        self.print(&object! { "type": event, "item": item });
    }

    fn id(&self) -> String {
        format!("item_{}", self.items)
    }

    fn say(&mut self, kind: &'static str, text: String) {
        let item = object! { "id": self.id(), "type": kind, "text": text };
        self.item("item.completed", item);
        self.items += 1;
    }

    fn command(&mut self, rng: &mut Rng, big: bool) {
        let script = Node::from(code(rng, 10..=300)).to_line();
        let started = object! {
            "id": self.id(), "type": "command_execution", "command": format!("bash -lc {script}"),
            "aggregated_output": "", "exit_code": Node::Null, "status": "in_progress",
        };
        self.item("item.started", started.clone());
        let size = if big { BIG_OUTPUT } else { tool_output(rng) };
        let failed = rng.chance(0.1);
        let ended = object! {
            "aggregated_output": code(rng, size), "exit_code": usize::from(failed),
            "status": if failed { "failed" } else { "completed" },
        };
        self.item("item.completed", started.with(ended));
    }

    fn file_change(&mut self, rng: &mut Rng) {
        let changes = (0..rng.within(1..=4))
            .map(|_| {
                let path = format!("/home/user/project/src/{}.rs", name(rng));
                object! { "path": path, "kind": rng.pick(&["add", "update", "delete"]) }
            })
            .collect::<Vec<_>>();
        let started = object! { "id": self.id(), "type": "file_change", "changes": changes, "status": "in_progress" };
        self.item("item.started", started.clone());
        self.item("item.completed", started.with(object! { "status": "completed" }));
    }

    fn mcp_call(&mut self, rng: &mut Rng) {
        let started = object! {
            "id": self.id(), "type": "mcp_tool_call", "server": "docs", "tool": "search",
            "arguments": object! { "query": prose(rng, 60..=60), "limit": 10_usize },
            "result": Node::Null, "error": Node::Null, "status": "in_progress",
        };
        self.item("item.started", started.clone());
        let size = tool_output(rng);
        let content = vec![object! { "type": "text", "text": prose(rng, size) }];
        let result = object! { "content": content, "structured_content": Node::Null };
        self.item("item.completed", started.with(object! { "result": result, "status": "completed" }));
    }

    fn todo_list(&mut self, rng: &mut Rng) {
        let items =
            (0..5).map(|_| object! { "text": prose(rng, 50..=50), "completed": rng.chance(0.5) }).collect::<Vec<_>>();
        let item = object! { "id": self.id(), "type": "todo_list", "items": items };
        self.item("item.updated", item);
    }
}
