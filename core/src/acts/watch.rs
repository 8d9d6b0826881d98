//! Watches a run's events: commands that tools are given, and what came of them.

use super::{ActTable, FoundAct};
use crate::envelope::ActRecord;
use crate::event::{Act, Event, EventKind, Known, ToolCall, ToolCallUpdate, ToolKind, ToolStatus};
use crate::limits::Limits;
use crate::memory::Memory;
use crate::rules::compiled::CommandPath;
use crate::text::{Form, Json, Text, raw};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The acts of a run, and the calls whose end is still to come.
#[derive(Debug)]
pub(crate) struct Watch {
    table: ActTable,
    limits: Limits,
    open: Memory<Open>,
    made: u64,
    kept: Vec<ActRecord>,
    ready: VecDeque<Ready>,
}

/// A call that is not over.
#[derive(Debug)]
struct Open {
    acts: Vec<FoundAct>,
    /// Its input is still to come; the tool's place in the profile's list.
    awaits: Option<usize>,
}

/// An event that waits to be taken.
#[derive(Debug)]
struct Ready {
    record: ActRecord,
    turn: u32,
    line: u64,
    native: Option<Text<'static>>,
    agent: Option<Text<'static>>,
    parent: Option<Text<'static>>,
    synthetic: bool,
}

impl Watch {
    pub(crate) fn new(table: ActTable, limits: &Limits) -> Self {
        Watch {
            table,
            limits: limits.clone(),
            open: Memory::new(limits.open_calls),
            made: 0,
            kept: Vec::new(),
            ready: VecDeque::new(),
        }
    }

    /// Looks at an event that is about to be taken.
    pub(crate) fn see(&mut self, event: &Event<'_>, commands: &[(Box<str>, CommandPath)]) {
        match &event.kind {
            EventKind::ToolCall(call) if call.kind == ToolKind::Execute => self.call(call, commands),
            EventKind::ToolCallUpdate(update) => self.update(event, update, commands),
            _ => {}
        }
    }

    /// The next act's event, with the number that it gets.
    pub(crate) fn next_event(&mut self, seq: u64) -> Option<Event<'static>> {
        let ready = self.ready.pop_front()?;
        let record = ready.record;
        Some(Event {
            seq,
            turn: ready.turn,
            line: ready.line,
            native_type: ready.native,
            agent: ready.agent,
            parent_tool_call_id: ready.parent,
            synthetic: ready.synthetic,
            kind: EventKind::Act(Act {
                act_id: record.act_id.into(),
                kind: record.kind.into(),
                target: record.target.map(Text::from),
                command: record.command.map(Text::from),
                tool_call_id: record.tool_call_id.map(Text::from),
                ok: record.ok.map(Known),
                irreversible: record.irreversible,
            }),
        })
    }

    /// An act waits to be taken.
    pub(crate) fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    pub(crate) fn into_records(self) -> Vec<ActRecord> {
        self.kept
    }

    fn call(&mut self, call: &ToolCall<'_>, commands: &[(Box<str>, CommandPath)]) {
        let Some(tool) = commands.iter().position(|(name, _)| call.name == **name) else { return };
        let (acts, awaits) = match &call.input {
            Some(input) => (self.find(input, commands, tool), None),
            None => (Vec::new(), Some(tool)),
        };
        if !acts.is_empty() || awaits.is_some() {
            self.open.insert(call.tool_call_id.bytes(), Open { acts, awaits });
        }
    }

    fn update(&mut self, event: &Event<'_>, update: &ToolCallUpdate<'_>, commands: &[(Box<str>, CommandPath)]) {
        let Some(at) = self.open.find(update.tool_call_id.bytes()) else { return };
        if let (Some(input), Some(tool)) = (&update.input, self.open.at(at).and_then(|open| open.value.awaits)) {
            let acts = self.find(input, commands, tool);
            if let Some(open) = self.open.value_mut(at) {
                *open = Open { acts, awaits: None };
            }
        }
        if !update.status.is_terminal() {
            return;
        }
        let acts = self.open.remove(at).map(|open| open.acts).unwrap_or_default();
        let ok = outcome(update);
        let mut output = None;
        for act in acts {
            let target = match &update.output {
                Some(said) if ok == Some(true) && act.asks_output() => {
                    act.target_in(output.get_or_insert_with(|| said.decode()))
                }
                _ => act.target,
            };
            self.made += 1;
            let record = ActRecord {
                act_id: format!("act-{}", self.made),
                kind: act.kind,
                target,
                command: Some(act.command),
                tool_call_id: Some(update.tool_call_id.to_string()),
                ok,
                irreversible: act.irreversible,
            };
            if self.kept.len() < self.limits.acts {
                self.kept.push(record.clone());
            }
            self.ready.push_back(Ready {
                record,
                turn: event.turn,
                line: event.line,
                native: event.native_type.clone().map(Text::into_owned),
                agent: event.agent.clone().map(Text::into_owned),
                parent: event.parent_tool_call_id.clone().map(Text::into_owned),
                synthetic: event.synthetic,
            });
        }
    }

    /// The acts in the command that a tool's input holds.
    fn find(&self, input: &Json<'_>, commands: &[(Box<str>, CommandPath)], tool: usize) -> Vec<FoundAct> {
        let path = commands.get(tool).map(|(_, path)| &**path).unwrap_or_default();
        let mut json = Cow::Borrowed(input.bytes());
        for key in path {
            let Some(inner) = member(&json, key) else { return Vec::new() };
            json = Cow::Owned(inner);
        }
        let Some(line) = string(&json, self.limits.command) else {
            let words: Option<Vec<String>> =
                raw::elements(&json).map(|word| string(word.json(&json), self.limits.command)).collect();
            let words = words.unwrap_or_default();
            return self.table.find_in_arguments(words.iter().map(String::as_str), &self.limits);
        };
        self.table.find_within(&line, &self.limits)
    }
}

/// What the tool itself says came of the call: its command's exit code, else its status. Of one that was stopped, or whose
/// end was never told, nothing is known.
fn outcome(update: &ToolCallUpdate<'_>) -> Option<bool> {
    match (update.status, update.exit_code) {
        (ToolStatus::Completed, Some(code)) => Some(code == 0),
        (ToolStatus::Completed, None) => Some(true),
        (ToolStatus::Failed | ToolStatus::Declined, _) => Some(false),
        _ => None,
    }
}

/// The member of an object; a string that holds an object is opened.
fn member(json: &[u8], key: &str) -> Option<Vec<u8>> {
    let opened = match json.first() {
        Some(b'"') => Cow::Owned(inside(json).decode().into_owned().into_bytes()),
        _ => Cow::Borrowed(json),
    };
    let slot = raw::field(&opened, key)?;
    Some(slot.json(&opened).to_vec())
}

/// The text of a string; nothing of other values, and of one that is far over the bound nothing that would be looked at.
fn string(json: &[u8], bound: usize) -> Option<String> {
    if json.first() != Some(&b'"') {
        return None;
    }
    // Twelve bytes stand for a character at most.
    if json.len() > bound.saturating_mul(12) {
        return Some(String::new());
    }
    Some(inside(json).decode().into_owned())
}

fn inside(json: &[u8]) -> Text<'_> {
    Text::borrowed(json.get(1..json.len().saturating_sub(1)).unwrap_or_default(), Form::Escaped)
}
