//! The variable by which a run's processes are found again.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The environment variable that every process of a run inherits.
pub const MARKER_VARIABLE: &str = "TURNLINE_RUN";

/// Longest marker that is made or accepted (bytes): nesting beyond it starts afresh.
const MAX_BYTES: usize = 512;

/// The value of [`MARKER_VARIABLE`] for one run.
///
/// Markers nest: a run inside another run has the outer marker, a slash, and its own part, so that ending the
/// outer run also finds what the inner one has left, and never the other way round.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Marker(String);

impl Marker {
    /// A marker that no other run has, nested in the one that this process itself was started with, if any.
    pub fn unique() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let own = RandomState::new();
        let mut id = String::with_capacity(32);
        for salt in 0..2_u8 {
            let mut hasher = own.build_hasher();
            hasher.write_u8(salt);
            hasher.write_u32(std::process::id());
            hasher.write_u64(COUNT.fetch_add(1, Ordering::Relaxed));
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            hasher.write_u128(now.as_nanos());
            id.push_str(&format!("{:016x}", hasher.finish()));
        }
        let outer = std::env::var(MARKER_VARIABLE).ok().and_then(|v| Self::named(&v));
        match outer.and_then(|outer| Self::named(&format!("{outer}/{id}"))) {
            Some(nested) => nested,
            None => Self(id),
        }
    }

    /// The marker with this value: parts of ASCII letters, digits, `.`, `_` and `-`, separated by single slashes, 512 bytes at most.
    /// `None` for anything else. The caller sees to it that no other run has it.
    pub fn named(value: &str) -> Option<Self> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        let well_formed =
            value.len() <= MAX_BYTES && value.split('/').all(|part| !part.is_empty() && part.bytes().all(plain));
        well_formed.then(|| Self(value.to_owned()))
    }

    /// The value of the variable.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether an environment block (entries that end in NUL) belongs to this run or to one nested in it.
    #[cfg_attr(not(any(target_os = "linux", target_os = "android")), allow(dead_code))]
    pub(super) fn is_in(&self, environ: &[u8]) -> bool {
        environ.split(|&b| b == 0).any(|entry| {
            entry
                .strip_prefix(MARKER_VARIABLE.as_bytes())
                .and_then(|rest| rest.strip_prefix(b"="))
                .and_then(|value| value.strip_prefix(self.0.as_bytes()))
                .is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
        })
    }
}

impl fmt::Debug for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Marker({})", self.0)
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_itself_and_what_is_nested_in_it_only() {
        let marker = Marker::named("a1").unwrap();
        assert!(marker.is_in(b"HOME=/root\0TURNLINE_RUN=a1\0X=1\0"));
        assert!(marker.is_in(b"TURNLINE_RUN=a1/b2\0"));
        assert!(marker.is_in(b"TURNLINE_RUN=a1"));
        assert!(!marker.is_in(b"TURNLINE_RUN=a12\0"));
        assert!(!marker.is_in(b"TURNLINE_RUN=b2/a1\0"));
        assert!(!marker.is_in(b"TURNLINE_RUN=\0"));
        assert!(!marker.is_in(b"XTURNLINE_RUN=a1\0NOTE=TURNLINE_RUN=a1\0"));
        assert!(!marker.is_in(b""));
    }

    #[test]
    fn refuses_values_that_could_be_confused() {
        for bad in ["", "/", "a/", "/a", "a//b", "a b", "a\0", "a=b", "ä"] {
            assert!(Marker::named(bad).is_none(), "{bad:?}");
        }
        assert!(Marker::named(&"x".repeat(513)).is_none());
        assert_eq!(Marker::named("a.b_c-9/x").unwrap().as_str(), "a.b_c-9/x");
    }

    #[test]
    fn unique_markers_differ() {
        let many: std::collections::HashSet<_> = (0..1000).map(|_| Marker::unique()).collect();
        assert_eq!(many.len(), 1000);
    }
}
