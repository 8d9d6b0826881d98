//! All kinds of events, each with its name and its fields.

use super::field::{FieldValue, Packer, Parts};
use super::notices::{Notice, Raw};
use super::numbers::{RateLimit, Usage};
use super::permissions::{PermissionRequest, PermissionResolved};
use super::session::{Compaction, SessionStarted, Subagent, TurnEnded};
use super::texts::{Message, Reasoning};
use super::tools::{Act, PlanUpdate, ToolCall, ToolCallUpdate};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$meta:meta])* $variant:ident($group:ident) = $wire:literal),+ $(,)?) => {
        /// What happened.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(tag = "type")]
        #[non_exhaustive]
        pub enum EventKind<'a> {
            /// A turn began.
            #[serde(rename = "turn_started")]
            TurnStarted,
            $($(#[$meta])* #[serde(rename = $wire)] $variant($group<'a>),)+
        }

        impl EventKind<'_> {
            /// The kind's name on the wire.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    EventKind::TurnStarted => "turn_started",
                    $(EventKind::$variant(_) => $wire,)+
                }
            }

            pub(crate) fn write_members(&self, out: &mut Vec<u8>) {
                match self {
                    EventKind::TurnStarted => {}
                    $(EventKind::$variant(group) => group.write_members(out),)+
                }
            }

            pub(crate) fn measure(&self) -> usize {
                match self {
                    EventKind::TurnStarted => 0,
                    $(EventKind::$variant(group) => group.measure(),)+
                }
            }

            pub(crate) fn copy(&self, packer: &mut Packer) {
                match self {
                    EventKind::TurnStarted => {}
                    $(EventKind::$variant(group) => group.copy(packer),)+
                }
            }

            pub(crate) fn unpack(self, parts: &mut Parts) -> EventKind<'static> {
                match self {
                    EventKind::TurnStarted => EventKind::TurnStarted,
                    $(EventKind::$variant(group) => EventKind::$variant(group.unpack(parts)),)+
                }
            }
        }
    };
}

kinds! {
    /// See [`SessionStarted`].
    SessionStarted(SessionStarted) = "session_started",
    /// See [`Message`].
    Message(Message) = "message",
    /// See [`Reasoning`].
    Reasoning(Reasoning) = "reasoning",
    /// See [`ToolCall`].
    ToolCall(ToolCall) = "tool_call",
    /// See [`ToolCallUpdate`].
    ToolCallUpdate(ToolCallUpdate) = "tool_call_update",
    /// See [`PlanUpdate`].
    Plan(PlanUpdate) = "plan",
    /// See [`Usage`].
    Usage(Usage) = "usage",
    /// See [`RateLimit`].
    RateLimit(RateLimit) = "rate_limit",
    /// See [`Notice`].
    Notice(Notice) = "notice",
    /// See [`PermissionRequest`].
    PermissionRequest(PermissionRequest) = "permission_request",
    /// See [`PermissionResolved`].
    PermissionResolved(PermissionResolved) = "permission_resolved",
    /// See [`Subagent`].
    Subagent(Subagent) = "subagent",
    /// See [`Compaction`].
    Compaction(Compaction) = "compaction",
    /// See [`Act`].
    Act(Act) = "act",
    /// See [`TurnEnded`].
    TurnEnded(TurnEnded) = "turn_ended",
    /// See [`Raw`].
    Raw(Raw) = "raw",
}
