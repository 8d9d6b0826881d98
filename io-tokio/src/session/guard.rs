//! No two sessions work in one directory at the same time: what one writes the other would not know of.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The directories in which a session of this process has an executor running.
static HELD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A directory that is held; given back when dropped.
#[derive(Debug)]
pub(super) struct Guard {
    directory: PathBuf,
}

impl Guard {
    /// Holds a directory, by whatever name it is called; where it is held already, the directory.
    pub(super) fn hold(directory: Option<&str>) -> Result<Guard, PathBuf> {
        let named = Path::new(directory.unwrap_or("."));
        // One that is not there cannot be held twice either: it is called by its own name.
        let directory = named.canonicalize().unwrap_or_else(|_| named.to_owned());
        if held().insert(directory.clone()) { Ok(Guard { directory }) } else { Err(directory) }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        held().remove(&self.directory);
    }
}

fn held() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_held_once_by_all_its_names() {
        let folder = std::env::temp_dir();
        let name = folder.to_str().unwrap();
        let guard = Guard::hold(Some(name)).unwrap();
        let other = format!("{name}/./");
        assert_eq!(Guard::hold(Some(&other)).unwrap_err(), folder.canonicalize().unwrap());
        let elsewhere = Guard::hold(Some("/")).unwrap();
        drop(guard);
        drop(Guard::hold(Some(&other)).unwrap());
        drop(elsewhere);
    }
}
