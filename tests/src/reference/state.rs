//! What the reference knows of a run, and the lines that are no records.

use super::answer::Texts;
use super::bill::Bill;
use super::failures::Failure;
use super::lines::{self, Item, Line, Repaired};
use super::turns::Report;
use super::windows::Window;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use turnline::profile::{ProfileSpec, TerminalPromise};
use turnline::{Options, Resume, StopReason, StreamCounts, ToolCounts};

/// The message that an agent is at.
#[derive(Default)]
pub(super) struct Scope {
    /// The last one; it is over unless a record began it or it goes on.
    pub(super) message: Option<String>,
    /// A record began it; else the number is ours.
    pub(super) begun: bool,
    /// It is one of ours whose pieces still come.
    pub(super) goes_on: bool,
    /// Pieces without an id were told, and their whole was not: of the text, of the thought.
    pub(super) pieces: [bool; 2],
    pub(super) blocks: u64,
}

/// How a text that names no message was told.
#[derive(Clone, Copy)]
pub(super) struct Telling {
    pub(super) thought: bool,
    pub(super) delta: bool,
    pub(super) completes: bool,
    /// The text before it was another block of the same list.
    pub(super) next_block: bool,
}

pub(super) struct Call {
    pub(super) id: String,
    pub(super) has_input: bool,
    pub(super) agent: Option<String>,
    pub(super) parent: Option<String>,
}

/// A text that may be taken back.
pub(super) struct Said {
    pub(super) record: String,
    pub(super) kind: &'static str,
    /// What is said then.
    pub(super) event: Map<String, Value>,
    /// Its message and part, where it counts for the answer.
    pub(super) counts: Option<(String, String)>,
}

/// The record that is being read.
#[derive(Default)]
pub(super) struct Current {
    /// Its own id, where its texts may be taken back.
    pub(super) id: Option<String>,
    pub(super) native: String,
    pub(super) agent: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) terminal: bool,
    pub(super) failed: bool,
    pub(super) error: Option<(String, String)>,
    /// Where the element stands in whose list of blocks we are, and where the one did whose text was numbered last.
    pub(super) list: Option<usize>,
    pub(super) numbered: Option<usize>,
    /// How it ended its turn.
    pub(super) ended_turn: Option<StopReason>,
    /// Its piece of the line as it came.
    pub(super) bytes: Vec<u8>,
}

impl Current {
    pub(super) fn nested(&self) -> bool {
        self.agent.is_some() || self.parent.is_some()
    }
}

pub(super) struct State<'p> {
    pub(super) spec: &'p ProfileSpec,
    pub(super) options: &'p Options,
    pub(super) line_number: u64,
    pub(super) events: Vec<Value>,
    pub(super) counts: StreamCounts,
    pub(super) unmapped: BTreeMap<String, u64>,
    pub(super) notices: u64,
    pub(super) record: Current,
    pub(super) turns: u64,
    pub(super) turn_open: bool,
    pub(super) scopes: HashMap<Option<String>, Scope>,
    pub(super) messages_made: u64,
    pub(super) calls_made: u64,
    pub(super) calls: Vec<Call>,
    pub(super) tools: ToolCounts,
    pub(super) sessions: HashSet<String>,
    pub(super) first_session: Option<String>,
    pub(super) terminal_session: Option<String>,
    pub(super) terminal: bool,
    pub(super) owed: bool,
    pub(super) texts: Texts,
    pub(super) failures: Vec<Failure>,
    pub(super) last_error: Option<String>,
    pub(super) bill: Bill,
    pub(super) windows: Vec<Window>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) structured_output: Option<Value>,
    /// Open permission requests, with their calls.
    pub(super) requests: Vec<(String, Option<String>)>,
    pub(super) said: Vec<Said>,
    pub(super) reports: Vec<Report>,
    /// The last report is of a turn that the end of the stream cut off.
    pub(super) cut_off: bool,
    /// The turn that runs was interrupted.
    pub(super) interrupted: bool,
    line_ends: usize,
    spoke: bool,
}

impl<'p> State<'p> {
    pub(super) fn new(spec: &'p ProfileSpec, options: &'p Options) -> Self {
        State {
            spec,
            options,
            line_number: 0,
            events: Vec::new(),
            counts: StreamCounts::default(),
            unmapped: BTreeMap::new(),
            notices: 0,
            record: Current::default(),
            turns: 0,
            turn_open: false,
            scopes: HashMap::new(),
            messages_made: 0,
            calls_made: 0,
            calls: Vec::new(),
            tools: ToolCounts::default(),
            sessions: HashSet::new(),
            first_session: None,
            terminal_session: None,
            terminal: false,
            owed: spec.terminal == TerminalPromise::Always,
            texts: Texts::default(),
            failures: Vec::new(),
            last_error: None,
            bill: Bill::default(),
            windows: Vec::new(),
            metadata: BTreeMap::new(),
            structured_output: None,
            requests: Vec::new(),
            said: Vec::new(),
            reports: Vec::new(),
            cut_off: false,
            interrupted: false,
            line_ends: 0,
            spoke: false,
        }
    }

    /// Adds an event of the record that is being read.
    pub(super) fn event(&mut self, kind: &str, synthetic: bool, fields: Map<String, Value>) {
        let mut event = fields;
        event.insert("type".into(), kind.into());
        event.insert("seq".into(), self.events.len().into());
        event.insert("turn".into(), self.turns.saturating_sub(1).into());
        event.insert("line".into(), self.line_number.into());
        if !self.record.native.is_empty() {
            event.insert("native_type".into(), self.record.native.clone().into());
        }
        for (name, id) in [("agent", &self.record.agent), ("parent_tool_call_id", &self.record.parent)] {
            if let Some(id) = id
                && !event.contains_key(name)
            {
                event.insert(name.into(), id.clone().into());
            }
        }
        if synthetic {
            event.insert("synthetic".into(), true.into());
        }
        self.events.push(Value::Object(event));
    }

    fn raw(&mut self, reason: &str, bytes: &[u8], size: usize) {
        let mut shown = bytes.len().min(self.options.limits.preview);
        // Not inside a character.
        let continues = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
        let bound = shown;
        while continues(shown) && shown > 0 && bound - shown < 3 {
            shown -= 1;
        }
        let text = String::from_utf8_lossy(&bytes[..shown]).into_owned();
        self.event(
            "raw",
            false,
            fields([("reason", Some(reason.into())), ("text", Some(text.into())), ("bytes", Some(size.into()))]),
        );
    }

    pub(super) fn count_unmapped(&mut self, native: &str, bytes: &[u8]) {
        self.counts.unmapped += 1;
        let name = if native.is_empty() { "(untyped)" } else { native };
        let full = self.unmapped.len() >= self.options.limits.unmapped_types;
        let name = if full && !self.unmapped.contains_key(name) { "(other)" } else { name };
        *self.unmapped.entry(name.to_owned()).or_default() += 1;
        self.raw("unmapped", bytes, bytes.len());
    }

    pub(super) fn oversize(&mut self, line: &Line) {
        self.counts.malformed_lines += 1;
        self.counts.oversize_lines += 1;
        let kept = line.bytes.len().min(self.options.limits.preview);
        let text = String::from_utf8_lossy(&line.bytes[..kept]).into_owned();
        let size = line.bytes.len();
        self.event(
            "raw",
            false,
            fields([("reason", Some("oversize".into())), ("text", Some(text.into())), ("bytes", Some(size.into()))]),
        );
    }

    pub(super) fn json_line(&mut self, line: &[u8]) {
        let repaired = Repaired::new(line);
        let (items, counts_as_repaired) = lines::items(&repaired);
        self.counts.repaired_lines += u64::from(counts_as_repaired);
        let span = |from: usize, to: usize| &line[repaired.origin(from)..repaired.origin(to)];
        for item in items {
            self.record = Current::default();
            match item {
                Item::Record(node) => {
                    let start = node.start(&repaired.text);
                    self.record.bytes = span(start, start + node.0.len()).to_vec();
                    let of = |part: super::node::Node<'_>| {
                        let start = part.start(&repaired.text);
                        span(start, start + part.0.len()).to_vec()
                    };
                    self.read_record(node, &of);
                }
                Item::NonObject(node) => {
                    let start = node.start(&repaired.text);
                    self.counts.non_object += 1;
                    let bytes = span(start, start + node.0.len());
                    self.raw("non_object", bytes, bytes.len());
                }
                Item::Malformed { from } => {
                    self.counts.malformed_lines += 1;
                    let bytes = span(from, repaired.text.len());
                    self.raw("malformed", bytes, bytes.len());
                }
            }
        }
    }

    /// A line of text. Line ends stand before the lines that follow them.
    pub(super) fn text_line(&mut self, line: &[u8]) {
        self.record = Current::default();
        let whole = String::from_utf8_lossy(line);
        let text = lines::strip(&whole);
        if text.chars().all(|c| matches!(c, ' ' | '\t' | '\r')) {
            self.line_ends = (self.line_ends + usize::from(self.spoke)).min(self.options.limits.preview);
            return;
        }
        self.counts.repaired_lines += u64::from(whole.as_bytes() != line || *whole != *text);
        self.ensure_turn();
        let piece = Telling { thought: false, delta: true, completes: false, next_block: false };
        let message = self.message_of(&None, piece);
        let text = "\n".repeat(self.line_ends) + &text;
        self.texts.say(self.spec.answer, &message, "0", &text, true);
        self.event(
            "message",
            false,
            fields([
                ("role", Some("assistant".into())),
                ("message_id", Some(message.into())),
                ("part", Some(0.into())),
                ("text", Some(text.into())),
                ("delta", Some(true.into())),
            ]),
        );
        self.line_ends = 1;
        self.spoke = true;
    }

    /// What is left open is closed.
    pub(super) fn end_of_stream(&mut self) {
        self.record = Current::default();
        while !self.calls.is_empty() {
            self.close_oldest_call();
        }
        if self.turn_open {
            self.cut_off();
            self.cut_off = true;
            self.end_turn();
            self.event("turn_ended", true, fields([("stop_reason", Some("unknown".into()))]));
        }
    }

    pub(super) fn close_oldest_call(&mut self) {
        let call = self.calls.remove(0);
        self.tools.unknown += 1;
        // The event is the call's, not the record's that is being read.
        let ended = Current { agent: call.agent, parent: call.parent, ..Current::default() };
        let record = std::mem::replace(&mut self.record, ended);
        self.event(
            "tool_call_update",
            true,
            fields([("tool_call_id", Some(call.id.into())), ("status", Some("unknown".into()))]),
        );
        self.record = record;
    }

    /// The main agent does something: a turn is open from here on.
    pub(super) fn ensure_turn(&mut self) {
        if !self.record.nested() && !self.turn_open {
            self.start_turn();
            self.event("turn_started", true, Map::new());
        }
    }

    pub(super) fn start_turn(&mut self) {
        self.turn_open = true;
        self.turns += 1;
        self.end_message(&None);
        self.interrupted = false;
        // Where the host asks for each turn, what an earlier one came to stands in its report alone.
        let exchange = self.options.interactive && self.turns > 1;
        self.texts.turn_started(exchange);
        if exchange {
            self.failures.clear();
            self.structured_output = None;
        }
    }

    pub(super) fn end_turn(&mut self) {
        self.turn_open = false;
        self.end_message(&None);
        self.forget_pieces(&None);
    }

    pub(super) fn end_message(&mut self, agent: &Option<String>) {
        self.scopes.entry(agent.clone()).or_default().goes_on = false;
    }

    /// What comes next completes no pieces from before.
    pub(super) fn forget_pieces(&mut self, agent: &Option<String>) {
        self.scopes.entry(agent.clone()).or_default().pieces = [false; 2];
    }

    /// The message of a text that names none: the one that a record began, one of ours that goes on with its pieces, the one
    /// whose pieces it completes, or the one that the block before it is of; else a new one.
    pub(super) fn message_of(&mut self, agent: &Option<String>, telling: Telling) -> String {
        let kind = usize::from(telling.thought);
        let scope = self.scopes.entry(agent.clone()).or_default();
        if let Some(message) = scope.message.as_ref().filter(|_| scope.begun) {
            return message.clone();
        }
        let continues = if telling.delta {
            scope.goes_on
        } else if telling.completes {
            scope.pieces[kind]
        } else {
            telling.next_block
        };
        let known = scope.message.clone().filter(|_| continues);
        let message = known.unwrap_or_else(|| {
            self.messages_made += 1;
            scope.pieces = [false; 2];
            format!("message-{}", self.messages_made)
        });
        scope.message = Some(message.clone());
        scope.goes_on = telling.delta;
        scope.pieces[kind] = telling.delta;
        message
    }

    /// A session of the main agent. True when it was not known.
    pub(super) fn session(&mut self, id: &str) -> bool {
        self.first_session.get_or_insert_with(|| id.to_owned());
        self.sessions.insert(id.to_owned())
    }

    pub(super) fn resumed(&self, id: &str) -> Option<Value> {
        Some(match self.options.resume.as_ref()? {
            Resume::Id(asked) if asked != id && self.options.forked => json!("forked"),
            Resume::Id(asked) if asked != id => json!("replaced"),
            _ => json!("same"),
        })
    }
}

/// The fields that say something.
pub(super) fn fields<const N: usize>(all: [(&str, Option<Value>); N]) -> Map<String, Value> {
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
