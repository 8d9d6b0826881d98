//! One record: what it bills, its rule, and the rule's effects.

use super::bill::{self, Figure};
use super::field::{Here, cut, is_block};
use super::joins::{self, Joined};
use super::node::{Node, tree};
use super::state::{Current, State, fields};
use super::windows::read_window;
use serde_json::Value;
use turnline::UsageMode;
use turnline::profile::{Each, Emit, EmitSpec, Field, ListField, RuleSpec, UsageOf, When};

/// Gives the bytes of a part of the record as it came.
pub(super) type Bytes<'f> = &'f dyn Fn(Node<'_>) -> Vec<u8>;

type EachSpec = Each<Field, When, ListField>;

impl State<'_> {
    pub(super) fn read_record(&mut self, node: Node<'_>, bytes: Bytes<'_>) {
        let spec = self.spec;
        let here = Here::record(node);
        self.counts.records += 1;
        let parts = spec.record_type.iter().filter_map(|field| name(here, field));
        self.record.native = parts.collect::<Vec<_>>().join("/");
        let watched = self.watch(here);
        match spec.rules.iter().find(|rule| here.holds(&rule.r#match)) {
            Some(rule) => self.apply(rule, here, bytes),
            None if watched => {}
            None => {
                let (native, whole) = (self.record.native.clone(), self.record.bytes.clone());
                self.count_unmapped(&native, &whole);
            }
        }
    }

    /// What counts whatever the rule. True when something was read.
    fn watch(&mut self, here: Here<'_>) -> bool {
        let spec = self.spec;
        let mut any = false;
        for entry in spec.metadata.iter().filter(|entry| here.holds(&entry.r#match)) {
            for (key, field) in &entry.fields {
                if let Some(text) = here.picked(&Some(field.clone())).and_then(Node::string) {
                    self.metadata.insert(key.clone(), cut(text, self.options.limits.message));
                }
            }
        }
        let (mut billed, mut told) = (false, false);
        for entry in spec.usage.iter().flatten().filter(|entry| here.holds(&entry.r#match)) {
            any = true;
            let increments = entry.of == UsageOf::Model && entry.mode == UsageMode::Delta;
            (billed, told) = (true, told || increments);
            let places = entry.each.as_ref().map_or_else(|| vec![here], |each| here.each(each));
            for here in places {
                let Some(figure) = bill::figure(entry, here) else { continue };
                if entry.of == UsageOf::Model {
                    let model = cut(here.text(&entry.model).unwrap_or_default(), self.options.limits.message);
                    match entry.mode {
                        UsageMode::Delta => self.bill.models.increment(model, &figure),
                        _ => self.bill.models.total(entry.scope, model, &figure),
                    }
                } else {
                    self.bill.add(entry, figure.clone(), here.id(&entry.id));
                }
                if figure != Figure::default() {
                    let mut all = figure.fields();
                    all.extend(fields([
                        ("scope", Some(entry.scope.as_str().into())),
                        ("mode", Some(entry.mode.as_str().into())),
                        ("model", here.text(&entry.model).map(Value::from)),
                    ]));
                    self.event("usage", false, all);
                }
            }
        }
        if billed {
            self.bill.models.billed(told);
        }
        for entry in spec.rate_limits.iter().filter(|entry| here.holds(&entry.r#match)) {
            any = true;
            let places = entry.each.as_ref().map_or_else(|| vec![here], |each| here.each(each));
            for here in places {
                let (utilization, resets_at) = (here.number(&entry.utilization), here.number(&entry.resets_at));
                let name = here.text(&entry.name).filter(|name| !name.is_empty());
                let Some(name) = name.filter(|_| utilization.is_some() || resets_at.is_some()) else { continue };
                let status = here.text(&entry.status);
                let bound = self.options.limits.message;
                let kept = (cut(name.clone(), bound), status.clone().map(|status| cut(status, bound)));
                read_window(&mut self.windows, self.counts.records, &kept.0, utilization, resets_at, kept.1);
                let all = fields([
                    ("name", Some(name.into())),
                    ("utilization", utilization.map(Value::from)),
                    ("resets_at", resets_at.map(Value::from)),
                    ("status", status.map(Value::from)),
                ]);
                self.event("rate_limit", false, all);
            }
        }
        any
    }

    fn apply(&mut self, rule: &RuleSpec, here: Here<'_>, bytes: Bytes<'_>) {
        let record = std::mem::take(&mut self.record);
        self.record = Current { agent: here.id(&rule.agent), parent: here.id(&rule.parent_tool_call_id), ..record };
        self.record.terminal = !self.record.nested() && here.switch(&rule.terminal);
        if let Some(id) = here.id(&rule.session_id).filter(|_| !self.record.nested()) {
            if self.session(&id) {
                let resumed = self.resumed(&id);
                self.event(
                    "session_started",
                    true,
                    fields([("session_id", Some(id.clone().into())), ("resumed", resumed)]),
                );
            }
            if self.record.terminal {
                self.terminal_session = Some(id);
            }
        }
        if here.switch(&rule.withdraws_failures) {
            self.failures.clear();
        }
        self.owed |= here.switch(&rule.owes);
        self.record.id = here.id(&rule.record_id);
        if let Some(id) = here.id(&rule.begins_message) {
            self.begin_message(&id);
        }
        self.run(&rule.emit, here, bytes, &[], 0);
        if self.record.terminal {
            self.terminal = true;
            self.owed = false;
            self.texts.terminal(here.text(&rule.answer), self.record.failed);
            if rule.structured_output.is_some() {
                self.structured_output = here.picked(&rule.structured_output).map(|node| tree(node, 400));
            }
        }
        if let Some(stop) = self.record.ended_turn {
            self.turn_over(stop);
        }
    }

    fn begin_message(&mut self, id: &str) {
        let scope = self.scopes.entry(self.record.agent.clone()).or_default();
        (scope.message, scope.begun, scope.goes_on, scope.blocks) = (Some(id.to_owned()), true, false, 0);
    }

    /// Makes what its conditions allow, of this element of a list. True when something was.
    fn run(&mut self, emits: &[EmitSpec], here: Here<'_>, bytes: Bytes<'_>, joined: &[Joined], element: usize) -> bool {
        let mut any = false;
        for (n, emit) in emits.iter().enumerate().filter(|(_, emit)| here.when(emit.when())) {
            let together = joined.iter().find(|joined| joined.emits.contains(&n));
            any |= match (emit, together) {
                (Emit::Each(each), _) => self.each(each, here, bytes),
                (_, Some(together)) if together.last != (element, n) => true,
                (emit, together) => {
                    self.emit(emit, here, together.map(|together| &*together.text));
                    true
                }
            };
        }
        any
    }

    fn each(&mut self, each: &EachSpec, here: Here<'_>, bytes: Bytes<'_>) -> bool {
        let mut any = false;
        let around = here.node().0.as_ptr() as usize;
        let elements = here.each(&each.of);
        let joined = joins::joined(&each.emit, &elements);
        for (n, mut here) in elements.into_iter().enumerate() {
            any = true;
            let of_block = |emit: &EmitSpec| match emit {
                Emit::Message(emit) => is_block(&emit.part).then(|| emit.message_id.clone()),
                Emit::Reasoning(emit) => is_block(&emit.part).then(|| emit.message_id.clone()),
                _ => None,
            };
            let numbered: Vec<Option<Field>> = each.emit.iter().filter_map(of_block).collect();
            if !numbered.is_empty() {
                let other_list = self.record.list.replace(around) != Some(around);
                let id = numbered.into_iter().find(Option::is_some).and_then(|field| here.id(&field));
                let scope = self.scopes.entry(self.record.agent.clone()).or_default();
                let other = !scope.begun || scope.message != id;
                match id {
                    Some(id) if other => self.begin_message(&id),
                    None if other_list && !scope.begun => scope.blocks = 0,
                    _ => {}
                }
                let scope = self.scopes.entry(self.record.agent.clone()).or_default();
                here.block = scope.blocks;
                scope.blocks += 1;
            }
            if !self.run(&each.emit, here, bytes, &joined, n)
                && let Some(kind) = &each.record_type
            {
                let kind_name = here.text(&Some(kind.clone())).unwrap_or_default();
                if !each.ignore.contains(&kind_name) {
                    let record = self.record.native.clone();
                    let parts = [Some(record.clone()).filter(|name| !name.is_empty()), name(here, kind)];
                    self.record.native = parts.into_iter().flatten().collect::<Vec<_>>().join("/");
                    let native = self.record.native.clone();
                    self.count_unmapped(&native, &bytes(here.node()));
                    self.record.native = record;
                }
            }
        }
        any
    }
}

/// A part of a record's type.
fn name(here: Here<'_>, field: &Field) -> Option<String> {
    here.text(&Some(field.clone())).filter(|name| !name.is_empty()).map(|name| cut(name, 128))
}
