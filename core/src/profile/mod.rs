//! Profiles: one executor each, as data.

pub mod catalogue;
mod check;
mod either;
pub(crate) mod emit;
mod extend;
pub(crate) mod field;
mod place;
pub(crate) mod problem;
mod reach;
mod read;
mod rename;
pub(crate) mod sense;
pub(crate) mod spec;
mod tag;
pub(crate) mod words;

pub use emit::*;
pub use field::*;
pub use place::Place;
pub use problem::{Problem, ProblemCode, ProfileError};
pub use spec::*;

use crate::input::{Encoder, Templates};
use crate::launch::{self, Host, LaunchError, Plan, Request};
use crate::rules::compiled::Rules;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

/// A checked and compiled profile. Cheap to clone: all parsers of one profile share it.
///
/// The only ways to one are its constructors, and each checks the whole profile: an unchecked profile cannot be used.
///
/// ```
/// let profile = turnline::Profile::from_toml(r#"
///     id = "my-cli"
///     command = "my-cli"
///     record_type = ["kind"]
///     answer = "last_message"
///     [[rules]]
///     match = { kind = "say" }
///     emit = [{ event = "message", text = "words" }]
/// "#)?;
/// assert_eq!(profile.id(), "my-cli");
/// # Ok::<(), turnline::ProfileError>(())
/// ```
#[derive(Clone)]
pub struct Profile {
    inner: Arc<Inner>,
}

struct Inner {
    spec: ProfileSpec,
    rules: Rules,
    input: Templates,
}

impl Profile {
    /// A profile from its data. One that extends another finds it among the built-in ones; what equals its default is
    /// inherited.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with a code and a JSON Pointer to the place.
    pub fn from_spec(spec: ProfileSpec) -> Result<Profile, ProfileError> {
        match spec.extends.clone() {
            None => Profile::compiled(spec),
            Some(name) => Profile::extended(&name, extend::said(&spec)?, Profile::builtin),
        }
    }

    /// A profile from a TOML file's text.
    ///
    /// With `extends = "codex"` it is that built-in profile changed:
    /// - of `rules`, `notices`, `classes` and `stderr` its own come first, and the first that fits counts; a rule of its
    ///   own that takes all records of an inherited one stands in its place;
    /// - `tools`, `tools.kinds`, `tools.commands`, `launch` and `input` are merged key by key;
    /// - `id`, `title`, `measured` and `detect` are never inherited;
    /// - of everything else what it says replaces what is inherited;
    /// - `[rename.fields]` and `[rename.values]` say what is called differently in what it inherits.
    ///
    /// # Errors
    /// All that is wrong with the text, or with the profile; each with its line and column.
    pub fn from_toml(text: &str) -> Result<Profile, ProfileError> {
        Profile::from_toml_with(text, Profile::builtin)
    }

    /// [`from_toml`](Profile::from_toml), with a way of one's own to find what it extends.
    ///
    /// # Errors
    /// As there, and what `find` says, under the code `extends`.
    pub fn from_toml_with(
        text: &str,
        find: impl FnOnce(&str) -> Result<Profile, ProfileError>,
    ) -> Result<Profile, ProfileError> {
        read::profile(text, read::Format::Toml, find)
    }

    /// A profile from a JSON file's text; what [`from_toml`](Profile::from_toml) says of `extends` holds here too.
    ///
    /// # Errors
    /// All that is wrong with the text, or with the profile; each with its line and column.
    pub fn from_json(text: &str) -> Result<Profile, ProfileError> {
        Profile::from_json_with(text, Profile::builtin)
    }

    /// [`from_json`](Profile::from_json), with a way of one's own to find what it extends.
    ///
    /// # Errors
    /// As there, and what `find` says, under the code `extends`.
    pub fn from_json_with(
        text: &str,
        find: impl FnOnce(&str) -> Result<Profile, ProfileError>,
    ) -> Result<Profile, ProfileError> {
        read::profile(text, read::Format::Json, find)
    }

    fn compiled(spec: ProfileSpec) -> Result<Profile, ProfileError> {
        let rules = check::compile(&spec)?;
        let input = Templates::of(&spec.input);
        Ok(Profile { inner: Arc::new(Inner { spec, rules, input }) })
    }

    fn extended(
        name: &str,
        own: serde_json::Value,
        find: impl FnOnce(&str) -> Result<Profile, ProfileError>,
    ) -> Result<Profile, ProfileError> {
        let base = find(name).map_err(|error| extend::no_base(name, &error))?;
        Profile::compiled(extend::resolve(own, &base)?)
    }

    /// A built-in profile by its id; [`catalogue::DEFAULT`] is the default one's.
    ///
    /// # Errors
    /// `executor_not_found`, with the ids there are.
    pub fn builtin(id: &str) -> Result<Profile, ProfileError> {
        catalogue::profile(id)
    }

    /// Plans a run: [`crate::launch::plan`], and whether the first turn of an interactive one can be said.
    ///
    /// # Errors
    /// As there; also a prompt for an interactive run of an executor whose profile does not say how it is spoken to.
    pub fn plan(&self, request: &Request, host: &Host) -> Result<Plan, LaunchError> {
        let plan = launch::plan(&self.spec().launch, self.command(), request, host)?;
        match plan.first_turn.as_deref().map(|first| Encoder::new(self).turn(&first.into())) {
            Some(Err(_)) => Err(LaunchError::invalid(&plan.command, "its profile does not say how it is spoken to")),
            _ => Ok(plan),
        }
    }

    /// The id by which the executor is chosen.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.inner.spec.id
    }

    /// The executor's name for people; its id where the profile gives none.
    #[must_use]
    pub fn title(&self) -> &str {
        if self.inner.spec.title.is_empty() { self.id() } else { &self.inner.spec.title }
    }

    /// The program.
    #[must_use]
    pub fn command(&self) -> &str {
        &self.inner.spec.command
    }

    /// The versions whose recordings it was measured on; empty: written from documentation.
    #[must_use]
    pub fn measured(&self) -> &[String] {
        &self.inner.spec.measured
    }

    /// The data it was made from.
    #[must_use]
    pub fn spec(&self) -> &ProfileSpec {
        &self.inner.spec
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.inner.rules
    }

    pub(crate) fn input(&self) -> &Templates {
        &self.inner.input
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile").field("id", &self.id()).finish_non_exhaustive()
    }
}

impl TryFrom<ProfileSpec> for Profile {
    type Error = ProfileError;

    fn try_from(spec: ProfileSpec) -> Result<Profile, ProfileError> {
        Profile::from_spec(spec)
    }
}

impl serde::Serialize for Profile {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.spec().serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Profile {
    /// Reads and checks: an unchecked profile cannot come in this way either.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Profile, D::Error> {
        Profile::from_spec(ProfileSpec::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
