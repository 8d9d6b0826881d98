//! What people are asked, and how it was decided.

use super::group::group;
use super::open_enum::open_enum;
use crate::text::{Json, Text};

open_enum! {
    /// How a permission request ended.
    Outcome {
        /// It was allowed.
        Allowed = "allowed",
        /// It was denied.
        #[default] Denied = "denied",
        /// It was withdrawn.
        Cancelled = "cancelled",
    }
}

group! {
    /// The executor waits for the host's word.
    PermissionRequest {
        /// The id to answer with.
        request_id: Text<'a>,
        /// What is asked, in the vendor's word.
        kind: Option<Text<'a>>,
        /// The call that waits.
        tool_call_id: Option<Text<'a>>,
        /// A line for people.
        title: Option<Text<'a>>,
        /// What the executor suggests as answers.
        options: Option<Json<'a>>,
        /// The input of the call that waits.
        input: Option<Json<'a>>,
    }

    /// A permission was decided.
    PermissionResolved {
        /// The request, where there was one.
        request_id: Option<Text<'a>>,
        /// The call it was about.
        tool_call_id: Option<Text<'a>>,
        /// How it ended.
        outcome: Outcome,
        /// Who decided, in the vendor's word.
        by: Option<Text<'a>>,
        /// Why.
        reason: Option<Text<'a>>,
    }
}
