//! Why an envelope is what it is: notes that a parser takes when it is asked to.

use crate::envelope::{Envelope, Status};
use crate::event::open_enum::open_enum;
use crate::profile::Profile;
use crate::profile::spec::AnswerRule;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::Serialize;

open_enum! {
    /// What an explanation is about.
    Topic {
        /// The verdict.
        #[default] Status = "status",
        /// The answer.
        Result = "result",
        /// What was billed.
        Usage = "usage",
        /// What made no difference.
        Ignored = "ignored",
    }
}

/// One reason for what an envelope says. Written as JSON its `type` is `explanation`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename = "explanation")]
#[non_exhaustive]
pub struct Explanation {
    /// What it is about.
    pub topic: Topic,
    /// The line of the record that it comes from; 0 (absent in JSON): from none.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u64,
    /// The record's own type; empty (absent in JSON): of none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub native_type: String,
    /// JSON Pointer to the rule of the profile that read it; empty (absent in JSON): none did.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// A sentence for people.
    pub message: String,
}

fn is_zero(line: &u64) -> bool {
    *line == 0
}

/// Notes of one topic that are kept; of more the first half and the last.
const NOTES: usize = 64;
/// Kinds of ignored things that are kept.
const KINDS: usize = 128;
/// Characters of a quoted text.
const QUOTED: usize = 120;

/// The notes of a parser.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// The line that is being read.
    pub(crate) line: u64,
    /// The type of the record that is being read, and its rule.
    native_type: String,
    rule: Option<u16>,
    status: Notes,
    usage: Notes,
    field: Option<Explanation>,
    text: Option<Explanation>,
    /// Type and reason: how often, and the first line.
    ignored: BTreeMap<(String, &'static str), (u64, u64)>,
}

#[derive(Debug, Default)]
struct Notes {
    first: Vec<Explanation>,
    last: alloc::collections::VecDeque<Explanation>,
    dropped: u64,
}

impl Notes {
    fn add(&mut self, note: Explanation) {
        if self.first.len() < NOTES / 2 {
            self.first.push(note);
            return;
        }
        if self.last.len() >= NOTES / 2 {
            self.last.pop_front();
            self.dropped += 1;
        }
        self.last.push_back(note);
    }

    fn into_list(self, topic: Topic) -> impl Iterator<Item = Explanation> {
        let message = format!("{} more are left out here", self.dropped);
        let dropped = (self.dropped > 0).then(|| Explanation { topic, message, ..Explanation::default() });
        self.first.into_iter().chain(dropped).chain(self.last)
    }
}

impl Trace {
    /// A record is read from here on.
    pub(crate) fn record(&mut self, native_type: &str) {
        self.native_type.clear();
        self.native_type.push_str(native_type);
        self.rule = None;
    }

    /// Its rule.
    pub(crate) fn rule(&mut self, rule: u16) {
        self.rule = Some(rule);
    }

    fn note(&self, topic: Topic, message: String) -> Explanation {
        let rule = self.rule.map(|rule| format!("/rules/{rule}")).unwrap_or_default();
        Explanation { topic, line: self.line, native_type: self.native_type.clone(), rule, message }
    }

    pub(crate) fn status(&mut self, message: impl Into<String>) {
        let note = self.note(Topic::Status, message.into());
        self.status.add(note);
    }

    /// A failure was read, and what became of it.
    pub(crate) fn failure(&mut self, message: &str, notice: Option<u16>) {
        let quoted = quote(message);
        self.status(match notice {
            Some(n) => format!("it tells a failure that /notices/{n} makes a notice: {quoted}"),
            None => format!("it reports a failure: {quoted}"),
        });
    }

    /// A figure was read.
    pub(crate) fn usage(&mut self, rule: u16, counters: Option<&[Option<u64>; 6]>, of_model: bool, replaces: bool) {
        let mut message = String::new();
        match counters {
            None => {
                message.push_str("a required counter is missing or unreadable: the whole figure counts for nothing")
            }
            Some(counters) => {
                for (name, value) in crate::rules::compiled::COUNTERS.iter().zip(counters) {
                    if let Some(value) = value {
                        message.push_str(if message.is_empty() { "" } else { ", " });
                        message.push_str(&format!("{name} {value}"));
                    }
                }
            }
        }
        if of_model {
            message.push_str(" (one model's: for model_usage alone)");
        }
        if replaces {
            message.push_str(" (replaces what the same id billed before)");
        }
        let note = Explanation { rule: format!("/usage/{rule}"), ..self.note(Topic::Usage, message) };
        self.usage.add(note);
    }

    /// The terminal record's own field.
    pub(crate) fn answer_field(&mut self, text: Option<&str>, failed: bool) {
        self.field = match (text, failed) {
            (_, true) => Some(self.note(Topic::Result, "its turn failed, so it gives no answer".to_string())),
            (Some(text), _) if text.trim().is_empty() => Some(
                self.note(Topic::Result, "its answer is blank: the last text of the main agent stands in".to_string()),
            ),
            (Some(text), _) => {
                Some(self.note(Topic::Result, format!("the terminal record's own field: {}", quote(text))))
            }
            (None, _) => None,
        };
    }

    /// A text that may be the answer.
    pub(crate) fn answer_text(&mut self, delta: bool) {
        let what = if delta { "the last piece of text that counts" } else { "the last text that counts" };
        self.text = Some(self.note(Topic::Result, what.to_string()));
    }

    /// Something that made no difference.
    pub(crate) fn ignored(&mut self, why: &'static str) {
        let full = self.ignored.len() >= KINDS;
        let name = self.native_type.clone();
        match self.ignored.get_mut(&(name.clone(), why)) {
            Some((count, _)) => *count += 1,
            None if full => {}
            None => {
                self.ignored.insert((name, why), (1, self.line));
            }
        }
    }

    /// Something on a line that is no record.
    pub(crate) fn ignored_line(&mut self, why: &'static str) {
        self.record("");
        self.ignored(why);
    }

    /// The reasons, in the order of the topics.
    pub(crate) fn finish(self, profile: &Profile, envelope: &Envelope) -> Vec<Explanation> {
        let spec = profile.spec();
        let conclude = |topic: Topic, message: String| Explanation { topic, message, ..Explanation::default() };
        let mut list: Vec<Explanation> = self.status.into_list(Topic::Status).collect();
        let verdict = match envelope.errors.first() {
            None => "ok: nothing failed, no terminal record is owed, and there is an answer".to_string(),
            Some(error) => {
                let status = if envelope.status == Status::Cancelled { "cancelled" } else { "failed" };
                format!("{status}: {}, from {} ({} error(s) in all)", error.class, error.source, envelope.errors.len())
            }
        };
        list.push(conclude(Topic::Status, verdict));
        if spec.answer == AnswerRule::TerminalField || self.field.as_ref().is_some_and(|_| envelope.result.is_none()) {
            list.extend(self.field);
        }
        if spec.answer != AnswerRule::TerminalField
            || envelope.result.is_none()
            || !list.iter().any(|note| note.topic == Topic::Result)
        {
            list.extend(self.text);
        }
        let rule = serde_json::to_value(spec.answer)
            .ok()
            .and_then(|name| name.as_str().map(ToString::to_string))
            .unwrap_or_default();
        let found = if envelope.result.is_some() { "gives the answer" } else { "finds no answer" };
        list.push(Explanation {
            rule: "/answer".to_string(),
            ..conclude(Topic::Result, format!("the rule `{rule}` {found}"))
        });
        let billed = self.usage.first.len() + self.usage.last.len() > 0;
        list.extend(self.usage.into_list(Topic::Usage));
        list.push(conclude(
            Topic::Usage,
            match (billed, &envelope.usage, &envelope.thread_usage) {
                (false, ..) => "no record told a figure".to_string(),
                (_, None, Some(_)) => {
                    "the thread's running total: what it was before this run is not known".to_string()
                }
                (_, None, None) => "null: a partial bill is a wrong bill".to_string(),
                (_, Some(usage), _) => match usage.total {
                    Some(total) => format!("{total} tokens in all"),
                    None => "a figure without a total".to_string(),
                },
            },
        ));
        list.extend(self.ignored.into_iter().map(|((native_type, why), (count, line))| Explanation {
            topic: Topic::Ignored,
            line,
            native_type,
            rule: String::new(),
            message: format!("{why} ({count} in all, here first)"),
        }));
        list
    }
}

/// The beginning of a text, on one line.
fn quote(text: &str) -> String {
    let mut quoted: String = text.chars().take(QUOTED).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(QUOTED).is_some() {
        quoted.push('…');
    }
    quoted
}
