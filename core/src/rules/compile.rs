//! Checks a profile and compiles it, in one pass: what does not compile is a problem with a place.

use crate::envelope::ErrorClass;
use crate::event::open_enum::Named;
use crate::event::{
    Changes, Column, Locations, Outcome, Phase, Plan, Role, Severity, StopReason, ToolKind, ToolStatus, UsageMode,
    UsageScope,
};
use crate::profile::emit::{Emit, EmitSpec, ListField, Translate};
use crate::profile::field::{Conditions, Field, Matcher, OneOrMany, Scalar, When};
use crate::profile::problem::{Problem, ProblemCode};
use crate::profile::spec::{DetectSpec, RuleSpec};
use crate::rules::compiled::{Check, CompiledEmit, Cond, EachOp, Expr, List, Literal, Op, Rule, Source, Switch, Test};
use crate::rules::path::{self, Part, Path};
use crate::rules::pattern::Pattern;
use crate::scan::{Step, TrieBuilder};
use alloc::boxed::Box;
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
                None => Expr { sources: self.sources(text.split('|').map(str::trim)), ..Expr::default() },
            },
            Field::Paths(paths) => Expr {
                sources: self.sources(paths.iter().flat_map(|path| path.split('|')).map(str::trim)),
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
    fn named<T: Named>(&mut self, field: &Field) -> Expr {
        let expr = self.expr(field);
        let said =
            expr.map.iter().map(|(_, value)| value).chain(&expr.literal).chain(&expr.default).chain(&expr.missing);
        let unknown: Vec<Box<str>> = said.filter(|value| T::named(value).is_none()).cloned().collect();
        for value in unknown {
            let known = T::ALL.iter().map(|value| value.name()).collect::<Vec<_>>().join(", ");
            self.problem(ProblemCode::UnknownName, format!("`{value}` is not one of: {known}"));
        }
        expr
    }

    pub(crate) fn tests(&mut self, conditions: &Conditions) -> Vec<Test> {
        let mut tests = Vec::new();
        for (path, matcher) in conditions {
            self.at(path, |c| {
                let sources = c.sources(path.split('|').map(str::trim));
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

    fn cond(&mut self, when: &When) -> Cond {
        if when.groups().is_empty() || when.groups().iter().any(Conditions::is_empty) {
            self.problem(ProblemCode::EmptyCondition, "a condition without a test: leave it out instead");
        }
        Cond { groups: when.groups().iter().map(|group| self.tests(group)).collect() }
    }

    fn switch(&mut self, switch: &crate::profile::field::Switch) -> Switch {
        use crate::profile::field::Switch as Spec;
        match switch {
            Spec::Flag(true) => Switch::Always,
            Spec::Flag(false) => Switch::Never,
            Spec::When(when) => Switch::When(self.cond(when)),
        }
    }

    pub(crate) fn class(&mut self, name: &str) -> Option<ErrorClass> {
        let class = ErrorClass::from_name(name);
        if class.is_none() {
            let known = ErrorClass::ALL.iter().map(|class| class.as_str()).collect::<Vec<_>>().join(", ");
            self.problem(ProblemCode::UnknownName, format!("`{name}` is not one of: {known}"));
        }
        class
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

    pub(crate) fn optional(&mut self, key: &str, field: &Option<Field>) -> Option<Expr> {
        field.as_ref().map(|field| self.at(key, |c| c.expr(field)))
    }

    fn optional_switch(&mut self, key: &str, switch: &Option<crate::profile::field::Switch>) -> Switch {
        switch.as_ref().map(|switch| self.at(key, |c| c.switch(switch))).unwrap_or_default()
    }

    fn ops(&mut self, emits: &[EmitSpec]) -> Vec<Op> {
        let mut ops = Vec::new();
        for (n, emit) in emits.iter().enumerate() {
            self.at(n, |c| ops.extend(c.op(emit)));
        }
        ops
    }

    fn op(&mut self, emit: &EmitSpec) -> Option<Op> {
        if let Emit::Each(each) = emit {
            let when = each.when.as_ref().map(|when| self.at("when", |c| c.cond(when)));
            let op = self.at("of", |c| {
                c.inside(&each.of, |c, site| {
                    // The pointer stands at `of`; what follows stands beside it.
                    c.pointer.pop();
                    let op = EachOp {
                        when,
                        site,
                        element: c.element(),
                        record_type: c.optional("record_type", &each.record_type),
                        ignore: each.ignore.iter().map(|name| Box::from(&**name)).collect(),
                        ops: c.at("emit", |c| c.ops(&each.emit)),
                        counts_blocks: each.emit.iter().any(uses_block),
                    };
                    c.pointer.push("of".to_string());
                    op
                })
            })?;
            return Some(Op::Each(op));
        }
        self.needs(emit);
        let compiled = emit.translate(self)?;
        check_names(self, &compiled);
        self.emits.push(compiled);
        Some(Op::Emit(self.emits.len() as u32 - 1))
    }

    /// Fields without which an event means nothing.
    fn needs(&mut self, emit: &EmitSpec) {
        let missing = match emit {
            Emit::SessionStarted(e) if e.session_id.is_none() => "session_id",
            Emit::Message(e) if e.text.is_none() => "text",
            Emit::Reasoning(e) if e.text.is_none() && e.redacted.is_none() => "text",
            Emit::ToolCall(e) if e.name.is_none() => "name",
            Emit::Plan(e) if e.entries.is_none() => "entries",
            Emit::Notice(e) if e.message.is_none() && e.code.is_none() => "message",
            Emit::PermissionRequest(e) if e.request_id.is_none() => "request_id",
            Emit::PermissionResolved(e) if e.outcome.is_none() => "outcome",
            Emit::Subagent(e) if e.agent.is_none() => "agent",
            _ => return,
        };
        self.problem(ProblemCode::MissingField, format!("a `{}` needs `{missing}`", emit.name()));
    }
}

/// Whether an emit numbers its text by the block it stands in.
fn uses_block(emit: &EmitSpec) -> bool {
    let is_block = |field: &Option<Field>| match field {
        Some(Field::Path(path)) => path.split('|').next().map(str::trim) == Some("@block"),
        Some(Field::Paths(paths)) => {
            paths.first().and_then(|path| path.split('|').next()).map(str::trim) == Some("@block")
        }
        Some(Field::Mapped(mapped)) => mapped.path.iter().next() == Some("@block"),
        _ => false,
    };
    match emit {
        Emit::Message(emit) => is_block(&emit.part),
        Emit::Reasoning(emit) => is_block(&emit.part),
        _ => false,
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

impl Translate<Field, When, ListField> for Compiler {
    type F = Expr;
    type W = Cond;
    type L = List;

    fn field(&mut self, name: &'static str, field: &Field) -> Expr {
        self.at(name, |c| match name {
            "role" => c.named::<Role>(field),
            "severity" => c.named::<Severity>(field),
            "outcome" => c.named::<Outcome>(field),
            "phase" => c.named::<Phase>(field),
            "stop_reason" => c.named::<StopReason>(field),
            "scope" => c.named::<UsageScope>(field),
            "mode" => c.named::<UsageMode>(field),
            "class" => c.named::<ErrorClass>(field),
            _ => c.expr(field),
        })
    }

    fn when(&mut self, when: &When) -> Cond {
        self.at("when", |c| c.cond(when))
    }

    fn list(&mut self, name: &'static str, list: &ListField) -> List {
        let known: &[Column] = match name {
            "changes" => Changes::COLUMNS,
            "locations" => Locations::COLUMNS,
            _ => Plan::COLUMNS,
        };
        self.at(name, |c| {
            let names = known.iter().map(|column| column.name).collect::<Vec<_>>();
            for key in list.keys().filter(|key| *key != "each" && !names.contains(&key.as_str())) {
                c.at(key, |c| {
                    c.problem(ProblemCode::UnknownField, format!("an entry has: each, {}", names.join(", ")))
                });
            }
            let fields = |c: &mut Compiler| {
                let given = known.iter().filter_map(|column| Some((*column, list.get(column.name)?)));
                given.map(|(column, field)| (column, Some(c.at(column.name, |c| c.expr(field))))).collect()
            };
            match list.get("each") {
                None => List { each: None, fields: fields(c) },
                Some(Field::Path(of)) => match c.inside(of, |c, site| List { each: Some(site), fields: fields(c) }) {
                    Some(list) => list,
                    None => List { each: None, fields: Vec::new() },
                },
                Some(_) => {
                    c.at("each", |c| c.problem(ProblemCode::BadPath, "the path of one list is needed"));
                    List { each: None, fields: Vec::new() }
                }
            }
        })
    }
}

/// `kind` and `status` mean different things in different events: those with a fixed set of names are checked here.
fn check_names(c: &mut Compiler, emit: &CompiledEmit) {
    let (expr, known): (&Option<Expr>, fn(&str) -> bool) = match emit {
        Emit::ToolCall(call) => (&call.kind, |name| ToolKind::from_name(name).is_some()),
        Emit::ToolCallUpdate(update) => (&update.status, |name| ToolStatus::from_name(name).is_some()),
        _ => return,
    };
    let Some(expr) = expr else { return };
    let said = expr.map.iter().map(|(_, value)| value).chain(&expr.literal).chain(&expr.default).chain(&expr.missing);
    let unknown: Vec<Box<str>> = said.filter(|value| !known(value)).cloned().collect();
    for value in unknown {
        c.problem(
            ProblemCode::UnknownName,
            format!("`{value}` is no {}", if matches!(emit, Emit::ToolCall(_)) { "tool kind" } else { "tool status" }),
        );
    }
}
