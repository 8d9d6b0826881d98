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
        for (column, expr) in &list.fields {
            let before = self.scratch.len();
            if before > empty {
                self.scratch.push(b',');
            }
            self.scratch.push(b'"');
            self.scratch.extend_from_slice(column.name.as_bytes());
            self.scratch.extend_from_slice(b"\":");
            match column.whole {
                true => ctx.whole(expr).map(|number| crate::event::write_u64(number, &mut self.scratch)),
                false => ctx.text(expr).map(|text| text.write_json(&mut self.scratch)),
            }
            .unwrap_or_else(|| self.scratch.truncate(before));
        }
        // An entry without its first field (the path, the content) says nothing.
        let named = list.fields.first().is_some_and(|(_, expr)| ctx.text(expr).is_some_and(|text| !text.is_empty()));
        if named {
            self.scratch.push(b'}');
        } else {
            self.scratch.truncate(begin);
        }
    }
}
