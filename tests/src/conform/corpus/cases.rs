//! The cases: bytes with the outcome that is right for them.

use super::{bytes, entries, generated, json, name, root};
use crate::conform::feed::Chunks;
use crate::conform::input::{Input, exit_of};
use serde_json::Value;

/// A seed case: small, one fact at a time.
#[derive(Clone, Debug)]
pub struct Seed {
    /// Its name.
    pub name: String,
    /// What is read.
    pub input: Input,
    /// What is right.
    pub expect: Value,
}

/// A case in the form that a public bug report gave it.
#[derive(Clone, Debug)]
pub struct Public {
    /// The folder.
    pub name: String,
    /// What is read.
    pub input: Input,
    /// The reads that the report is about, where it is about them.
    pub chunks: Option<Chunks>,
    /// What is right.
    pub expect: Value,
}

/// All seed cases.
///
/// # Panics
/// When a file is not what it should be.
#[must_use]
pub fn seeds() -> Vec<Seed> {
    let files = entries(&root().join("cases/seed"));
    files
        .iter()
        .map(|path| {
            let case = json(path);
            let text =
                |key: &str| case[key].as_str().unwrap_or_else(|| panic!("{}: no {key}", path.display())).to_owned();
            let input = Input {
                executor: text("executor"),
                stdout: text("stdout").into_bytes(),
                stderr: text("stderr").into_bytes(),
                exit: exit_of(&case["exit"]),
                ..Input::default()
            };
            Seed { name: text("name"), input, expect: case["expect"].clone() }
        })
        .collect()
}

/// All public cases.
///
/// # Panics
/// When a file is not what it should be.
#[must_use]
pub fn public_cases() -> Vec<Public> {
    let folders = entries(&root().join("cases/public"));
    folders
        .iter()
        .map(|folder| {
            let expect = json(&folder.join("expect.json"));
            let stdout = match expect["generate"].as_str() {
                Some(generator) => generated::stream(generator),
                None => bytes(&folder.join("stdout.bin")),
            };
            let input = Input {
                executor: String::from_utf8_lossy(&bytes(&folder.join("executor.txt"))).trim().to_owned(),
                stdout,
                stderr: bytes(&folder.join("stderr.bin")),
                exit: exit_of(&json(&folder.join("exit.json"))),
                resume: None,
                interactive: false,
                forked: false,
                max_line: expect["configure"]["max_line"].as_u64().map(|bytes| bytes as usize),
                acts: false,
            };
            let chunks = folder.join("chunks.json");
            let sizes = chunks.exists().then(|| json(&chunks));
            let chunks = match (sizes, expect["feed_chunk"].as_u64()) {
                (Some(sizes), _) => {
                    let sizes = sizes.as_array().into_iter().flatten().filter_map(Value::as_u64);
                    Some(Chunks::Sizes(sizes.map(|size| size as usize).collect()))
                }
                (None, Some(size)) => Some(Chunks::Each(size as usize)),
                (None, None) => None,
            };
            Public { name: name(folder), input, chunks, expect }
        })
        .collect()
}
