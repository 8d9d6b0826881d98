//! `turnline profile new`: a first profile from captured streams. It says what it guessed, and what it could not decide.

mod acts;
mod begin;
mod calls;
mod element;
mod ending;
mod failure;
mod first;
mod guess;
mod ids;
mod join;
mod keys;
mod kinds;
mod outcome;
mod path;
mod reason;
mod records;
mod session;
mod site;
mod speech;
mod stands;
mod texts;
mod thoughts;
mod tool;
mod types;
mod usage;
mod words;
mod write;

use crate::failure::Failure;
use crate::output::Output;
use crate::parse::Input;
use records::Streams;
use std::io::Write as _;
use std::path::PathBuf;
use turnline::{Profile, Status};

/// Bytes of a stream that are read.
const BYTES: usize = 64 << 20;

/// Drafts a profile and prints it.
pub(super) fn run(streams: &[PathBuf], id: &str) -> Result<Status, Failure> {
    let mut read = Streams::default();
    for path in streams {
        let mut input = Input::open(Some(path))?;
        let mut bytes = Vec::new();
        let mut chunk = vec![0; crate::parse::READ];
        while bytes.len() < BYTES {
            match input.read(&mut chunk)? {
                0 => break,
                count => bytes.extend_from_slice(chunk.get(..count).unwrap_or_default()),
            }
        }
        read.add(&path.display().to_string(), &bytes);
    }
    let text = write::draft(&guess::guess(&read), &read, id);
    let mut output = Output::plain();
    output.buffer().extend_from_slice(text.as_bytes());
    output.flush()?;
    match Profile::from_toml(&text) {
        Ok(_) => Ok(Status::Ok),
        // It is printed all the same: mending a draft is less work than writing one.
        Err(error) => {
            let _ = writeln!(anstream::stderr(), "the draft does not pass the check yet: {error}");
            Ok(Status::Failed)
        }
    }
}
