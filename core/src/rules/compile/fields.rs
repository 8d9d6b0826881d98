//! Where values are found, and what is asked of them.

use super::Compiler;
use crate::envelope::ErrorClass;
use crate::event::open_enum::Named;
use crate::profile::field::{Conditions, Field, Matcher, OneOrMany, Scalar, When};
use crate::profile::problem::ProblemCode;
use crate::profile::sense::holds_never;
use crate::profile::spec::DetectSpec;
use crate::profile::words;
use crate::rules::compiled::{Check, Cond, Expr, Literal, Source, Switch, Test};
use crate::rules::path::{self, Part, Path};
use crate::rules::pattern::Pattern;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

impl Compiler {
    fn source(&mut self, text: &str) -> Option<Source> {
        let (root, parts) = match path::parse(text) {
            Err(message) => {
                self.path_problem(text, message);
                return None;
            }
            Ok(Path::Key | Path::Block) if self.each == 0 => {
                self.problem(ProblemCode::Misplaced, format!("`{text}` only means something inside an `each`"));
                return None;
            }
            Ok(Path::Key) => return Some(Source::Key),
            Ok(Path::Block) => return Some(Source::Block),
            Ok(Path::Root(parts)) => (true, parts),
            Ok(Path::Here(parts)) => (self.each == 0, parts),
        };
        if parts.iter().any(|part| matches!(part, Part::Each | Part::Entries)) {
            self.problem(ProblemCode::BadPath, format!("`{text}`: a field is one value; iterate with `each`"));
            return None;
        }
        if root && parts.is_empty() {
            self.problem(ProblemCode::BadPath, "the whole record is no field");
            return None;
        }
        let mut steps = if root { Vec::new() } else { self.base.clone() };
        steps.extend(parts.iter().map(Part::step));
        let site = self.trie.add(&steps);
        Some(if root { Source::Root(site.slot) } else { Source::Here(site.slot) })
    }

    pub(crate) fn sources<'a>(&mut self, paths: impl Iterator<Item = &'a str>) -> Vec<Source> {
        let mut sources = Vec::new();
        let mut any = false;
        for path in paths {
            any = true;
            sources.extend(self.source(path));
        }
        if !any {
            self.problem(ProblemCode::EmptyPath, "a path is needed");
        }
        sources
    }

    pub(crate) fn expr(&mut self, field: &Field) -> Expr {
        match field {
            Field::Flag(flag) => Expr { literal: Some(if *flag { "true" } else { "false" }.into()), ..Expr::default() },
            Field::Path(text) => match text.strip_prefix('=') {
                Some(literal) => Expr { literal: Some(literal.into()), ..Expr::default() },
                None => Expr { sources: self.sources(path::alternatives(text)), ..Expr::default() },
            },
            Field::Paths(paths) => Expr {
                sources: self.sources(paths.iter().flat_map(|path| path::alternatives(path))),
                ..Expr::default()
            },
            Field::Mapped(mapped) => Expr {
                sources: self.at("path", |c| c.sources(mapped.path.iter())),
                literal: None,
                map: mapped.map.iter().map(|(key, value)| (Box::from(&**key), Box::from(&**value))).collect(),
                default: mapped.default.as_deref().map(Box::from),
                missing: mapped.missing.as_deref().map(Box::from),
            },
        }
    }

    /// A field whose values must be names of the vocabulary: what the profile itself says is checked.
    pub(super) fn named<T: Named>(&mut self, field: &Field) -> Expr {
        self.names(field, T::NAMES);
        self.expr(field)
    }

    /// Checks the names that a field itself says, each where it stands.
    pub(super) fn names(&mut self, field: &Field, known: &[&str]) {
        let check = |c: &mut Compiler, name: &str| {
            if !known.contains(&name) {
                c.problem(ProblemCode::UnknownName, words::none_of(name, known));
            }
        };
        match field {
            Field::Flag(flag) => check(self, if *flag { "true" } else { "false" }),
            Field::Path(text) => {
                if let Some(literal) = text.strip_prefix('=') {
                    check(self, literal);
                }
            }
            Field::Paths(_) => {}
            Field::Mapped(mapped) => {
                self.at("map", |c| mapped.map.iter().for_each(|(key, name)| c.at(key, |c| check(c, name))));
                for (key, name) in [("default", &mapped.default), ("missing", &mapped.missing)] {
                    if let Some(name) = name {
                        self.at(key, |c| check(c, name));
                    }
                }
            }
        }
    }

    pub(crate) fn tests(&mut self, conditions: &Conditions) -> Vec<Test> {
        let mut tests = Vec::new();
        for (path, matcher) in conditions {
            self.at(path, |c| {
                let sources = c.sources(path::alternatives(path));
                for check in c.checks(matcher) {
                    tests.push(Test { sources: sources.clone(), check });
                }
            });
        }
        tests
    }

    /// Checks what a profile says of the records that only its executor prints.
    pub(crate) fn detect(&mut self, detect: &DetectSpec) -> Vec<Test> {
        self.at("match", |c| {
            if detect.r#match.is_empty() {
                c.problem(ProblemCode::EmptyCondition, "without a condition every stream would be this executor's");
            }
            c.tests(&detect.r#match)
        })
    }

    fn checks(&mut self, matcher: &Matcher) -> Vec<Check> {
        let mut checks = Vec::new();
        match matcher {
            Matcher::Is(value) => checks.push(Check::OneOf(alloc::vec![literal(value)])),
            Matcher::OneOf(values) => {
                if values.is_empty() {
                    self.problem(ProblemCode::EmptyCondition, "one of nothing is never");
                }
                checks.push(Check::OneOf(values.iter().map(literal).collect()));
            }
            Matcher::Test(test) => {
                if let Some(prefix) = &test.prefix {
                    if prefix.is_empty() {
                        self.at("prefix", |c| {
                            c.problem(ProblemCode::EmptyPrefix, "an empty prefix matches everything")
                        });
                    }
                    checks.push(Check::Prefix(Box::from(&**prefix)));
                }
                if let Some(not) = &test.not {
                    if OneOrMany::as_slice(not).is_empty() {
                        self.at("not", |c| c.problem(ProblemCode::EmptyCondition, "none of nothing is always"));
                    }
                    checks.push(Check::NoneOf(OneOrMany::as_slice(not).iter().map(literal).collect()));
                }
                checks.extend(test.present.map(Check::Present));
                checks.extend(test.is.map(Check::Is));
                checks.extend(test.blank.map(Check::Blank));
                if let Some(pattern) = &test.pattern {
                    let pattern = self.at("pattern", |c| c.pattern(pattern, false));
                    checks.extend(pattern.map(Check::Pattern));
                }
                if checks.is_empty() {
                    self.problem(ProblemCode::EmptyCondition, "a test that tests nothing");
                } else if holds_never(test) {
                    self.problem(ProblemCode::Contradiction, "no value passes all of these tests");
                }
            }
        }
        checks
    }

    pub(crate) fn pattern(&mut self, text: &str, fold_case: bool) -> Option<Pattern> {
        match Pattern::new(text, fold_case) {
            Ok(pattern) => Some(pattern),
            Err(message) => {
                self.problem(ProblemCode::BadPattern, message);
                None
            }
        }
    }

    pub(super) fn cond(&mut self, when: &When) -> Cond {
        let group = |c: &mut Compiler, group: &Conditions| {
            if group.is_empty() {
                c.problem(ProblemCode::EmptyCondition, "a condition without a test: leave it out instead");
            }
            c.tests(group)
        };
        let groups = match when {
            When::All(all) => alloc::vec![group(self, all)],
            When::Any(groups) => {
                if groups.is_empty() {
                    self.problem(ProblemCode::EmptyCondition, "one of no conditions is never: leave it out instead");
                }
                groups.iter().enumerate().map(|(n, all)| self.at(n, |c| group(c, all))).collect()
            }
        };
        Cond { groups }
    }

    pub(super) fn switch(&mut self, switch: &crate::profile::field::Switch) -> Switch {
        use crate::profile::field::Switch as Spec;
        match switch {
            Spec::Flag(true) => Switch::Always,
            Spec::Flag(false) => Switch::Never,
            Spec::When(when) => Switch::When(self.cond(when)),
        }
    }

    /// The pattern of an entry that is nothing without one.
    pub(crate) fn needed_pattern(&mut self, text: &str) -> Option<Pattern> {
        self.at("pattern", |c| match text {
            "" => {
                c.problem(ProblemCode::MissingField, "a `pattern` is needed");
                None
            }
            text => c.pattern(text, false),
        })
    }

    pub(crate) fn class(&mut self, name: &str) -> Option<ErrorClass> {
        let class = ErrorClass::from_name(name);
        if class.is_none() {
            self.problem(ProblemCode::UnknownName, words::none_of(name, <ErrorClass as Named>::NAMES));
        }
        class
    }

    pub(crate) fn optional(&mut self, key: &str, field: &Option<Field>) -> Option<Expr> {
        field.as_ref().map(|field| self.at(key, |c| c.expr(field)))
    }

    pub(super) fn optional_switch(&mut self, key: &str, switch: &Option<crate::profile::field::Switch>) -> Switch {
        switch.as_ref().map(|switch| self.at(key, |c| c.switch(switch))).unwrap_or_default()
    }
}

fn literal(value: &Scalar) -> Literal {
    match value {
        Scalar::Flag(flag) => Literal::Flag(*flag),
        Scalar::Whole(number) => Literal::Whole(*number),
        Scalar::Number(number) => Literal::Number(*number),
        Scalar::Text(text) => Literal::Text(Box::from(&**text)),
    }
}
