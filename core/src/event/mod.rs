//! The one vocabulary of events, the same for every executor.
//!
//! The names are the Agent Client Protocol's where it has one. An [`Event`] borrows from the line it came from: its
//! texts are decoded only when they are read. [`Event::into_owned`] detaches it with a single allocation.

mod field;
mod group;
mod kinds;
mod list;
mod notices;
mod numbers;
pub(crate) mod open_enum;
mod permissions;
mod session;
mod texts;
mod tools;

pub use field::Known;
pub use kinds::EventKind;
pub(crate) use list::Column;
pub use list::{Change, Changes, Location, Locations, Plan, PlanEntry};
pub use notices::*;
pub use numbers::*;
pub use permissions::*;
pub use session::*;
pub use texts::*;
pub use tools::*;

use crate::text::Text;
use alloc::vec::Vec;
use field::{FieldValue, Packer};
pub(crate) use field::{digits, number, write_u64};
use serde::{Deserialize, Serialize};

/// One normalized event of a run.
///
/// Serialized (by serde, or faster by [`Event::write_json`]) it is one JSON object whose `type` is the kind in
/// snake case. Fields that say nothing are absent. All enums are open: a later version may add to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Event<'a> {
    /// Number of the event in its run, gapless from 0.
    pub seq: u64,
    /// The turn it belongs to, from 0.
    pub turn: u32,
    /// The source line it came from, from 1; the last line for events made at the end of the stream.
    pub line: u64,
    /// The executor's own type of the record, its parts joined with `/`; absent where there was no record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native_type: Option<Text<'a>>,
    /// The sub-agent it belongs to; absent for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Text<'a>>,
    /// The tool call that started that sub-agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<Text<'a>>,
    /// True when the executor's model did not say it: we made the event, or the CLI itself made the text.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub synthetic: bool,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind<'a>,
}

impl<'a> Event<'a> {
    /// Detaches the event from the parser: all its texts move into one shared allocation.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        let size = self.native_type.measure()
            + self.agent.measure()
            + self.parent_tool_call_id.measure()
            + self.kind.measure();
        let mut packer = Packer::measure(size);
        packer.copy(&self.native_type);
        packer.copy(&self.agent);
        packer.copy(&self.parent_tool_call_id);
        self.kind.copy(&mut packer);
        let mut parts = packer.finish();
        Event {
            seq: self.seq,
            turn: self.turn,
            line: self.line,
            native_type: self.native_type.unpack(&mut parts),
            agent: self.agent.unpack(&mut parts),
            parent_tool_call_id: self.parent_tool_call_id.unpack(&mut parts),
            synthetic: self.synthetic,
            kind: self.kind.unpack(&mut parts),
        }
    }

    /// Appends the event as one JSON object, without a line end.
    ///
    /// The result is always valid JSON in valid UTF-8, the same value as serde_json writes (`type` comes first here),
    /// whatever the executor printed. Texts that need no repair are copied as they stand in the line.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"type\":");
        field::write_name(self.kind.name(), out);
        out.extend_from_slice(b",\"seq\":");
        field::write_u64(self.seq, out);
        out.extend_from_slice(b",\"turn\":");
        field::write_u64(u64::from(self.turn), out);
        out.extend_from_slice(b",\"line\":");
        field::write_u64(self.line, out);
        field::write_member("native_type", &self.native_type, out);
        field::write_member("agent", &self.agent, out);
        field::write_member("parent_tool_call_id", &self.parent_tool_call_id, out);
        field::write_member("synthetic", &self.synthetic, out);
        self.kind.write_members(out);
        out.push(b'}');
    }
}
