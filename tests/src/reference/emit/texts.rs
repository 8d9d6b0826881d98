//! What is said and thought, and what of it is taken back.

use super::{Own, named};
use crate::reference::field::{Here, is_block};
use crate::reference::state::{Current, Said, State, Telling, fields};
use serde_json::{Map, Value};
use turnline::Role;
use turnline::profile::{Field, ListField, MessageEmit, ReasoningEmit, When};

impl State<'_> {
    /// The message that a text belongs to: the one it names, or one that goes by what was told before.
    fn message_key(&mut self, here: Here<'_>, own: &Own, part: &Own, telling: Telling) -> String {
        if let Some(id) = here.id(own) {
            return id;
        }
        let agent = self.record.agent.clone();
        let next_block =
            is_block(part) && std::mem::replace(&mut self.record.numbered, self.record.list) == self.record.list;
        self.message_of(&agent, Telling { next_block, ..telling })
    }

    /// The texts of an earlier record are void.
    pub(super) fn withdraw(&mut self, id: &str) {
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

    pub(super) fn message(&mut self, e: &MessageEmit<Field, When, ListField>, here: Here<'_>, joined: Option<&str>) {
        let role = named!(here, &e.role, Role).unwrap_or_default();
        let (delta, synthetic) = (here.flag(&e.delta), here.flag(&e.synthetic));
        let said = joined.map(str::to_owned).or_else(|| here.text(&e.text));
        let mut counts = None;
        let message = if role == Role::User {
            let agent = self.record.agent.clone();
            self.end_message(&agent);
            self.forget_pieces(&agent);
            here.id(&e.message_id)
        } else {
            self.ensure_turn();
            let telling = Telling { thought: false, delta, completes: here.flag(&e.completes), next_block: false };
            let message = self.message_key(here, &e.message_id, &e.part, telling);
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

    pub(super) fn reasoning(
        &mut self,
        e: &ReasoningEmit<Field, When, ListField>,
        here: Here<'_>,
        joined: Option<&str>,
    ) {
        self.ensure_turn();
        let delta = here.flag(&e.delta);
        let telling = Telling { thought: true, delta, completes: here.flag(&e.completes), next_block: false };
        let message = self.message_key(here, &e.message_id, &e.part, telling);
        let said = joined.map(str::to_owned).or_else(|| here.text(&e.text));
        let all = fields([
            ("message_id", Some(message.into())),
            ("part", part(here, &e.part)),
            ("text", Some(said.unwrap_or_default().into())),
            ("delta", delta.then_some(true.into())),
            ("redacted", here.flag(&e.redacted).then_some(true.into())),
        ]);
        self.remember("reasoning", &all, None);
        self.event("reasoning", false, all);
    }
}

/// Which part of its message a text is: a number, or the executor's own id.
fn part(here: Here<'_>, field: &Own) -> Option<Value> {
    if is_block(field) {
        return Some(here.block.into());
    }
    here.whole(field).map(Value::from).or_else(|| here.text(field).map(Value::from))
}
