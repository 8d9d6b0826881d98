//! A record: its type, what it bills, its rule, and the rule's effects.

use super::{Current, Engine};
use crate::event::{RawReason, UsageMode, UsageScope};
use crate::pending::{Span, What};
use crate::profile::spec::UsageOf;
use crate::rules::compiled::{Bucket, Candidate, EachOp, Expr, Op, Rule, Rules};
use crate::rules::empty::EMPTY;
use crate::rules::eval::Ctx;
use crate::scan::Kind;
use crate::tally::usage::Figure;
use crate::tally::{NAME_BYTES, usage};
use crate::text::{Form, Json, Text};
use alloc::string::String;

impl Engine {
    /// Reads one record. `span` is where it stands in the line.
    pub(crate) fn record(&mut self, rules: &Rules, ctx: Ctx<'_>, span: (usize, usize)) {
        self.counts.records += 1;
        let empty = span.1 - span.0 == EMPTY.len() && rules.empty_is_unmapped;
        let native = if empty { Span::default() } else { self.native(&rules.record_type, &ctx) };
        self.record = Current { native, place: span, ..Current::default() };
        if let Some(trace) = &mut self.trace {
            let native = self.scratch.get(self.record.native.range()).unwrap_or_default();
            trace.record(&Text::borrowed(native, Form::Escaped).decode());
        }
        if empty {
            return self.unmapped(ctx.line, span);
        }
        let bucket = ctx.bucket(&rules.dispatch);
        let watched = self.watch(rules, bucket, ctx);
        let found = bucket.rules.iter().find(|candidate| ctx.holds(&candidate.tests)).map(|found| found.number);
        match found.and_then(|n| Some((n, rules.rules.get(usize::from(n))?))) {
            Some((n, rule)) => self.apply(rules, n, rule, ctx),
            None if watched => {}
            None => self.unmapped(ctx.line, span),
        }
        if ctx.frames.dropped() > 0 {
            self.raw(ctx.line, RawReason::Oversize, span.0, span.1, (span.1 - span.0) as u64);
        }
    }

    /// A record, or a part of one, that the profile does not map.
    pub(super) fn unmapped(&mut self, line: &[u8], (start, end): (usize, usize)) {
        self.counts.unmapped += 1;
        let native = self.scratch.get(self.record.native.range()).unwrap_or_default();
        self.unmapped.count(native);
        self.trace_ignored("no rule of the profile takes it, or a part of it");
        self.raw(line, RawReason::Unmapped, start, end, (end - start) as u64);
    }

    /// The record's own type, its parts joined with `/`; kept as the inside of a JSON string.
    fn native(&mut self, parts: &[Expr], ctx: &Ctx<'_>) -> Span {
        let known = match parts {
            [first] => ctx.plain_string(first).map(|first| (first, &[][..])),
            [first, second] => ctx.plain_string(first).zip(ctx.plain_string(second)),
            _ => None,
        };
        let known = known.filter(|(first, second)| first.len().max(second.len()) <= NAME_BYTES);
        let start = self.scratch.len() as u32;
        if let Some((&[], &[])) = known {
            return Span { start, end: start };
        }
        if let Some((first, second)) = known
            && let Some(span) = self.names.find(&self.scratch, first, second)
        {
            return span;
        }
        for part in parts {
            self.name_part(start, part, ctx);
        }
        let span = Span { start, end: self.scratch.len() as u32 };
        // Only what was written as it stands is found again.
        if let Some((first, second)) = known {
            self.names.keep(span, first, second);
        }
        span
    }

    fn name_part(&mut self, start: u32, part: &Expr, ctx: &Ctx<'_>) {
        let Some(text) = ctx.text_of(part).filter(|text| !text.is_empty()) else { return };
        if self.scratch.len() as u32 > start {
            self.scratch.push(b'/');
        }
        if text.form() == Form::Escaped
            && text.bytes().len() <= NAME_BYTES
            && core::str::from_utf8(text.bytes()).is_ok()
        {
            self.scratch.extend_from_slice(text.bytes());
            return;
        }
        // A name that is no plain string, or a huge one: decoded and cut.
        let mut name = String::new();
        if text.form() == Form::Escaped {
            // Twelve bytes stand for a character at most: what an escape cut in two comes to is not kept.
            let head = text.bytes().get(..12 * NAME_BYTES).unwrap_or(text.bytes());
            Text::borrowed(head, Form::Escaped).decode_into(&mut name);
        } else if text.bytes().len() <= 64 * NAME_BYTES {
            text.decode_into(&mut name);
        } else {
            let head = text.bytes().get(..NAME_BYTES).unwrap_or_default();
            Text::borrowed(head, Form::Escaped).decode_into(&mut name);
        }
        crate::tally::truncate(&mut name, NAME_BYTES);
        let at = self.scratch.len();
        Text::borrowed(name.as_bytes(), Form::Plain).write_json(&mut self.scratch);
        self.scratch.pop();
        self.scratch.remove(at);
    }

    /// What is billed, limited and kept, whatever the record's rule. True when something was read.
    fn watch(&mut self, rules: &Rules, bucket: &Bucket, ctx: Ctx<'_>) -> bool {
        let mut any = false;
        for metadata in holding(&bucket.metadata, &rules.metadata, ctx) {
            for (key, expr) in &metadata.1.fields {
                let value = ctx.pick(&expr.sources).filter(|value| value.is_string());
                if let Some(text) = value.map(|value| value.text())
                    && !self.metadata.is(key, &text)
                {
                    self.metadata.set(key, &text, &self.limits);
                }
            }
        }
        let (mut billed, mut increments) = (false, false);
        for (n, rule) in holding(&bucket.usage, &rules.usage, ctx) {
            any = true;
            let of_increments = rule.of == UsageOf::Model && rule.mode == UsageMode::Delta;
            (billed, increments) = (billed || !of_increments, increments || of_increments);
            match rule.each {
                None => self.bill(rule, n, ctx),
                Some(each) => ctx.frames.frames(each, 0).for_each(|frame| self.bill(rule, n, ctx.at(frame))),
            }
        }
        if billed || increments {
            self.bill.models.billed(increments);
        }
        for (n, rule) in holding(&bucket.rate_limits, &rules.rate_limits, ctx) {
            any = true;
            match rule.each {
                None => self.rate_limit(rule, n, ctx),
                Some(each) => ctx.frames.frames(each, 0).for_each(|frame| self.rate_limit(rule, n, ctx.at(frame))),
            }
        }
        any
    }

    fn bill(&mut self, rule: &crate::rules::compiled::UsageRule, n: u16, ctx: Ctx<'_>) {
        let Some(figure) = usage::read(rule, &ctx) else {
            return self.trace_ignored("its tokens are all zero, which says nothing here");
        };
        if let Some(trace) = &mut self.trace {
            let again = ctx.id(&rule.id).is_some_and(|id| self.bill.knows(id.bytes()));
            trace.usage(n, figure.counters.as_ref(), rule.of == UsageOf::Model, again);
        }
        if rule.of == UsageOf::Model {
            let mut model = ctx.text(&rule.model).map(|model| model.decode().into_owned()).unwrap_or_default();
            crate::tally::truncate(&mut model, self.limits.message);
            match rule.mode {
                UsageMode::Delta => self.bill.models.increment(model, figure),
                UsageMode::Cumulative => {
                    let process = rule.scope == UsageScope::Process;
                    self.bill.models.total(self.counts.records, process, model, figure);
                }
            }
        } else {
            let id = ctx.id(&rule.id);
            self.bill.add(rule, figure, id.as_ref().map(Text::bytes));
        }
        if figure != Figure::default() {
            self.figures.push(figure);
            let figure = self.figures.len() as u32 - 1;
            self.queue(ctx.frame, false, What::Usage { rule: n, figure });
        }
    }

    fn rate_limit(&mut self, rule: &crate::rules::compiled::RateLimitRule, n: u16, ctx: Ctx<'_>) {
        let (utilization, resets_at) = (ctx.number(&rule.utilization), ctx.number(&rule.resets_at));
        let Some(name) = ctx.text_of(&rule.name).filter(|name| !name.is_empty()) else { return };
        // A window without a number in it is one that cannot be read.
        if utilization.is_none() && resets_at.is_none() {
            return;
        }
        let status = ctx.text(&rule.status);
        self.windows.read(self.counts.records, &name, utilization, resets_at, status.as_ref());
        self.queue(ctx.frame, false, What::RateLimit { rule: n });
    }

    fn apply(&mut self, rules: &Rules, n: u16, rule: &Rule, ctx: Ctx<'_>) {
        let agent = ctx.id(&rule.agent);
        let agent = agent.as_ref().map(Text::bytes);
        self.record.nested = agent.is_some() || ctx.id(&rule.parent_tool_call_id).is_some();
        // Of the main agent there is nothing to say of whom an event is.
        self.record.rule = self.record.nested.then_some(n);
        self.record.terminal = !self.record.nested && ctx.switch(&rule.terminal);
        if !self.record.nested {
            self.session(rule, &ctx);
        }
        if let Some(trace) = &mut self.trace {
            trace.rule(n);
            if rule.ops.is_empty() && !self.record.terminal {
                trace.ignored("the profile knows it, and makes no event of it");
            }
        }
        if ctx.switch(&rule.withdraws_failures) {
            self.failures.withdraw();
            if let Some(trace) = &mut self.trace {
                trace.status("it announces another try: failures before it are withdrawn");
            }
        }
        if ctx.switch(&rule.owes) {
            self.owed = true;
            if let Some(trace) = &mut self.trace {
                trace.status("from here on a terminal record is owed");
            }
        }
        if let Some(background) = &rule.background
            && ctx.pick(&background.sources).is_some()
        {
            self.background = ctx.flag(&rule.background);
        }
        if rule.record_id.is_some()
            && let Some(id) = ctx.id(&rule.record_id)
        {
            self.record.id = Some(crate::hash::hash(id.bytes()));
            if let Some(parent) = ctx.id(&rule.parent_tool_call_id) {
                self.record.parent = self.copy(parent.bytes());
            }
        }
        if let Some(id) = ctx.id(&rule.begins_message) {
            self.conversation.begin_message(agent, id.bytes());
        }
        self.run(rules, &rule.ops, ctx, agent);
        if self.record.terminal {
            self.terminal = true;
            self.owed = false;
            if let Some(trace) = &mut self.trace {
                trace.status("it is the terminal record");
                let text = ctx.text(&rule.answer).map(|text| text.decode().into_owned());
                trace.answer_field(text.as_deref(), self.record.failed);
            }
            self.answer.terminal(ctx.text(&rule.answer), self.record.failed);
            if rule.structured_output.is_some() {
                self.structured_output = ctx.json(&rule.structured_output).map(Json::into_owned);
            }
        }
        if let Some(stop) = self.record.ended_turn {
            self.turn_over(stop, ctx.whole(&rule.queued));
        }
    }

    fn session(&mut self, rule: &Rule, ctx: &Ctx<'_>) {
        let Some(id) = ctx.id(&rule.session_id) else { return };
        if self.record.terminal || !self.conversation.is_first_session(id.bytes()) {
            if self.conversation.session(&id) {
                let span = self.copy(id.bytes());
                self.queue(0, true, What::Session { id: span });
            }
            if self.record.terminal {
                self.conversation.terminal_session(&id);
            }
        }
    }

    /// The steps of a rule. True when one of them applied.
    fn run(&mut self, rules: &Rules, ops: &[Op], ctx: Ctx<'_>, agent: Option<&[u8]>) -> bool {
        let mut any = false;
        for op in ops {
            any |= match op {
                Op::Emit(n) => match rules.emits.get(*n as usize) {
                    Some(emit) if ctx.when(emit.when()) => {
                        if self.joins.is_empty() {
                            self.emit(rules, *n, emit, ctx, agent);
                        } else {
                            self.emit_joined(rules, *n, emit, ctx, agent);
                        }
                        true
                    }
                    _ => false,
                },
                Op::Each(each) => ctx.when(each.when.as_ref()) && self.each(rules, each, ctx, agent),
            };
        }
        any
    }

    fn each(&mut self, rules: &Rules, each: &EachOp, ctx: Ctx<'_>, agent: Option<&[u8]>) -> bool {
        let mut any = false;
        let joins = self.joins.len();
        self.join(rules, each, ctx);
        // Mostly the record says which message its blocks are of.
        let of_record = each.message_id.as_ref().is_some_and(Expr::is_fixed);
        let message = if of_record { ctx.id(&each.message_id) } else { None };
        for frame in ctx.frames.frames(each.site, ctx.frame) {
            let mut at = ctx.at(frame);
            any = true;
            if each.counts_blocks {
                let first = core::mem::replace(&mut self.record.list, ctx.frame + 1) != ctx.frame + 1;
                let own = if of_record { None } else { at.id(&each.message_id) };
                let id = message.as_ref().or(own.as_ref());
                at.block = self.conversation.next_block(agent, id.map(Text::bytes), first);
            }
            if !(at.opens(each.gate) && self.run(rules, &each.ops, at, agent))
                && let Some(kind) = &each.record_type
            {
                self.unmapped_element(each, kind, at);
            }
        }
        self.joins.truncate(joins);
        any
    }

    /// An element that makes nothing is reported under its own type, unless the profile knows that it says nothing.
    fn unmapped_element(&mut self, each: &EachOp, kind: &Expr, ctx: Ctx<'_>) {
        let name = ctx.text_of(kind);
        if name.as_ref().is_some_and(|name| each.ignore.iter().any(|known| *name == **known)) {
            return;
        }
        let record = self.record.native;
        let start = self.scratch.len() as u32;
        self.scratch.extend_from_within(record.range());
        self.name_part(start, kind, &ctx);
        self.record.native = Span { start, end: self.scratch.len() as u32 };
        let whole = ctx.frames.slot(ctx.frame, each.element);
        let (from, to) = match whole.kind {
            Kind::Absent => (0, ctx.line.len()),
            // With its quotes: it is shown as it stands.
            Kind::Str | Kind::Escaped => (whole.start as usize - 1, whole.end as usize + 1),
            _ => (whole.start as usize, whole.end as usize),
        };
        self.unmapped(ctx.line, (from, to));
        self.record.native = record;
    }
}

/// The candidates whose tests hold, with their rules.
fn holding<'a, R>(candidates: &'a [Candidate], rules: &'a [R], ctx: Ctx<'a>) -> impl Iterator<Item = (u16, &'a R)> {
    let holding = candidates.iter().filter(move |candidate| ctx.holds(&candidate.tests));
    holding.filter_map(|candidate| Some((candidate.number, rules.get(usize::from(candidate.number))?)))
}
