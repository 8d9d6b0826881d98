//! What a rule makes: each event of the vocabulary, and what it means for the conversation.

use super::field::{Here, is_block};
use super::node::{Node, tree};
use super::pattern::{self, Kept};
use super::state::{Call, Current, Said, State, fields};
use super::tally::{self, Failure};
use serde_json::{Map, Value};
use turnline::profile::{
    Emit, EmitSpec, FailureEmit, Field, ListField, MessageEmit, NoticeEmit, ReasoningEmit, ToolCallEmit,
    ToolCallUpdateEmit, UsageEmit, When,
};
use turnline::{Outcome, Phase, Role, Severity, StopReason, ToolKind, ToolStatus, UsageMode, UsageScope};

type Own = Option<Field>;

macro_rules! named {
    ($here:expr, $field:expr, $enum:ty) => {
        $here.word($field).and_then(|word| <$enum>::from_name(&word))
    };
}

impl State<'_> {
    pub(super) fn emit(&mut self, emit: &EmitSpec, here: Here<'_>) {
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
            Emit::Message(e) => self.message(e, here),
            Emit::Reasoning(e) => self.reasoning(e, here),
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

    /// The message that a text belongs to: the one it names, or the one that is open.
    fn message_key(&mut self, here: Here<'_>, own: &Own, delta: bool) -> String {
        let agent = self.record.agent.clone();
        here.id(own).unwrap_or_else(|| self.message_of(&agent, delta))
    }

    /// The texts of an earlier record are void.
    fn withdraw(&mut self, id: &str) {
        let (void, kept) = std::mem::take(&mut self.said).into_iter().partition(|said: &Said| said.record == id);
        self.said = kept;
        for said in void {
            if let Some((message, part)) = said.counts {
                self.texts.withdraw(self.spec.answer, &message, &part);
            }
            let mut all = said.event;
            all.insert("withdrawn".into(), true.into());
            let of = Current { native: self.record.native.clone(), ..Current::default() };
            let record = std::mem::replace(&mut self.record, of);
            self.event(said.kind, true, all);
            self.record = record;
        }
    }

    /// A text that a later record may take back.
    fn remember(&mut self, kind: &'static str, event: &Map<String, Value>, counts: Option<(String, String)>) {
        let Some(record) = self.record.id.clone() else { return };
        let mut kept = fields([("text", Some("".into()))]);
        if kind == "message" {
            kept.insert("role".into(), "assistant".into());
        }
        for name in ["message_id", "part"] {
            if let Some(value) = event.get(name) {
                kept.insert(name.into(), value.clone());
            }
        }
        for (name, id) in [("agent", &self.record.agent), ("parent_tool_call_id", &self.record.parent)] {
            if let Some(id) = id {
                kept.insert(name.into(), id.clone().into());
            }
        }
        if self.said.len() >= self.options.limits.remembered {
            self.said.remove(0);
        }
        self.said.push(Said { record, kind, event: kept, counts });
    }

    fn message(&mut self, e: &MessageEmit<Field, When, ListField>, here: Here<'_>) {
        let role = named!(here, &e.role, Role).unwrap_or_default();
        let (delta, synthetic) = (here.flag(&e.delta), here.flag(&e.synthetic));
        let said = here.text(&e.text);
        let mut counts = None;
        let message = if role == Role::User {
            let agent = self.record.agent.clone();
            self.end_message(&agent);
            here.id(&e.message_id)
        } else {
            self.ensure_turn();
            let message = self.message_key(here, &e.message_id, delta);
            let part = part(here, &e.part).map_or_else(String::new, |part| match part {
                Value::String(id) => id,
                number => number.to_string(),
            });
            counts = (!self.record.nested() && !synthetic).then(|| (message.clone(), part.clone()));
            if let Some(said) = said.as_deref().filter(|_| counts.is_some()) {
                self.texts.say(self.spec.answer, &message, &part, said, delta);
            }
            Some(message)
        };
        let all = fields([
            ("role", Some(role.as_str().into())),
            ("message_id", message.map(Value::from)),
            ("part", part(here, &e.part)),
            ("text", Some(said.unwrap_or_default().into())),
            ("delta", delta.then_some(true.into())),
        ]);
        if role != Role::User {
            self.remember("message", &all, counts);
        }
        self.event("message", synthetic, all);
    }

    fn reasoning(&mut self, e: &ReasoningEmit<Field, When, ListField>, here: Here<'_>) {
        self.ensure_turn();
        let delta = here.flag(&e.delta);
        let message = self.message_key(here, &e.message_id, delta);
        let all = fields([
            ("message_id", Some(message.into())),
            ("part", part(here, &e.part)),
            ("text", Some(here.text(&e.text).unwrap_or_default().into())),
            ("delta", delta.then_some(true.into())),
            ("redacted", here.flag(&e.redacted).then_some(true.into())),
        ]);
        self.remember("reasoning", &all, None);
        self.event("reasoning", false, all);
    }

    fn tool_call(&mut self, e: &ToolCallEmit<Field, When, ListField>, here: Here<'_>) {
        self.ensure_turn();
        self.not_a_text();
        let id = here.id(&e.tool_call_id).unwrap_or_else(|| {
            self.calls_made += 1;
            format!("call-{}", self.calls_made)
        });
        let input = here.picked(&e.input).map(|node| tree(node, 400));
        if let Some(open) = self.calls.iter_mut().find(|call| call.id == id) {
            // Once more: only an input that was not there before is news.
            if input.is_some() && !std::mem::replace(&mut open.has_input, true) {
                let all = fields([
                    ("tool_call_id", Some(id.into())),
                    ("status", Some("in_progress".into())),
                    ("input", input),
                ]);
                self.event("tool_call_update", false, all);
            }
            return;
        }
        if self.calls.len() >= self.options.limits.open_calls {
            self.close_oldest_call();
        }
        let (agent, parent) = (self.record.agent.clone(), self.record.parent.clone());
        self.calls.push(Call { id: id.clone(), has_input: input.is_some(), agent, parent });
        self.tools.started += 1;
        let tools = &self.spec.tools;
        let name = here.text(&e.name).unwrap_or_default();
        let kind = named!(here, &e.kind, ToolKind).or_else(|| tools.kinds.get(&name).copied()).unwrap_or_default();
        let server = here.text(&e.server).or_else(|| {
            let rest = here.picked(&e.name)?.string()?;
            let mcp = tools.mcp.as_ref()?;
            let (server, _) = rest.strip_prefix(&mcp.prefix)?.split_once(&mcp.separator)?;
            Some(server.to_owned())
        });
        let all = fields([
            ("tool_call_id", Some(id.into())),
            ("name", Some(name.into())),
            ("kind", Some(kind.as_str().into())),
            ("server", server.map(Value::from)),
            ("title", here.text(&e.title).map(Value::from)),
            ("input", input),
            ("locations", list(here, &e.locations, &["path", "line"])),
        ]);
        self.event("tool_call", false, all);
    }

    fn tool_call_update(&mut self, e: &ToolCallUpdateEmit<Field, When, ListField>, here: Here<'_>) {
        self.not_a_text();
        let open = match here.id(&e.tool_call_id) {
            Some(id) => self.calls.iter().position(|call| call.id == id),
            // A profile that names no id means the newest call.
            None if e.tool_call_id.is_none() => self.calls.len().checked_sub(1),
            None => None,
        };
        let Some(open) = open else {
            let (native, whole) = (self.record.native.clone(), self.record.bytes.clone());
            self.count_unmapped(&native, &whole);
            return;
        };
        let id = self.calls[open].id.clone();
        let status = named!(here, &e.status, ToolStatus).unwrap_or(ToolStatus::InProgress);
        if status != ToolStatus::InProgress {
            self.calls.remove(open);
            self.requests.retain(|(_, call)| call.as_ref() != Some(&id));
            // Each request that names no call waits for one of those that run.
            while self.requests.iter().filter(|(_, call)| call.is_none()).count() > self.calls.len() {
                let oldest = self.requests.iter().position(|(_, call)| call.is_none()).expect("there is one");
                self.requests.remove(oldest);
            }
            let tools = &mut self.tools;
            match status {
                ToolStatus::Completed => tools.completed += 1,
                ToolStatus::Failed => tools.failed += 1,
                ToolStatus::Declined => tools.declined += 1,
                ToolStatus::Cancelled => tools.cancelled += 1,
                _ => tools.unknown += 1,
            }
        }
        let all = fields([
            ("tool_call_id", Some(id.into())),
            ("status", Some(status.as_str().into())),
            ("output", here.text(&e.output).map(Value::from)),
            ("error", here.text(&e.error).map(Value::from)),
            ("exit_code", here.signed(&e.exit_code).map(Value::from)),
            ("changes", list(here, &e.changes, &["path", "op", "diff"])),
            ("input_delta", here.text(&e.input_delta).map(Value::from)),
        ]);
        self.event("tool_call_update", false, all);
    }

    /// A tool ends the message of ours that is open, and what text came before it.
    fn not_a_text(&mut self) {
        let agent = self.record.agent.clone();
        self.end_message(&agent);
        if !self.record.nested() {
            self.texts.tool(self.spec.answer);
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

    /// The profile's notice that a message is: severity, code, what it keeps.
    fn noticed(&self, message: &str) -> Option<(Severity, Option<String>, Kept)> {
        self.spec.notices.iter().find_map(|notice| {
            let kept = pattern::captures(&notice.pattern, message, false)?;
            let severity = notice.severity.as_deref().and_then(Severity::from_name).unwrap_or(Severity::Warning);
            let retry = pattern::keeps_attempt(&notice.pattern).then(|| "retry".to_owned());
            Some((severity, notice.code.clone().or(retry), kept))
        })
    }

    fn notice(&mut self, e: &NoticeEmit<Field, When, ListField>, here: Here<'_>) {
        let words = tally::opened(&here.text(&e.message).unwrap_or_default(), self.options.limits.message);
        let known = self.noticed(&words);
        let severity = match &known {
            Some((severity, _, _)) => *severity,
            None => named!(here, &e.severity, Severity).unwrap_or_default(),
        };
        if severity == Severity::Error {
            self.last_error = Some(words);
        }
        let said = Kept {
            attempt: here.whole(&e.retry_attempt),
            max: here.whole(&e.retry_max),
            delay_ms: here.whole(&e.retry_delay_ms),
        };
        let (code, kept) = known.map_or((None, Kept::default()), |(_, code, kept)| (code, kept));
        let message = here.text(&e.message).unwrap_or_default();
        self.tell(severity, here.text(&e.code).or(code), message, if kept == Kept::default() { said } else { kept });
    }

    fn tell(&mut self, severity: Severity, code: Option<String>, message: String, retry: Kept) {
        self.notices += 1;
        let retry = (retry != Kept::default()).then(|| {
            let number = |value: Option<u64>| value.map(Value::from);
            Value::Object(fields([
                ("attempt", number(retry.attempt)),
                ("max", number(retry.max)),
                ("delay_ms", number(retry.delay_ms)),
            ]))
        });
        let all = fields([
            ("severity", Some(severity.as_str().into())),
            ("code", code.map(Value::from)),
            ("message", Some(message.into())),
            ("retry", retry),
        ]);
        self.event("notice", false, all);
    }

    fn failure(&mut self, e: &FailureEmit<Field, When, ListField>, here: Here<'_>) {
        let label = tally::cut(here.text(&e.label).unwrap_or_default(), self.options.limits.message);
        let mut message = self.detail(here, &e.message);
        let told_by_notice = self.spec.quirks.contains(&turnline::profile::Quirk::FailureToldByNotice);
        if message.is_empty() && told_by_notice {
            message = self.last_error.take().unwrap_or_default();
        }
        let code = Some(label.clone()).filter(|label| !label.is_empty());
        if let Some((severity, own, kept)) = self.noticed(&message) {
            self.tell(severity, own.or(code), message, kept);
            return;
        }
        if message.is_empty() {
            message = "no reason given".into();
        }
        let class = here.word(&e.class).filter(|class| turnline::ErrorClass::from_name(class).is_some());
        let class = class.unwrap_or_else(|| tally::class_of(self.spec, &label, &message));
        if self.record.terminal {
            self.record.failed = true;
            self.record.error = Some((class.clone(), message.clone()));
        } else {
            self.tell(Severity::Error, code, message.clone(), Kept::default());
        }
        let until_first_turn = here.flag(&e.until_first_turn) && self.turns == 0;
        let turns = self.turns;
        let failure = Failure { label, message, class, until_first_turn, weak: here.flag(&e.weak), turns };
        tally::add_failure(&mut self.failures, failure, self.options.limits.failures);
    }

    /// The words of a failure: the first alternative that has any.
    fn detail(&self, here: Here<'_>, field: &Own) -> String {
        let Some(known) = field else { return String::new() };
        let bound = self.options.limits.message;
        let translated = match known {
            Field::Mapped(mapped) => !mapped.map.is_empty() || mapped.default.is_some(),
            Field::Path(path) => path.starts_with('='),
            Field::Flag(_) => true,
            Field::Paths(_) => false,
        };
        if translated {
            return tally::opened(&here.text(field).unwrap_or_default(), bound);
        }
        let told = here.alternatives(known).into_iter().map(|node: Node<'_>| tally::opened(&node.word(), bound));
        told.into_iter().find(|words| !words.is_empty()).unwrap_or_default()
    }

    fn turn_ended(&mut self, stop: Option<StopReason>) {
        if self.record.nested() || self.record.ended_turn.is_some() {
            return;
        }
        self.ensure_turn();
        let error = self.record.error.clone();
        let mut stop = stop.unwrap_or(if error.is_some() { StopReason::Error } else { StopReason::Unknown });
        if error.is_some() && stop == StopReason::EndTurn {
            stop = StopReason::Error;
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

/// Which part of its message a text is: a number, or the executor's own id.
fn part(here: Here<'_>, field: &Own) -> Option<Value> {
    if is_block(field) {
        return Some(here.block.into());
    }
    here.whole(field).map(Value::from).or_else(|| here.text(field).map(Value::from))
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
