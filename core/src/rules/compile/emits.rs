//! What a rule makes of a record: events, and iterations over its lists.

use super::Compiler;
use crate::envelope::ErrorClass;
use crate::event::open_enum::Named as _;
use crate::event::{
    Changes, Column, Locations, Outcome, Phase, Plan, Role, Severity, StopReason, ToolKind, ToolStatus, UsageMode,
    UsageScope,
};
use crate::profile::emit::{Emit, EmitSpec, ListField, Translate};
use crate::profile::field::{Field, When};
use crate::profile::problem::ProblemCode;
use crate::profile::words;
use crate::rules::compiled::{CompiledEmit, Cond, EachOp, Expr, List, Op, Source, Test};
use crate::rules::eval::Ctx;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

impl Compiler {
    pub(super) fn ops(&mut self, emits: &[EmitSpec]) -> Vec<Op> {
        let mut ops = Vec::new();
        for (n, emit) in emits.iter().enumerate() {
            self.at(n, |c| ops.extend(c.op(emit)));
        }
        ops
    }

    fn op(&mut self, emit: &EmitSpec) -> Option<Op> {
        if let Emit::Each(each) = emit {
            let when = each.when.as_ref().map(|when| self.at("when", |c| c.cond(when)));
            let op = self.at("of", |c| {
                c.inside(&each.of, |c, site| {
                    // The pointer stands at `of`; what follows stands beside it.
                    c.pointer.pop();
                    let ops = c.at("emit", |c| c.ops(&each.emit));
                    let element = c.element();
                    let record_type = c.optional("record_type", &each.record_type);
                    let mut messages = ops.iter().filter_map(|op| block_of(op, &c.emits)).peekable();
                    let op = EachOp {
                        when,
                        site,
                        element,
                        record_type,
                        ignore: each.ignore.iter().map(|name| Box::from(&**name)).collect(),
                        counts_blocks: messages.peek().is_some(),
                        message_id: messages.find_map(Option::clone),
                        gate: gate(&ops, &c.emits),
                        joins: joins(&ops, &c.emits),
                        ops,
                    };
                    c.pointer.push("of".to_string());
                    op
                })
            })?;
            return Some(Op::Each(Box::new(op)));
        }
        self.needs(emit);
        // `kind` and `status` have a fixed set of names only here.
        let fixed: Option<(_, _, &[&str])> = match emit {
            Emit::ToolCall(call) => call.kind.as_ref().map(|kind| ("kind", kind, ToolKind::NAMES)),
            Emit::ToolCallUpdate(update) => update.status.as_ref().map(|status| ("status", status, ToolStatus::NAMES)),
            _ => None,
        };
        if let Some((key, field, known)) = fixed {
            self.at(key, |c| c.names(field, known));
        }
        let compiled = emit.translate(self)?;
        self.emits.push(compiled);
        Some(Op::Emit(self.emits.len() as u32 - 1))
    }

    /// Fields without which an event means nothing.
    fn needs(&mut self, emit: &EmitSpec) {
        let missing = match emit {
            Emit::SessionStarted(e) if e.session_id.is_none() => "session_id",
            Emit::Message(e) if e.text.is_none() => "text",
            Emit::Reasoning(e) if e.text.is_none() && e.redacted.is_none() => "text",
            Emit::ToolCall(e) if e.name.is_none() => "name",
            Emit::Plan(e) if e.entries.is_none() => "entries",
            Emit::Notice(e) if e.message.is_none() && e.code.is_none() => "message",
            Emit::PermissionRequest(e) if e.request_id.is_none() => "request_id",
            Emit::PermissionResolved(e) if e.outcome.is_none() => "outcome",
            Emit::Subagent(e) if e.agent.is_none() => "agent",
            _ => return,
        };
        self.problem(ProblemCode::MissingField, format!("a `{}` needs `{missing}`", emit.name()));
    }
}

/// The slot of the element that every step of an iteration asks something of that only a value can fulfil, as the type of a
/// block is.
fn gate(ops: &[Op], emits: &[CompiledEmit]) -> Option<u16> {
    let when = |op| match op {
        &Op::Emit(n) => emits.get(n as usize).and_then(|emit| emit.when()),
        Op::Each(each) => each.when.as_ref(),
    };
    let all = ops.iter().map(when).collect::<Option<Vec<&Cond>>>()?;
    let mut groups = all.iter().flat_map(|cond| &cond.groups);
    let needed = |test: &Test| match (&*test.sources, test.check.needs_a_value()) {
        ([Source::Here(slot)], true) => Some(*slot),
        _ => None,
    };
    let mut common: Vec<u16> = groups.next()?.iter().filter_map(needed).collect();
    for group in groups {
        common.retain(|slot| group.iter().any(|test| needed(test) == Some(*slot)));
    }
    common.first().copied()
}

/// The emits of an iteration that give all its elements' texts one key. Each such text would take the place of the one before
/// it: what they say together is one text.
fn joins(ops: &[Op], emits: &[CompiledEmit]) -> Vec<Vec<u32>> {
    let mut joins: Vec<(JoinKey<'_>, Vec<u32>)> = Vec::new();
    for op in ops {
        let Op::Emit(n) = op else { continue };
        let Some(key) = emits.get(*n as usize).and_then(join_key) else { continue };
        match joins.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(*n),
            None => joins.push((key, alloc::vec![*n])),
        }
    }
    joins.into_iter().map(|(_, members)| members).collect()
}

/// What must be the same: whether it is a thought, the message, the part, the role, and whether the CLI made it.
type JoinKey<'a> = (bool, [Option<&'a Expr>; 4]);

fn join_key(emit: &CompiledEmit) -> Option<JoinKey<'_>> {
    let (thought, delta, key) = match emit {
        Emit::Message(e) if e.text.is_some() => {
            (false, &e.delta, [&e.message_id, &e.part, &e.role, &e.synthetic].map(Option::as_ref))
        }
        Emit::Reasoning(e) if e.text.is_some() => {
            (true, &e.delta, [&e.message_id, &e.part, &e.redacted, &None].map(Option::as_ref))
        }
        _ => return None,
    };
    let whole = delta.as_ref().is_none_or(|delta| delta.literal.as_deref() == Some("false"));
    // Without id and part each text is a message of its own.
    let named = key.iter().take(2).any(Option::is_some);
    (whole && named && key.iter().flatten().all(|expr| expr.is_fixed())).then_some((thought, key))
}

/// Of a step that numbers its text by the block it stands in, the id of the message.
fn block_of<'a>(op: &Op, emits: &'a [CompiledEmit]) -> Option<&'a Option<Expr>> {
    let Op::Emit(n) = op else { return None };
    let (part, message_id) = match emits.get(*n as usize)? {
        Emit::Message(emit) => (&emit.part, &emit.message_id),
        Emit::Reasoning(emit) => (&emit.part, &emit.message_id),
        _ => return None,
    };
    Ctx::is_block(part).then_some(message_id)
}

impl Translate<Field, When, ListField> for Compiler {
    type F = Expr;
    type W = Cond;
    type L = List;

    fn field(&mut self, name: &'static str, field: &Field) -> Expr {
        self.at(name, |c| match name {
            "role" => c.named::<Role>(field),
            "severity" => c.named::<Severity>(field),
            "outcome" => c.named::<Outcome>(field),
            "phase" => c.named::<Phase>(field),
            "stop_reason" => c.named::<StopReason>(field),
            "scope" => c.named::<UsageScope>(field),
            "mode" => c.named::<UsageMode>(field),
            "class" => c.named::<ErrorClass>(field),
            _ => c.expr(field),
        })
    }

    fn when(&mut self, when: &When) -> Cond {
        self.at("when", |c| c.cond(when))
    }

    fn list(&mut self, name: &'static str, list: &ListField) -> List {
        let known: &[Column] = match name {
            "changes" => Changes::COLUMNS,
            "locations" => Locations::COLUMNS,
            _ => Plan::COLUMNS,
        };
        self.at(name, |c| {
            let names = known.iter().map(|column| column.name).collect::<Vec<_>>();
            for key in list.keys().filter(|key| *key != "each" && !names.contains(&key.as_str())) {
                let known: Vec<&str> = core::iter::once("each").chain(names.iter().copied()).collect();
                c.at(key, |c| c.problem(ProblemCode::UnknownField, words::no_key(key, &known)));
            }
            let fields = |c: &mut Compiler| {
                let given = known.iter().filter_map(|column| Some((*column, list.get(column.name)?)));
                given.map(|(column, field)| (column, Some(c.at(column.name, |c| c.expr(field))))).collect()
            };
            match list.get("each") {
                None => List { each: None, fields: fields(c) },
                Some(Field::Path(of)) => match c.inside(of, |c, site| List { each: Some(site), fields: fields(c) }) {
                    Some(list) => list,
                    None => List { each: None, fields: Vec::new() },
                },
                Some(_) => {
                    c.at("each", |c| c.problem(ProblemCode::BadPath, "the path of one list is needed"));
                    List { each: None, fields: Vec::new() }
                }
            }
        })
    }
}
