//! The built-in profiles. They are files of the very format that users write, and come in by the same door.

use crate::profile::{Profile, ProfileError};
use alloc::vec::Vec;

/// Id of the profile that is used when none is named.
pub const DEFAULT: &str = "claude-code";

const BUILT_IN: &[(&str, &str)] = &[
    ("claude-code", include_str!("../../profiles/claude-code.toml")),
    ("codex", include_str!("../../profiles/codex.toml")),
    ("codex-legacy", include_str!("../../profiles/codex-legacy.toml")),
    ("opencode", include_str!("../../profiles/opencode.toml")),
    ("gemini", include_str!("../../profiles/gemini.toml")),
    ("qwen", include_str!("../../profiles/qwen.toml")),
    ("pi", include_str!("../../profiles/pi.toml")),
    ("kimi", include_str!("../../profiles/kimi.toml")),
    ("cursor-agent", include_str!("../../profiles/cursor-agent.toml")),
    ("amp", include_str!("../../profiles/amp.toml")),
    ("copilot", include_str!("../../profiles/copilot.toml")),
    ("crush", include_str!("../../profiles/crush.toml")),
    ("droid", include_str!("../../profiles/droid.toml")),
    ("goose", include_str!("../../profiles/goose.toml")),
    ("raw", include_str!("../../profiles/raw.toml")),
];

/// The ids there are, in the order of the documentation.
pub fn ids() -> impl ExactSizeIterator<Item = &'static str> {
    BUILT_IN.iter().map(|(id, _)| *id)
}

/// The file of a built-in profile.
#[must_use]
pub fn source(id: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == id).map(|(_, source)| *source)
}

/// A built-in profile. Compiled once per process where the feature `std` is on.
pub(crate) fn profile(id: &str) -> Result<Profile, ProfileError> {
    let Some(at) = BUILT_IN.iter().position(|(known, _)| *known == id) else {
        return Err(ProfileError::not_found(id, &ids().collect::<Vec<_>>()));
    };
    #[cfg(feature = "std")]
    {
        use std::sync::OnceLock;
        static COMPILED: [OnceLock<Profile>; BUILT_IN.len()] = [const { OnceLock::new() }; BUILT_IN.len()];
        if let Some(profile) = COMPILED[at].get() {
            return Ok(profile.clone());
        }
        let profile = Profile::from_toml(BUILT_IN[at].1)?;
        Ok(COMPILED[at].get_or_init(|| profile).clone())
    }
    #[cfg(not(feature = "std"))]
    Profile::from_toml(BUILT_IN[at].1)
}
