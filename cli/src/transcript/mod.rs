//! A run as a person likes to read it: who spoke, tools with their outcome, plans, notices, what it cost, the verdict.
//!
//! The transcript takes events as they come and appends to a buffer; when that is written is its host's business.
//! Texts are shown piece by piece and each only once. What it keeps is bounded whatever the run prints, and nothing
//! that an executor prints can steer the terminal (see [`clean`]).

mod agents;
mod answer;
pub mod clean;
mod notes;
mod number;
mod paint;
mod recent;
mod screen;
mod texts;
mod tools;
mod verdict;

pub use paint::Paint;

use agents::Agents;
use answer::Spoken;
use paint::Tone;
use screen::{Block, Screen};
use texts::{Show, TextKey, Texts, Withdrawn};
use tools::Tools;
use turnline::{Envelope, Event, EventKind, Message, Reasoning, Role};

/// Turns events and the envelope of one run into text for people.
#[derive(Debug)]
pub struct Transcript {
    executor: String,
    screen: Screen,
    texts: Texts,
    spoken: Spoken,
    tools: Tools,
    agents: Agents,
    /// Who is at work; empty is the main agent.
    lane: String,
    /// Who was named as the speaker last.
    speaker: Option<Speaker>,
    /// The text that is being written.
    open: Option<TextKey>,
    /// The last text of the main agent.
    last_spoken: Option<TextKey>,
    /// The plan as it was shown last.
    plan: String,
    /// The run goes on with a session.
    resumed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    Assistant,
    /// The CLI itself, in the model's place.
    Executor,
    User,
}

/// Stands in a text's key where a message has its speaker.
const THOUGHT: u8 = 3;
/// Characters of a remark.
const REMARK: usize = 400;

impl Transcript {
    /// A transcript of one run of this executor (the profile's id).
    #[must_use]
    pub fn new(executor: &str, paint: Paint) -> Self {
        Transcript {
            executor: clean::line(executor, 60),
            screen: Screen::new(paint),
            texts: Texts::new(),
            spoken: Spoken::default(),
            tools: Tools::new(),
            agents: Agents::new(),
            lane: String::new(),
            speaker: None,
            open: None,
            last_spoken: None,
            plan: String::new(),
            resumed: false,
        }
    }

    /// True when what is appended next begins a line: the moment to put something between.
    #[must_use]
    pub fn at_line_start(&self) -> bool {
        self.screen.at_line_start()
    }

    /// Takes note of an event that is not to be shown: what the end says may depend on it.
    pub fn pass(&mut self, event: &Event<'_>) {
        if let EventKind::SessionStarted(session) = &event.kind {
            self.resumed |= session.resumed.is_some();
        }
    }

    /// Appends what an event has to say; many say nothing.
    pub fn event(&mut self, event: &Event<'_>, out: &mut Vec<u8>) {
        self.pass(event);
        let lane = Agents::lane(event);
        if let EventKind::Subagent(news) = &event.kind {
            // News about a sub-agent is told in the lane of whoever is at work.
            self.agents.learn(&lane, event, news);
            if let Some((tone, text)) = notes::subagent(news, &self.name(&lane, event)) {
                self.note(tone, &text, out);
            }
            return;
        }
        if !says_something(event) {
            return;
        }
        self.enter(lane, Some(event), out);
        match &event.kind {
            EventKind::Message(message) if message.withdrawn => self.message_withdrawn(message, out),
            EventKind::Message(message) => self.message(message, event.synthetic, out),
            EventKind::Reasoning(reasoning) => self.reasoning(reasoning, out),
            EventKind::ToolCall(call) => {
                self.open = None;
                self.tools.call(call, &mut self.screen, out);
            }
            EventKind::ToolCallUpdate(update) => {
                if update.status.is_terminal() || update.input.is_some() {
                    self.open = None;
                }
                self.tools.update(update, &mut self.screen, out);
            }
            EventKind::Plan(plan) => {
                let text = notes::plan(plan);
                if text != self.plan {
                    self.note(Tone::Plain, &text, out);
                    self.plan = text;
                }
            }
            other => {
                let call = notes::call_id(other).and_then(|id| self.tools.title(&id.decode()));
                if let Some((tone, text)) = notes::note(event, &self.executor, call.as_deref()) {
                    self.note(tone, &text, out);
                }
            }
        }
    }

    /// Appends a line of the host's own, apart from what the executor said: a label as it is, and a text, which is cleaned.
    pub fn remark(&mut self, label: &str, text: &str, out: &mut Vec<u8>) {
        self.enter(String::new(), None, out);
        self.note(Tone::Plain, &format!("{label} {}", clean::line(text, REMARK)), out);
    }

    /// Appends the end: the answer where nobody said it, the verdict with its reasons, what the run cost.
    pub fn envelope(&mut self, envelope: &Envelope, out: &mut Vec<u8>) {
        self.enter(String::new(), None, out);
        if let Some(result) = envelope.result.as_deref().filter(|result| !self.spoken.holds(result)) {
            verdict::answer(result, &mut self.screen, out);
        }
        self.verdict(envelope, out);
    }

    /// Appends the end without the answer.
    pub fn verdict(&mut self, envelope: &Envelope, out: &mut Vec<u8>) {
        self.enter(String::new(), None, out);
        verdict::verdict(envelope, self.resumed, &mut self.screen, out);
    }

    /// Goes over to whoever the next event is from, and names a sub-agent when it begins to be seen.
    fn enter(&mut self, lane: String, event: Option<&Event<'_>>, out: &mut Vec<u8>) {
        if lane == self.lane {
            return;
        }
        self.screen.end_line(out);
        self.screen.nest(false);
        if let Some(event) = event.filter(|_| !lane.is_empty()) {
            let name = self.name(&lane, event);
            self.screen.begin(Block::Label, (Tone::Faint, "╭ "), out);
            self.screen.line(Tone::Strong, &name, out);
        }
        self.screen.nest(!lane.is_empty());
        self.lane = lane;
        self.speaker = None;
        self.open = None;
        self.tools.interrupted();
    }

    /// What to call a sub-agent: its name, else the call that started it, else its id.
    fn name(&self, lane: &str, event: &Event<'_>) -> String {
        let parent = || event.parent_tool_call_id.as_ref().and_then(|id| self.tools.title(&id.decode()));
        self.agents.name(lane).or_else(parent).unwrap_or_else(|| agents::nameless(lane))
    }

    fn message(&mut self, message: &Message<'_>, synthetic: bool, out: &mut Vec<u8>) {
        let speaker = match (message.role, synthetic) {
            (Role::User, _) => Speaker::User,
            (_, true) => Speaker::Executor,
            _ => Speaker::Assistant,
        };
        let key = self.message_key(message, speaker);
        let text = message.text.decode();
        let shown = self.said(key, &text, message.delta);
        let Some((text, instead)) = shown else { return };
        if self.lane.is_empty() && speaker != Speaker::User {
            if self.last_spoken != Some(key) || instead || (!message.delta && message.message_id.is_none()) {
                self.spoken.begin();
            }
            self.last_spoken = Some(key);
            self.spoken.push(text);
        }
        if instead {
            self.note(Tone::Faint, "(the text above was replaced by this one:)", out);
        }
        self.name_speaker(speaker, out);
        let (tone, mark) = match speaker {
            Speaker::User => (Tone::Plain, (Tone::User, "> ")),
            _ => (Tone::Plain, (Tone::Plain, "")),
        };
        self.text(key, tone, mark, text, message.delta, out);
    }

    fn message_key(&self, message: &Message<'_>, speaker: Speaker) -> TextKey {
        let id = message.message_id.as_ref().map(|id| id.decode());
        TextKey::new(&self.lane, speaker as u8, id.as_deref(), message.part.as_ref())
    }

    /// A message is void. It cannot be wiped out: that it is void is said.
    fn message_withdrawn(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        // The event is ours: it does not say whether the model or the CLI itself spoke.
        let keys = [Speaker::User, Speaker::Executor, Speaker::Assistant].map(|who| self.message_key(message, who));
        let text = keys.into_iter().map(|key| self.texts.withdraw(key)).max();
        if self.lane.is_empty() {
            self.spoken.forget();
            self.last_spoken = None;
        }
        self.withdrawn("text", text.unwrap_or(Withdrawn::Unknown), out);
    }

    fn withdrawn(&mut self, what: &str, text: Withdrawn, out: &mut Vec<u8>) {
        let quote = match text {
            Withdrawn::Unseen => return,
            Withdrawn::Shown(quote) if !quote.is_empty() => format!(": {quote}"),
            _ => String::new(),
        };
        self.note(Tone::Warning, &format!("✗ an earlier {what} was taken back{quote}"), out);
    }

    fn reasoning(&mut self, reasoning: &Reasoning<'_>, out: &mut Vec<u8>) {
        const MARK: (Tone, &str) = (Tone::Faint, "~ ");
        let id = reasoning.message_id.as_ref().map(|id| id.decode());
        let key = TextKey::new(&self.lane, THOUGHT, id.as_deref(), reasoning.part.as_ref());
        if reasoning.withdrawn {
            let text = self.texts.withdraw(key);
            return self.withdrawn("thought", text, out);
        }
        let text = reasoning.text.decode();
        if reasoning.redacted && text.trim().is_empty() {
            self.open = None;
            self.tools.interrupted();
            self.screen.begin(Block::Text, MARK, out);
            self.screen.line(Tone::Faint, "(a thought that the vendor withholds)", out);
            return;
        }
        if let Some((text, _)) = self.said(key, &text, reasoning.delta) {
            self.text(key, Tone::Faint, MARK, text, reasoning.delta, out);
        }
    }

    /// What of a text is still to be written, and whether it replaces what stands there.
    fn said<'t>(&mut self, key: TextKey, text: &'t str, delta: bool) -> Option<(&'t str, bool)> {
        if delta {
            self.texts.piece(key, text);
            return (!text.is_empty()).then_some((text, false));
        }
        let show = self.texts.whole(key, text);
        let (rest, instead) = match show {
            Show::Nothing => ("", false),
            Show::From(at) => (text.get(at..).unwrap_or_default(), false),
            Show::Instead => (text, true),
        };
        if rest.trim().is_empty() {
            // Its pieces said it all: the text is complete.
            if self.open == Some(key) {
                self.open = None;
            }
            return None;
        }
        Some((rest, instead))
    }

    /// Writes a text, or goes on with the one that is being written.
    fn text(
        &mut self,
        key: TextKey,
        tone: Tone,
        mark: (Tone, &'static str),
        text: &str,
        delta: bool,
        out: &mut Vec<u8>,
    ) {
        let mut text = text;
        if self.open != Some(key) {
            text = text.trim_start_matches(['\n', '\r']);
            if text.is_empty() {
                return;
            }
            self.tools.interrupted();
            self.screen.begin(Block::Text, mark, out);
        }
        self.screen.foreign(tone, text, out);
        self.open = delta.then_some(key);
        if !delta {
            self.screen.end_line(out);
        }
    }

    fn name_speaker(&mut self, speaker: Speaker, out: &mut Vec<u8>) {
        if self.speaker == Some(speaker) {
            return;
        }
        self.speaker = Some(speaker);
        self.open = None;
        self.tools.interrupted();
        let (tone, name) = match speaker {
            Speaker::Assistant => (Tone::Strong, "assistant"),
            Speaker::Executor => (Tone::Strong, self.executor.as_str()),
            Speaker::User => (Tone::User, "user"),
        };
        self.screen.begin(Block::Label, (Tone::Plain, ""), out);
        self.screen.line(tone, name, out);
    }

    fn note(&mut self, tone: Tone, text: &str, out: &mut Vec<u8>) {
        self.open = None;
        self.tools.interrupted();
        self.screen.begin(Block::Note, (Tone::Plain, ""), out);
        self.screen.line(tone, text, out);
    }
}

/// False for events that never write anything, so that they do not end the text that is being written.
fn says_something(event: &Event<'_>) -> bool {
    match &event.kind {
        EventKind::Usage(_) | EventKind::RateLimit(_) => false,
        EventKind::Message(message) => !(message.delta && message.text.is_empty()),
        EventKind::ToolCallUpdate(update) => update.status.is_terminal() || update.input.is_some(),
        _ => true,
    }
}
