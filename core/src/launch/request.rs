//! What a caller asks for.

use super::env::EnvEdits;
use super::spec::Via;
use crate::options::Resume;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

/// What a caller asks for: a prompt, and how the run is to be.
///
/// ```
/// use turnline::launch::{Request, Sandbox};
///
/// let request = Request::new("Fix the failing test.").cwd("projects/site").model("fast").sandbox(Sandbox::WorkspaceWrite);
/// ```
///
/// Its `Debug` output shows neither the prompt nor values of variables.
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// The prompt. May be empty only in an interactive run.
    pub prompt: String,
    /// Hands the prompt over in this way instead of the profile's first.
    pub via: Option<Via>,
    /// A program to run instead of the profile's command. With a slash it is meant from the caller's directory,
    /// else it is searched in `PATH`.
    pub program: Option<String>,
    /// The working directory, absolute or from the caller's own; absent: the caller's own.
    pub cwd: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The session to go on with.
    pub resume: Option<Resume>,
    /// Copies the session that is resumed, and goes on with the copy.
    pub fork: bool,
    /// Keeps the session so that it can be resumed.
    pub keep_session: bool,
    /// What the executor's tools may write.
    pub sandbox: Option<Sandbox>,
    /// Arguments for the executor, verbatim, before the prompt.
    pub extra_args: Vec<String>,
    /// Texts in pieces, as they come.
    pub partial_messages: bool,
    /// The host goes on talking: standard input stays open.
    pub interactive: bool,
    /// The host is asked for permissions instead of all being granted. Only in an interactive run.
    pub ask_permissions: bool,
    /// A JSON schema that the answer must fit.
    pub output_schema: Option<Document>,
    /// A configuration of MCP servers.
    pub mcp_config: Option<Document>,
    /// Reviews changes of the working directory's repository by the executor's own way instead of following a prompt, which
    /// must be empty then.
    pub review: Option<Review>,
    /// Edits of the environment; they come after the profile's and win over them. What is set here is handed on
    /// unchanged, `PWD` included; only the [marker](super::MARKER) cannot be set.
    pub env: EnvEdits,
    /// See [`Timers::total`](super::Timers::total).
    pub total: Option<Duration>,
    /// See [`Timers::idle`](super::Timers::idle).
    pub idle: Option<Duration>,
    /// See [`Timers::first_event`](super::Timers::first_event).
    pub first_event: Option<Duration>,
    /// See [`Timers::after_terminal`](super::Timers::after_terminal); `Some(None)` takes the limit away.
    pub after_terminal: Option<Option<Duration>>,
    /// See [`Timers::drain`](super::Timers::drain); `Some(None)` takes the limit away.
    pub drain: Option<Option<Duration>>,
    /// See [`Timers::answer`](super::Timers::answer).
    pub answer_within: Option<Duration>,
    /// See [`Timers::grace`](super::Timers::grace).
    pub grace: Option<Duration>,
}

/// What the executor's tools may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sandbox {
    /// Nothing.
    ReadOnly,
    /// The working directory.
    WorkspaceWrite,
    /// Everything.
    Full,
}

/// Which changes are reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Review {
    /// What was not committed: staged, unstaged and untracked.
    Uncommitted,
    /// What is new since this branch.
    Base(String),
    /// This commit.
    Commit(String),
}

/// A document that an option takes.
///
/// Its `Debug` output does not show a text: it may hold tokens.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Document {
    /// The JSON itself.
    Text(String),
    /// The path of a file, from the caller's directory where it is relative.
    File(String),
}

impl Request {
    /// A request with this prompt.
    #[must_use]
    pub fn new(prompt: impl Into<String>) -> Self {
        Request { prompt: prompt.into(), ..Request::default() }
    }

    /// Sets [`via`](Request::via).
    #[must_use]
    pub fn via(mut self, via: Via) -> Self {
        self.via = Some(via);
        self
    }

    /// Sets [`program`](Request::program).
    #[must_use]
    pub fn program(mut self, program: impl Into<String>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// Sets [`cwd`](Request::cwd).
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets [`model`](Request::model).
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Goes on with the session of this id.
    #[must_use]
    pub fn resume(mut self, id: impl Into<String>) -> Self {
        self.resume = Some(Resume::Id(id.into()));
        self
    }

    /// Goes on with the last session.
    #[must_use]
    pub fn resume_last(mut self) -> Self {
        self.resume = Some(Resume::Last);
        self
    }

    /// Sets [`fork`](Request::fork).
    #[must_use]
    pub fn fork(mut self, fork: bool) -> Self {
        self.fork = fork;
        self
    }

    /// Sets [`keep_session`](Request::keep_session).
    #[must_use]
    pub fn keep_session(mut self, keep: bool) -> Self {
        self.keep_session = keep;
        self
    }

    /// Sets [`sandbox`](Request::sandbox).
    #[must_use]
    pub fn sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Adds one of the [`extra_args`](Request::extra_args).
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.extra_args.push(arg.into());
        self
    }

    /// Adds [`extra_args`](Request::extra_args).
    #[must_use]
    pub fn args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.extra_args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets [`partial_messages`](Request::partial_messages).
    #[must_use]
    pub fn partial_messages(mut self, partial: bool) -> Self {
        self.partial_messages = partial;
        self
    }

    /// Sets [`interactive`](Request::interactive).
    #[must_use]
    pub fn interactive(mut self, interactive: bool) -> Self {
        self.interactive = interactive;
        self
    }

    /// Sets [`ask_permissions`](Request::ask_permissions).
    #[must_use]
    pub fn ask_permissions(mut self, ask: bool) -> Self {
        self.ask_permissions = ask;
        self
    }

    /// Sets [`output_schema`](Request::output_schema).
    #[must_use]
    pub fn output_schema(mut self, schema: Document) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Sets [`mcp_config`](Request::mcp_config).
    #[must_use]
    pub fn mcp_config(mut self, config: Document) -> Self {
        self.mcp_config = Some(config);
        self
    }

    /// Sets [`review`](Request::review).
    #[must_use]
    pub fn review(mut self, review: Review) -> Self {
        self.review = Some(review);
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.set.insert(name.into(), value.into());
        self
    }

    /// Does not hand on a variable.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<String>) -> Self {
        self.env.remove.push(name.into());
        self
    }

    /// Does not hand on the variables whose names begin so.
    #[must_use]
    pub fn env_remove_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.env.remove_prefix.push(prefix.into());
        self
    }

    /// Hands on nothing of the caller's environment: the executor gets what is set here and by the profile, `PWD`
    /// and the [marker](super::MARKER).
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.env.clear = true;
        self
    }

    /// Sets [`total`](Request::total).
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.total = Some(limit);
        self
    }

    /// Sets [`idle`](Request::idle).
    #[must_use]
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle = Some(limit);
        self
    }

    /// Sets [`first_event`](Request::first_event).
    #[must_use]
    pub fn first_event_timeout(mut self, limit: Duration) -> Self {
        self.first_event = Some(limit);
        self
    }

    /// Sets [`after_terminal`](Request::after_terminal); `None` takes the limit away.
    #[must_use]
    pub fn after_terminal(mut self, limit: Option<Duration>) -> Self {
        self.after_terminal = Some(limit);
        self
    }

    /// Sets [`drain`](Request::drain); `None` takes the limit away.
    #[must_use]
    pub fn drain(mut self, limit: Option<Duration>) -> Self {
        self.drain = Some(limit);
        self
    }

    /// Sets [`answer_within`](Request::answer_within).
    #[must_use]
    pub fn answer_within(mut self, limit: Duration) -> Self {
        self.answer_within = Some(limit);
        self
    }

    /// Sets [`grace`](Request::grace).
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = Some(grace);
        self
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Document::Text(text) => write!(f, "Text({})", text.len()),
            Document::File(file) => f.debug_tuple("File").field(file).finish(),
        }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("prompt_bytes", &self.prompt.len())
            .field("via", &self.via)
            .field("program", &self.program)
            .field("cwd", &self.cwd)
            .field("model", &self.model)
            .field("resume", &self.resume)
            .field("sandbox", &self.sandbox)
            .field("extra_args", &self.extra_args.len())
            .field("interactive", &self.interactive)
            .field("env", &self.env)
            .finish_non_exhaustive()
    }
}
