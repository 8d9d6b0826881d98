//! Profiles: found for `parse`, shown, checked.

mod check;
mod coverage;
mod draft;
mod examine;
mod report;
mod source;

use crate::args::{ProfileAction, Source};
use crate::failure::Failure;
use crate::output::Output;
use crate::parse::Input;
use std::path::{Path, PathBuf};
use turnline::{Profile, Status, catalogue};

/// `turnline profile ...`
pub(crate) fn run(action: &ProfileAction) -> Result<Status, Failure> {
    match action {
        ProfileAction::Show { id } => show(id),
        ProfileAction::New { streams, id } => draft::run(streams, id),
        ProfileAction::Check { file, streams, profiles, markdown } => check::run(file, streams, profiles, *markdown),
    }
}

/// The profile that was asked for.
pub(crate) fn load(source: &Source) -> Result<Profile, Failure> {
    match source.profiles.first() {
        Some(path) => from_file(path),
        None => {
            let id = source.executor.as_deref().unwrap_or(catalogue::DEFAULT);
            Profile::builtin(id).map_err(|error| Failure::profile(None, &error))
        }
    }
}

/// The profiles of these files, of which each has an id of its own.
pub(crate) fn own(files: &[PathBuf]) -> Result<Vec<Profile>, Failure> {
    let mut profiles: Vec<Profile> = Vec::new();
    for file in files {
        let profile = from_file(file)?;
        if profiles.iter().any(|other| other.id() == profile.id()) {
            let file = file.display();
            return Err(Failure::Message(format!("{file}: another file has the id '{}' already", profile.id())));
        }
        profiles.push(profile);
    }
    Ok(profiles)
}

fn from_file(path: &Path) -> Result<Profile, Failure> {
    let text = Input::open(Some(path))?.read_text()?;
    source::read(path, &text).map_err(|error| Failure::profile(Some(path), &error))
}

fn show(id: &str) -> Result<Status, Failure> {
    let Some(source) = catalogue::source(id) else {
        return match Profile::builtin(id) {
            Err(error) => Err(Failure::profile(None, &error)),
            Ok(_) => Err(Failure::Message(format!("the profile '{id}' has no file"))),
        };
    };
    let mut output = Output::plain();
    output.buffer().extend_from_slice(source.as_bytes());
    output.flush()?;
    Ok(Status::Ok)
}
