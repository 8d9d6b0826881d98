//! Consequential acts: what a run did that is hard to take back, or that others see.
//!
//! The commands that tools ran are taken apart by the rules of a shell and matched against a table, which is data
//! ([`ActTable`]). Nothing is run, and nothing is guessed: a word that only the shell knows (`$BRANCH`) is not known here
//! either, a command behind a variable is none that is known, and the number of a pull request is what the command or its
//! own output says, else absent. A parser looks for acts where [`Options::acts`](crate::Options::acts) holds a table.
//!
//! Scripts are read as POSIX shells and bash read them. What a script file does, what is written into a shell by another
//! program (`echo 'git push' | sh`), aliases, and tools that run no commands are not looked into.
//!
//! ```
//! let table = turnline::acts::ActTable::built_in();
//! let found = table.find("cd site && GIT_TOKEN=s3cret git push --force origin main | tail -1");
//! assert_eq!(found[0].kind, "push_forced");
//! assert_eq!(found[0].target.as_deref(), Some("origin main"));
//! assert_eq!(found[0].command, "GIT_TOKEN=[redacted] git push --force origin main");
//! assert!(table.find("echo git push; git push --dry-run; grep 'git push' log").is_empty());
//! ```

mod arguments;
mod case;
mod find;
mod function;
mod heredoc;
mod lex;
mod number;
mod redact;
mod table;
mod watch;
mod word;

pub use table::{ActTable, ActTableError};
pub(crate) use watch::Watch;

use crate::limits::Limits;
use alloc::string::String;
use alloc::vec::Vec;
use find::Finder;
use lex::Word;
use number::{Marker, numbers};

/// An act that a command line does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FoundAct {
    /// What is done, in the table's word.
    pub kind: String,
    /// To what, as far as the command says.
    pub target: Option<String>,
    /// The simple command that does it, secrets redacted, cut at a bound.
    pub command: String,
    /// It cannot be taken back.
    pub irreversible: bool,
    /// What stands around its number in its output, where that may be asked.
    output: Vec<Marker>,
    /// Numbers that the command line itself says: seen in the output they prove nothing.
    said: Vec<String>,
}

impl FoundAct {
    /// What it was done to, with what its own call put out: the number of a pull request stands there. Only of a call that
    /// succeeded, and only where the output names one number and the command line does not.
    #[must_use]
    pub fn target_in(&self, output: &str) -> Option<String> {
        match *numbers(&self.output, output) {
            [number] if self.target.is_none() && !self.said.iter().any(|said| said == number) => Some(number.into()),
            _ => self.target.clone(),
        }
    }

    /// True where the output may say more than the command.
    pub(crate) fn asks_output(&self) -> bool {
        self.target.is_none() && !self.output.is_empty()
    }
}

/// The bounds of one command line.
#[derive(Clone, Copy, Debug)]
struct LineLimits {
    /// Bytes of it that are looked at.
    line: usize,
    /// Acts in it.
    acts: usize,
    /// Bytes kept of a command and of a target.
    kept: usize,
}

impl From<&Limits> for LineLimits {
    fn from(limits: &Limits) -> Self {
        LineLimits { line: limits.command, acts: limits.acts_of_call, kept: limits.act }
    }
}

impl ActTable {
    /// The acts in a shell's command line, in its order, with the default bounds.
    #[must_use]
    pub fn find(&self, line: &str) -> Vec<FoundAct> {
        self.find_within(line, &Limits::default())
    }

    /// The acts in a shell's command line, in its order. Of a line over [`Limits::command`] nothing is looked at: cut
    /// anywhere, it would be another one.
    #[must_use]
    pub fn find_within(&self, line: &str, limits: &Limits) -> Vec<FoundAct> {
        let limits = LineLimits::from(limits);
        if line.len() > limits.line {
            return Vec::new();
        }
        let mut finder = Finder::new(self, limits);
        finder.script(line, 0);
        finder.finish(line)
    }

    /// The acts of a program that is given its arguments without a shell between.
    #[must_use]
    pub fn find_in_arguments<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
        limits: &Limits,
    ) -> Vec<FoundAct> {
        let limits = LineLimits::from(limits);
        let mut line = String::new();
        let mut words = Vec::new();
        for argument in arguments {
            line.push_str(argument);
            line.push(' ');
            if line.len() > limits.line {
                return Vec::new();
            }
            words.push(Word::new(argument));
        }
        let mut finder = Finder::new(self, limits);
        finder.program(words);
        finder.finish(&line)
    }
}
