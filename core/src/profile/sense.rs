//! What a profile says without any effect, and what cannot hold together: each is read without complaint and surprises
//! later.

use crate::profile::emit::{Emit, EmitSpec};
use crate::profile::field::{Conditions, Switch, Test, ValueType, When};
use crate::profile::problem::ProblemCode::{BadRename, Contradiction, Misplaced, NoEffect, UnreachableRule};
use crate::profile::reach::listed;
use crate::profile::spec::{Framing, ProfileSpec, RuleSpec, TerminalPromise, UsageSpec};
use crate::rules::compile::Compiler;
use crate::rules::compiled::COUNTERS;
use crate::rules::pattern::Taken;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Finds them in a whole profile.
pub(super) fn sensible(c: &mut Compiler, spec: &ProfileSpec) {
    if spec.extends.is_none() && !spec.rename.is_empty() {
        c.at("rename", |c| c.problem(BadRename, "without `extends` nothing is inherited that could be renamed"));
    }
    let owed = |rule: &RuleSpec| rule.owes.as_ref().is_some_and(|owes| *owes != Switch::Flag(false));
    if spec.terminal == TerminalPromise::WhenOwed && !spec.rules.iter().any(owed) {
        c.at("terminal", |c| c.problem(Contradiction, "no rule `owes` a terminal record, so none is ever promised"));
    }
    if spec.framing == Framing::Text {
        let unread = [
            ("record_type", spec.record_type.is_empty()),
            ("detect", spec.detect.is_empty()),
            ("usage", spec.usage.is_none()),
            ("rate_limits", spec.rate_limits.is_empty()),
            ("metadata", spec.metadata.is_empty()),
        ];
        for (key, _) in unread.iter().filter(|(_, empty)| !empty) {
            c.at(key, |c| c.problem(Misplaced, "lines of text hold no records that it could read"));
        }
    }
    twice(c, "record_type", &spec.record_type, "it is in the type already");
    twice(c, "quirks", &spec.quirks, "it is switched on already");
    twice(c, "detect", &spec.detect, "the same records are listed already");
    twice(c, "rate_limits", &spec.rate_limits, "the same is read already");
    twice(c, "metadata", &spec.metadata, "the same is read already");
    twice(c, "usage", spec.usage.as_deref().unwrap_or_default(), "the same would be billed twice");
    patterns(c, spec);
    c.at("rules", |c| spec.rules.iter().enumerate().for_each(|(n, one)| c.at(n, |c| rule(c, one))));
    let entries = spec.usage.iter().flatten().enumerate();
    c.at("usage", |c| entries.for_each(|(n, entry)| c.at(n, |c| usage(c, entry))));
    tools(c, spec);
}

/// Entries of a list that were said before.
fn twice<T: PartialEq>(c: &mut Compiler, key: &str, list: &[T], message: &str) {
    c.at(key, |c| {
        for (n, entry) in list.iter().enumerate() {
            if list[..n].contains(entry) {
                c.at(n, |c| c.problem(NoEffect, message));
            }
        }
    });
}

/// Patterns and labels that an earlier entry has already: the first that fits counts.
fn patterns(c: &mut Compiler, spec: &ProfileSpec) {
    const MESSAGE: &str = "an earlier entry takes it first";
    let notices: Vec<&str> = spec.notices.iter().map(|notice| &*notice.pattern).collect();
    let stderr: Vec<&str> = spec.stderr.iter().map(|rule| &*rule.pattern).collect();
    for (key, list) in [("notices", notices), ("stderr", stderr)] {
        let mut taken = Taken::new(false);
        c.at(key, |c| {
            for (n, pattern) in list.iter().enumerate().filter(|(_, pattern)| !pattern.is_empty()) {
                if taken.add(pattern) {
                    c.at(n, |c| c.at("pattern", |c| c.problem(UnreachableRule, MESSAGE)));
                }
            }
        });
    }
    let mut labels = BTreeSet::new();
    let mut taken = Taken::new(true);
    c.at("classes", |c| {
        for (n, rule) in spec.classes.iter().enumerate() {
            let known = rule.labels.iter().map(|label| !labels.insert(label)).collect::<Vec<_>>();
            let matched = rule.patterns.iter().map(|pattern| taken.add(pattern)).collect::<Vec<_>>();
            for (key, list) in [("labels", known), ("patterns", matched)] {
                for m in (0..list.len()).filter(|m| list[*m]) {
                    c.at(n, |c| c.at(key, |c| c.at(m, |c| c.problem(UnreachableRule, MESSAGE))));
                }
            }
        }
    });
}

fn rule(c: &mut Compiler, rule: &RuleSpec) {
    let terminal = rule.terminal.as_ref().is_some_and(|terminal| *terminal != Switch::Flag(false));
    for (key, said) in [("answer", rule.answer.is_some()), ("structured_output", rule.structured_output.is_some())] {
        if said && !terminal {
            c.at(key, |c| c.problem(NoEffect, "it is read from terminal records, and this rule is not `terminal`"));
        }
    }
    c.at("emit", |c| emits(c, &rule.emit, &rule.r#match));
}

/// `known`: what holds of the record already; nothing inside an `each`, where paths begin elsewhere.
fn emits(c: &mut Compiler, list: &[EmitSpec], known: &Conditions) {
    let mut ended = false;
    for (n, emit) in list.iter().enumerate() {
        c.at(n, |c| {
            if let Some(when) = emit.when() {
                c.at("when", |c| never(c, when, known));
            }
            match emit {
                Emit::TurnEnded(_) if ended => {
                    c.problem(UnreachableRule, "the `turn_ended` before it, which has no `when`, always comes first");
                }
                Emit::TurnEnded(end) => ended = end.when.is_none(),
                Emit::Each(each) => {
                    if !each.ignore.is_empty() && each.record_type.is_none() {
                        c.at("ignore", |c| c.problem(NoEffect, "without a `record_type` no element has a type"));
                    }
                    c.at("emit", |c| emits(c, &each.emit, &Conditions::new()));
                }
                _ => {}
            }
        });
    }
}

/// Conditions that the rule's own exclude.
fn never(c: &mut Compiler, when: &When, known: &Conditions) {
    let against = |c: &mut Compiler, group: &Conditions| {
        for (path, matcher) in group {
            let (Some(wanted), Some(given)) = (listed(matcher), known.get(path).and_then(listed)) else { continue };
            if !wanted.iter().any(|value| given.contains(value)) {
                c.at(path, |c| c.problem(Contradiction, "it never holds: the rule's `match` says otherwise"));
            }
        }
    };
    match when {
        When::All(group) => against(c, group),
        When::Any(groups) => groups.iter().enumerate().for_each(|(n, group)| c.at(n, |c| against(c, group))),
    }
}

fn usage(c: &mut Compiler, entry: &UsageSpec) {
    let fields = [&entry.input, &entry.cache_read, &entry.cache_write, &entry.output, &entry.reasoning, &entry.total];
    let read = |name: &str| COUNTERS.iter().zip(fields).any(|(counter, field)| *counter == name && field.is_some());
    let unread = |name: &String| COUNTERS.contains(&name.as_str()) && !read(name);
    c.at("required", |c| {
        for (n, group) in entry.required.iter().enumerate() {
            if let Some(name) = group.iter().find(|name| unread(name)) {
                let message = format!("no figure ever has all of it: `{name}` is not read");
                c.at(n, |c| c.problem(Contradiction, message));
            }
        }
    });
    c.at("inside", |c| {
        for (inner, outer) in &entry.inside {
            if let Some(name) = [inner, outer].into_iter().find(|name| unread(name)) {
                c.at(inner, |c| c.problem(NoEffect, format!("`{name}` is not read")));
            }
            if circle(&entry.inside, inner) {
                c.at(inner, |c| c.problem(Contradiction, format!("`{inner}` would lie inside itself")));
            }
        }
    });
    if entry.cost_mode.is_some() && entry.cost_usd.is_none() {
        c.at("cost_mode", |c| c.problem(NoEffect, "no `cost_usd` is read"));
    }
}

/// Whether the way outwards from a counter leads back to it.
fn circle(inside: &BTreeMap<String, String>, from: &String) -> bool {
    let way = core::iter::successors(inside.get(from), |at| inside.get(*at));
    way.take(inside.len()).any(|at| at == from)
}

fn tools(c: &mut Compiler, spec: &ProfileSpec) {
    fn says_kind(emits: &[EmitSpec]) -> bool {
        emits.iter().any(|emit| match emit {
            Emit::ToolCall(call) => call.kind.is_some(),
            Emit::Each(each) => says_kind(&each.emit),
            _ => false,
        })
    }
    if spec.rules.iter().any(|rule| says_kind(&rule.emit)) {
        return;
    }
    c.at("tools", |c| {
        c.at("commands", |c| {
            for tool in spec.tools.commands.keys() {
                let kind = spec.tools.kinds.get(tool).filter(|kind| **kind != crate::event::ToolKind::Execute);
                if let Some(kind) = kind {
                    let message =
                        format!("commands are looked for in tools of kind execute, and this one is of kind {kind}");
                    c.at(tool, |c| c.problem(NoEffect, message));
                }
            }
        });
    });
}

/// Whether no value passes all of these tests, as far as the types tell.
pub(crate) fn holds_never(test: &Test) -> bool {
    const ABSENT: u8 = 1;
    const NULL: u8 = 2;
    const BOOL: u8 = 4;
    const NUMBER: u8 = 8;
    const STRING: u8 = 16;
    const ARRAY: u8 = 32;
    const OBJECT: u8 = 64;
    const NOTHING: u8 = ABSENT | NULL;
    let mut left = u8::MAX >> 1;
    if test.prefix.is_some() || test.pattern.is_some() {
        left &= STRING;
    }
    left &= match test.present {
        Some(true) => !NOTHING,
        Some(false) => NOTHING,
        None => left,
    };
    left &= match test.blank {
        Some(true) => !(BOOL | NUMBER),
        Some(false) => !NOTHING,
        None => left,
    };
    left &= match test.is {
        Some(ValueType::Null) => NULL,
        Some(ValueType::Bool) => BOOL,
        Some(ValueType::Number) => NUMBER,
        Some(ValueType::String) => STRING,
        Some(ValueType::Array) => ARRAY,
        Some(ValueType::Object) => OBJECT,
        None => left,
    };
    left == 0
}
