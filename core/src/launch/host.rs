//! What the host knows, as plain data.

use alloc::string::String;

/// The facts of the host that a plan depends on. The core looks none of them up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Host {
    /// The kind of system that the executor will run on.
    pub platform: Platform,
    /// The caller's own directory, absolute: relative programs, working directories and files are meant from here.
    ///
    /// A logical path (one that goes through symbolic links) is fine; it must name the directory.
    pub current_dir: Option<String>,
    /// The caller's `PATH`.
    pub path: Option<String>,
    /// The caller's `PATHEXT` (Windows only).
    pub path_ext: Option<String>,
    /// The first of the [`candidates`](super::candidates) that is there, where one is.
    pub resolved: Option<String>,
    /// The value of the [marker](super::MARKER) for this run: unique, and given by the host, since the core has no
    /// randomness. Without it the run's processes carry no marker.
    pub run_id: Option<String>,
}

/// The kind of system, as far as launching depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Platform {
    /// Linux, macOS and the like.
    #[default]
    Unix,
    /// Windows.
    Windows,
}

impl Platform {
    /// Whether two names of variables are the same.
    pub(crate) fn same_name(self, a: &str, b: &str) -> bool {
        match self {
            Platform::Unix => a == b,
            Platform::Windows => a.eq_ignore_ascii_case(b),
        }
    }

    pub(crate) fn is_separator(self, c: char) -> bool {
        c == '/' || (self == Platform::Windows && c == '\\')
    }
}
