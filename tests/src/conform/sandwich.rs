//! Hostile bytes between two good halves of a stream: what came before and after must be read as if they were alone.

use super::check::{at_once, conforms};
use super::diff::Diff;
use super::input::Input;
use super::json::text;
use super::reading::Reading;
use serde_json::Value;

const BEFORE: &str = concat!(
    r#"{"type":"thread.started","thread_id":"019b0000-0000-7000-8000-000000000001"}"#,
    "\n",
    r#"{"type":"turn.started"}"#,
    "\n",
    r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"before"}}"#,
    "\n",
);

const AFTER: &str = concat!(
    r#"{"type":"item.completed","item":{"id":"item_9","type":"agent_message","text":"after"}}"#,
    "\n",
    r#"{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":3}}"#,
    "\n",
);

/// What must come of the bytes in the middle. Every number is zero and every list empty unless set.
#[derive(Clone, Debug, Default)]
pub struct Middle {
    /// The bytes, line ends included.
    pub bytes: Vec<u8>,
    /// Lines in them.
    pub lines: u64,
    /// Records in them.
    pub records: u64,
    /// Lines, or rests of lines, that are not JSON.
    pub malformed: u64,
    /// Lines of JSON that hold no record.
    pub non_object: u64,
    /// Lines over the limit; they are malformed too.
    pub oversize: u64,
    /// Lines that were repaired.
    pub repaired: u64,
    /// Records that no profile maps.
    pub unmapped: u64,
    /// The events, each in a word or two; see [`sketch`].
    pub events: Vec<String>,
    /// The limit of a line, where it is not the default.
    pub max_line: Option<usize>,
}

impl Middle {
    /// One line (the LF is added) that is nothing until something is set.
    #[must_use]
    pub fn line(bytes: impl AsRef<[u8]>) -> Self {
        Middle { bytes: [bytes.as_ref(), b"\n"].concat(), lines: 1, ..Middle::default() }
    }

    /// One line that is not JSON.
    #[must_use]
    pub fn malformed(bytes: impl AsRef<[u8]>) -> Self {
        Middle { malformed: 1, ..Middle::line(bytes) }.event("raw malformed")
    }

    /// One line that is JSON without a record.
    #[must_use]
    pub fn non_object(bytes: impl AsRef<[u8]>) -> Self {
        Middle { non_object: 1, ..Middle::line(bytes) }.event("raw non_object")
    }

    /// One line of one record that no profile maps.
    #[must_use]
    pub fn unmapped(bytes: impl AsRef<[u8]>) -> Self {
        Middle { records: 1, unmapped: 1, ..Middle::line(bytes) }.event("raw unmapped")
    }

    /// One line of one record that is a message of this text.
    #[must_use]
    pub fn message(bytes: impl AsRef<[u8]>, text: &str) -> Self {
        Middle { records: 1, ..Middle::line(bytes) }.event(format!("message {text}"))
    }

    /// The same with one more event.
    #[must_use]
    pub fn event(mut self, sketch: impl Into<String>) -> Self {
        self.events.push(sketch.into());
        self
    }

    /// The whole stream.
    #[must_use]
    pub fn input(&self) -> Input {
        let stdout = [BEFORE.as_bytes(), &self.bytes, AFTER.as_bytes()].concat();
        Input { max_line: self.max_line, ..Input::clean("codex", stdout) }
    }

    /// Reads the stream at all chunkings and notes what is not as set.
    pub fn check(&self, diff: &mut Diff) {
        conforms(&self.input(), &[], diff, |reading, diff| self.compare(reading, diff));
    }

    fn compare(&self, reading: &Reading, diff: &mut Diff) {
        let envelope = &reading.envelope;
        diff.eq("status", envelope["status"].clone(), "ok");
        diff.eq("result", envelope["result"].clone(), "after");
        diff.eq("usage.total", envelope["usage"]["total"].clone(), 13);
        let stream = &envelope["stream"];
        diff.eq("lines", stream["lines"].clone(), 5 + self.lines);
        diff.eq("records", stream["records"].clone(), 5 + self.records);
        diff.eq("malformed_lines", stream["malformed_lines"].clone(), self.malformed);
        diff.eq("non_object", stream["non_object"].clone(), self.non_object);
        diff.eq("oversize_lines", stream["oversize_lines"].clone(), self.oversize);
        diff.eq("repaired_lines", stream["repaired_lines"].clone(), self.repaired);
        diff.eq("unmapped", stream["unmapped"].clone(), self.unmapped);
        self.size(reading, diff);
        self.halves(reading, diff);
    }

    /// The one raw event of a line that is not JSON says how long the line was.
    fn size(&self, reading: &Reading, diff: &mut Diff) {
        let whole_line = self.lines == 1 && self.records == 0 && self.malformed == 1;
        if let Some(raw) = reading.events.iter().find(|event| event["type"] == "raw").filter(|_| whole_line) {
            diff.eq("bytes of the raw event", raw["bytes"].clone(), self.bytes.len() - 1);
        }
    }

    /// Both halves give the events that they give without anything between them.
    fn halves(&self, reading: &Reading, diff: &mut Diff) {
        let alone = Middle::default().input();
        let Some((_, alone)) = at_once(&alone, diff, |_, _| ()) else { return };
        let first = alone.events.iter().filter(|event| event["line"].as_u64() <= Some(3)).count();
        let (before, after) = alone.events.split_at(first);
        let got = &reading.events;
        if got.len() < alone.events.len() {
            diff.add(format!("{} events, fewer than without the middle", got.len()));
            return;
        }
        let (got_before, rest) = got.split_at(first);
        let (middle, got_after) = rest.split_at(rest.len() - after.len());
        let middle: Vec<String> = middle.iter().map(sketch).collect();
        diff.eq("events of the middle", middle, self.events.clone());
        for (got, want) in got_before.iter().zip(before) {
            diff.eq("before", got.clone(), want.clone());
        }
        let added = got.len() - alone.events.len();
        for (got, want) in got_after.iter().zip(after) {
            let mut want = want.clone();
            want["seq"] = Value::from(want["seq"].as_u64().unwrap_or_default() + added as u64);
            want["line"] = Value::from(want["line"].as_u64().unwrap_or_default() + self.lines);
            diff.eq("after", got.clone(), want);
        }
    }
}

/// An event in a word or two: a message with its text, a raw piece with its reason, a call with its tool, an update
/// with its status, anything else by its type.
#[must_use]
pub fn sketch(event: &Value) -> String {
    let kind = text(event, "type");
    match kind {
        "message" => format!("message {}", text(event, "text")),
        "raw" => format!("raw {}", text(event, "reason")),
        "tool_call" => format!("tool_call {}", text(event, "name")),
        "tool_call_update" => format!("tool_call_update {}", text(event, "status")),
        other => other.to_owned(),
    }
}
