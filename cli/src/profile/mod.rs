//! Profiles: found for `parse`, shown, checked.

mod check;
mod report;

use crate::args::{ProfileAction, Source};
use crate::failure::Failure;
use crate::output::Output;
use crate::parse::Input;
use std::path::Path;
use turnline::{Profile, ProfileError, Status, catalogue};

/// `turnline profile ...`
pub(crate) fn run(action: &ProfileAction) -> Result<Status, Failure> {
    match action {
        ProfileAction::Show { id } => show(id),
        ProfileAction::Check { file, streams } => check::run(file, streams),
    }
}

/// The profile that was asked for.
pub(crate) fn load(source: &Source) -> Result<Profile, Failure> {
    match &source.profile {
        Some(path) => {
            let text = Input::open(Some(path))?.read_text()?;
            read(path, &text).map_err(|error| Failure::profile(Some(path), &error))
        }
        None => {
            let id = source.executor.as_deref().unwrap_or(catalogue::DEFAULT);
            Profile::builtin(id).map_err(|error| Failure::profile(None, &error))
        }
    }
}

/// A profile from a file's text: JSON where the name or the first character says so, else TOML.
fn read(path: &Path, text: &str) -> Result<Profile, ProfileError> {
    let named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if named || text.trim_start().starts_with('{') { Profile::from_json(text) } else { Profile::from_toml(text) }
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
