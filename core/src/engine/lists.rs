//! Lists of events, written as JSON into the scratch space.

use super::Engine;
use crate::pending::Span;
use crate::rules::compiled::List;
use crate::rules::eval::Ctx;

impl Engine {
    /// Writes a list; empty where no entry says anything.
    pub(super) fn list(&mut self, list: &List, ctx: Ctx<'_>) -> Span {
        let start = self.scratch.len();
        match list.each {
            None => self.entry(start, list, ctx),
            Some(each) => {
                for frame in ctx.frames.frames(each, ctx.frame) {
                    self.entry(start, list, ctx.at(frame));
                }
            }
        }
        if self.scratch.len() > start {
            self.scratch.push(b']');
        }
        Span { start: start as u32, end: self.scratch.len() as u32 }
    }

    fn entry(&mut self, start: usize, list: &List, ctx: Ctx<'_>) {
        let begin = self.scratch.len();
        self.scratch.push(if begin == start { b'[' } else { b',' });
        self.scratch.push(b'{');
        let empty = self.scratch.len();
        for (name, expr) in &list.fields {
            let Some(text) = ctx.text_of(expr) else { continue };
            if self.scratch.len() > empty {
                self.scratch.push(b',');
            }
            self.scratch.push(b'"');
            self.scratch.extend_from_slice(name.as_bytes());
            self.scratch.extend_from_slice(b"\":");
            text.write_json(&mut self.scratch);
        }
        // An entry without its first field (the path, the content) says nothing.
        let named = list.fields.first().is_some_and(|(_, expr)| ctx.text_of(expr).is_some_and(|text| !text.is_empty()));
        if named {
            self.scratch.push(b'}');
        } else {
            self.scratch.truncate(begin);
        }
    }
}
