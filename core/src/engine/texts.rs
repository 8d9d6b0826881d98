//! What the conversation makes of texts and thoughts: whose they are, and of which message.

use super::Engine;
use super::emit::Agent;
use crate::conversation::{How, Saying, part_key};
use crate::event::Role;
use crate::hash::hash;
use crate::pending::{Fix, Span, What};
use crate::profile::emit::{MessageEmit, ReasoningEmit};
use crate::rules::compiled::{Cond, Expr, List};
use crate::rules::eval::Ctx;
use crate::tally::answer::Key;
use crate::text::{Form, Text};

impl Engine {
    /// A text; `joined` is what several elements say together.
    pub(super) fn message(
        &mut self,
        n: u32,
        emit: &MessageEmit<Expr, Cond, List>,
        ctx: Ctx<'_>,
        agent: Agent<'_>,
        joined: Option<Span>,
    ) {
        let role = ctx.name::<Role>(&emit.role).unwrap_or_default();
        let delta = ctx.flag(&emit.delta);
        let synthetic = ctx.flag(&emit.synthetic);
        let own = ctx.id(&emit.message_id);
        let part = Ctx::is_block(&emit.part).then_some(ctx.block);
        let mut fix = Fix { part, made: joined, ..Fix::default() };
        if role == Role::User {
            // What the user says is a message of its own, and ends one of the assistant's that is being numbered.
            self.conversation.end_message(agent);
            self.conversation.forget_pieces(agent);
            self.trace_ignored("a text of the user's is no answer");
            self.queue(ctx.frame, synthetic, What::Emit { emit: n, fix });
            return;
        }
        self.ensure_turn();
        let message = match &own {
            Some(id) => hash(id.bytes()),
            None => self.numbered(&mut fix, agent, delta, ctx.flag(&emit.completes), false),
        };
        let mut counts = None;
        if !self.record.nested && !synthetic {
            let key = Key { message, part: part_key(ctx.part(fix.part, &emit.part)) };
            counts = Some(key);
            let made = joined.and_then(|text| self.scratch.get(text.range()));
            let text = made.map(|made| Text::borrowed(made, Form::Escaped)).or_else(|| ctx.text(&emit.text));
            if let Some(text) = text {
                self.answer.text(key, &text, delta);
                if let Some(trace) = &mut self.trace {
                    trace.answer_text(delta);
                }
            }
        } else {
            self.trace_ignored(if synthetic {
                "a text that the CLI itself made is no answer"
            } else {
                "a sub-agent's text is no answer"
            });
        }
        if self.record.id.is_some() {
            self.remember(ctx, (own.as_ref(), &emit.part, fix), agent, false, counts);
        }
        self.queue(ctx.frame, synthetic, What::Emit { emit: n, fix });
    }

    /// A thought; `joined` is what several elements say together.
    pub(super) fn reasoning(
        &mut self,
        n: u32,
        emit: &ReasoningEmit<Expr, Cond, List>,
        ctx: Ctx<'_>,
        agent: Agent<'_>,
        joined: Option<Span>,
    ) {
        self.ensure_turn();
        let own = ctx.id(&emit.message_id);
        let part = Ctx::is_block(&emit.part).then_some(ctx.block);
        let mut fix = Fix { part, made: joined, ..Fix::default() };
        if own.is_none() {
            self.numbered(&mut fix, agent, ctx.flag(&emit.delta), ctx.flag(&emit.completes), true);
        }
        if self.record.id.is_some() {
            self.remember(ctx, (own.as_ref(), &emit.part, fix), agent, true, None);
        }
        self.queue(ctx.frame, false, What::Emit { emit: n, fix });
    }

    /// The message of a text that names none: the one that is open, or a new one with a number of ours.
    fn numbered(&mut self, fix: &mut Fix, agent: Agent<'_>, delta: bool, completes: bool, thought: bool) -> u64 {
        // Blocks of one list are of one message.
        let next_block =
            fix.part.is_some() && core::mem::replace(&mut self.record.numbered, self.record.list) == self.record.list;
        let how = match (delta, completes) {
            (true, _) => How::Piece,
            (false, true) => How::Completing,
            (false, false) if next_block => How::NextBlock,
            (false, false) => How::Whole,
        };
        let (id, key) = self.message_of(agent, Saying { how, thought });
        fix.id = Some(id);
        key
    }

    /// The message that the conversation gives a text that names none: its id, and the key of that.
    #[inline(always)]
    pub(super) fn message_of(&mut self, agent: Agent<'_>, saying: Saying) -> (Span, u64) {
        let id = self.conversation.message_of(agent, saying);
        (Span::put(&mut self.scratch, id), hash(id))
    }
}
