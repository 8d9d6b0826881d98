//! What can be wrong with a profile, each with a stable code and a pointer to the place.

use crate::event::open_enum::open_enum;
use crate::profile::place::Place;
use crate::profile::words;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

open_enum! {
    /// What is wrong at one place of a profile.
    ProblemCode {
        /// The file is not valid TOML or JSON.
        #[default] Syntax = "syntax",
        /// A value is of a type that cannot stand there.
        WrongType = "wrong_type",
        /// The id is empty.
        EmptyId = "empty_id",
        /// The command is empty.
        EmptyCommand = "empty_command",
        /// A path is empty.
        EmptyPath = "empty_path",
        /// A path cannot be read.
        BadPath = "bad_path",
        /// A prefix is empty: it would match everything.
        EmptyPrefix = "empty_prefix",
        /// A pattern is empty or cannot be read.
        BadPattern = "bad_pattern",
        /// A name that the vocabulary does not have.
        UnknownName = "unknown_name",
        /// A key, or a field of an event, that there is not.
        UnknownField = "unknown_field",
        /// A metadata key that is a field of the envelope.
        ReservedMetadataKey = "reserved_metadata_key",
        /// Usage paths without the condition that bounds them.
        UsageWithoutCondition = "usage_without_condition",
        /// A usage list, or an entry of it, that names nothing.
        EmptyUsage = "empty_usage",
        /// A rule that can never match, because an earlier one takes all its records.
        UnreachableRule = "unreachable_rule",
        /// A rule without a condition before the last one, or an empty list where one is needed.
        EmptyCondition = "empty_condition",
        /// Something without which the rest cannot do is missing.
        MissingField = "missing_field",
        /// Something that only works inside an `each`, or only outside of one.
        Misplaced = "misplaced",
        /// Something that is read and changes nothing.
        NoEffect = "no_effect",
        /// Parts that cannot hold together.
        Contradiction = "contradiction",
        /// The launch table is wrong.
        Launch = "launch",
        /// The shape of something that is said to the executor is no record, or cannot be filled.
        BadShape = "bad_shape",
        /// What it extends cannot be used.
        Extends = "extends",
        /// A rename that touches nothing of what is extended, or cannot be carried out.
        BadRename = "bad_rename",
        /// There is no executor with this id.
        ExecutorNotFound = "executor_not_found",
        /// No executor's records were recognised in a stream.
        ExecutorUnknown = "executor_unknown",
        /// Several executors' records look like those of a stream.
        ExecutorAmbiguous = "executor_ambiguous",
    }
}

impl ProblemCode {
    /// It may be for want of something that was wrong and therefore left out.
    pub(crate) fn may_follow_from_absence(self) -> bool {
        use ProblemCode::{
            Contradiction, EmptyCondition, EmptyPath, EmptyUsage, Launch, Misplaced, MissingField, NoEffect,
            UnreachableRule, UsageWithoutCondition,
        };
        matches!(
            self,
            Contradiction
                | EmptyCondition
                | EmptyPath
                | EmptyUsage
                | Launch
                | MissingField
                | Misplaced
                | NoEffect
                | UnreachableRule
                | UsageWithoutCondition
        )
    }

    /// It is for want of one key of the whole.
    pub(crate) fn is_absence(self) -> bool {
        matches!(self, ProblemCode::EmptyId | ProblemCode::EmptyCommand)
    }

    /// It is about the choice of an executor, not about a place of a profile.
    fn names_no_place(self) -> bool {
        matches!(self, ProblemCode::ExecutorNotFound | ProblemCode::ExecutorUnknown | ProblemCode::ExecutorAmbiguous)
    }
}

/// One thing that is wrong with a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// What it is.
    pub code: ProblemCode,
    /// JSON Pointer to the place in the profile; empty for the whole.
    pub pointer: String,
    /// A sentence for people.
    pub message: String,
    /// The place in the file's text, where the profile came from one. What is missing is told where it belongs.
    pub place: Option<Place>,
}

impl Problem {
    pub(crate) fn new(code: ProblemCode, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Problem { code, pointer: pointer.into(), message: message.into(), place: None }
    }

    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code)?;
        if !self.pointer.is_empty() {
            write!(f, " at {}", self.pointer)?;
        }
        if let Some(place) = self.place {
            write!(f, " (line {}, column {})", place.line, place.column)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// A profile that cannot be used: everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError {
    problems: Vec<Problem>,
}

impl ProfileError {
    pub(crate) fn new(problems: Vec<Problem>) -> Self {
        ProfileError { problems }
    }

    pub(crate) fn one(code: ProblemCode, pointer: &str, message: String) -> Self {
        ProfileError { problems: alloc::vec![Problem::new(code, pointer, message)] }
    }

    pub(crate) fn not_found(id: &str, known: &[&str]) -> Self {
        let message = {
            // Many say the command, whose name the id begins with.
            let longer = || known.iter().copied().find(|known| !id.is_empty() && known.starts_with(id));
            let meant = words::nearest(id, known).or_else(longer);
            let meant = meant.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
            format!("there is no executor '{id}'; there are: {}{meant}", known.join(", "))
        };
        ProfileError::one(ProblemCode::ExecutorNotFound, "", message)
    }

    /// What a profile extends cannot be had: for those who find it themselves.
    #[must_use]
    pub fn no_base(message: impl Into<String>) -> Self {
        ProfileError::one(ProblemCode::Extends, "/extends", message.into())
    }

    /// The code of the whole: `executor_not_found`, `executor_unknown`, `executor_ambiguous`, else `profile_invalid`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.problems.first().map(|problem| problem.code) {
            Some(code) if code.names_no_place() => code.as_str(),
            _ => "profile_invalid",
        }
    }

    /// JSON Pointer to the first problem's place.
    #[must_use]
    pub fn pointer(&self) -> &str {
        self.problems.first().map_or("", |problem| &problem.pointer)
    }

    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    /// All problems, in the order of the file.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())?;
        for (n, problem) in self.problems.iter().enumerate() {
            f.write_str(if n == 0 { ": " } else { "; " })?;
            match problem.code {
                code if code.names_no_place() => f.write_str(&problem.message)?,
                _ => write!(f, "{problem}")?,
            }
        }
        Ok(())
    }
}

impl core::error::Error for ProfileError {}
