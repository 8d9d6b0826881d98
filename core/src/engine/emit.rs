//! What the conversation makes of each event of a rule before it is queued.

use super::Engine;
use crate::envelope::ErrorClass;
use crate::event::{Outcome, RawReason, Severity, StopReason, ToolStatus};
use crate::pending::{Fix, Span, What};
use crate::profile::emit::{
    Emit, FailureEmit, NoticeEmit, SessionStartedEmit, ToolCallEmit, ToolCallUpdateEmit, TurnEndedEmit,
};
use crate::rules::compiled::{CompiledEmit, Cond, Expr, List, Rules};
use crate::rules::eval::Ctx;
use crate::tally::failures::{Failure, class_of, words};
use crate::text::Text;
use alloc::string::String;
use alloc::vec::Vec;

pub(super) type Agent<'a> = Option<&'a [u8]>;

impl Engine {
    pub(super) fn emit(&mut self, rules: &Rules, n: u32, emit: &CompiledEmit, ctx: Ctx<'_>, agent: Agent<'_>) {
        let mut fix = Fix::default();
        match emit {
            Emit::SessionStarted(emit) => return self.session_started(n, emit, ctx),
            Emit::TurnStarted(_) => {
                if self.record.nested || self.conversation.turn_is_open() {
                    return;
                }
                self.turn_started();
                let told = self.failures.len();
                self.failures.first_turn_started();
                if let Some(trace) = self.trace.as_mut().filter(|_| self.failures.len() < told) {
                    trace.status("a turn starts: errors told before it were warnings");
                }
            }
            Emit::Message(emit) => return self.message(n, emit, ctx, agent, None),
            Emit::Reasoning(emit) => return self.reasoning(n, emit, ctx, agent, None),
            Emit::ToolCall(emit) => return self.tool_call(rules, n, emit, ctx, agent),
            Emit::ToolCallUpdate(emit) => return self.tool_call_update(n, emit, ctx, agent),
            Emit::Plan(emit) => {
                self.ensure_turn();
                fix.made = emit.entries.as_ref().map(|list| self.list(list, ctx));
            }
            Emit::Notice(emit) => return self.notice_emit(rules, n, emit, ctx),
            Emit::Interrupted(_) => {
                if !self.record.nested {
                    self.turn_interrupted();
                }
                return;
            }
            Emit::Withdrawn(emit) => {
                if let Some(id) = ctx.id(&emit.record_id) {
                    self.withdraw(&id);
                }
                return;
            }
            Emit::Failure(emit) => return self.failure(rules, emit, ctx),
            Emit::TurnEnded(emit) => return self.turn_ended(emit, ctx),
            Emit::PermissionRequest(emit) => {
                let Some(id) = ctx.id(&emit.request_id) else { return };
                let call = ctx.id(&emit.tool_call_id);
                self.requests.ask(id.bytes(), call.as_ref().map(Text::bytes).unwrap_or_default());
            }
            Emit::PermissionResolved(emit) => {
                let (request, call) = (ctx.id(&emit.request_id), ctx.id(&emit.tool_call_id));
                if let Some(id) = &request {
                    self.requests.settle(id.bytes());
                } else if let Some(call) = &call {
                    match self.requests.call_settled(call.bytes()) {
                        Some(id) => fix.id = Some(self.copy(&id)),
                        // That it is allowed says nothing of a call that nobody asked about, or that was answered.
                        None if ctx.name::<Outcome>(&emit.outcome) == Some(Outcome::Allowed) => return,
                        None => {}
                    }
                }
            }
            Emit::Subagent(emit) if ctx.id(&emit.agent).is_none() => return,
            _ => {}
        }
        self.queue(ctx.frame, false, What::Emit { emit: n, fix });
    }

    fn session_started(&mut self, n: u32, emit: &SessionStartedEmit<Expr, Cond, List>, ctx: Ctx<'_>) {
        let Some(id) = ctx.id(&emit.session_id).filter(|_| !self.record.nested) else { return };
        if self.conversation.session(&id) {
            let fix = Fix { resumed: self.conversation.resumed(&id), ..Fix::default() };
            self.queue(ctx.frame, false, What::Emit { emit: n, fix });
        }
    }

    fn tool_call(
        &mut self,
        rules: &Rules,
        n: u32,
        emit: &ToolCallEmit<Expr, Cond, List>,
        ctx: Ctx<'_>,
        agent: Agent<'_>,
    ) {
        self.ensure_turn();
        self.conversation.end_message(agent);
        if !self.record.nested {
            self.answer.tool();
        }
        let mut fix = Fix::default();
        let own = ctx.id(&emit.tool_call_id);
        let made: Vec<u8>;
        let id = match &own {
            Some(id) => id.bytes(),
            None => {
                let number = self.conversation.next_call_number();
                let mut id = b"call-".to_vec();
                crate::event::write_u64(number, &mut id);
                made = id;
                fix.id = Some(self.copy(&made));
                &made
            }
        };
        let has_input = ctx.json(&emit.input).is_some();
        if let Some(at) = self.conversation.open_call(id) {
            // The same call once more: only an input that was not there before is news.
            let news = has_input
                && self.conversation.call_mut(at).is_some_and(|call| !core::mem::replace(&mut call.has_input, true));
            if news {
                fix.known_call = true;
                self.queue(ctx.frame, false, What::Emit { emit: n, fix });
            }
            return;
        }
        if let Some(at) = self.conversation.call_to_close() {
            self.close_call(at);
        }
        let parent = self
            .record
            .rule
            .and_then(|n| rules.rules.get(usize::from(n)))
            .and_then(|rule| ctx.id(&rule.parent_tool_call_id));
        let parent = parent.as_ref().map(Text::bytes).unwrap_or_default();
        self.conversation.start_call(id, has_input, agent.unwrap_or_default(), parent);
        fix.made = emit.locations.as_ref().map(|list| self.list(list, ctx));
        self.queue(ctx.frame, false, What::Emit { emit: n, fix });
    }

    fn tool_call_update(
        &mut self,
        n: u32,
        emit: &ToolCallUpdateEmit<Expr, Cond, List>,
        ctx: Ctx<'_>,
        agent: Agent<'_>,
    ) {
        self.conversation.end_message(agent);
        if !self.record.nested {
            self.answer.tool();
        }
        let own = ctx.id(&emit.tool_call_id);
        let at = match &own {
            Some(id) => self.conversation.open_call(id.bytes()),
            None if emit.tool_call_id.is_none() => self.conversation.newest_call(),
            None => None,
        };
        let Some(at) = at else {
            // News of a call that was never seen, or is over: kept, but not made into a call.
            self.counts.unmapped += 1;
            let native = self.scratch.get(self.record.native.range()).unwrap_or_default();
            self.unmapped.count(native);
            self.trace_ignored("it tells news of a tool call that is not open");
            let (start, end) = self.record.place;
            self.raw(ctx.line, RawReason::Unmapped, start, end, (end - start) as u64);
            return;
        };
        let mut fix = Fix::default();
        if own.is_none()
            && let Some((id, _)) = self.conversation.call(at)
        {
            fix.id = Some(Span::put(&mut self.scratch, id));
        }
        let status = ctx.name::<ToolStatus>(&emit.status).unwrap_or(ToolStatus::InProgress);
        if status.is_terminal() {
            if self.requests.any()
                && let Some((id, _)) = self.conversation.call(at)
            {
                self.requests.call_ended(id);
            }
            self.conversation.end_call(at, status);
            if self.requests.any() {
                self.requests.at_most(self.conversation.open_calls());
            }
        }
        fix.made = emit.changes.as_ref().map(|list| self.list(list, ctx));
        self.queue(ctx.frame, false, What::Emit { emit: n, fix });
    }

    fn notice_emit(&mut self, rules: &Rules, n: u32, emit: &NoticeEmit<Expr, Cond, List>, ctx: Ctx<'_>) {
        let message = self.words(ctx.text(&emit.message));
        let mut severity = ctx.name::<Severity>(&emit.severity).unwrap_or_default();
        let mut fix = Fix::default();
        if let Some((at, given, captures)) = matching(rules, &message) {
            severity = given;
            fix.notice = Some((at, self.keep(captures)));
        }
        if severity == Severity::Error {
            self.last_error = Some(message);
        }
        self.notices += 1;
        self.queue(ctx.frame, false, What::Emit { emit: n, fix });
    }

    /// The words of a detail, decoded, opened and bounded.
    fn words(&self, text: Option<Text<'_>>) -> String {
        text.map(|text| words(&text.decode(), &self.limits)).unwrap_or_default()
    }

    fn failure(&mut self, rules: &Rules, emit: &FailureEmit<Expr, Cond, List>, ctx: Ctx<'_>) {
        let mut label = ctx.text(&emit.label).map(|label| label.decode().into_owned()).unwrap_or_default();
        crate::tally::truncate(&mut label, self.limits.message);
        let mut message = self.detail(ctx, &emit.message);
        if message.is_empty() && rules.failure_told_by_notice {
            message = self.last_error.take().unwrap_or_default();
        }
        let code = self.copy(label.as_bytes());
        let made_notice = matching(rules, &message);
        if let Some(trace) = &mut self.trace {
            trace.failure(&message, made_notice.map(|(at, ..)| at));
        }
        if let Some((at, severity, captures)) = made_notice {
            let words = self.copy(message.as_bytes());
            let code = match rules.notices.get(usize::from(at)).and_then(|rule| rule.code.as_deref()) {
                Some(own) => self.copy(own.as_bytes()),
                None => code,
            };
            let retry = (captures != Default::default()).then_some(captures);
            self.notice(ctx.frame, severity, code, words, retry);
            return;
        }
        if message.is_empty() {
            message.push_str("no reason given");
        }
        let class = ctx.name::<ErrorClass>(&emit.class).unwrap_or_else(|| class_of(&rules.classes, &label, &message));
        let words = self.copy(message.as_bytes());
        let weak = ctx.flag(&emit.weak);
        if self.record.terminal {
            self.record.failed = true;
            self.record.error = Some((class, words));
        } else {
            self.notice(ctx.frame, Severity::Error, code, words, None);
        }
        self.failures.add(Failure {
            label,
            message,
            class,
            until_first_turn: ctx.flag(&emit.until_first_turn) && self.conversation.turns() == 0,
            weak,
            turns: self.conversation.turns(),
        });
        if weak && self.record.terminal {
            // What was said before may be better.
            self.record.error = self.told_of_turn().or(self.record.error);
        }
    }

    /// The failure that was told of the turn that runs.
    pub(super) fn told_of_turn(&mut self) -> Option<(ErrorClass, Span)> {
        let told = self.failures.since(self.conversation.turns())?;
        Some((told.class, Span::put(&mut self.scratch, told.message.as_bytes())))
    }

    /// The words of a failure: the first alternative that has any.
    fn detail(&self, ctx: Ctx<'_>, expr: &Option<Expr>) -> String {
        let Some(expr) = expr else { return String::new() };
        if expr.sources.is_empty() || !expr.is_plain() {
            return self.words(ctx.text_of(expr));
        }
        let mut found = String::new();
        for source in &expr.sources {
            let Some(value) = ctx.pick(core::slice::from_ref(source)).filter(|value| !value.is_blank()) else {
                continue;
            };
            let json = value.bytes();
            found = match value.is_string() {
                true => self.words(Some(value.text())),
                // Lists and objects are read as they stand: each has its own way of holding words.
                false => words(&crate::text::raw::repaired(json), &self.limits),
            };
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    fn turn_ended(&mut self, emit: &TurnEndedEmit<Expr, Cond, List>, ctx: Ctx<'_>) {
        if self.record.nested || self.record.ended_turn.is_some() {
            return;
        }
        self.ensure_turn();
        let mut error = self.record.error;
        let mut stop = match (ctx.name::<StopReason>(&emit.stop_reason), error) {
            // Whatever the record says beside it: a turn with an error did not end well.
            (None | Some(StopReason::EndTurn), Some(_)) => StopReason::Error,
            (Some(stop), _) => stop,
            (None, None) => StopReason::Unknown,
        };
        if stop == StopReason::Error {
            error = error.or_else(|| self.told_of_turn());
        }
        if self.interrupted && matches!(stop, StopReason::Error | StopReason::Unknown) {
            stop = StopReason::Cancelled;
        }
        self.record.ended_turn = Some(stop);
        self.queue(ctx.frame, false, What::TurnEnded { stop, error });
        self.conversation.end_turn();
    }
}

/// The pattern that makes a message a notice.
fn matching(rules: &Rules, message: &str) -> Option<(u16, Severity, crate::rules::pattern::Captures)> {
    rules.notices.iter().enumerate().find_map(|(n, rule)| {
        let captures = rule.pattern.captures(message)?;
        Some((n as u16, rule.severity, captures))
    })
}
