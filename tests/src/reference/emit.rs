//! What a rule makes: each event of the vocabulary, and what it means for the conversation.

mod notices;
mod texts;
mod tools;

use super::field::Here;
use super::node::tree;
use super::state::{State, fields};
use serde_json::{Map, Value};
use turnline::profile::{Emit, EmitSpec, Field, ListField, UsageEmit, When};
use turnline::{Outcome, Phase, StopReason, UsageMode, UsageScope};

type Own = Option<Field>;

macro_rules! named {
    ($here:expr, $field:expr, $enum:ty) => {
        $here.word($field).and_then(|word| <$enum>::from_name(&word))
    };
}

use named;

impl State<'_> {
    /// Makes an event; `joined` is what it says together with other elements.
    pub(super) fn emit(&mut self, emit: &EmitSpec, here: Here<'_>, joined: Option<&str>) {
        let text = |field: &Own| here.text(field).map(Value::from);
        let id = |field: &Own| here.id(field).map(Value::from);
        let json = |field: &Own| here.picked(field).map(|node| tree(node, 400));
        let whole = |field: &Own| here.whole(field).map(Value::from);
        match emit {
            Emit::SessionStarted(e) => {
                let Some(session) = here.id(&e.session_id).filter(|_| !self.record.nested()) else { return };
                if self.session(&session) {
                    let resumed = self.resumed(&session);
                    let all = fields([
                        ("session_id", Some(session.into())),
                        ("resumed", resumed),
                        ("model", text(&e.model)),
                        ("cwd", text(&e.cwd)),
                        ("cli_version", text(&e.cli_version)),
                        ("tools", json(&e.tools)),
                        ("permission_mode", text(&e.permission_mode)),
                    ]);
                    self.event("session_started", false, all);
                }
            }
            Emit::TurnStarted(_) => {
                if self.record.nested() || self.turn_open {
                    return;
                }
                self.start_turn();
                self.failures.retain(|failure| !failure.until_first_turn);
                self.event("turn_started", false, Map::new());
            }
            Emit::Message(e) => self.message(e, here, joined),
            Emit::Reasoning(e) => self.reasoning(e, here, joined),
            Emit::ToolCall(e) => self.tool_call(e, here),
            Emit::ToolCallUpdate(e) => self.tool_call_update(e, here),
            Emit::Plan(e) => {
                self.ensure_turn();
                let entries = list(here, &e.entries, &["content", "status", "priority"]);
                self.event("plan", false, fields([("entries", entries)]));
            }
            Emit::Usage(e) => self.usage(e, here),
            Emit::Notice(e) => self.notice(e, here),
            Emit::PermissionRequest(e) => {
                let Some(request) = here.id(&e.request_id) else { return };
                self.requests.retain(|(known, _)| *known != request);
                if self.requests.len() >= self.options.limits.open_calls {
                    self.requests.remove(0);
                }
                self.requests.push((request.clone(), here.id(&e.tool_call_id)));
                let all = fields([
                    ("request_id", Some(request.into())),
                    ("kind", text(&e.kind)),
                    ("tool_call_id", id(&e.tool_call_id)),
                    ("title", text(&e.title)),
                    ("options", json(&e.options)),
                    ("input", json(&e.input)),
                ]);
                self.event("permission_request", false, all);
            }
            Emit::PermissionResolved(e) => {
                let outcome = named!(here, &e.outcome, Outcome).unwrap_or_default();
                let (mut request, call) = (here.id(&e.request_id), here.id(&e.tool_call_id));
                let about = |(known, of): &(String, Option<String>)| match &request {
                    Some(request) => request == known,
                    None => call.is_some() && *of == call,
                };
                let open = self.requests.iter().position(about).map(|at| self.requests.remove(at).0);
                // That a call is allowed is news only where somebody asked.
                if outcome == Outcome::Allowed && request.is_none() && call.is_some() && open.is_none() {
                    return;
                }
                request = request.or(open);
                let all = fields([
                    ("request_id", request.map(Value::from)),
                    ("tool_call_id", id(&e.tool_call_id)),
                    ("outcome", Some(outcome.as_str().into())),
                    ("by", text(&e.by)),
                    ("reason", text(&e.reason)),
                ]);
                self.event("permission_resolved", false, all);
            }
            Emit::Subagent(e) => {
                let Some(agent) = here.id(&e.agent) else { return };
                let phase = named!(here, &e.phase, Phase).unwrap_or_default();
                let all = fields([
                    ("agent", Some(agent.into())),
                    ("phase", Some(phase.as_str().into())),
                    ("name", text(&e.name)),
                    ("description", text(&e.description)),
                    ("status", text(&e.status)),
                ]);
                self.event("subagent", false, all);
            }
            Emit::Compaction(e) => {
                let phase = named!(here, &e.phase, Phase).unwrap_or_default();
                let all = fields([
                    ("phase", Some(phase.as_str().into())),
                    ("trigger", text(&e.trigger)),
                    ("tokens_before", whole(&e.tokens_before)),
                    ("tokens_after", whole(&e.tokens_after)),
                ]);
                self.event("compaction", false, all);
            }
            Emit::TurnEnded(e) => self.turn_ended(named!(here, &e.stop_reason, StopReason)),
            Emit::Failure(e) => self.failure(e, here),
            Emit::Interrupted(_) => self.interrupted |= !self.record.nested() && self.turn_open,
            Emit::Withdrawn(e) => {
                if let Some(id) = here.id(&e.record_id) {
                    self.withdraw(&id);
                }
            }
            // An iteration is no event, and there are no other kinds.
            _ => {}
        }
    }

    fn usage(&mut self, e: &UsageEmit<Field, When, ListField>, here: Here<'_>) {
        let whole = |field: &Own| here.whole(field).map(Value::from);
        let scope = named!(here, &e.scope, UsageScope).unwrap_or_default();
        let mode = named!(here, &e.mode, UsageMode).unwrap_or_default();
        let all = fields([
            ("scope", Some(scope.as_str().into())),
            ("mode", Some(mode.as_str().into())),
            ("input", whole(&e.input)),
            ("cache_read", whole(&e.cache_read)),
            ("cache_write", whole(&e.cache_write)),
            ("output", whole(&e.output)),
            ("reasoning", whole(&e.reasoning)),
            ("total", whole(&e.total)),
            ("model", here.text(&e.model).map(Value::from)),
            ("cost_usd", here.number(&e.cost_usd).map(Value::from)),
        ]);
        self.event("usage", false, all);
    }

    fn turn_ended(&mut self, stop: Option<StopReason>) {
        if self.record.nested() || self.record.ended_turn.is_some() {
            return;
        }
        self.ensure_turn();
        let mut error = self.record.error.clone();
        let mut stop = stop.unwrap_or(if error.is_some() { StopReason::Error } else { StopReason::Unknown });
        if error.is_some() && stop == StopReason::EndTurn {
            stop = StopReason::Error;
        }
        if stop == StopReason::Error {
            error = error.or_else(|| self.told_of_turn());
        }
        if self.interrupted && (stop == StopReason::Error || stop == StopReason::Unknown) {
            stop = StopReason::Cancelled;
        }
        self.record.ended_turn = Some(stop);
        let error = error.map(|(class, message)| {
            Value::Object(fields([("class", Some(class.into())), ("message", Some(message.into()))]))
        });
        self.event("turn_ended", false, fields([("stop_reason", Some(stop.as_str().into())), ("error", error)]));
        self.end_turn();
    }
}

/// A list of entries; those without their first field say nothing.
fn list(here: Here<'_>, spec: &Option<ListField>, names: &[&str]) -> Option<Value> {
    let spec = spec.as_ref()?;
    let places = match spec.get("each") {
        Some(Field::Path(of)) => here.each(of),
        _ => vec![here],
    };
    let given: Vec<(&str, Own)> =
        names.iter().filter_map(|name| Some((*name, Some(spec.get(*name)?.clone())))).collect();
    let entry = |here: Here<'_>| {
        let (_, first) = given.first()?;
        here.text(first).filter(|text| !text.is_empty())?;
        let value = |name: &str, field: &Own| match name {
            // The only number in a list.
            "line" => here.whole(field).map(Value::from),
            _ => here.text(field).map(Value::from),
        };
        let members = given.iter().filter_map(|(name, field)| Some(((*name).to_owned(), value(name, field)?)));
        Some(Value::Object(members.collect()))
    };
    let entries: Vec<Value> = places.into_iter().filter_map(entry).collect();
    (!entries.is_empty()).then_some(Value::Array(entries))
}
