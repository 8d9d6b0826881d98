//! Here-documents: a body that begins on the next line and ends at a line that holds its name.

use super::lex::Lexer;
use alloc::rc::Rc;
use alloc::string::String;

/// One whose body is still to come.
pub(super) struct Heredoc {
    /// Where its body will be kept.
    slot: usize,
    end: String,
    /// Tabs before its lines do not count.
    strips_tabs: bool,
    /// Nothing in it means anything to the shell.
    quoted: bool,
}

impl Lexer<'_> {
    /// Reads the name after `<<`; the number of the body.
    pub(super) fn heredoc(&mut self, strips_tabs: bool) -> usize {
        let word = self.word().unwrap_or_default();
        let slot = self.bodies.len();
        self.bodies.push(Rc::from(""));
        self.heredocs.push(Heredoc { slot, end: word.text, strips_tabs, quoted: !word.bare });
        slot
    }

    /// A line has ended: the bodies that it announced follow.
    pub(super) fn bodies(&mut self) {
        for heredoc in core::mem::take(&mut self.heredocs) {
            let from = self.at;
            let mut to = self.end;
            while self.at < self.end {
                let line = self.at;
                let rest = &self.text.as_bytes()[line..self.end];
                let end = memchr::memchr(b'\n', rest).map_or(self.end, |at| line + at);
                self.at = (end + 1).min(self.end);
                let said = &self.text[line..end];
                let said = said.strip_suffix('\r').unwrap_or(said);
                let said = if heredoc.strips_tabs { said.trim_start_matches('\t') } else { said };
                if said == heredoc.end {
                    to = line;
                    break;
                }
            }
            let after = self.at;
            if let Some(body) = self.bodies.get_mut(heredoc.slot) {
                *body = Rc::from(&self.text[from..to]);
            }
            if !heredoc.quoted {
                let outer = core::mem::replace(&mut self.end, to);
                self.at = from;
                self.deeper(Lexer::expansions);
                self.end = outer;
            }
            self.at = after;
        }
    }
}
