//! What is worth showing, and what is handed over as it came.

use super::field::{FieldValue, Parts, write_member};
use super::group::{close_object, group};
use super::open_enum::open_enum;
use crate::text::Text;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

open_enum! {
    /// How grave a notice is.
    Severity {
        /// Worth showing.
        #[default] Info = "info",
        /// Something went wrong and was dealt with.
        Warning = "warning",
        /// Something failed; whether the run did, the envelope says.
        Error = "error",
    }
}

open_enum! {
    /// Why a piece of the stream is handed over as it came.
    RawReason {
        /// A record that the profile does not map.
        #[default] Unmapped = "unmapped",
        /// A line, or the rest of one, that is not JSON.
        Malformed = "malformed",
        /// JSON, but not an object.
        NonObject = "non_object",
        /// More than a limit allows; what is over it was discarded.
        Oversize = "oversize",
        /// A line of text, of a profile that hands text over unread.
        Text = "text",
    }
}

/// The try that a retry notice announces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Retry {
    /// Which try it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
    /// How many there will be at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    /// How long the executor waits before it, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

impl FieldValue for Retry {
    type Owned = Retry;
    fn absent(&self) -> bool {
        false
    }
    fn write(&self, out: &mut Vec<u8>) {
        let at = out.len();
        write_member("attempt", &self.attempt, out);
        write_member("max", &self.max, out);
        write_member("delay_ms", &self.delay_ms, out);
        close_object(at, out);
    }
    fn unpack(self, _: &mut Parts) -> Retry {
        self
    }
}

group! {
    /// Something worth showing that does not end the run.
    Notice {
        /// How grave it is.
        severity: Severity,
        /// The vendor's code for it.
        code: Option<Text<'a>>,
        /// What happened.
        message: Text<'a>,
        /// Set when the executor tries again.
        retry: Option<Retry>,
    }

    /// A piece of the stream as it came.
    Raw {
        /// Why it is handed over raw.
        reason: RawReason,
        /// The piece, or its beginning (bounded).
        text: Text<'a>,
        /// The size of the whole piece in bytes.
        bytes: u64,
    }
}
