//! `run --executor auto`: which executor is to be started, by what the caller names or what is installed.
//!
//! How a program is started must be known before it prints anything: its records cannot tell.

use crate::failure::Failure;
use std::path::Path;
use turnline::{Profile, catalogue};
use turnline_tokio::Runner;

/// The built-in profile that reads any program's text: nothing is recognised as it.
const ANY: &str = "raw";

/// The executor that is meant, by the program's name where one is given, else the only one that is installed. The user's own
/// profiles go before the built-in ones.
pub(super) fn executor(own: Vec<Profile>, program: Option<&Path>) -> Result<Profile, Failure> {
    let built_in = catalogue::ids().filter(|id| *id != ANY).map(Profile::builtin).collect::<Result<Vec<_>, _>>();
    let mut known = Vec::new();
    add(&mut known, own);
    let own = known.len();
    add(&mut known, built_in.map_err(|error| Failure::profile(None, &error))?);
    match program {
        Some(program) => by_name(&known, program),
        None => installed(&known, own),
    }
}

/// One profile for each command: of several, the first, which reads the newest versions.
fn add(known: &mut Vec<Profile>, more: Vec<Profile>) {
    for profile in more {
        if !known.iter().any(|other| other.command() == profile.command()) {
            known.push(profile);
        }
    }
}

fn by_name(known: &[Profile], program: &Path) -> Result<Profile, Failure> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let stem = [".exe", ".cmd", ".bat"].iter().find_map(|end| {
        let at = name.len().checked_sub(end.len())?;
        name.get(at..).filter(|tail| tail.eq_ignore_ascii_case(end)).and(name.get(..at))
    });
    let found = known.iter().find(|profile| [Some(&*name), stem].contains(&Some(profile.command())));
    found.cloned().ok_or_else(|| {
        let commands: Vec<&str> = known.iter().map(Profile::command).collect();
        Failure::Message(format!(
            "executor_unknown: the name '{name}' does not tell which executor is to be started (it is none of: {}); \
             name it with --executor ID, or describe it with --profile FILE",
            commands.join(", ")
        ))
    })
}

fn installed(known: &[Profile], own: usize) -> Result<Profile, Failure> {
    let is_there = |profile: &&Profile| Runner::new(profile).located().is_some();
    let (own, built_in) = known.split_at(own.min(known.len()));
    let mut found: Vec<&Profile> = own.iter().filter(is_there).collect();
    if found.is_empty() {
        found = built_in.iter().filter(is_there).collect();
    }
    match &*found {
        [] => {
            let commands: Vec<&str> = known.iter().map(Profile::command).collect();
            Err(Failure::Message(format!(
                "executor_not_found: none of these is in PATH: {}; name a program with --program PATH, or describe one \
                 with --profile FILE",
                commands.join(", ")
            )))
        }
        [only] => Ok((*only).clone()),
        several => {
            let several: Vec<&str> = several.iter().map(|profile| profile.id()).collect();
            Err(Failure::Message(format!(
                "executor_ambiguous: several are in PATH: {}; choose one with --executor ID, or with --profile FILE alone",
                several.join(", ")
            )))
        }
    }
}
