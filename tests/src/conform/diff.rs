//! A list of differences, each in one readable line.

use crate::conform::json::same;
use serde_json::Value;

/// Collects what differs between what was read and what is right.
#[derive(Debug, Default)]
pub struct Diff(Vec<String>);

impl Diff {
    /// Nothing differs yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes a difference unless both say the same.
    pub fn eq(&mut self, what: impl std::fmt::Display, got: impl Into<Value>, want: impl Into<Value>) {
        let (got, want) = (got.into(), want.into());
        if !same(&got, &want) {
            self.0.push(format!("{what}: got {}, want {}", short(&got), short(&want)));
        }
    }

    /// Notes a difference unless the condition holds.
    pub fn hold(&mut self, condition: bool, otherwise: impl FnOnce() -> String) {
        if !condition {
            self.0.push(otherwise());
        }
    }

    /// Notes a difference.
    pub fn add(&mut self, difference: impl Into<String>) {
        self.0.push(difference.into());
    }

    /// True when nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The differences, in the order in which they were found.
    #[must_use]
    pub fn into_vec(self) -> Vec<String> {
        self.0
    }
}

/// A value in at most some 140 characters.
#[must_use]
pub fn short(value: &Value) -> String {
    abridge(&value.to_string())
}

/// A text in at most some 140 characters: its beginning and its end.
#[must_use]
pub fn abridge(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() < 160 {
        return text.to_owned();
    }
    let head: String = chars[..100].iter().collect();
    let tail: String = chars[chars.len() - 40..].iter().collect();
    format!("{head}...{tail}")
}
