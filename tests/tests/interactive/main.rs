//! The recorded interactive runs, with the right turns, states, usage and permissions of each, thought out from what was
//! said to the CLI and from what it printed; and what a host says to a parser while such a run goes on.

mod cases;
mod host;
mod recorded;
mod verdict;

use turnline_tests::conform::corpus::{Recording, recordings};

fn recording(name: &str) -> Recording {
    let cli = name.split('/').next().expect("a CLI");
    let mut recording = recordings(cli).into_iter().find(|recording| recording.name == name).expect("a recording");
    recording.input.interactive = true;
    recording
}
