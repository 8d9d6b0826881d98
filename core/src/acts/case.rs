//! `case` and `for`: words that look like commands and are none.

use super::lex::Lexer;

/// The `case` commands that are open in a list of commands.
#[derive(Default)]
pub(super) struct Cases {
    open: usize,
    /// What follows is a pattern.
    pattern: bool,
}

impl Cases {
    pub(super) fn wants_pattern(&self) -> bool {
        self.pattern
    }

    pub(super) fn next_pattern(&mut self) {
        self.pattern = self.open > 0;
    }

    pub(super) fn end(&mut self) {
        self.open = self.open.saturating_sub(1);
        self.pattern = false;
    }
}

impl Lexer<'_> {
    /// `case WORD in`.
    pub(super) fn case_head(&mut self, cases: &mut Cases) {
        loop {
            while matches!(self.byte(0), Some(b' ' | b'\t' | b'\r' | b'\n')) {
                self.at += 1;
            }
            match self.word() {
                Some(word) if word.bare && word.text == "in" => break,
                Some(_) => {}
                None => return,
            }
        }
        cases.open += 1;
        cases.pattern = true;
    }

    /// A pattern, up to the parenthesis after it; or `esac`.
    pub(super) fn pattern(&mut self, cases: &mut Cases) {
        match self.byte(0) {
            Some(b')') => {
                self.at += 1;
                cases.pattern = false;
            }
            Some(b'\n') => {
                self.at += 1;
                self.bodies();
            }
            Some(b' ' | b'\t' | b'\r' | b'(' | b'|' | b'&' | b';' | b'<' | b'>') => self.at += 1,
            _ => match self.word() {
                Some(word) if word.bare && word.text == "esac" => cases.end(),
                Some(_) => {}
                None => self.at += 1,
            },
        }
    }

    /// `for NAME in WORDS`, up to the `;` or the line's end.
    pub(super) fn for_head(&mut self) {
        loop {
            self.blanks();
            match self.byte(0) {
                Some(b'(') if self.byte(1) == Some(b'(') && self.arithmetic(2) => {}
                None | Some(b';' | b'\n' | b'&' | b'|' | b'(' | b')' | b'<' | b'>') => return,
                Some(_) => {
                    if self.word().is_none() {
                        self.at += 1;
                    }
                }
            }
        }
    }
}
