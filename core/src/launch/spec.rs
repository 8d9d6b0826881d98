//! What the `[launch]` table of a profile says.

use super::env::EnvEdits;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// How an executor is launched: its arguments as one ordered list, and how it gets its prompt.
///
/// An entry of [`args`](LaunchSpec::args) is an argument, or a group that is there only when something is asked for.
/// The list thereby says the place of each option too, which some programs care about (a sub-command after all options).
///
/// ```toml
/// [launch]
/// args = [
///   "exec", "--json",
///   { when = "model", args = ["-m", "{}"] },
///   { when = "extra" },
///   { when = "resume", args = ["resume", "{}"] },
/// ]
/// ```
///
/// An option that no entry mentions is one that the executor does not have: a request for it is refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LaunchSpec {
    /// The arguments of a run, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<ArgSpec>,
    /// How the prompt is handed over.
    pub prompt: PromptSpec,
    /// What is done to the environment; a caller's own edits come after it.
    #[serde(skip_serializing_if = "EnvEdits::is_empty")]
    pub env: EnvEdits,
    /// The signal that asks it to stop, sent to its process group.
    pub interrupt: Interrupt,
    /// Time limits that differ from the usual ones.
    #[serde(skip_serializing_if = "TimerSpec::is_empty")]
    pub timers: TimerSpec,
    /// The arguments that make it print its version and end. Absent: it cannot be probed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<Vec<String>>,
    /// The arguments of a run that reviews changes. Absent: it has no review of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<Vec<ArgSpec>>,
    /// The arguments that start its own terminal interface. Absent: it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attach: Option<Vec<ArgSpec>>,
}

impl LaunchSpec {
    /// Whether an argument of a run depends on this.
    #[must_use]
    pub fn has(&self, what: When) -> bool {
        self.args.iter().any(|entry| matches!(entry, ArgSpec::When(group) if group.when == what))
    }
}

/// An entry of an argument list.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ArgSpec {
    /// This argument, always.
    Text(String),
    /// Arguments that depend on what is asked for.
    When(ArgWhen),
}

/// Arguments that depend on what is asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ArgWhen {
    /// What must be asked for.
    pub when: When,
    /// The arguments when it is. `{}` in one of them stands for the value of an option that has one; another entry for the
    /// same option may do without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The arguments when it is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub otherwise: Vec<String>,
    /// In which form the executor takes a document; absent: in both. Only with `output_schema` and `mcp_config`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes: Option<DocumentForm>,
}

/// What an argument can depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum When {
    /// A model; its name is the value.
    #[default]
    Model,
    /// A session is resumed; its id is the value.
    Resume,
    /// The last session is resumed.
    ResumeLast,
    /// What is resumed is copied first, and the copy goes on.
    Fork,
    /// The session is kept: asked for, or implied by resuming one.
    Kept,
    /// Sandbox: nothing may be written.
    ReadOnly,
    /// Sandbox: the working directory may be written.
    WorkspaceWrite,
    /// Sandbox: none.
    Full,
    /// Texts in pieces, as they come.
    Partial,
    /// The host goes on talking on standard input.
    Interactive,
    /// The host is asked for permissions.
    Ask,
    /// The answer must fit a JSON schema; the schema, or the path of its file, is the value.
    OutputSchema,
    /// A configuration of MCP servers; the JSON, or the path of its file, is the value.
    McpConfig,
    /// What was not committed is reviewed.
    ReviewUncommitted,
    /// What is new since a branch is reviewed; the branch is the value.
    ReviewBase,
    /// A commit is reviewed; the commit is the value.
    ReviewCommit,
    /// The caller's own arguments, verbatim. Without such an entry they come last, before the prompt.
    Extra,
}

impl When {
    /// The name in a profile.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            When::Model => "model",
            When::Resume => "resume",
            When::ResumeLast => "resume_last",
            When::Fork => "fork",
            When::Kept => "kept",
            When::ReadOnly => "read_only",
            When::WorkspaceWrite => "workspace_write",
            When::Full => "full",
            When::Partial => "partial",
            When::Interactive => "interactive",
            When::Ask => "ask",
            When::OutputSchema => "output_schema",
            When::McpConfig => "mcp_config",
            When::ReviewUncommitted => "review_uncommitted",
            When::ReviewBase => "review_base",
            When::ReviewCommit => "review_commit",
            When::Extra => "extra",
        }
    }

    /// Whether it has a value that `{}` stands for.
    #[must_use]
    pub const fn has_value(self) -> bool {
        matches!(
            self,
            When::Model | When::Resume | When::OutputSchema | When::McpConfig | When::ReviewBase | When::ReviewCommit
        )
    }

    /// Whether it says which changes are reviewed.
    #[must_use]
    pub const fn is_review(self) -> bool {
        matches!(self, When::ReviewUncommitted | When::ReviewBase | When::ReviewCommit)
    }

    /// Whether its value is a document.
    #[must_use]
    pub const fn is_document(self) -> bool {
        matches!(self, When::OutputSchema | When::McpConfig)
    }
}

/// In which form an executor takes a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DocumentForm {
    /// The JSON itself.
    Text,
    /// The path of a file.
    File,
    /// Of MCP servers: their tables as overrides of its configuration. The arguments are there once for each server, `{}`
    /// is `name={...}` in TOML, in the words of the document.
    Overrides,
}

/// How an executor gets its prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PromptSpec {
    /// The ways it can get one; the first is used unless the request says otherwise.
    pub via: Vec<Via>,
    /// As an argument: the argument that ends the options, before the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// As an argument: the option that it is the value of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// As an argument: the option and the prompt are one argument, with `=` between them.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub joined: bool,
    /// As an argument: beginnings that the executor reads as something else than a prompt. One that begins like
    /// this is refused. `-` is among them unless `separator` or `joined` protects it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refuse: Vec<String>,
    /// Bytes of the longest prompt that the executor takes whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

impl Default for PromptSpec {
    fn default() -> Self {
        PromptSpec {
            via: alloc::vec![Via::Stdin],
            separator: None,
            flag: None,
            joined: false,
            refuse: Vec::new(),
            limit: None,
        }
    }
}

/// A way to hand over a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Via {
    /// Written to standard input, which is then closed.
    Stdin,
    /// The last argument; standard input is null.
    Argument,
}

/// The signal that asks an executor to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Interrupt {
    /// What Ctrl-C sends (SIGINT).
    #[default]
    Interrupt,
    /// The request to end (SIGTERM).
    Terminate,
}

/// Time limits of a profile, in milliseconds. Absent: the usual one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TimerSpec {
    /// The whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<u64>,
    /// Without any output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
    /// To the first event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_event_ms: Option<u64>,
    /// Between the terminal record, or a later one, and the exit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_terminal_ms: Option<u64>,
    /// Between the exit and the end of the pipes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain_ms: Option<u64>,
    /// Between a question of the executor and the host's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_ms: Option<u64>,
    /// Between the polite signal and the end of the whole tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
}

impl TimerSpec {
    pub(crate) fn is_empty(&self) -> bool {
        *self == TimerSpec::default()
    }
}

impl Serialize for ArgSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ArgSpec::Text(text) => serializer.serialize_str(text),
            ArgSpec::When(group) => group.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ArgSpec {
    /// By hand, since an untagged enum swallows what exactly is wrong with a group.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = ArgSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an argument, or a table with `when`")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<ArgSpec, E> {
                Ok(ArgSpec::Text(text.into()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ArgSpec, A::Error> {
                ArgWhen::deserialize(MapAccessDeserializer::new(map)).map(ArgSpec::When)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl From<&str> for ArgSpec {
    fn from(text: &str) -> Self {
        ArgSpec::Text(text.into())
    }
}
