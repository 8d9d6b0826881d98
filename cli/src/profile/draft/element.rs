//! What objects of one kind say, and the fields that hold it.

/// What objects of one kind say, and what of it a person has to look at.
#[derive(Clone, Debug, Default)]
pub(super) struct Meaning {
    pub(super) says: Vec<Say>,
    pub(super) open: Vec<String>,
}

/// One thing that an object says.
#[derive(Clone, Debug)]
pub(super) enum Say {
    Text(Text),
    /// `only`: a field that objects have which are calls, where not all are.
    Call {
        id: Option<String>,
        name: Name,
        input: Option<String>,
        only: Option<String>,
    },
    Result {
        id: Option<String>,
        output: Option<String>,
        status: Status,
        /// The field of an exit code.
        code: Option<String>,
    },
    Notice {
        severity: Severity,
        message: String,
    },
    /// The run fails; whose word for it is the label.
    Failure {
        label: Option<String>,
        message: Option<String>,
    },
    TurnStarted,
}

/// A text or a thought.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) reasoning: bool,
    pub(super) role: Role,
    pub(super) text: String,
    /// As a profile writes it, like `part`.
    pub(super) id: Option<String>,
    pub(super) part: Option<String>,
    pub(super) delta: Delta,
    /// It is the whole of pieces without an id.
    pub(super) completes: bool,
    /// Its name says that it is one.
    pub(super) named: bool,
    /// The field is a string only at times.
    pub(super) at_times: bool,
    /// A flag, and its value in records that say nothing new.
    pub(super) not: Option<(String, bool)>,
}

/// Whether a text is a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Delta {
    No,
    Yes,
    /// A flag says it, by this value.
    Flag(String, bool),
}

/// Whose a text is.
#[derive(Clone, Debug)]
pub(super) enum Role {
    Assistant,
    User,
    /// A field says it: by these values the user; with these it is nobody's message.
    Field {
        path: String,
        user: Vec<String>,
        nobody: Vec<String>,
    },
}

/// What a tool is called.
#[derive(Clone, Debug)]
pub(super) enum Name {
    Field(String),
    /// By the type of what tells it.
    Literal(String),
}

/// How grave a notice is: always so, or a field says it by these values.
#[derive(Clone, Debug)]
pub(super) enum Severity {
    Always(&'static str),
    Field(String, Vec<(String, &'static str)>),
}

/// How a tool's result says how it went.
#[derive(Clone, Debug)]
pub(super) enum Status {
    /// Nothing says it.
    Untold,
    /// More is to come.
    Going,
    /// A field, and what its values mean; others mean failure, nothing there means success.
    Field(String, Vec<(String, &'static str)>),
}

impl Meaning {
    pub(super) fn texts(&self) -> impl Iterator<Item = &Text> {
        self.says.iter().filter_map(Say::as_text)
    }

    pub(super) fn texts_mut(&mut self) -> impl Iterator<Item = &mut Text> {
        self.says.iter_mut().filter_map(|say| match say {
            Say::Text(text) => Some(text),
            _ => None,
        })
    }

    /// Part of a tool call.
    pub(super) fn acts(&self) -> bool {
        self.says.iter().any(|say| matches!(say, Say::Call { .. } | Say::Result { .. }))
    }
}

impl Say {
    pub(super) fn as_text(&self) -> Option<&Text> {
        match self {
            Say::Text(text) => Some(text),
            _ => None,
        }
    }
}
