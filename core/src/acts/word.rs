//! Reads one word of a shell: its quotes, and what the shell fills in.

use super::lex::{FILLED, Lexer, Word, commands};
use alloc::string::String;

impl Lexer<'_> {
    /// The word that begins here; nothing where none does.
    pub(super) fn word(&mut self) -> Option<Word> {
        let mut word = Word { text: String::new(), bare: true };
        let start = self.at;
        while let Some(byte) = self.byte(0) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' => break,
                b'\'' => {
                    word.bare = false;
                    self.at += 1;
                    let from = self.at;
                    self.at = self.find(b'\'');
                    word.text.push_str(&self.text[from..self.at]);
                    self.at = (self.at + 1).min(self.end);
                }
                b'"' => {
                    word.bare = false;
                    self.at += 1;
                    self.deeper(|lexer| lexer.double(&mut word.text));
                }
                b'\\' => {
                    word.bare = false;
                    self.at += 1;
                    if self.byte(0) == Some(b'\n') { self.at += 1 } else { self.take(&mut word.text) }
                }
                b'$' | b'`' => {
                    if self.byte(1) == Some(b'\'') && byte == b'$' {
                        word.bare = false;
                        self.at += 2;
                        self.ansi_c(&mut word.text);
                    } else if self.byte(1) == Some(b'"') && byte == b'$' {
                        word.bare = false;
                        self.at += 2;
                        self.deeper(|lexer| lexer.double(&mut word.text));
                    } else {
                        self.expansion(&mut word.text);
                    }
                }
                _ => self.take(&mut word.text),
            }
        }
        (self.at > start).then_some(word)
    }

    /// Where the next such byte is, else the end.
    fn find(&self, byte: u8) -> usize {
        let rest = &self.text.as_bytes()[self.at..self.end];
        memchr::memchr(byte, rest).map_or(self.end, |at| self.at + at)
    }

    /// Takes one character as it is.
    fn take(&mut self, into: &mut String) {
        match self.text.get(self.at..self.end).and_then(|rest| rest.chars().next()) {
            Some(c) => {
                into.push(c);
                self.at += c.len_utf8();
            }
            None => self.at = (self.at + 1).min(self.end),
        }
    }

    /// The inside of double quotes, and the quote that ends it.
    fn double(&mut self, into: &mut String) {
        while let Some(byte) = self.byte(0) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\\' => match self.byte(1) {
                    Some(b'\n') => self.at += 2,
                    Some(b'$' | b'`' | b'"' | b'\\') => {
                        self.at += 1;
                        self.take(into);
                    }
                    _ => self.take(into),
                },
                b'$' | b'`' => self.expansion(into),
                _ => self.take(into),
            }
        }
    }

    /// `$'...'`: the escapes of C.
    fn ansi_c(&mut self, into: &mut String) {
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\'' => {
                    self.at += 1;
                    return;
                }
                b'\\' => {
                    let escape = self.byte(1);
                    self.at += 1;
                    let meant = match escape {
                        Some(b'n') => '\n',
                        Some(b't') => '\t',
                        Some(b'r') => '\r',
                        Some(b'\\') => '\\',
                        Some(b'\'') => '\'',
                        Some(b'"') => '"',
                        // A character by its number: none that a name of a command is written with.
                        _ => FILLED,
                    };
                    into.push(meant);
                    let mut skipped = String::new();
                    self.take(&mut skipped);
                }
                _ => self.take(into),
            }
        }
    }

    /// What begins with `$` or a back quote. The commands in it are found; what it comes to is not known.
    pub(super) fn expansion(&mut self, into: &mut String) {
        if self.byte(0) == Some(b'`') {
            into.push(FILLED);
            self.at += 1;
            self.deeper(Lexer::back_quotes);
            return;
        }
        match self.byte(1) {
            Some(b'(') => {
                into.push(FILLED);
                if self.byte(2) == Some(b'(') && self.arithmetic(3) {
                    return;
                }
                self.at += 2;
                self.deeper(|lexer| lexer.list(true));
            }
            Some(b'{') => {
                into.push(FILLED);
                self.at += 2;
                self.deeper(Lexer::braces);
            }
            Some(byte)
                if byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'?' | b'#' | b'@' | b'*' | b'!' | b'$' | b'-') =>
            {
                into.push(FILLED);
                self.at += 2;
                if byte.is_ascii_alphabetic() || byte == b'_' {
                    while self.byte(0).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                        self.at += 1;
                    }
                }
            }
            _ => {
                into.push('$');
                self.at += 1;
            }
        }
    }

    /// The inside of `${...}`, and the brace that ends it.
    fn braces(&mut self) {
        let mut dropped = String::new();
        while let Some(byte) = self.byte(0) {
            match byte {
                b'}' => {
                    self.at += 1;
                    return;
                }
                b'\\' => self.at = (self.at + 2).min(self.end),
                b'"' => {
                    self.at += 1;
                    self.deeper(|lexer| lexer.double(&mut dropped));
                }
                b'$' | b'`' => self.expansion(&mut dropped),
                _ => self.at += 1,
            }
        }
    }

    /// The inside of back quotes: a script in which `\` hides back quotes, dollars and itself.
    fn back_quotes(&mut self) {
        let mut script = String::new();
        while let Some(byte) = self.byte(0) {
            match byte {
                b'`' => {
                    self.at += 1;
                    break;
                }
                b'\\' if matches!(self.byte(1), Some(b'`' | b'$' | b'\\')) => {
                    self.at += 1;
                    self.take(&mut script);
                }
                _ => self.take(&mut script),
            }
        }
        for command in commands(&script, self.depth) {
            self.add(command);
        }
    }

    /// Text in which only expansions mean something: the body of a here-document.
    pub(super) fn expansions(&mut self) {
        let mut dropped = String::new();
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\\' => self.at = (self.at + 2).min(self.end),
                b'$' | b'`' => self.expansion(&mut dropped),
                _ => self.at += 1,
            }
        }
    }
}
