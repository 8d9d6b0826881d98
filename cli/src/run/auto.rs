//! `run --executor auto`: which executor is to be started, by what the caller names or what is installed.
//!
//! How a program is started must be known before it prints anything: its records cannot tell.

use crate::failure::Failure;
use std::path::Path;
use turnline::{Profile, catalogue};
use turnline_tokio::Runner;

/// The built-in profile that reads any program's text: nothing is recognised as it.
const ANY: &str = "raw";

/// The executor that is meant, by the program's name where one is given, else the only one that is installed.
pub(super) fn executor(program: Option<&Path>) -> Result<Profile, Failure> {
    let known = known()?;
    match program {
        Some(program) => by_name(&known, program),
        None => installed(&known),
    }
}

/// One profile for each command: of several, the first, which reads the newest versions.
fn known() -> Result<Vec<Profile>, Failure> {
    let mut known: Vec<Profile> = Vec::new();
    for id in catalogue::ids().filter(|id| *id != ANY) {
        let profile = Profile::builtin(id).map_err(|error| Failure::profile(None, &error))?;
        if !known.iter().any(|other| other.command() == profile.command()) {
            known.push(profile);
        }
    }
    Ok(known)
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

fn installed(known: &[Profile]) -> Result<Profile, Failure> {
    let found: Vec<&Profile> = known.iter().filter(|profile| Runner::new(profile).located().is_some()).collect();
    match &*found {
        [] => {
            let commands: Vec<&str> = known.iter().map(Profile::command).collect();
            Err(Failure::Message(format!(
                "executor_not_found: none of these is in PATH: {}; name a program with --program PATH",
                commands.join(", ")
            )))
        }
        [only] => Ok((*only).clone()),
        several => {
            let several: Vec<&str> = several.iter().map(|profile| profile.id()).collect();
            Err(Failure::Message(format!(
                "executor_ambiguous: several are in PATH: {}; choose one with --executor ID",
                several.join(", ")
            )))
        }
    }
}
