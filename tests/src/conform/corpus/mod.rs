//! The corpora under `tests/corpora`, loaded.

mod cases;
mod documented;
mod generated;
mod recordings;

pub use cases::{Public, Seed, public_cases, seeds};
pub use documented::{Documented, documented};
pub use recordings::{Recording, recordings};

use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where the corpora are.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora")
}

/// The entries of a folder, sorted by name.
///
/// # Panics
/// When it cannot be read: the corpora belong to the crate.
#[must_use]
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = listed.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    paths
}

/// A file's bytes; nothing where there is no such file.
fn bytes(path: &Path) -> Vec<u8> {
    match std::fs::read(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{}: {error}", path.display()),
        read => read.unwrap_or_default(),
    }
}

/// A file's JSON.
fn json(path: &Path) -> Value {
    let parsed = std::fs::read(path).map_err(|error| error.to_string());
    let parsed = parsed.and_then(|bytes| super::json::parse(&bytes).map_err(|error| error.to_string()));
    parsed.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The last part of a path.
fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
