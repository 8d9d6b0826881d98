//! Streams of CLIs of which there are no recordings: written from public documentation, with the events that it asks for.

use super::{bytes, entries, name, root};
use crate::conform::input::Input;
use serde_json::Value;
use turnline::Exit;

/// One stream.
#[derive(Clone, Debug)]
pub struct Documented {
    /// Executor and scenario.
    pub name: String,
    /// What is read.
    pub input: Input,
    /// Parts of events that must come of it, in order; the last one is part of the envelope.
    pub expect: Vec<Value>,
}

/// All of them.
///
/// # Panics
/// When a file is not what it should be.
#[must_use]
pub fn documented() -> Vec<Documented> {
    let clis = entries(&root().join("documented"));
    let folders = clis.iter().flat_map(|cli| entries(cli).into_iter().map(|folder| (name(cli), folder)));
    folders
        .map(|(cli, folder)| {
            let expect = String::from_utf8(bytes(&folder.join("expect.jsonl"))).expect("text");
            let expect: Vec<Value> = expect.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            let mut input = Input::clean(&cli, bytes(&folder.join("stdout.jsonl")));
            let code = expect.last().and_then(|envelope| envelope["exit"]["code"].as_i64());
            input.exit = Exit::code(code.and_then(|code| i32::try_from(code).ok()).unwrap_or(0));
            Documented { name: format!("{cli}/{}", name(&folder)), input, expect }
        })
        .collect()
}
