//! Texts of a list whose elements all have one key: they are one text, told where the last of them stands.

use super::Engine;
use super::emit::Agent;
use crate::pending::Span;
use crate::profile::emit::Emit;
use crate::rules::compiled::{CompiledEmit, EachOp, Rules};
use crate::rules::eval::Ctx;
use crate::text::Text;

/// A text that several elements make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joined {
    /// One of the emits that make it.
    emit: u32,
    /// The element and the emit that are the last.
    last: (u32, u32),
    /// The text in the scratch space, as the inside of a JSON string.
    text: Span,
}

impl Engine {
    /// Finds what elements of a list say together. Where only one says something nothing is to be done.
    pub(super) fn join(&mut self, rules: &Rules, each: &EachOp, ctx: Ctx<'_>) {
        for members in &each.joins {
            let making = || {
                ctx.frames.frames(each.site, ctx.frame).flat_map(|frame| {
                    let at = ctx.at(frame);
                    members.iter().filter_map(move |n| {
                        let emit = rules.emits.get(*n as usize).filter(|emit| at.when(emit.when()))?;
                        Some(((frame, *n), text(emit, at)))
                    })
                })
            };
            let Some(last) = making().map(|(place, _)| place).last().filter(|_| making().nth(1).is_some()) else {
                continue;
            };
            let start = self.scratch.len() as u32;
            for (_, text) in making() {
                text.unwrap_or_default().write_by_itself(&mut self.scratch);
            }
            let text = Span { start, end: self.scratch.len() as u32 };
            self.joins.extend(members.iter().map(|emit| Joined { emit: *emit, last, text }));
        }
    }

    /// An emit while some are joined: of those only the last is made, with the text of all.
    #[cold]
    pub(super) fn emit_joined(&mut self, rules: &Rules, n: u32, emit: &CompiledEmit, ctx: Ctx<'_>, agent: Agent<'_>) {
        let joined = self.joins.iter().rev().find(|joined| joined.emit == n).copied();
        match (joined, emit) {
            (None, _) => self.emit(rules, n, emit, ctx, agent),
            (Some(joined), _) if joined.last != (ctx.frame, n) => {}
            (Some(joined), Emit::Message(emit)) => self.message(n, emit, ctx, agent, Some(joined.text)),
            (Some(joined), Emit::Reasoning(emit)) => self.reasoning(n, emit, ctx, agent, Some(joined.text)),
            (Some(_), _) => {}
        }
    }
}

fn text<'a>(emit: &'a CompiledEmit, ctx: Ctx<'a>) -> Option<Text<'a>> {
    match emit {
        Emit::Message(emit) => ctx.text(&emit.text),
        Emit::Reasoning(emit) => ctx.text(&emit.text),
        _ => None,
    }
}
