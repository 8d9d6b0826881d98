//! What a host can say.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde_json::Value;

/// A turn of the user: a text, or several parts.
///
/// Its `Debug` output does not show what is said.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UserTurn {
    pub(super) parts: Vec<Part>,
}

/// A part of a turn.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// What it is, such as `image/png`.
        media_type: String,
        /// Its bytes in base64.
        data: String,
    },
}

impl UserTurn {
    /// A turn of these parts.
    #[must_use]
    pub fn new(parts: impl IntoIterator<Item = Part>) -> Self {
        UserTurn { parts: parts.into_iter().collect() }
    }

    /// With a text at its end.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// With an image at its end: its media type, and its bytes in base64.
    #[must_use]
    pub fn image(mut self, media_type: impl Into<String>, data: impl Into<String>) -> Self {
        self.parts.push(Part::Image { media_type: media_type.into(), data: data.into() });
        self
    }

    /// The parts.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Its texts alone, one after the other with an empty line between, for executors that take nothing else. `None` where it has another part too.
    #[must_use]
    pub fn as_text(&self) -> Option<String> {
        let texts: Option<Vec<&str>> = self.parts.iter().map(Part::as_text).collect();
        texts.map(|texts| texts.join("\n\n"))
    }
}

impl Part {
    fn as_text(&self) -> Option<&str> {
        match self {
            Part::Text(text) => Some(text),
            Part::Image { .. } => None,
        }
    }
}

impl From<&str> for UserTurn {
    fn from(text: &str) -> Self {
        UserTurn::default().text(text)
    }
}

impl From<String> for UserTurn {
    fn from(text: String) -> Self {
        UserTurn::default().text(text)
    }
}

impl From<&String> for UserTurn {
    fn from(text: &String) -> Self {
        UserTurn::default().text(text)
    }
}

impl fmt::Debug for UserTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserTurn").field("parts", &self.parts).finish()
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Part::Image { media_type, data } => write!(f, "Image({media_type}, {} bytes)", data.len()),
        }
    }
}

/// An answer to what the executor asked the host for.
///
/// ```
/// use serde_json::json;
/// use turnline::input::Answer;
///
/// let as_asked = Answer::allow();
/// let changed = Answer::allow().input(json!({"command": "ls -l"}));
/// let no = Answer::deny("Not in this folder.");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// It may.
    Allow {
        /// With this input instead of the one it asked for.
        input: Option<Value>,
        /// What is allowed from now on, in the vendor's terms: see what it suggests
        /// ([`options`](crate::PermissionRequest::options)).
        permissions: Option<Value>,
    },
    /// It may not.
    Deny {
        /// What the model is told.
        message: String,
        /// The turn is to stop as well.
        interrupt: bool,
    },
    /// An answer in the vendor's own terms, to a request that is about something else than a call.
    Reply(Value),
}

impl Answer {
    /// It may, as it asked.
    #[must_use]
    pub fn allow() -> Self {
        Answer::Allow { input: None, permissions: None }
    }

    /// It may not; the message is for the model.
    #[must_use]
    pub fn deny(message: impl Into<String>) -> Self {
        Answer::Deny { message: message.into(), interrupt: false }
    }

    /// With this input instead; of an answer that allows.
    #[must_use]
    pub fn input(mut self, changed: Value) -> Self {
        if let Answer::Allow { input, .. } = &mut self {
            *input = Some(changed);
        }
        self
    }

    /// What is allowed from now on; of an answer that allows.
    #[must_use]
    pub fn permissions(mut self, updated: Value) -> Self {
        if let Answer::Allow { permissions, .. } = &mut self {
            *permissions = Some(updated);
        }
        self
    }

    /// The turn is to stop as well; of an answer that denies.
    #[must_use]
    pub fn interrupting(mut self) -> Self {
        if let Answer::Deny { interrupt, .. } = &mut self {
            *interrupt = true;
        }
        self
    }
}
