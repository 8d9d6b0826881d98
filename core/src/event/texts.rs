//! What is said and thought.

use super::field::{FieldValue, Packer, Parts};
use super::group::group;
use super::open_enum::open_enum;
use crate::text::Text;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

open_enum! {
    /// Who speaks.
    Role {
        /// The model.
        #[default] Assistant = "assistant",
        /// The user, or the host in the user's name.
        User = "user",
    }
}

/// Which part of a message a text is: the number of its block, or the executor's own id of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[non_exhaustive]
pub enum Part<'a> {
    /// The number of the block in its message, from 0.
    Index(u64),
    /// The executor's own id of the part.
    Id(Text<'a>),
}

impl FieldValue for Part<'_> {
    type Owned = Part<'static>;
    fn absent(&self) -> bool {
        false
    }
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Part::Index(index) => index.write(out),
            Part::Id(id) => id.write(out),
        }
    }
    fn measure(&self) -> usize {
        match self {
            Part::Index(_) => 0,
            Part::Id(id) => id.measure(),
        }
    }
    fn copy(&self, packer: &mut Packer) {
        if let Part::Id(id) = self {
            id.copy(packer);
        }
    }
    fn unpack(self, parts: &mut Parts) -> Part<'static> {
        match self {
            Part::Index(index) => Part::Index(index),
            Part::Id(id) => Part::Id(id.unpack(parts)),
        }
    }
}

group! {
    /// A text, whole or a piece of one. A whole text replaces what the pieces with the same `message_id` and `part`
    /// built, so that a reader who keys on both sees each text once.
    Message {
        /// Who speaks.
        role: Role,
        /// The message it belongs to.
        message_id: Option<Text<'a>>,
        /// Which part of the message it is.
        part: Option<Part<'a>>,
        /// The text. Empty is said too.
        text: Text<'a>,
        /// True for a piece that continues the part.
        delta: bool,
        /// True where the executor took the text back: nothing replaces what was said under the same key.
        withdrawn: bool,
    }

    /// What the model thought; never part of an answer.
    Reasoning {
        /// The message it belongs to.
        message_id: Option<Text<'a>>,
        /// Which part of the message it is.
        part: Option<Part<'a>>,
        /// The thought, empty where it is redacted.
        text: Text<'a>,
        /// True for a piece that continues the part.
        delta: bool,
        /// True when the vendor withholds the text.
        redacted: bool,
        /// True where the executor took the thought back.
        withdrawn: bool,
    }
}
