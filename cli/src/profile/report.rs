//! How a profile reads a stream: record types and what becomes of them.

use crate::transcript::{Paint, Transcript, clean};
use std::collections::BTreeMap;
use std::io::Write as _;
use turnline::{Envelope, Event, EventKind, RawReason};

/// Record types listed; a hostile stream may hold millions.
const TYPES: usize = 256;
/// Characters of a type's name.
const NAME: usize = 60;

/// What was seen of a stream.
#[derive(Debug, Default)]
pub(super) struct Report {
    mapped: BTreeMap<String, Mapped>,
    unmapped: BTreeMap<String, Seen>,
    /// All record types, whatever becomes of them.
    all: BTreeMap<String, Seen>,
    /// Events that come from no record, by kind: turns that nobody announced, calls that nobody closed.
    added: BTreeMap<&'static str, u64>,
    pub(super) envelope: Envelope,
}

/// A record type that makes events.
#[derive(Debug, Default)]
struct Mapped {
    seen: Seen,
    /// How many events of each kind.
    events: BTreeMap<&'static str, u64>,
    /// What an event is worth little without: how often it was asked for, and how often it was empty.
    needed: BTreeMap<&'static str, (u64, u64)>,
}

#[derive(Debug, Default)]
struct Seen {
    count: u64,
    first_line: u64,
    last_line: u64,
}

impl Seen {
    /// A record on this line; several events of one line are one record.
    fn on(&mut self, line: u64) {
        if self.count == 0 {
            self.first_line = line;
        }
        if self.count == 0 || self.last_line != line {
            self.count += 1;
        }
        self.last_line = line;
    }
}

impl Report {
    /// Takes a record into account, as it is told where nothing is mapped.
    pub(super) fn count(&mut self, event: &Event<'_>) {
        if matches!(&event.kind, EventKind::Raw(raw) if raw.reason == RawReason::Unmapped) {
            place(&mut self.all, name(event)).on(event.line);
        }
    }

    /// Takes an event into account.
    pub(super) fn add(&mut self, event: &Event<'_>) {
        let name = name(event);
        match &event.kind {
            // Of texts it means that the CLI itself spoke; all others were made by the parser.
            kind if event.synthetic && !matches!(kind, EventKind::Message(_) | EventKind::Reasoning(_)) => {
                *self.added.entry(kind.name()).or_default() += 1;
            }
            EventKind::Raw(raw) if raw.reason == RawReason::Unmapped => place(&mut self.unmapped, name).on(event.line),
            EventKind::Raw(raw) if raw.reason != RawReason::Text => {}
            kind => {
                let mapped = place(&mut self.mapped, name);
                mapped.seen.on(event.line);
                *mapped.events.entry(kind.name()).or_default() += 1;
                if let Some((what, empty)) = needed(kind) {
                    let (all, without) = mapped.needed.entry(what).or_default();
                    *all += 1;
                    *without += u64::from(empty);
                }
            }
        }
    }

    /// The types that are not mapped, with counts and the first line.
    pub(super) fn unmapped(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.unmapped.iter().map(|(name, seen)| (&**name, seen.count, seen.first_line))
    }

    /// True when no record was left unmapped.
    pub(super) fn all_mapped(&self) -> bool {
        self.envelope.stream.unmapped == 0
    }

    /// Appends the report for people.
    pub(super) fn write(&self, name: &str, out: &mut Vec<u8>) {
        let stream = &self.envelope.stream;
        // Writing to a vector cannot fail.
        let _ = writeln!(
            out,
            "\n{}: {} lines, {} records, {} unmapped, {} malformed lines",
            clean::line(name, 400),
            stream.lines,
            stream.records,
            stream.unmapped,
            stream.malformed_lines
        );
        let names = self.mapped.keys().chain(self.unmapped.keys()).chain(self.all.keys());
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
        for (name, mapped) in &self.mapped {
            let (count, kinds) = (mapped.seen.count, kinds(&mapped.events));
            let empty = mapped.needed.iter().filter(|(_, (all, without))| all == without);
            let empty: String = empty.map(|(what, _)| format!("; {what} always empty")).collect();
            let _ = writeln!(out, "  mapped    {name:width$}  {count:>7}  {kinds}{empty}");
        }
        for (name, seen) in &self.all {
            if !self.mapped.contains_key(name) && !self.unmapped.contains_key(name) {
                let (count, line) = (seen.count, seen.first_line);
                let _ = writeln!(out, "  mapped    {name:width$}  {count:>7}  to nothing; first on line {line}");
            }
        }
        if !self.added.is_empty() {
            let _ = writeln!(out, "  added     {:width$}  {:>7}  {}", "", "", kinds(&self.added));
        }
        for (name, seen) in &self.unmapped {
            let _ = writeln!(out, "  UNMAPPED  {name:width$}  {:>7}  first on line {}", seen.count, seen.first_line);
        }
        if let Some(summary) = self.envelope.result.as_ref().and(self.envelope.summary.as_ref()) {
            let _ = writeln!(out, "  answer    {}", clean::line(summary, 200));
        }
        Transcript::new(&self.envelope.executor, Paint::plain()).verdict(&self.envelope, out);
    }
}

/// The type of the record that an event comes from.
fn name(event: &Event<'_>) -> String {
    let native = event.native_type.as_ref().map(|native| clean::line(&native.decode(), NAME));
    native.unwrap_or_else(|| "(no type)".to_owned())
}

/// What an event is worth little without, and whether it is empty.
fn needed(kind: &EventKind<'_>) -> Option<(&'static str, bool)> {
    match kind {
        EventKind::Message(message) if !message.withdrawn => Some(("text of message", message.text.is_empty())),
        EventKind::ToolCall(call) => Some(("name of tool_call", call.name.is_empty())),
        _ => None,
    }
}

/// Kinds of events with their counts.
fn kinds(events: &BTreeMap<&'static str, u64>) -> String {
    events.iter().map(|(kind, count)| format!("{kind} {count}")).collect::<Vec<_>>().join(", ")
}

/// The entry of a name; what comes after too many names is counted together.
fn place<V: Default>(map: &mut BTreeMap<String, V>, name: String) -> &mut V {
    let full = map.len() >= TYPES && !map.contains_key(&name);
    map.entry(if full { "(other)".to_owned() } else { name }).or_default()
}
