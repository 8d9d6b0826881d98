//! Turns a queued event into borrows: the last thing that happens to it.

use super::Engine;
use crate::event::{
    Changes, Compaction, Event, EventKind, Locations, Message, Notice, Part, PermissionRequest, PermissionResolved,
    Plan, PlanUpdate, RateLimit, Raw, Reasoning, Retry, Role, SessionStarted, Subagent, ToolCall, ToolCallUpdate,
    ToolKind, ToolStatus, TurnEnded, TurnError, Usage,
};
use crate::pending::{Fix, Pending, Span, What};
use crate::profile::emit::{Emit, ToolCallEmit};
use crate::rules::compiled::{CompiledEmit, Cond, Expr, List, Rule, Rules};
use crate::rules::eval::Ctx;
use crate::rules::pattern::Captures;
use crate::text::{Form, Json, Text};

type OptText<'a> = Option<Text<'a>>;

/// What every event has, before its kind is known: nothing that is put together yet.
#[derive(Clone, Copy)]
struct Head<'a> {
    seq: u64,
    turn: u32,
    /// The inside of a JSON string; empty for none.
    native_type: &'a [u8],
    synthetic: bool,
}

impl Engine {
    /// The event that was taken from the queue last, in the line and the record it was queued for.
    #[inline]
    pub(crate) fn build<'a>(&'a self, rules: &'a Rules, ctx: Ctx<'a>, seq: u64) -> Option<Event<'a>> {
        let pending = self.queue.current()?;
        let native_type = self.bytes(pending.native);
        let head = Head { seq, turn: pending.turn, native_type, synthetic: pending.synthetic };
        match pending.rule.and_then(|n| rules.rules.get(usize::from(n))) {
            None => self.kind(head, pending, rules, ctx.at(pending.frame)),
            Some(rule) => self.nested(head, pending, (rules, rule), ctx),
        }
    }

    /// The event of a sub-agent.
    #[inline(never)]
    fn nested<'a>(
        &'a self,
        head: Head<'a>,
        pending: &Pending,
        (rules, rule): (&'a Rules, &'a Rule),
        ctx: Ctx<'a>,
    ) -> Option<Event<'a>> {
        let event = self.kind(head, pending, rules, ctx.at(pending.frame))?;
        let agent = event.agent.or_else(|| ctx.id(&rule.agent));
        Some(Event { agent, parent_tool_call_id: ctx.id(&rule.parent_tool_call_id), ..event })
    }

    /// The event, of the main agent. Put together where each kind is made, so that a small kind is not copied at the size of
    /// the largest, and as the caller's caller returns it, so that nothing wraps it anew. The kind is made last: what is put
    /// together before it is needed has to be copied, and copies of what was just written wait for the writes.
    #[inline(always)]
    fn event<'a>(&'a self, head: Head<'a>, kind: impl FnOnce() -> EventKind<'a>) -> Option<Event<'a>> {
        let Head { seq, turn, native_type, synthetic } = head;
        Some(Event {
            seq,
            turn,
            line: self.line,
            native_type: (!native_type.is_empty()).then(|| Text::borrowed(native_type, Form::Escaped)),
            agent: None,
            parent_tool_call_id: None,
            synthetic,
            kind: kind(),
        })
    }

    /// A text of the scratch space that is kept as the inside of a JSON string.
    #[inline(always)]
    fn escaped(&self, span: Span) -> Text<'_> {
        Text::borrowed(self.bytes(span), Form::Escaped)
    }

    /// The same, where there may be none.
    #[inline(always)]
    fn named(&self, span: Span) -> OptText<'_> {
        (!span.is_empty()).then(|| self.escaped(span))
    }

    fn plain(&self, span: Span) -> Text<'_> {
        Text::borrowed(self.bytes(span), Form::Plain)
    }

    fn bytes(&self, span: Span) -> &[u8] {
        self.scratch.get(span.range()).unwrap_or_default()
    }

    fn json(&self, span: Option<Span>) -> Option<Json<'_>> {
        span.filter(|span| !span.is_empty()).map(|span| Json::borrowed(self.bytes(span)))
    }

    #[inline(never)]
    fn kind<'a>(&'a self, head: Head<'a>, pending: &Pending, rules: &'a Rules, ctx: Ctx<'a>) -> Option<Event<'a>> {
        match pending.what {
            What::Emit { emit, fix } => match rules.emits.get(emit as usize) {
                Some(emit) => self.emitted(head, emit, fix, rules, ctx),
                None => self.event(head, || EventKind::TurnStarted),
            },
            What::Session { id } => {
                let session_id = self.escaped(id);
                let resumed = self.conversation.resumed(&session_id);
                self.event(head, || {
                    EventKind::SessionStarted(SessionStarted { session_id, resumed, ..Default::default() })
                })
            }
            What::TurnStarted => self.event(head, || EventKind::TurnStarted),
            What::TurnEnded { stop, error } => self.event(head, || {
                EventKind::TurnEnded(TurnEnded {
                    stop_reason: stop,
                    error: error.map(|(class, message)| TurnError {
                        class: Text::borrowed(class.as_str().as_bytes(), Form::Plain),
                        message: self.plain(message),
                    }),
                })
            }),
            What::CallEnded { id, agent, parent } => {
                let event = self.event(head, || {
                    EventKind::ToolCallUpdate(ToolCallUpdate {
                        tool_call_id: self.escaped(id),
                        status: ToolStatus::Unknown,
                        ..Default::default()
                    })
                });
                of(event, self.named(agent), self.named(parent))
            }
            What::Usage { rule, figure } => {
                let figure = self.figures.get(figure as usize).copied().unwrap_or_default();
                let [input, cache_read, cache_write, output, reasoning, total] = figure.counters.unwrap_or_default();
                let rule = rules.usage.get(usize::from(rule));
                let (scope, mode) = rule.map(|rule| (rule.scope, rule.mode)).unwrap_or_default();
                let model = rule.and_then(|rule| ctx.text(&rule.model));
                let cost_usd = figure.cost_usd;
                self.event(head, || {
                    EventKind::Usage(Usage {
                        scope,
                        mode,
                        input,
                        cache_read,
                        cache_write,
                        output,
                        reasoning,
                        total,
                        model,
                        cost_usd,
                    })
                })
            }
            What::RateLimit { rule } => match rules.rate_limits.get(usize::from(rule)) {
                Some(rule) => self.event(head, || {
                    EventKind::RateLimit(RateLimit {
                        name: ctx.text_of(&rule.name).unwrap_or_default(),
                        utilization: ctx.number(&rule.utilization),
                        resets_at: ctx.number(&rule.resets_at),
                        status: ctx.text(&rule.status),
                    })
                }),
                None => self.event(head, || EventKind::RateLimit(RateLimit::default())),
            },
            What::Notice { severity, code, message, retry } => self.event(head, || {
                EventKind::Notice(Notice {
                    severity,
                    code: (!code.is_empty()).then(|| self.plain(code)),
                    message: self.plain(message),
                    retry: retry.and_then(|kept| self.captures.get(kept as usize)).copied().map(captured),
                })
            }),
            What::Withdrawn { at } => self.withdrawn(head, at),
            What::Answered { request, call, outcome, reason } => self.event(head, || {
                EventKind::PermissionResolved(PermissionResolved {
                    request_id: Some(self.escaped(request)),
                    tool_call_id: self.named(call),
                    outcome,
                    by: Some(Text::borrowed(b"host", Form::Plain)),
                    reason: self.named(reason),
                })
            }),
            What::Raw { reason, start, end, bytes } => self.event(head, || {
                EventKind::Raw(Raw {
                    reason,
                    text: Text::borrowed(ctx.line.get(start as usize..end as usize).unwrap_or_default(), Form::Plain),
                    bytes,
                })
            }),
            What::Text { text, form, message } => self.event(head, || {
                EventKind::Message(Message {
                    role: Role::Assistant,
                    message_id: Some(self.plain(message)),
                    part: Some(Part::Index(0)),
                    text: Text::borrowed(self.bytes(text), form),
                    delta: true,
                    withdrawn: false,
                })
            }),
        }
    }

    /// A text that is taken back: nothing, whole, under its key.
    fn withdrawn<'a>(&'a self, head: Head<'a>, at: u32) -> Option<Event<'a>> {
        let text = self.withdrawn.get(at as usize).copied().unwrap_or_default();
        let (agent, parent) = (self.named(text.agent), self.named(text.parent));
        let message_id = self.named(text.message);
        let part = text.part.map(Part::Index).or_else(|| self.named(text.part_id).map(Part::Id));
        let kind = match text.reasoning {
            true => EventKind::Reasoning(Reasoning { message_id, part, withdrawn: true, ..Default::default() }),
            false => EventKind::Message(Message { message_id, part, withdrawn: true, ..Default::default() }),
        };
        of(self.event(head, || kind), agent, parent)
    }

    fn emitted<'a>(
        &'a self,
        head: Head<'a>,
        emit: &'a CompiledEmit,
        fix: Fix,
        rules: &'a Rules,
        ctx: Ctx<'a>,
    ) -> Option<Event<'a>> {
        let made = fix.id.filter(|id| !id.is_empty()).map(|id| self.escaped(id));
        let part = |expr: &'a Option<Expr>| ctx.part(fix.part, expr);
        let joined = || fix.made.map(|text| self.escaped(text));
        match emit {
            Emit::SessionStarted(e) => self.event(head, || {
                EventKind::SessionStarted(SessionStarted {
                    session_id: ctx.id(&e.session_id).unwrap_or_default(),
                    resumed: fix.resumed,
                    model: ctx.text(&e.model),
                    cwd: ctx.text(&e.cwd),
                    cli_version: ctx.text(&e.cli_version),
                    tools: ctx.json(&e.tools),
                    permission_mode: ctx.text(&e.permission_mode),
                })
            }),
            Emit::Message(e) => self.event(head, || {
                EventKind::Message(Message {
                    role: ctx.name(&e.role).unwrap_or_default(),
                    message_id: made.or_else(|| ctx.id(&e.message_id)),
                    part: part(&e.part),
                    text: joined().or_else(|| ctx.text(&e.text)).unwrap_or_default(),
                    delta: ctx.flag(&e.delta),
                    withdrawn: false,
                })
            }),
            Emit::Reasoning(e) => self.event(head, || {
                EventKind::Reasoning(Reasoning {
                    message_id: made.or_else(|| ctx.id(&e.message_id)),
                    part: part(&e.part),
                    text: joined().or_else(|| ctx.text(&e.text)).unwrap_or_default(),
                    delta: ctx.flag(&e.delta),
                    redacted: ctx.flag(&e.redacted),
                    withdrawn: false,
                })
            }),
            Emit::ToolCall(e) if fix.known_call => self.event(head, || {
                EventKind::ToolCallUpdate(ToolCallUpdate {
                    tool_call_id: made.or_else(|| ctx.id(&e.tool_call_id)).unwrap_or_default(),
                    status: ToolStatus::InProgress,
                    input: ctx.json(&e.input),
                    ..Default::default()
                })
            }),
            Emit::ToolCall(e) => self.tool_call_event(head, e, fix, made, rules, ctx),
            Emit::ToolCallUpdate(e) => self.event(head, || {
                EventKind::ToolCallUpdate(ToolCallUpdate {
                    tool_call_id: made.or_else(|| ctx.id(&e.tool_call_id)).unwrap_or_default(),
                    status: ctx.name(&e.status).unwrap_or(ToolStatus::InProgress),
                    output: ctx.text(&e.output),
                    error: ctx.text(&e.error),
                    exit_code: ctx.signed(&e.exit_code),
                    changes: Changes(self.json(fix.made)),
                    input_delta: ctx.text(&e.input_delta),
                    input: None,
                })
            }),
            Emit::Plan(_) => self.event(head, || EventKind::Plan(PlanUpdate { entries: Plan(self.json(fix.made)) })),
            Emit::Usage(e) => self.event(head, || {
                EventKind::Usage(Usage {
                    scope: ctx.name(&e.scope).unwrap_or_default(),
                    mode: ctx.name(&e.mode).unwrap_or_default(),
                    input: ctx.whole(&e.input),
                    cache_read: ctx.whole(&e.cache_read),
                    cache_write: ctx.whole(&e.cache_write),
                    output: ctx.whole(&e.output),
                    reasoning: ctx.whole(&e.reasoning),
                    total: ctx.whole(&e.total),
                    model: ctx.text(&e.model),
                    cost_usd: ctx.number(&e.cost_usd),
                })
            }),
            Emit::Notice(e) => {
                let said = Retry {
                    attempt: ctx.whole(&e.retry_attempt),
                    max: ctx.whole(&e.retry_max),
                    delay_ms: ctx.whole(&e.retry_delay_ms),
                };
                let (severity, code, kept) = match fix.notice {
                    Some((rule, kept)) => {
                        let rule = rules.notices.get(usize::from(rule));
                        let captures = self.captures.get(kept as usize).copied().unwrap_or_default();
                        let severity = rule.map(|rule| rule.severity).unwrap_or_default();
                        let code = rule.and_then(|rule| rule.code.as_deref());
                        (severity, code, Some(captures).filter(|captures| *captures != Captures::default()))
                    }
                    None => (ctx.name(&e.severity).unwrap_or_default(), None, None),
                };
                self.event(head, || {
                    EventKind::Notice(Notice {
                        severity,
                        code: ctx
                            .text(&e.code)
                            .or_else(|| code.map(|code| Text::borrowed(code.as_bytes(), Form::Plain))),
                        message: ctx.text(&e.message).unwrap_or_default(),
                        retry: kept.map(captured).or_else(|| (said != Retry::default()).then_some(said)),
                    })
                })
            }
            Emit::PermissionRequest(e) => self.event(head, || {
                EventKind::PermissionRequest(PermissionRequest {
                    request_id: ctx.id(&e.request_id).unwrap_or_default(),
                    kind: ctx.text(&e.kind),
                    tool_call_id: ctx.id(&e.tool_call_id),
                    title: ctx.text(&e.title),
                    options: ctx.json(&e.options),
                    input: ctx.json(&e.input),
                })
            }),
            Emit::PermissionResolved(e) => self.event(head, || {
                EventKind::PermissionResolved(PermissionResolved {
                    request_id: made.or_else(|| ctx.id(&e.request_id)),
                    tool_call_id: ctx.id(&e.tool_call_id),
                    outcome: ctx.name(&e.outcome).unwrap_or_default(),
                    by: ctx.text(&e.by),
                    reason: ctx.text(&e.reason),
                })
            }),
            Emit::Subagent(e) => {
                let event = self.event(head, || {
                    EventKind::Subagent(Subagent {
                        phase: ctx.name(&e.phase).unwrap_or_default(),
                        name: ctx.text(&e.name),
                        description: ctx.text(&e.description),
                        status: ctx.text(&e.status),
                    })
                });
                of(event, ctx.id(&e.agent), None)
            }
            Emit::Compaction(e) => self.event(head, || {
                EventKind::Compaction(Compaction {
                    phase: ctx.name(&e.phase).unwrap_or_default(),
                    trigger: ctx.text(&e.trigger),
                    tokens_before: ctx.whole(&e.tokens_before),
                    tokens_after: ctx.whole(&e.tokens_after),
                })
            }),
            // These never reach the queue in this form.
            Emit::TurnStarted(_)
            | Emit::TurnEnded(_)
            | Emit::Interrupted(_)
            | Emit::Withdrawn(_)
            | Emit::Failure(_)
            | Emit::Each(_) => self.event(head, || EventKind::TurnStarted),
        }
    }

    fn tool_call_event<'a>(
        &'a self,
        head: Head<'a>,
        e: &'a ToolCallEmit<Expr, Cond, List>,
        fix: Fix,
        made: Option<Text<'a>>,
        rules: &'a Rules,
        ctx: Ctx<'a>,
    ) -> Option<Event<'a>> {
        let name = ctx.text(&e.name).unwrap_or_default();
        let kind = ctx.name(&e.kind).unwrap_or_else(|| {
            let known = rules.tools.iter().find(|(tool, _)| name == **tool);
            known.map_or(ToolKind::Other, |(_, kind)| *kind)
        });
        let server = ctx.text(&e.server).or_else(|| {
            let (prefix, separator) = rules.mcp.as_ref()?;
            let name = ctx.pick(&e.name.as_ref()?.sources).filter(|name| name.is_string())?;
            if memchr::memchr(b'\\', name.bytes()).is_some() {
                let name = name.text().decode().into_owned();
                let (server, _) = name.strip_prefix(&**prefix)?.split_once(&**separator)?;
                return Some(Text::from(alloc::string::String::from(server)));
            }
            let rest = name.bytes().strip_prefix(prefix.as_bytes())?;
            let end = memchr::memmem::find(rest, separator.as_bytes())?;
            rest.get(..end).map(|server| Text::borrowed(server, Form::Escaped))
        });
        self.event(head, || {
            EventKind::ToolCall(ToolCall {
                tool_call_id: made.or_else(|| ctx.id(&e.tool_call_id)).unwrap_or_default(),
                name,
                kind,
                server,
                title: ctx.text(&e.title),
                input: ctx.json(&e.input),
                locations: Locations(self.json(fix.made)),
            })
        })
    }
}

/// The event, of this sub-agent. Rare, and kept apart: it copies.
#[inline(never)]
fn of<'a>(event: Option<Event<'a>>, agent: OptText<'a>, parent: OptText<'a>) -> Option<Event<'a>> {
    event.map(|event| Event { agent, parent_tool_call_id: parent, ..event })
}

fn captured(captures: Captures) -> Retry {
    Retry { attempt: captures.attempt, max: captures.max, delay_ms: captures.delay_ms }
}
