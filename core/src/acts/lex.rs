//! Takes a shell's command line apart into simple commands. POSIX shells and bash; one pass, and nothing is run.
//!
//! What a shell fills in (variables, substitutions) stands in a word as [`FILLED`]: such a word is not known. The commands
//! inside of substitutions are commands of their own.

use super::case::Cases;
use super::heredoc::Heredoc;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// Stands in a word for what only the shell knows.
pub(crate) const FILLED: char = '\u{FFFC}';

/// Constructs inside of each other (substitutions, quotes, scripts in scripts); deeper ones are not looked at.
pub(crate) const DEPTH: usize = 24;

/// A simple command: its words, the assignments before them among those.
#[derive(Clone, Debug)]
pub(crate) struct Simple {
    pub(crate) words: Vec<Word>,
    /// The text that it stands in, and where.
    pub(crate) source: Rc<str>,
    pub(crate) span: Range<usize>,
    /// What it is given to read: a here-document or a here-string.
    pub(crate) stdin: Option<Rc<str>>,
    /// Its output does not come back to who runs it.
    pub(crate) output_taken: bool,
    /// The function whose body it stands in.
    function: Option<usize>,
}

impl Simple {
    /// A command that stands in no script.
    pub(crate) fn alone(words: Vec<Word>, line: String) -> Self {
        let span = 0..line.len();
        Simple { words, source: Rc::from(line), span, stdin: None, output_taken: false, function: None }
    }
}

/// A word, without its quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// No part of it was quoted.
    pub(crate) bare: bool,
}

impl Word {
    pub(crate) fn new(text: &str) -> Self {
        Word { text: text.into(), bare: false }
    }

    /// All of it is said; nothing is filled in by the shell.
    pub(crate) fn is_known(&self) -> bool {
        !self.text.contains(FILLED)
    }

    /// `NAME=value`, as it may stand before a command.
    pub(crate) fn is_assignment(&self) -> bool {
        let Some((name, _)) = self.text.split_once('=') else { return false };
        let name = name.strip_suffix('+').unwrap_or(name);
        let mut chars = name.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
    }
}

/// The simple commands of a script, those that would run: bodies of functions count only where they are called.
pub(crate) fn commands(text: &str, depth: usize) -> Vec<Simple> {
    let mut lexer = Lexer {
        text,
        source: Rc::from(text),
        at: 0,
        end: text.len(),
        depth,
        found: Vec::new(),
        functions: Vec::new(),
        heredocs: Vec::new(),
        bodies: Vec::new(),
        scope: None,
    };
    lexer.list(false);
    let Lexer { mut found, functions, bodies, .. } = lexer;
    for (command, body) in &mut found {
        if let Some(body) = body.and_then(|at| bodies.get(at)) {
            command.stdin = Some(body.clone());
        }
    }
    let found = found.into_iter().map(|(command, _)| command).collect();
    super::function::called(found, &functions, |command| command.function)
}

/// A simple command, and the here-document that it reads.
type Found = (Simple, Option<usize>);

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    source: Rc<str>,
    pub(super) at: usize,
    /// Where the part that is being read ends.
    pub(super) end: usize,
    pub(super) depth: usize,
    found: Vec<Found>,
    functions: Vec<String>,
    /// Here-documents whose bodies come after this line.
    pub(super) heredocs: Vec<Heredoc>,
    pub(super) bodies: Vec<Rc<str>>,
    scope: Option<usize>,
}

/// The command that is being read.
#[derive(Default)]
struct Open {
    words: Vec<Word>,
    start: Option<usize>,
    end: usize,
    stdin: Option<Rc<str>>,
    body: Option<usize>,
    output_taken: bool,
    /// Inside `[[ ]]`, where operators are none.
    test: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        let at = self.at + ahead;
        if at < self.end { self.text.as_bytes().get(at).copied() } else { None }
    }

    pub(super) fn starts(&self, with: &str) -> bool {
        self.text.get(self.at..self.end).is_some_and(|rest| rest.starts_with(with))
    }

    /// Runs `f` one level deeper; where that is too deep, the rest is not read.
    pub(super) fn deeper(&mut self, f: impl FnOnce(&mut Self)) {
        if self.depth >= DEPTH {
            self.at = self.end;
            return;
        }
        self.depth += 1;
        f(self);
        self.depth -= 1;
    }

    /// Commands up to the end, or to the parenthesis that closes what they stand in.
    pub(super) fn list(&mut self, in_parentheses: bool) {
        let outer = self.scope;
        let mut open = Open::default();
        let mut cases = Cases::default();
        // What is open: a brace or a parenthesis, and the function that it is the body of.
        let mut levels: Vec<(u8, Option<usize>)> = Vec::new();
        let mut body_of = None;
        while let Some(byte) = self.byte(0) {
            if cases.wants_pattern() && open.start.is_none() {
                self.pattern(&mut cases);
                continue;
            }
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.byte(1) == Some(b'\n') => self.at += 2,
                b'#' if !open.test => self.comment(),
                b'\n' => {
                    self.finish(&mut open);
                    self.at += 1;
                    self.bodies();
                }
                b'<' | b'>' if open.test => self.at += 1,
                b'<' | b'>' => self.redirection(&mut open),
                b'&' if self.byte(1) == Some(b'>') && !open.test => self.redirection(&mut open),
                b'&' | b'|' | b';' if open.test && byte != b';' => self.at += 1,
                b'&' | b'|' | b';' => {
                    open.output_taken |= byte == b'|' && self.byte(1) != Some(b'|');
                    self.finish(&mut open);
                    self.operator(&mut cases);
                }
                b'(' if open.test => self.at += 1,
                b')' if open.test => self.at += 1,
                b'(' if open.words.len() == 1 && self.text.get(self.at..self.end).is_some_and(empty_parentheses) => {
                    // `name ()`: a function. Its body is the next group.
                    let name = core::mem::take(&mut open).words.pop().map(|word| word.text).unwrap_or_default();
                    body_of = Some(self.function(name));
                    self.at = self.text[self.at..self.end].find(')').map_or(self.end, |at| self.at + at + 1);
                }
                b'(' if open.start.is_none() && self.byte(1) == Some(b'(') && self.arithmetic(2) => {}
                b'(' => {
                    self.finish(&mut open);
                    levels.push((b'(', self.scope));
                    self.scope = body_of.take().or(self.scope);
                    self.at += 1;
                }
                b')' => {
                    self.finish(&mut open);
                    self.at += 1;
                    match levels.iter().rposition(|(kind, _)| *kind == b'(') {
                        Some(at) => {
                            self.scope = levels[at].1;
                            levels.truncate(at);
                        }
                        None if in_parentheses => break,
                        None => {}
                    }
                }
                _ => {
                    let start = self.at;
                    let Some(word) = self.word() else {
                        self.at += 1;
                        continue;
                    };
                    if open.words.is_empty() && word.bare && !open.test {
                        match &*word.text {
                            "{" => {
                                levels.push((b'{', self.scope));
                                self.scope = body_of.take().or(self.scope);
                                continue;
                            }
                            "}" => {
                                if let Some((b'{', scope)) = levels.last() {
                                    self.scope = *scope;
                                    levels.pop();
                                }
                                continue;
                            }
                            "case" => {
                                self.case_head(&mut cases);
                                continue;
                            }
                            "for" | "select" => {
                                self.for_head();
                                continue;
                            }
                            "function" => {
                                self.blanks();
                                let name = self.word().map(|word| word.text).unwrap_or_default();
                                self.blanks();
                                if self.text.get(self.at..self.end).is_some_and(empty_parentheses) {
                                    self.at =
                                        self.text[self.at..self.end].find(')').map_or(self.end, |at| self.at + at + 1);
                                }
                                body_of = Some(self.function(name));
                                continue;
                            }
                            "esac" => {
                                cases.end();
                                continue;
                            }
                            "if" | "then" | "elif" | "else" | "fi" | "while" | "until" | "do" | "done" | "!"
                            | "coproc" => continue,
                            "[[" => open.test = true,
                            _ => {}
                        }
                    }
                    if open.test && word.text == "]]" {
                        open.test = false;
                    }
                    open.start.get_or_insert(start);
                    open.end = self.at;
                    open.words.push(word);
                }
            }
        }
        self.finish(&mut open);
        self.scope = outer;
    }

    /// The command that was read is complete.
    fn finish(&mut self, open: &mut Open) {
        let open = core::mem::take(open);
        let Some(start) = open.start.filter(|_| !open.words.is_empty()) else { return };
        let command = Simple {
            words: open.words,
            source: self.source.clone(),
            span: start..open.end,
            stdin: open.stdin,
            output_taken: open.output_taken,
            function: self.scope,
        };
        self.found.push((command, open.body));
    }

    /// A command of a script inside of this one.
    pub(super) fn add(&mut self, command: Simple) {
        self.found.push((Simple { function: self.scope, ..command }, None));
    }

    fn function(&mut self, name: String) -> usize {
        self.functions.push(name);
        self.functions.len() - 1
    }

    pub(super) fn blanks(&mut self) {
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.byte(1) == Some(b'\n') => self.at += 2,
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        let rest = &self.text.as_bytes()[self.at..self.end];
        self.at = memchr::memchr(b'\n', rest).map_or(self.end, |at| self.at + at);
    }

    /// `;`, `&`, `|` and what is made of them.
    fn operator(&mut self, cases: &mut Cases) {
        let long = [";;&", ";;", ";&", "&&", "||", "|&"].into_iter().find(|known| self.starts(known));
        if long.is_some_and(|known| known.starts_with(';')) {
            cases.next_pattern();
        }
        self.at += long.map_or(1, str::len);
    }

    /// Arithmetic in two pairs of parentheses, of which `skip` bytes are still to be read. False where it is none.
    pub(super) fn arithmetic(&mut self, skip: usize) -> bool {
        /// Arithmetic is short; two groups that begin together are not mistaken for it for long.
        const BYTES: usize = 512;
        let from = self.at + skip;
        let bytes = self.text.as_bytes().get(from..self.end.min(from + BYTES)).unwrap_or_default();
        let mut open = 2;
        for (n, byte) in bytes.iter().enumerate() {
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                _ => continue,
            }
            if open == 0 {
                let adjacent = n > 0 && bytes.get(n - 1) == Some(&b')');
                if adjacent {
                    self.at = from + n + 1;
                }
                return adjacent;
            }
        }
        false
    }

    fn redirection(&mut self, open: &mut Open) {
        const KNOWN: [&str; 13] = ["&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<(", ">(", ">>", ">&", ">|", "<"];
        // A number before it says which of the channels it is.
        let glued = open.end == self.at && open.start.is_some();
        let channel = open
            .words
            .last()
            .filter(|word| glued && word.bare && word.text.bytes().all(|byte| byte.is_ascii_digit()))
            .map(|word| word.text.clone());
        let operator = KNOWN.into_iter().find(|known| self.starts(known)).unwrap_or(">");
        if operator == "<(" || operator == ">(" {
            self.at += 2;
            self.deeper(|lexer| lexer.list(true));
            open.words.push(Word { text: FILLED.into(), bare: false });
            open.end = self.at;
            return;
        }
        if channel.is_some() {
            open.words.pop();
        }
        open.start.get_or_insert(self.at);
        self.at += operator.len();
        self.blanks();
        if operator == "<<" || operator == "<<-" {
            open.body = Some(self.heredoc(operator == "<<-"));
        } else {
            let word = self.word();
            let target = word.as_ref().map_or("", |word| word.text.as_str());
            let to_itself = operator == ">&" && target.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            let output = matches!(channel.as_deref(), None | Some("1")) && operator.contains('>') && operator != "<>";
            open.output_taken |= output && !to_itself;
            if operator == "<<<" {
                open.stdin = word.map(|word| Rc::from(word.text));
            }
        }
        open.end = self.at;
    }
}

/// Whether a text begins with parentheses that hold nothing.
fn empty_parentheses(text: &str) -> bool {
    text.strip_prefix('(').is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(')'))
}
