//! What a profile file says, before it is checked.

use crate::event::open_enum::{strict, strict_map, strict_option};
use crate::event::{ToolKind, UsageMode, UsageScope};
use crate::input::InputSpec;
use crate::launch::LaunchSpec;
use crate::profile::emit::EmitSpec;
use crate::profile::field::{Conditions, Field, Switch};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The record that describes one executor completely: how to launch it and how to read it.
///
/// It is plain data, the same in TOML, in JSON and as a Rust value; [`Profile`](crate::Profile) is what becomes of it
/// when it passes its checks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ProfileSpec {
    /// The profile that this one changes: a built-in id, or what the reader of the file knows how to find. See
    /// [`Profile::from_toml`](crate::Profile::from_toml).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extends: Option<String>,
    /// What is called differently than in the profile that this one extends.
    #[serde(skip_serializing_if = "RenameSpec::is_empty")]
    pub rename: RenameSpec,
    /// The id by which the executor is chosen.
    pub id: String,
    /// Its name for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The program.
    pub command: String,
    /// The versions whose recordings the profile was measured on; empty: written from documentation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<String>,
    /// By which records its streams are recognised: one of them is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub detect: Vec<DetectSpec>,
    /// How standard output is cut into records.
    pub framing: Framing,
    /// The fields that make a record's type, joined with `/`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub record_type: Vec<Field>,
    /// When a terminal record is promised.
    pub terminal: TerminalPromise,
    /// Which text is the answer.
    pub answer: AnswerRule,
    /// What is made of records: the first rule whose `match` holds is the record's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleSpec>,
    /// What is billed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Vec<UsageSpec>>,
    /// The vendor's limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rate_limits: Vec<RateLimitSpec>,
    /// String fields for the envelope's metadata.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<MetadataSpec>,
    /// Messages that are notices although the record says error: retries and warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<NoticePattern>,
    /// Which class an error is of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassRule>,
    /// Lines of standard error that say why a run failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<StderrRule>,
    /// The executor's tools.
    pub tools: ToolsSpec,
    /// How it is launched.
    pub launch: LaunchSpec,
    /// How it is spoken to while it runs.
    #[serde(skip_serializing_if = "InputSpec::is_empty")]
    pub input: InputSpec,
    /// Oddities of one vendor that no data describes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quirks: Vec<Quirk>,
}

/// What is called differently than in the profile that is extended. It applies to what is inherited, never to what the
/// file itself says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RenameSpec {
    /// Old path to new path, both from the record's root, lists as `[]` and `{}`. It renames all that is below it too;
    /// of several that fit the longest counts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
    /// Of an old path: old value to new value, in conditions and value maps.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, BTreeMap<String, String>>,
}

impl RenameSpec {
    /// True when nothing is renamed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.values.is_empty()
    }
}

/// A record that only this executor prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct DetectSpec {
    /// The record: all conditions must hold.
    pub r#match: Conditions,
}

/// How standard output is cut into records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Framing {
    /// One JSON record a line.
    #[default]
    Jsonl,
    /// The whole stream is one JSON document: an object is one record, the elements of an array are records.
    Json,
    /// Each line is text.
    Text,
}

/// When the stream owes a terminal record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TerminalPromise {
    /// Always: a run without one was interrupted.
    Always,
    /// From a record whose rule `owes` one to a record whose rule is `terminal`.
    WhenOwed,
    /// Never.
    #[default]
    Never,
}

/// Which text is the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnswerRule {
    /// The field that the terminal record's rule names as its `answer`; where it is blank, the last text.
    TerminalField,
    /// The last message of the last turn, all its parts, as it is: where it says nothing there is no answer.
    #[default]
    LastMessage,
    /// The last message that says something, all its parts.
    LastMessageWithText,
    /// The text after the last tool.
    AfterTools,
    /// All text.
    AllText,
}

/// What is made of a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RuleSpec {
    /// The records it is for: all conditions must hold.
    pub r#match: Conditions,
    /// The sub-agent that the record belongs to; nothing there: the main agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Field>,
    /// The call that started that sub-agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<Field>,
    /// The id of the session: the first of the main agent's counts, the terminal record's counts more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Field>,
    /// The id of the record itself, by which a later one may take its texts back (`withdrawn`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_id: Option<Field>,
    /// A message begins: later pieces without an id belong to it, and its blocks are numbered from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begins_message: Option<Field>,
    /// From here on a terminal record is owed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owes: Option<Switch>,
    /// This is the terminal record, of the run or of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<Switch>,
    /// The failures reported since the last such record were tries that are made again: they become notices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdraws_failures: Option<Switch>,
    /// Whether background work goes on: something, or nothing (an empty list, `false`, 0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<Field>,
    /// How many turns wait in the executor's own queue when a record ends one: the session is not idle before they are
    /// done. Without it each turn that the host asked for ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued: Option<Field>,
    /// The answer, on a terminal record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Field>,
    /// The answer by a schema that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<Field>,
    /// What is made of it: all whose conditions hold, in this order. Nothing: the record is known and says nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub emit: Vec<EmitSpec>,
}

/// What a record bills.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct UsageSpec {
    /// The records it is read from.
    pub r#match: Conditions,
    /// Reads each entry of this list; the paths then start at the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<String>,
    /// Whether the figures are the run's, or one model's for `model_usage`.
    pub of: UsageOf,
    /// What a figure covers.
    #[serde(deserialize_with = "strict")]
    pub scope: UsageScope,
    /// Whether figures are summed or the last one counts.
    #[serde(deserialize_with = "strict")]
    pub mode: UsageMode,
    /// Whether money is summed or the last amount counts, where that differs from `mode`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "strict_option")]
    pub cost_mode: Option<UsageMode>,
    /// Counters without which a figure is worth nothing: one of these groups must be there whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Vec<String>>,
    /// Which counter lies inside which other one: it is taken out of it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub inside: BTreeMap<String, String>,
    /// All zeros mean that the vendor said nothing.
    pub zero_is_unknown: bool,
    /// The id of the billed record: a repeat replaces the figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Field>,
    /// Input tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Field>,
    /// Input tokens read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<Field>,
    /// Input tokens written to a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Field>,
    /// Output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Field>,
    /// Reasoning tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Field>,
    /// The vendor's total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Field>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Field>,
    /// Money in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<Field>,
}

/// Whose figures a usage record holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UsageOf {
    /// The run's: they make the envelope's `usage`.
    #[default]
    Run,
    /// One model's: they make the envelope's `model_usage`; the latest record's replace all before.
    Model,
}

/// A reading of the vendor's limits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RateLimitSpec {
    /// The records it is read from.
    pub r#match: Conditions,
    /// Reads each entry of this list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<String>,
    /// The window's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Field>,
    /// How much of it is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization: Option<Field>,
    /// When it starts anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<Field>,
    /// The vendor's word for its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Field>,
}

/// String fields of a record for the envelope's metadata; the last record's count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct MetadataSpec {
    /// The records they are read from; nothing: all.
    pub r#match: Conditions,
    /// Key in the metadata, and where its value is.
    pub fields: BTreeMap<String, Field>,
}

/// A message that is a notice, whatever record it comes in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct NoticePattern {
    /// The whole message: `*` is anything, `#` digits, `{attempt}`, `{max}` and `{delay_ms}` are digits that are kept.
    pub pattern: String,
    /// `warning` (the default), `info` or `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// A code for it; `retry` where none is given and the pattern keeps an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// Which errors are of a class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ClassRule {
    /// The class.
    pub class: String,
    /// Labels of failures that are of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Patterns of messages that are of it; case does not matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
}

/// A line of standard error that says why a run failed. It never fails a run by itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct StderrRule {
    /// The whole line.
    pub pattern: String,
    /// What a caller can do about it; without it the profile's `classes` say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
}

/// The executor's tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolsSpec {
    /// What each tool does, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "strict_map")]
    pub kinds: BTreeMap<String, ToolKind>,
    /// Where in its input the command of a tool is that runs one, by the tool's name: a path of keys, or `@` for the input
    /// itself. A string is a shell's command line, a list of strings a program with its arguments.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub commands: BTreeMap<String, String>,
    /// How a tool of an MCP server is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpNaming>,
}

/// Names like `mcp__server__tool`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct McpNaming {
    /// What such a name begins with.
    pub prefix: String,
    /// What stands between server and tool.
    pub separator: String,
}

/// An oddity of one vendor: a small function of ours that the profile switches on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Quirk {
    /// A terminal record that reports failure without a reason means the notice of severity error before it.
    FailureToldByNotice,
}
