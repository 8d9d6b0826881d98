//! The blocks of a message: whole, as their start record prints them, and in pieces.

use crate::corpus::node::{Node, object};
use crate::corpus::rng::Rng;
use crate::corpus::words::{code, name, prose, signature};

/// A block of a message of the model.
pub(super) enum Block {
    Thinking { text: String, signature: String },
    Text(String),
    Tool { id: String, tool: &'static str, input: Node },
}

impl Block {
    /// The block as its whole message prints it.
    pub(super) fn whole(&self) -> Node {
        match self {
            Block::Thinking { text, signature } => object! {
                "type": "thinking", "thinking": text.clone(), "signature": signature.clone(),
            },
            Block::Text(text) => object! { "type": "text", "text": text.clone() },
            Block::Tool { id, tool, input } => object! {
                "type": "tool_use", "id": id.clone(), "name": *tool, "input": input.clone(),
            },
        }
    }

    /// The block as its start record prints it.
    pub(super) fn empty(&self) -> Node {
        match self {
            Block::Thinking { .. } => {
                object! { "type": "thinking", "thinking": "", "signature": "" }
            }
            Block::Text(_) => object! { "type": "text", "text": "" },
            Block::Tool { id, tool, .. } => object! {
                "type": "tool_use", "id": id.clone(), "name": *tool, "input": object! {},
            },
        }
    }

    /// A piece of the block, as a delta record prints it.
    pub(super) fn delta(&self, piece: String) -> Node {
        match self {
            Block::Thinking { .. } => object! { "type": "thinking_delta", "thinking": piece },
            Block::Text(_) => object! { "type": "text_delta", "text": piece },
            Block::Tool { .. } => object! { "type": "input_json_delta", "partial_json": piece },
        }
    }

    /// What the deltas are cut from.
    pub(super) fn content(&self) -> String {
        match self {
            Block::Thinking { text, .. } | Block::Text(text) => text.clone(),
            Block::Tool { input, .. } => input.to_line(),
        }
    }
}

/// The blocks of one message: the last message of a run says something and asks for no tool.
pub(super) fn blocks(rng: &mut Rng, last: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    if rng.chance(0.4) {
        blocks.push(Block::Thinking { text: prose(rng, 100..=2500), signature: signature(rng, 200..=1400) });
    }
    if last || rng.chance(0.6) {
        blocks.push(Block::Text(prose(rng, 40..=1800)));
    }
    if !last {
        for _ in 0..if rng.chance(0.8) { 1 } else { 2 } {
            let tool = rng.pick(&["Bash", "Read", "Edit", "Write", "Grep"]);
            let input = tool_input(rng, tool);
            blocks.push(Block::Tool { id: format!("toolu_01{}", rng.base62(22)), tool, input });
        }
    }
    blocks
}

fn tool_input(rng: &mut Rng, tool: &str) -> Node {
    let mut path = || format!("/home/user/project/src/{}.rs", name(rng));
    match tool {
        "Bash" => object! {
            "command": format!("cd /home/user/project && {}", code(rng, 10..=200)),
            "description": prose(rng, 30..=30), "timeout": 120_000_usize,
        },
        "Read" => {
            object! { "file_path": path(), "offset": rng.within(1..=900), "limit": 200_usize }
        }
        "Edit" => object! {
            "file_path": path(), "old_string": code(rng, 50..=600), "new_string": code(rng, 50..=900),
            "replace_all": false,
        },
        "Write" => object! { "file_path": path(), "content": code(rng, 300..=9000) },
        _ => object! {
            "pattern": "fn \\w+\\(", "path": "/home/user/project", "output_mode": "content", "-n": true,
        },
    }
}
