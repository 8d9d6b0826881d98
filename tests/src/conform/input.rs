//! One run as the corpora describe it, and the one way to read it.

use crate::conform::feed::{Chunks, Door, Drain, Feed};
use serde_json::Value;
use turnline::acts::ActTable;
use turnline::{Envelope, Event, Exit, Options, Parser, Profile, Resume, SpawnError, SpawnErrorKind};

/// Everything that a parser is told about a run.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Id of the profile.
    pub executor: String,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub exit: Exit,
    /// The session that it was asked to go on with: an id, or `last`.
    pub resume: Option<String>,
    /// It goes on with a copy of that session.
    pub forked: bool,
    /// The host asked for each turn.
    pub interactive: bool,
    /// The limit of a line, where it is not the default.
    pub max_line: Option<usize>,
    /// Whether acts are looked for.
    pub acts: bool,
}

/// What came out: the events as JSON lines, and the envelope.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// The events, one JSON object a line.
    pub events: Vec<u8>,
    /// The envelope.
    pub envelope: Envelope,
}

impl Input {
    /// A stream of an executor that ended with code 0.
    #[must_use]
    pub fn clean(executor: &str, stdout: impl Into<Vec<u8>>) -> Self {
        Input { executor: executor.to_owned(), stdout: stdout.into(), exit: Exit::code(0), ..Input::default() }
    }

    /// The built-in profile of its executor.
    ///
    /// # Errors
    /// When there is none; the text says why.
    pub fn profile(&self) -> Result<Profile, String> {
        Profile::builtin(&self.executor).map_err(|error| format!("no profile for {}: {error}", self.executor))
    }

    /// A parser for it.
    #[must_use]
    pub fn parser(&self, profile: &Profile) -> Parser {
        Parser::with_options(profile, self.options())
    }

    /// What a parser is told of it beforehand.
    #[must_use]
    pub fn options(&self) -> Options {
        let mut options = Options::default();
        options.interactive = self.interactive;
        options.forked = self.forked;
        options.resume = self.resume.as_deref().map(|asked| match asked {
            "last" => Resume::Last,
            id => Resume::Id(id.to_owned()),
        });
        if let Some(max_line) = self.max_line {
            options.limits.line = max_line;
        }
        options.acts = self.acts.then(ActTable::built_in);
        options
    }

    /// Reads it, and hands over every event and in the end the envelope.
    pub fn read(&self, profile: &Profile, feed: &Feed, mut each: impl FnMut(Event<'_>)) -> Envelope {
        let mut parser = self.parser(profile);
        for chunk in feed.chunks.cut(&self.stdout) {
            match feed.door {
                Door::Push => parser.push(chunk),
                Door::Space => {
                    parser.space(chunk.len())[..chunk.len()].copy_from_slice(chunk);
                    parser.filled(chunk.len());
                }
            }
            if matches!(feed.drain, Drain::Always) {
                while let Some(event) = parser.next_event() {
                    each(event);
                }
            }
        }
        for chunk in feed.chunks.cut(&self.stderr) {
            parser.push_stderr(chunk);
        }
        parser.eof();
        while let Some(event) = parser.next_event() {
            each(event);
        }
        parser.finish(&self.exit)
    }

    /// Reads it and writes the events down.
    #[must_use]
    pub fn transcribe(&self, profile: &Profile, feed: &Feed) -> Transcript {
        let mut events = Vec::new();
        let mut envelope = self.read(profile, feed, |event| {
            event.write_json(&mut events);
            events.push(b'\n');
        });
        envelope.timing = None;
        Transcript { events, envelope }
    }

    /// Reads it at once.
    #[must_use]
    pub fn whole(&self, profile: &Profile) -> Transcript {
        self.transcribe(profile, &Feed::push(Chunks::Whole))
    }
}

/// An exit as the corpora write it: `code`, `signal` (number or name), `spawn_error`, `stream_error`, `cancelled`, ...
///
/// # Panics
/// At a key or a signal that it does not know: then the corpus is at fault.
#[must_use]
pub fn exit_of(facts: &Value) -> Exit {
    let mut exit = Exit::default();
    let number = |value: &Value| value.as_i64().map(|n| i32::try_from(n).expect("a small number"));
    for (key, value) in facts.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        match key.as_str() {
            "code" => exit.code = number(value),
            "signal" => exit.signal = value.as_str().map_or_else(|| number(value), |name| Some(signal(name))),
            "spawn_error" => {
                let message = value.as_str().expect("a text");
                let kind = match message {
                    text if text.contains("ENOENT") => SpawnErrorKind::ProgramNotFound,
                    _ => SpawnErrorKind::Other,
                };
                exit.spawn_error = Some(SpawnError::new(kind, message));
            }
            "stream_error" => exit.stream_error = value.as_str().map(str::to_owned),
            "cancelled" => exit.cancelled = value == true,
            "stdout_truncated" => exit.stdout_truncated = value == true,
            "stderr_truncated" => exit.stderr_truncated = value == true,
            other => panic!("unknown fact of an exit: {other}"),
        }
    }
    exit
}

fn signal(name: &str) -> i32 {
    match name {
        "SIGINT" => 2,
        "SIGKILL" => 9,
        "SIGTERM" => 15,
        other => panic!("unknown signal: {other}"),
    }
}
