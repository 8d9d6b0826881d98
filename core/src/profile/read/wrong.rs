//! What is wrong with the shape of a profile's data, in words for people.

use crate::profile::problem::ProblemCode;
use crate::profile::words;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use serde::de::{self, Expected, Unexpected};

/// The first thing that keeps a tree from being what it should be.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) code: ProblemCode,
    pub(super) message: String,
    /// The way to it, its last step first.
    steps: Vec<usize>,
    /// It is the key, not the value.
    pub(super) key: bool,
}

impl Wrong {
    pub(super) fn new(code: ProblemCode, message: String) -> Self {
        Wrong { code, message, steps: Vec::new(), key: false }
    }

    /// A value that is of another type than what may stand in its place.
    pub(super) fn value(found: &impl fmt::Display, expected: &impl fmt::Display) -> Self {
        Wrong::new(ProblemCode::WrongType, format!("{found} stands where {expected} is expected"))
    }

    /// The same, one level further out.
    pub(super) fn inside(mut self, position: usize) -> Self {
        self.steps.push(position);
        self
    }

    /// It is the key of the entry at this position.
    pub(super) fn key(mut self, position: usize) -> Self {
        self.key = true;
        self.inside(position)
    }

    /// The way to it from the root.
    pub(super) fn way(&self) -> Vec<usize> {
        self.steps.iter().rev().copied().collect()
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Wrong::new(ProblemCode::WrongType, message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Wrong::value(&Found(found), &expected)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Wrong::value(&Found(found), &expected)
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        Wrong::new(ProblemCode::UnknownName, words::none_of(name, known))
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Wrong::new(ProblemCode::UnknownField, words::no_key(name, known))
    }

    fn missing_field(name: &'static str) -> Self {
        Wrong::new(ProblemCode::MissingField, format!("`{name}` is missing"))
    }
}

/// What was found, in the words that the formats have for it.
struct Found<'a>(Unexpected<'a>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unexpected::Bool(flag) => write!(f, "`{flag}`"),
            Unexpected::Unsigned(number) => write!(f, "the number {number}"),
            Unexpected::Signed(number) => write!(f, "the number {number}"),
            Unexpected::Float(number) => write!(f, "the number {number}"),
            Unexpected::Str(text) => write!(f, "the string {}", words::quoted(text)),
            Unexpected::Unit | Unexpected::Option => f.write_str("`null`"),
            Unexpected::Seq => f.write_str("a list"),
            Unexpected::Map => f.write_str("a table"),
            ref other => write!(f, "{other}"),
        }
    }
}
