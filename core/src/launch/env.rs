//! Edits of an environment, and the order in which they are done.

use super::host::Platform;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

/// What is done to an inherited environment: first [`clear`](EnvEdits::clear), then the removals, then what is set.
///
/// So what is set wins over what is removed, and both over what is inherited. Its `Debug` output names variables and
/// never shows a value: values are secrets more often than not.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct EnvEdits {
    /// Nothing is inherited.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub clear: bool,
    /// Variables that are not inherited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
    /// Variables whose names begin so are not inherited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove_prefix: Vec<String>,
    /// Variables with new values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
}

impl EnvEdits {
    /// True when nothing is done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.clear && self.remove.is_empty() && self.remove_prefix.is_empty() && self.set.is_empty()
    }

    /// Whether an inherited variable of this name goes on unchanged. Case counts, but on Windows it does not.
    #[must_use]
    pub fn keeps(&self, name: &str, platform: Platform) -> bool {
        let same = |other: &str| platform.same_name(name, other);
        let begins = |prefix: &String| name.get(..prefix.len()).is_some_and(|head| platform.same_name(head, prefix));
        !self.clear
            && !self.remove.iter().any(|removed| same(removed))
            && !self.remove_prefix.iter().any(begins)
            && !self.set.keys().any(|set| same(set))
    }

    /// Whether a variable of this name is set by these edits.
    pub(crate) fn sets(&self, name: &str, platform: Platform) -> bool {
        self.set.keys().any(|set| platform.same_name(set, name))
    }

    /// Adds edits that come later: their removals take away what was set before, what they set wins.
    pub(crate) fn extend(&mut self, later: &EnvEdits, platform: Platform) {
        self.clear |= later.clear;
        let removals = EnvEdits { clear: false, set: BTreeMap::new(), ..later.clone() };
        self.set.retain(|name, _| removals.keeps(name, platform));
        for (name, value) in &later.set {
            self.set.retain(|set, _| !platform.same_name(set, name));
            self.set.insert(name.clone(), value.clone());
        }
        self.remove.extend_from_slice(&later.remove);
        self.remove_prefix.extend_from_slice(&later.remove_prefix);
    }

    /// The first name that no system takes as the name of a variable, or whose value none takes.
    pub(crate) fn unusable(&self) -> Option<&str> {
        let bad_name = |name: &str| name.is_empty() || name.contains(['=', '\0']);
        let removed = self.remove.iter().chain(&self.remove_prefix).find(|name| bad_name(name));
        let set = self.set.iter().find(|(name, value)| bad_name(name) || value.contains('\0'));
        removed.map(String::as_str).or(set.map(|(name, _)| name.as_str()))
    }
}

impl fmt::Debug for EnvEdits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvEdits")
            .field("clear", &self.clear)
            .field("remove", &self.remove)
            .field("remove_prefix", &self.remove_prefix)
            .field("set", &self.set.keys().collect::<Vec<_>>())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    fn edits(remove: &[&str], prefix: &[&str], set: &[(&str, &str)]) -> EnvEdits {
        EnvEdits {
            clear: false,
            remove: remove.iter().map(ToString::to_string).collect(),
            remove_prefix: prefix.iter().map(ToString::to_string).collect(),
            set: set.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        }
    }

    #[test]
    fn what_is_set_wins_over_removals_and_inheritance() {
        let env = edits(&["A"], &["X_"], &[("A", "1"), ("X_B", "2")]);
        for (name, kept) in [("A", false), ("X_B", false), ("X_C", false), ("X", true), ("a", true), ("B", true)] {
            assert_eq!(env.keeps(name, Platform::Unix), kept, "{name}");
        }
        assert!(!env.keeps("a", Platform::Windows));
        assert!(!env.keeps("x_c", Platform::Windows));
        let clear = EnvEdits { clear: true, ..EnvEdits::default() };
        assert!(!clear.keeps("PATH", Platform::Unix));
    }

    #[test]
    fn later_edits_win() {
        let mut env = edits(&["GONE"], &[], &[("A", "profile"), ("P_1", "profile"), ("KEPT", "profile")]);
        env.extend(&edits(&["A"], &["P_"], &[("GONE", "caller")]), Platform::Unix);
        assert_eq!(env.set.keys().collect::<Vec<_>>(), ["GONE", "KEPT"]);
        assert_eq!(env.set["GONE"], "caller");
        let mut env = edits(&[], &[], &[("Path", "profile")]);
        env.extend(&edits(&[], &[], &[("PATH", "caller")]), Platform::Windows);
        assert_eq!(env.set.into_iter().collect::<Vec<_>>(), [("PATH".to_string(), "caller".to_string())]);
    }

    #[test]
    fn a_prefix_ends_where_a_character_ends() {
        assert!(edits(&[], &["ab"], &[]).keeps("aé", Platform::Unix));
    }

    #[test]
    fn debug_shows_no_value() {
        let shown = format!("{:?}", edits(&["R"], &["P"], &[("KEY", "s3cret")]));
        assert!(shown.contains("KEY") && !shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn names_that_no_system_takes() {
        assert_eq!(edits(&[""], &[], &[]).unusable(), Some(""));
        assert_eq!(edits(&[], &["A=B"], &[]).unusable(), Some("A=B"));
        assert_eq!(edits(&[], &[], &[("K", "a\0b")]).unusable(), Some("K"));
        assert_eq!(edits(&["A"], &["B"], &[("C", "d=e")]).unusable(), None);
    }
}
