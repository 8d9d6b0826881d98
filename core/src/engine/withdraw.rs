//! Texts that the executor takes back.

use super::Engine;
use crate::event::Part;
use crate::pending::{Fix, Pending, Span, What, Withdrawn};
use crate::rules::compiled::Expr;
use crate::rules::eval::Ctx;
use crate::tally::answer::Key;
use crate::text::Text;

impl Engine {
    /// Remembers a text by its record: `own` is its message, or the one in `fix`.
    pub(super) fn remember(
        &mut self,
        ctx: Ctx<'_>,
        (own, part, fix): (Option<&Text<'_>>, &Option<Expr>, Fix),
        agent: Option<&[u8]>,
        reasoning: bool,
        key: Option<Key>,
    ) {
        let Some(record) = self.record.id else { return };
        let (number, part_id) = match ctx.part(fix.part, part) {
            Some(Part::Index(number)) => (Some(number), None),
            _ => (None, ctx.id(part)),
        };
        let bytes = |span: Span| self.scratch.get(span.range()).unwrap_or_default();
        let ids = [
            own.map_or_else(|| bytes(fix.id.unwrap_or_default()), Text::bytes),
            part_id.as_ref().map(Text::bytes).unwrap_or_default(),
            agent.unwrap_or_default(),
            bytes(self.record.parent),
        ];
        self.said.keep(record, ids, number, reasoning, key);
    }

    /// Takes back the texts of the record with this id.
    pub(super) fn withdraw(&mut self, id: &Text<'_>) {
        while let Some(said) = self.said.take(id.bytes()) {
            if let Some(key) = said.key {
                self.answer.withdraw(key);
            }
            let mut copy = |which: usize| {
                let start = self.scratch.len() as u32;
                self.scratch.extend(self.said.id(&said, which));
                Span { start, end: self.scratch.len() as u32 }
            };
            let (message, part_id, agent, parent) = (copy(0), copy(1), copy(2), copy(3));
            let (part, reasoning) = (said.part, said.reasoning);
            self.withdrawn.push(Withdrawn { message, part, part_id, agent, parent, reasoning });
            let what = What::Withdrawn { at: self.withdrawn.len() as u32 - 1 };
            let (turn, native) = (self.conversation.turn(), self.record.native);
            self.queue.push(Pending { turn, native, rule: None, frame: 0, synthetic: true, what });
            self.trace_ignored("a text that the executor took back is no answer");
        }
    }
}
