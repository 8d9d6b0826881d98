//! How a profile says where a value is: paths, fallbacks, literals, value maps, and tests on values.

use crate::rules::path;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Where a field's value comes from.
///
/// In a profile file it is one of
/// - a path, `"message.id"`; alternatives are separated by `|`, or given as a list: the first that says something wins;
/// - a literal, a string that begins with `=`: `"=assistant"`; `true` and `false` likewise;
/// - a table with a `path` and a value map: `{ path = "status", map = { ok = "completed" }, default = "failed" }`.
///
/// A path is keys separated by dots. Inside an `each` it starts at the element; `$.` leads back to the record, `@` is
/// the element itself, `@key` the key of an entry, `@block` the number of the block in its message. A key that holds
/// a dot or a bracket is written in double quotes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Field {
    /// A literal flag.
    Flag(bool),
    /// A path, alternatives separated by `|`, or a literal after `=`.
    Path(String),
    /// Alternatives: the first that says something wins.
    Paths(Vec<String>),
    /// A path with a value map.
    Mapped(Mapped),
}

/// A path whose values are translated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Mapped {
    /// Where the value is.
    pub path: Alternatives,
    /// What each value becomes. Numbers and flags are written as text: `"0"`, `"true"`.
    pub map: BTreeMap<String, String>,
    /// What a value becomes that the map does not name; without it the value stays as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// What is said when there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// One path or several.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Alternatives {
    /// One path, alternatives separated by `|`.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Default for Alternatives {
    fn default() -> Self {
        Alternatives::Many(Vec::new())
    }
}

impl Alternatives {
    /// The paths as they are written.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            Alternatives::One(path) => core::slice::from_ref(path).iter(),
            Alternatives::Many(paths) => paths.iter(),
        }
        .flat_map(|path| path::alternatives(path))
    }
}

/// Conditions that must all hold: a path and what its value must be.
pub type Conditions = BTreeMap<String, Matcher>;

/// Conditions, or several groups of them of which one must hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum When {
    /// All of these.
    All(Conditions),
    /// One of these groups.
    Any(Vec<Conditions>),
}

impl When {
    /// The groups.
    #[must_use]
    pub fn groups(&self) -> &[Conditions] {
        match self {
            When::All(group) => core::slice::from_ref(group),
            When::Any(groups) => groups,
        }
    }
}

/// `true`, `false`, or conditions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Switch {
    /// Always or never.
    Flag(bool),
    /// When these hold.
    When(When),
}

/// What a value must be.
///
/// A string, a number or a flag is equality; a list is one of these; a table is a [`Test`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Matcher {
    /// Equal to this.
    Is(Scalar),
    /// One of these.
    OneOf(Vec<Scalar>),
    /// As this says.
    Test(Test),
}

/// A value to compare with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Scalar {
    /// A flag.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
}

/// Tests on a value; all that are given must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Test {
    /// The string begins with this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// The value is none of these; a missing value is none of them too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not: Option<OneOrMany>,
    /// The value is there and not null, or is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub present: Option<bool>,
    /// The value is of this type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<ValueType>,
    /// The value says nothing (absent, null, blank text, an empty list or object), or says something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blank: Option<bool>,
    /// The text matches this pattern: `*` is anything, `#` is digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// One value or several.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(Scalar),
    /// Several.
    Many(Vec<Scalar>),
}

impl OneOrMany {
    /// The values.
    #[must_use]
    pub fn as_slice(&self) -> &[Scalar] {
        match self {
            OneOrMany::One(value) => core::slice::from_ref(value),
            OneOrMany::Many(values) => values,
        }
    }
}

/// The type of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ValueType {
    /// A string.
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// An array.
    Array,
    /// An object.
    Object,
    /// `null`.
    Null,
}
