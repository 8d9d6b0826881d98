//! Checks a profile and compiles it, in one pass: what does not compile is a problem with a place.

mod emits;
mod fields;

use crate::profile::problem::{Problem, ProblemCode};
use crate::profile::spec::RuleSpec;
use crate::rules::compiled::{CompiledEmit, Rule};
use crate::rules::path::{self, Part, Path};
use crate::scan::{Step, TrieBuilder};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Collects places and problems.
pub(crate) struct Compiler {
    pub(crate) trie: TrieBuilder,
    pub(crate) emits: Vec<CompiledEmit>,
    pub(crate) problems: Vec<Problem>,
    pointer: Vec<String>,
    /// The steps to the element that the innermost iteration is at, and the iteration.
    base: Vec<Step>,
    each: u16,
}

impl Compiler {
    pub(crate) fn new() -> Self {
        Compiler {
            trie: TrieBuilder::new(),
            emits: Vec::new(),
            problems: Vec::new(),
            pointer: Vec::new(),
            base: Vec::new(),
            each: 0,
        }
    }

    /// Runs `f` one level deeper in the file.
    pub(crate) fn at<T>(&mut self, key: impl ToString, f: impl FnOnce(&mut Self) -> T) -> T {
        self.pointer.push(key.to_string());
        let value = f(self);
        self.pointer.pop();
        value
    }

    pub(crate) fn problem(&mut self, code: ProblemCode, message: impl Into<String>) {
        let mut pointer = String::new();
        for part in &self.pointer {
            pointer.push('/');
            pointer.push_str(&part.replace('~', "~0").replace('/', "~1"));
        }
        self.problems.push(Problem::new(code, pointer, message));
    }

    /// Runs `f` inside the iteration over `of`.
    pub(crate) fn inside<T>(&mut self, of: &str, f: impl FnOnce(&mut Self, u16) -> T) -> Option<T> {
        let (root, parts) = match path::parse(of) {
            Ok(Path::Root(parts)) => (true, parts),
            Ok(Path::Here(parts)) => (false, parts),
            Ok(Path::Key | Path::Block) => {
                self.problem(ProblemCode::BadPath, "an iteration goes over a list, not over a key or a number");
                return None;
            }
            Err(message) => {
                self.path_problem(of, message);
                return None;
            }
        };
        if root && self.each != 0 {
            self.problem(ProblemCode::Misplaced, "an iteration inside another one starts at its element");
            return None;
        }
        if !matches!(parts.last(), Some(Part::Each | Part::Entries)) {
            self.problem(ProblemCode::BadPath, format!("`{of}` must end with `[]` (a list) or `{{}}` (an object)"));
            return None;
        }
        if parts[..parts.len() - 1].iter().any(|part| *part != Part::Each && *part != Part::Entries) {
            let count = parts.iter().filter(|part| matches!(part, Part::Each | Part::Entries)).count();
            if count > 1 {
                self.problem(ProblemCode::BadPath, "one iteration goes over one list; put another `each` inside it");
                return None;
            }
        }
        let mut steps = self.base.clone();
        steps.extend(parts.iter().map(Part::step));
        let site = self.trie.each(&steps);
        let outer = (core::mem::replace(&mut self.base, steps), core::mem::replace(&mut self.each, site));
        let value = f(self, site);
        (self.base, self.each) = outer;
        Some(value)
    }

    /// The slot of the element that the innermost iteration is at.
    fn element(&mut self) -> u16 {
        let steps = self.base.clone();
        self.trie.add(&steps).slot
    }

    pub(crate) fn path_problem(&mut self, text: &str, message: &str) {
        let code = if text.is_empty() { ProblemCode::EmptyPath } else { ProblemCode::BadPath };
        self.problem(code, if text.is_empty() { message.to_string() } else { format!("`{text}`: {message}") });
    }

    pub(crate) fn rule(&mut self, rule: &RuleSpec) -> Rule {
        Rule {
            agent: self.optional("agent", &rule.agent),
            parent_tool_call_id: self.optional("parent_tool_call_id", &rule.parent_tool_call_id),
            session_id: self.optional("session_id", &rule.session_id),
            begins_message: self.optional("begins_message", &rule.begins_message),
            owes: self.optional_switch("owes", &rule.owes),
            terminal: self.optional_switch("terminal", &rule.terminal),
            withdraws_failures: self.optional_switch("withdraws_failures", &rule.withdraws_failures),
            background: self.optional("background", &rule.background),
            record_id: self.optional("record_id", &rule.record_id),
            queued: self.optional("queued", &rule.queued),
            answer: self.optional("answer", &rule.answer),
            structured_output: self.optional("structured_output", &rule.structured_output),
            ops: self.at("emit", |c| c.ops(&rule.emit)),
        }
    }
}
