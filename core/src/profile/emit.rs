//! What a rule makes of a record: the events of the vocabulary and their fields.
//!
//! Each struct is generic over what stands in a field, so that the file's form (paths) and the compiled form (places
//! in a scanned line) are one definition.

use crate::profile::field::{Field, When};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A list field: `each` is the path of the list (without it there is one entry), the other keys are the entry's fields.
pub type ListField = BTreeMap<String, Field>;

/// What a profile file says about one event.
pub type EmitSpec = Emit<Field, When, ListField>;

macro_rules! emits {
    ($($(#[$meta:meta])* $variant:ident / $name:ident = $wire:literal {
        $($(#[$fmeta:meta])* $field:ident),* $(,)?
    } lists { $($(#[$lmeta:meta])* $list:ident),* $(,)? })+) => {
        /// One thing that a rule makes of a record, named by its `event`.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(tag = "event")]
        #[non_exhaustive]
        pub enum Emit<F, W, L> {
            $($(#[$meta])* #[serde(rename = $wire)] $variant($name<F, W, L>),)+
            /// Goes through the elements of an array, or the entries of an object, and makes something of each.
            #[serde(rename = "each")]
            Each(Each<F, W, L>),
        }

        $(
            $(#[$meta])*
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            #[serde(deny_unknown_fields)]
            #[non_exhaustive]
            pub struct $name<F, W, L> {
                /// When it is made; without conditions always.
                #[serde(default = "none::<W>", skip_serializing_if = "Option::is_none")]
                pub when: Option<W>,
                $($(#[$fmeta])* #[serde(default = "none::<F>", skip_serializing_if = "Option::is_none")] pub $field: Option<F>,)*
                $($(#[$lmeta])* #[serde(default = "none::<L>", skip_serializing_if = "Option::is_none")] pub $list: Option<L>,)*
                #[serde(skip)]
                #[doc(hidden)]
                pub marker: core::marker::PhantomData<(F, W, L)>,
            }

            impl<F, W, L> Default for $name<F, W, L> {
                fn default() -> Self {
                    $name { when: None, $($field: None,)* $($list: None,)* marker: core::marker::PhantomData }
                }
            }

            impl<F, W, L> $name<F, W, L> {
                /// Builds the same with every part translated.
                pub(crate) fn translate<T: Translate<F, W, L>>(&self, to: &mut T) -> $name<T::F, T::W, T::L> {
                    $name {
                        when: self.when.as_ref().map(|when| to.when(when)),
                        $($field: self.$field.as_ref().map(|field| to.field(stringify!($field), field)),)*
                        $($list: self.$list.as_ref().map(|list| to.list(stringify!($list), list)),)*
                        marker: core::marker::PhantomData,
                    }
                }
            }
        )+

        /// All names in a file.
        pub(crate) const EVENTS: &[&str] = &[$($wire,)+ "each"];

        impl<'de, F: Deserialize<'de>, W: Deserialize<'de>, L: Deserialize<'de>> Emit<F, W, L> {
            /// The event of this name, one of [`EVENTS`], with what is said of it.
            pub(super) fn read<D: serde::Deserializer<'de>>(event: &str, said: D) -> Result<Self, D::Error> {
                match event {
                    $($wire => $name::deserialize(said).map(Emit::$variant),)+
                    _ => Each::deserialize(said).map(Emit::Each),
                }
            }
        }

        impl<F, W, L> Emit<F, W, L> {
            /// The name in the file.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $(Emit::$variant(_) => $wire,)+
                    Emit::Each(_) => "each",
                }
            }

            /// The conditions under which it is made.
            #[must_use]
            pub fn when(&self) -> Option<&W> {
                match self {
                    $(Emit::$variant(emit) => emit.when.as_ref(),)+
                    Emit::Each(each) => each.when.as_ref(),
                }
            }

            /// Builds the same with every part translated; nothing for an `each`, which is not an event itself.
            pub(crate) fn translate<T: Translate<F, W, L>>(&self, to: &mut T) -> Option<Emit<T::F, T::W, T::L>> {
                Some(match self {
                    $(Emit::$variant(emit) => Emit::$variant(emit.translate(to)),)+
                    Emit::Each(_) => return None,
                })
            }
        }
    };
}

fn none<T>() -> Option<T> {
    None
}

/// Turns the parts of one form into those of another.
pub(crate) trait Translate<F, W, L> {
    type F;
    type W;
    type L;
    fn field(&mut self, name: &'static str, field: &F) -> Self::F;
    fn when(&mut self, when: &W) -> Self::W;
    fn list(&mut self, name: &'static str, list: &L) -> Self::L;
}

/// Goes through the elements of an array, or the entries of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Each<F, W, L> {
    /// When it is done; without conditions always.
    #[serde(default = "none::<W>", skip_serializing_if = "Option::is_none")]
    pub when: Option<W>,
    /// The path of the array, with `[]` behind it, or of the object, with `{}` behind it.
    pub of: String,
    /// The element's own type. With it an element that makes nothing is reported as unmapped under that name.
    #[serde(default = "none::<F>", skip_serializing_if = "Option::is_none")]
    pub record_type: Option<F>,
    /// Types of elements that are known and make nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// What is made of each element: all whose conditions hold, in this order.
    pub emit: Vec<Emit<F, W, L>>,
}

emits! {
    /// A session began or goes on.
    SessionStarted / SessionStartedEmit = "session_started" {
        /// The id to resume it with.
        session_id,
        /// The model.
        model,
        /// The working directory.
        cwd,
        /// The version of the CLI.
        cli_version,
        /// The list of tools.
        tools,
        /// The permission mode.
        permission_mode,
    } lists {}

    /// A turn began. While one is open it says nothing new.
    TurnStarted / TurnStartedEmit = "turn_started" {} lists {}

    /// A text.
    Message / MessageEmit = "message" {
        /// `assistant` (the default) or `user`.
        role,
        /// The message it belongs to; without it the message that the record began, else a number of ours.
        message_id,
        /// Which part of the message it is: a path, or `@block`. Inside an `each` the texts of all elements are one text where
        /// it and the id are the same for each of them, as a literal is.
        part,
        /// The text: a string, or a list of blocks.
        text,
        /// Whether it is a piece.
        delta,
        /// Whether it is the whole of the pieces before it, where neither has an id: with it they are one message.
        completes,
        /// Whether the CLI itself made it: any value that says something but `false`.
        synthetic,
    } lists {}

    /// What the model thought.
    Reasoning / ReasoningEmit = "reasoning" {
        /// The message it belongs to.
        message_id,
        /// Which part of the message it is.
        part,
        /// The thought.
        text,
        /// Whether it is a piece.
        delta,
        /// Whether it is the whole of the pieces before it, where neither has an id: with it they are one message.
        completes,
        /// Whether the vendor withholds it.
        redacted,
    } lists {}

    /// The model asks for a tool.
    ToolCall / ToolCallEmit = "tool_call" {
        /// The id of the call; without it a number of ours.
        tool_call_id,
        /// The name of the tool.
        name,
        /// What it does; without it the profile's table of tools says.
        kind,
        /// The MCP server.
        server,
        /// A line for people.
        title,
        /// The input.
        input,
    } lists {
        /// The files it is about: `path`, `line`.
        locations,
    }

    /// News of a tool call.
    ToolCallUpdate / ToolCallUpdateEmit = "tool_call_update" {
        /// The id of the call; without it the newest open one.
        tool_call_id,
        /// How far it has come.
        status,
        /// What it gave back.
        output,
        /// Why it failed.
        error,
        /// The exit code of a command.
        exit_code,
        /// A piece of the input.
        input_delta,
    } lists {
        /// The files it changed: `path`, `op`, `diff`.
        changes,
    }

    /// The plan as it stands.
    Plan / PlanEmit = "plan" {} lists {
        /// Its entries: `content`, `status`, `priority`.
        entries,
    }

    /// Tokens that are shown and not billed; what is billed stands in the profile's `usage`.
    Usage / UsageEmit = "usage" {
        /// What the figure covers.
        scope,
        /// `delta` or `cumulative`.
        mode,
        /// Input tokens that no cache served.
        input,
        /// Input tokens read from a cache.
        cache_read,
        /// Input tokens written to a cache.
        cache_write,
        /// Output tokens.
        output,
        /// Reasoning tokens.
        reasoning,
        /// The total.
        total,
        /// The model.
        model,
        /// Money in US dollars.
        cost_usd,
    } lists {}

    /// Something worth showing.
    Notice / NoticeEmit = "notice" {
        /// `info` (the default), `warning` or `error`.
        severity,
        /// The vendor's code.
        code,
        /// What happened. A message that one of the profile's `notices` matches takes its severity and retry.
        message,
        /// Which try comes next.
        retry_attempt,
        /// How many tries there are.
        retry_max,
        /// How long until the next, in milliseconds.
        retry_delay_ms,
    } lists {}

    /// The executor waits for the host's word.
    PermissionRequest / PermissionRequestEmit = "permission_request" {
        /// The id to answer with.
        request_id,
        /// What is asked.
        kind,
        /// The call that waits.
        tool_call_id,
        /// A line for people.
        title,
        /// The answers suggested.
        options,
        /// The input of the call.
        input,
    } lists {}

    /// A permission was decided. Where only the call is named, the request is the open one about it; that a call without one
    /// is allowed is not told.
    PermissionResolved / PermissionResolvedEmit = "permission_resolved" {
        /// The request.
        request_id,
        /// The call it was about.
        tool_call_id,
        /// `allowed`, `denied` or `cancelled`.
        outcome,
        /// Who decided.
        by,
        /// Why.
        reason,
    } lists {}

    /// News of a sub-agent.
    Subagent / SubagentEmit = "subagent" {
        /// Its id.
        agent,
        /// `started`, `progress` or `ended`.
        phase,
        /// Its kind.
        name,
        /// What it is for.
        description,
        /// The vendor's word for its state.
        status,
    } lists {}

    /// The executor shortens its context.
    Compaction / CompactionEmit = "compaction" {
        /// `started`, `progress` or `ended`.
        phase,
        /// Why.
        trigger,
        /// Tokens before.
        tokens_before,
        /// Tokens after.
        tokens_after,
    } lists {}

    /// A turn is over.
    TurnEnded / TurnEndedEmit = "turn_ended" {
        /// Why it ended.
        stop_reason,
    } lists {}

    /// The turn that runs was interrupted: unless it ends well, it ends as cancelled.
    Interrupted / InterruptedEmit = "interrupted" {} lists {}

    /// The texts of an earlier record are void: each is told once more, whole and empty, as `withdrawn`.
    Withdrawn / WithdrawnEmit = "withdrawn" {
        /// What that record's rule names its `record_id`.
        record_id,
    } lists {}

    /// The executor reports that the run fails. It is shown as a notice, or as the error of the turn that the same
    /// record ends, and fails the run unless it is withdrawn.
    Failure / FailureEmit = "failure" {
        /// A short name for it: it stands in brackets in the error, and the profile's `classes` may name it.
        label,
        /// What happened: a text, a list of texts, or an object with a message.
        message,
        /// What a caller can do about it; without it the profile's `classes` say.
        class,
        /// True for one that is withdrawn when the first turn starts after it.
        until_first_turn,
        /// True for one that counts only when nothing better is said by the end.
        weak,
    } lists {}
}
