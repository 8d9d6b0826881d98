//! Profiles from files, and what these extend: built-in profiles, or files beside them.

use crate::parse::Input;
use std::path::Path;
use turnline::{Profile, ProfileError};

/// Files that extend one another, at most: more is a circle.
const DEPTH: usize = 8;

/// A profile from a file's text: JSON where the name or the first character says so, else TOML.
pub(super) fn read(path: &Path, text: &str) -> Result<Profile, ProfileError> {
    read_within(path, text, DEPTH)
}

fn read_within(path: &Path, text: &str, depth: usize) -> Result<Profile, ProfileError> {
    let find = |name: &str| base(path, name, depth);
    let named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    match named || text.trim_start().starts_with('{') {
        true => Profile::from_json_with(text, find),
        false => Profile::from_toml_with(text, find),
    }
}

/// What a file extends: a name with a dot or a slash is a file, from the folder of the one that names it.
fn base(from: &Path, name: &str, depth: usize) -> Result<Profile, ProfileError> {
    if !name.contains(['.', '/', '\\']) {
        return Profile::builtin(name);
    }
    if depth == 0 {
        return Err(ProfileError::no_base(format!("more than {DEPTH} files extend one another")));
    }
    let path = from.parent().unwrap_or(Path::new("")).join(name);
    let text = Input::open(Some(&path)).and_then(Input::read_text);
    let text = text.map_err(|failure| ProfileError::no_base(failure.to_string()))?;
    read_within(&path, &text, depth - 1)
}
