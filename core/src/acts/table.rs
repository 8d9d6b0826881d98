//! The table of acts: what a file says, checked, and found again by the name of a program.

use super::number::Marker;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use serde::Deserialize;

/// Which commands are consequential acts, as data: the built-in table, or one of the host's own.
///
/// Cheap to clone: all parsers share it. The built-in table's file ([`ActTable::BUILT_IN`]) is where one's own begins; its
/// comments say what each key means.
#[derive(Clone)]
pub struct ActTable {
    inner: Arc<Inner>,
}

struct Inner {
    spec: Spec,
    acts: BTreeMap<String, Vec<usize>>,
    wrappers: BTreeMap<String, Vec<usize>>,
    programs: BTreeMap<String, usize>,
}

impl ActTable {
    /// The file of the built-in table.
    pub const BUILT_IN: &str = include_str!("../../acts.toml");

    /// The built-in table. Read once per process where the feature `std` is on.
    ///
    /// # Panics
    /// Never: that the file is sound is tested.
    #[must_use]
    pub fn built_in() -> ActTable {
        let read = || ActTable::from_toml(ActTable::BUILT_IN).unwrap_or_else(|_| ActTable::new(Spec::default()));
        #[cfg(feature = "std")]
        {
            static READ: std::sync::OnceLock<ActTable> = std::sync::OnceLock::new();
            READ.get_or_init(read).clone()
        }
        #[cfg(not(feature = "std"))]
        read()
    }

    /// A table from a TOML file's text.
    ///
    /// # Errors
    /// A syntax error, an unknown key, or an entry that could never match or matches everything.
    pub fn from_toml(text: &str) -> Result<ActTable, ActTableError> {
        let spec: Spec = toml::from_str(text).map_err(|error| ActTableError(error.to_string()))?;
        spec.check()?;
        Ok(ActTable::new(spec))
    }

    fn new(spec: Spec) -> ActTable {
        let index = |names: &mut dyn Iterator<Item = (usize, &Vec<String>)>| {
            let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (n, names) in names {
                for name in names {
                    found.entry(name.clone()).or_default().push(n);
                }
            }
            found
        };
        let acts = index(&mut spec.acts.iter().map(|act| &act.program).enumerate());
        let wrappers = index(&mut spec.wrappers.iter().map(|wrapper| &wrapper.names).enumerate());
        let programs = index(&mut spec.programs.iter().map(|program| &program.names).enumerate());
        let programs = programs.into_iter().filter_map(|(name, all)| Some((name, *all.first()?))).collect();
        ActTable { inner: Arc::new(Inner { spec, acts, wrappers, programs }) }
    }

    pub(super) fn acts(&self, program: &str) -> impl Iterator<Item = &ActSpec> {
        let found = self.inner.acts.get(program).map(Vec::as_slice).unwrap_or_default();
        found.iter().filter_map(|n| self.inner.spec.acts.get(*n))
    }

    pub(super) fn wrappers(&self, program: &str) -> impl Iterator<Item = &WrapperSpec> {
        let found = self.inner.wrappers.get(program).map(Vec::as_slice).unwrap_or_default();
        found.iter().filter_map(|n| self.inner.spec.wrappers.get(*n))
    }

    pub(super) fn program(&self, name: &str) -> Option<&ProgramSpec> {
        self.inner.programs.get(name).and_then(|n| self.inner.spec.programs.get(*n))
    }

    pub(super) fn spec(&self) -> &Spec {
        &self.inner.spec
    }
}

impl fmt::Debug for ActTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActTable").field("acts", &self.inner.spec.acts.len()).finish_non_exhaustive()
    }
}

impl PartialEq for ActTable {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner) || self.inner.spec == other.inner.spec
    }
}

/// A table of acts that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActTableError(String);

impl fmt::Display for ActTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

impl core::error::Error for ActTableError {}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Spec {
    pub(super) trunk: Vec<String>,
    pub(super) without: Vec<String>,
    pub(super) wrappers: Vec<WrapperSpec>,
    pub(super) programs: Vec<ProgramSpec>,
    pub(super) acts: Vec<ActSpec>,
    pub(super) redact: RedactSpec,
}

/// A program that runs another command.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WrapperSpec {
    pub(super) names: Vec<String>,
    pub(super) words: Vec<Alternatives>,
    pub(super) values: Vec<String>,
    pub(super) without: Vec<String>,
    /// Arguments of its own before the command.
    pub(super) skip: usize,
    /// The command comes after one of these options, not after all of them.
    pub(super) after: Vec<String>,
    /// Words that end such a command.
    pub(super) until: Vec<String>,
    /// It fills in arguments of its own.
    pub(super) fills: bool,
    /// The option whose value is a script; without it what it reads is one.
    pub(super) script: Option<String>,
    /// The arguments joined are a script.
    pub(super) joined: bool,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ProgramSpec {
    pub(super) names: Vec<String>,
    pub(super) values: Vec<String>,
    pub(super) single_dash: bool,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ActSpec {
    pub(super) kind: String,
    pub(super) program: Vec<String>,
    pub(super) words: Vec<Alternatives>,
    pub(super) options: Vec<Alternatives>,
    pub(super) without: Vec<Alternatives>,
    pub(super) values: Vec<String>,
    pub(super) argument: Option<String>,
    pub(super) target: Target,
    pub(super) refspec: Option<Refspec>,
    pub(super) output: Vec<Marker>,
    pub(super) secrets: Vec<String>,
    pub(super) irreversible: bool,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RedactSpec {
    pub(super) names: Vec<String>,
    pub(super) public: Vec<String>,
    pub(super) users: Vec<String>,
    pub(super) prefixes: Vec<String>,
}

/// Words with `|` between them.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(from = "String")]
pub(super) struct Alternatives(pub(super) Vec<Box<str>>);

impl From<String> for Alternatives {
    fn from(text: String) -> Self {
        Alternatives(text.split('|').map(Box::from).collect())
    }
}

/// What an act was done to.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum Target {
    #[default]
    None,
    /// The first argument.
    Argument,
    /// Each argument is an act of its own.
    Arguments,
    /// A remote, and each branch of it.
    Refspecs,
    /// A number, which the command or its output says.
    Number,
    /// The value of one of these options.
    Option(Alternatives),
}

impl TryFrom<String> for Target {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Ok(match &*text {
            "argument" => Target::Argument,
            "arguments" => Target::Arguments,
            "refspecs" => Target::Refspecs,
            "number" => Target::Number,
            option if option.starts_with('-') => Target::Option(Alternatives::from(text)),
            other => {
                return Err(format!("`{other}` is none of: argument, arguments, refspecs, number, an option"));
            }
        })
    }
}

/// Which branches of a push are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Refspec {
    Trunk,
    Forced,
    Deleted,
}

impl Spec {
    fn check(&self) -> Result<(), ActTableError> {
        let fail = |place: &str, n: usize, what: &str| Err(ActTableError(format!("/{place}/{n}: {what}")));
        let blank = |words: &[Alternatives]| words.iter().any(|any| any.0.iter().any(|word| word.is_empty()));
        let is_option = |option: &str| option.starts_with(['-', '+']);
        for (n, act) in self.acts.iter().enumerate() {
            if act.kind.is_empty() || act.program.is_empty() {
                return fail("acts", n, "an act needs a `kind` and a `program`");
            }
            if blank(&act.words) || blank(&act.options) || blank(&act.without) {
                return fail("acts", n, "an alternative is empty");
            }
            let named = act.options.iter().chain(&act.without).flat_map(|any| any.0.iter().map(|option| &**option));
            if !named.chain(act.values.iter().chain(&act.secrets).map(String::as_str)).all(is_option) {
                return fail("acts", n, "an option begins with a dash");
            }
            if act.refspec.is_some() && act.target != Target::Refspecs {
                return fail("acts", n, "`refspec` needs the target `refspecs`");
            }
            if !act.output.is_empty() && act.target != Target::Number {
                return fail("acts", n, "`output` needs the target `number`");
            }
        }
        for (n, wrapper) in self.wrappers.iter().enumerate() {
            if wrapper.names.is_empty() || blank(&wrapper.words) {
                return fail("wrappers", n, "a wrapper needs `names`");
            }
        }
        if self.redact.names.iter().chain(&self.redact.prefixes).any(|text| text.trim().is_empty()) {
            return Err(ActTableError("/redact: a blank name or prefix would redact everything".to_string()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_sound() {
        ActTable::from_toml(ActTable::BUILT_IN).unwrap();
    }

    #[test]
    fn what_is_wrong_with_a_table_is_said() {
        let wrong = [
            ("[[acts]]\nkind = \"push\"", "a `kind` and a `program`"),
            ("[[acts]]\nkind = \"\"\nprogram = [\"git\"]", "a `kind` and a `program`"),
            ("[[acts]]\nkind = \"a\"\nprogram = [\"b\"]\noptions = [\"force\"]", "begins with a dash"),
            ("[[acts]]\nkind = \"a\"\nprogram = [\"b\"]\nwords = [\"x|\"]", "alternative is empty"),
            ("[[acts]]\nkind = \"a\"\nprogram = [\"b\"]\nrefspec = \"trunk\"", "needs the target `refspecs`"),
            ("[[acts]]\nkind = \"a\"\nprogram = [\"b\"]\ntarget = \"all\"", "none of"),
            ("[[acts]]\nkind = \"a\"\nprogram = [\"b\"]\ntarget = \"number\"\noutput = [\"/pull/\"]", "{number}"),
            ("[[acts]]\nkind = \"a\"\nprogramme = [\"b\"]", "unknown field"),
            ("[redact]\nprefixes = [\"\"]", "redact everything"),
        ];
        for (text, said) in wrong {
            let error = ActTable::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}\n{error}");
        }
    }
}
