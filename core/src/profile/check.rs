//! From what a file says to what the engine uses: the checks of the whole profile.

use crate::event::open_enum::Named;
use crate::event::{Severity, UsageMode};
use crate::launch::When;
use crate::profile::field::{Conditions, Scalar};
use crate::profile::problem::{Problem, ProblemCode, ProfileError};
use crate::profile::reach::{listed, reachable};
use crate::profile::sense::sensible;
use crate::profile::spec::{
    AnswerRule, Framing, MetadataSpec, NoticePattern, ProfileSpec, Quirk, RateLimitSpec, TerminalPromise, UsageSpec,
};
use crate::profile::words;
use crate::rules::compile::Compiler;
use crate::rules::compiled::{
    Bucket, COUNTERS, Candidate, ClassTable, CommandPath, Dispatch, Expr, MetadataRule, NoticeRule, RateLimitRule,
    Rule, Rules, Source, UsageRule,
};
use crate::rules::path;
use crate::rules::pattern::Pattern;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Checks a profile whole and compiles it.
pub(crate) fn compile(spec: &ProfileSpec) -> Result<Rules, ProfileError> {
    let mut c = Compiler::new();
    identity(&mut c, spec);
    let commands = commands(&mut c, spec);
    let record_type: Vec<Expr> = c.at("record_type", |c| {
        spec.record_type.iter().enumerate().map(|(n, field)| c.at(n, |c| c.expr(field))).collect()
    });
    let rules: Vec<Rule> =
        c.at("rules", |c| spec.rules.iter().enumerate().map(|(n, rule)| c.at(n, |c| c.rule(rule))).collect());
    conditions(&mut c, spec);
    reachable(&mut c, spec);
    let usage = usage(&mut c, spec);
    let rate_limits = c.at("rate_limits", |c| {
        spec.rate_limits.iter().enumerate().filter_map(|(n, limit)| c.at(n, |c| rate_limit(c, limit))).collect()
    });
    let metadata = c.at("metadata", |c| {
        spec.metadata.iter().enumerate().map(|(n, entry)| c.at(n, |c| metadata(c, entry))).collect()
    });
    let notices = c.at("notices", |c| {
        spec.notices.iter().enumerate().filter_map(|(n, notice)| c.at(n, |c| notice_rule(c, notice))).collect()
    });
    let classes = classes(&mut c, spec);
    let stderr = stderr(&mut c, spec);
    // Apart: what only a detector looks for would slow down every parser.
    let mut marks = Compiler::new();
    marks.at("detect", |c| {
        for (n, detect) in spec.detect.iter().enumerate() {
            c.at(n, |c| c.detect(detect));
        }
    });
    c.problems.extend(marks.problems);
    let reported = c.problems.len();
    let dispatch = dispatch(&mut c, spec);
    // Each condition was checked where it stands; compiling it for its buckets says nothing new.
    c.problems.truncate(reported);
    consistent(&mut c, spec);
    sensible(&mut c, spec);
    c.problems.extend(spec.launch.check().into_iter().map(|issue| {
        Problem::new(ProblemCode::Launch, format!("/launch{}", issue.pointer), issue.message.to_string())
    }));
    c.problems.extend(spec.input.check());
    if !spec.input.is_empty() && !spec.launch.has(When::Interactive) {
        let message = "no launch argument says `when = \"interactive\"`, so that it cannot be started to be spoken to";
        c.problems.push(Problem::new(ProblemCode::MissingField, "/input", message));
    }
    if !c.problems.is_empty() {
        return Err(ProfileError::new(c.problems));
    }
    let mut rules = Rules {
        record_type,
        dispatch,
        usage,
        rate_limits,
        metadata,
        notices,
        classes,
        stderr,
        tools: spec.tools.kinds.iter().map(|(name, kind)| (Box::from(&**name), *kind)).collect(),
        commands,
        mcp: spec.tools.mcp.as_ref().map(|mcp| (Box::from(&*mcp.prefix), Box::from(&*mcp.separator))),
        failure_told_by_notice: spec.quirks.contains(&Quirk::FailureToldByNotice),
        trie: c.trie.build(),
        emits: c.emits,
        rules,
        empty_is_unmapped: false,
    };
    rules.empty_is_unmapped = rules.nothing_takes_empty();
    Ok(rules)
}

fn identity(c: &mut Compiler, spec: &ProfileSpec) {
    if spec.id.trim().is_empty() {
        c.at("id", |c| c.problem(ProblemCode::EmptyId, "a profile needs an id"));
    }
    if spec.command.trim().is_empty() {
        c.at("command", |c| c.problem(ProblemCode::EmptyCommand, "a profile needs a command"));
    }
    if let Some(mcp) = &spec.tools.mcp {
        c.at("tools", |c| {
            c.at("mcp", |c| {
                for (key, text) in [("prefix", &mcp.prefix), ("separator", &mcp.separator)] {
                    if text.is_empty() {
                        c.at(key, |c| c.problem(ProblemCode::EmptyPrefix, "it must not be empty"));
                    }
                }
            });
        });
    }
}

/// Where in their inputs the commands of tools are.
fn commands(c: &mut Compiler, spec: &ProfileSpec) -> Vec<(Box<str>, CommandPath)> {
    let mut compiled = Vec::new();
    for (tool, path) in &spec.tools.commands {
        c.at("tools", |c| {
            c.at("commands", |c| {
                c.at(tool, |c| match path::keys(path) {
                    Ok(keys) => compiled.push((Box::from(&**tool), keys)),
                    Err(message) => c.path_problem(path, message),
                });
            });
        });
    }
    compiled
}

/// Checks every condition once, where it stands.
fn conditions(c: &mut Compiler, spec: &ProfileSpec) {
    let mut check = |list: &str, all: &mut dyn Iterator<Item = &Conditions>| {
        c.at(list, |c| {
            for (n, conditions) in all.enumerate() {
                c.at(n, |c| c.at("match", |c| c.tests(conditions)));
            }
        });
    };
    check("rules", &mut spec.rules.iter().map(|rule| &rule.r#match));
    check("usage", &mut spec.usage.iter().flatten().map(|entry| &entry.r#match));
    check("rate_limits", &mut spec.rate_limits.iter().map(|entry| &entry.r#match));
    check("metadata", &mut spec.metadata.iter().map(|entry| &entry.r#match));
}

/// Things that only make sense together.
fn consistent(c: &mut Compiler, spec: &ProfileSpec) {
    let terminal = spec.rules.iter().any(|rule| rule.terminal.is_some());
    if spec.terminal != TerminalPromise::Never && !terminal {
        c.at("terminal", |c| {
            c.problem(ProblemCode::MissingField, "no rule is `terminal`, so the promise is never kept")
        });
    }
    if spec.answer == AnswerRule::TerminalField && !spec.rules.iter().any(|rule| rule.answer.is_some()) {
        c.at("answer", |c| c.problem(ProblemCode::MissingField, "no rule names an `answer`"));
    }
    if spec.framing == Framing::Text && !spec.rules.is_empty() {
        c.at("rules", |c| c.problem(ProblemCode::Misplaced, "lines of text hold no records for rules to read"));
    }
}

fn usage(c: &mut Compiler, spec: &ProfileSpec) -> Vec<UsageRule> {
    c.at("usage", |c| {
        let entries = spec.usage.as_deref().unwrap_or_default();
        if spec.usage.is_some() && entries.is_empty() {
            c.problem(ProblemCode::EmptyUsage, "an empty list of usage records: leave it out instead");
        }
        entries.iter().enumerate().map(|(n, entry)| c.at(n, |c| usage_rule(c, entry))).collect()
    })
}

fn usage_rule(c: &mut Compiler, entry: &UsageSpec) -> UsageRule {
    let fields = [&entry.input, &entry.cache_read, &entry.cache_write, &entry.output, &entry.reasoning, &entry.total];
    if entry.r#match.is_empty() {
        c.at("match", |c| {
            c.problem(
                ProblemCode::UsageWithoutCondition,
                "without a condition any record that looks alike would be billed",
            );
        });
    }
    if fields.iter().all(|field| field.is_none()) && entry.cost_usd.is_none() {
        c.problem(ProblemCode::EmptyUsage, "a usage record that names no counter");
    }
    let counter = |c: &mut Compiler, name: &String| match COUNTERS.iter().position(|counter| counter == name) {
        Some(at) => Some(at),
        None => {
            c.problem(ProblemCode::UnknownName, words::none_of(name, &COUNTERS));
            None
        }
    };
    let required = c.at("required", |c| {
        let groups = entry.required.iter().enumerate();
        groups.map(|(n, group)| c.at(n, |c| group.iter().filter_map(|name| counter(c, name)).collect())).collect()
    });
    let inside = c.at("inside", |c| {
        let pairs = entry.inside.iter();
        pairs.filter_map(|(inner, outer)| c.at(inner, |c| Some((counter(c, inner)?, counter(c, outer)?)))).collect()
    });
    let body = |c: &mut Compiler, each: Option<u16>| {
        let counters = core::array::from_fn(|n| c.optional(COUNTERS[n], fields[n]));
        UsageRule {
            each,
            of: entry.of,
            scope: entry.scope,
            mode: entry.mode,
            cost_mode: entry.cost_mode.unwrap_or(entry.mode),
            required,
            inside,
            zero_is_unknown: entry.zero_is_unknown,
            id: c.optional("id", &entry.id),
            counters,
            model: c.optional("model", &entry.model),
            cost_usd: c.optional("cost_usd", &entry.cost_usd),
        }
    };
    inside_each(c, entry.each.as_deref(), body).unwrap_or_else(|| UsageRule {
        each: None,
        of: entry.of,
        scope: entry.scope,
        mode: entry.mode,
        cost_mode: UsageMode::Delta,
        required: Vec::new(),
        inside: Vec::new(),
        zero_is_unknown: false,
        id: None,
        counters: [const { None }; 6],
        model: None,
        cost_usd: None,
    })
}

fn inside_each<T>(
    c: &mut Compiler,
    each: Option<&str>,
    body: impl FnOnce(&mut Compiler, Option<u16>) -> T,
) -> Option<T> {
    match each {
        None => Some(body(c, None)),
        Some(of) => c.inside(of, |c, site| body(c, Some(site))),
    }
}

fn rate_limit(c: &mut Compiler, entry: &RateLimitSpec) -> Option<RateLimitRule> {
    if entry.r#match.is_empty() {
        c.at("match", |c| c.problem(ProblemCode::EmptyCondition, "a condition is needed"));
    }
    let Some(name) = &entry.name else {
        c.problem(ProblemCode::MissingField, "a rate limit needs a `name`");
        return None;
    };
    inside_each(c, entry.each.as_deref(), |c, each| RateLimitRule {
        each,
        name: c.at("name", |c| c.expr(name)),
        utilization: c.optional("utilization", &entry.utilization),
        resets_at: c.optional("resets_at", &entry.resets_at),
        status: c.optional("status", &entry.status),
    })
}

/// The envelope's own fields; a metadata key of the same name would be mistaken for one.
const ENVELOPE: [&str; 28] = [
    "type",
    "executor",
    "status",
    "result",
    "summary",
    "errors",
    "notices",
    "usage",
    "thread_usage",
    "model_usage",
    "cost_usd",
    "rate_limits",
    "metadata",
    "structured_output",
    "terminal",
    "turns",
    "tools",
    "acts",
    "exit",
    "stream",
    "unmapped_types",
    "stdout_truncated",
    "stderr_truncated",
    "stderr",
    "last_text",
    "timing",
    "explain",
    "reports",
];

fn metadata(c: &mut Compiler, entry: &MetadataSpec) -> MetadataRule {
    let fields = c.at("fields", |c| {
        if entry.fields.is_empty() {
            c.problem(ProblemCode::MissingField, "metadata without a field");
        }
        let fields = entry.fields.iter();
        fields
            .map(|(key, field)| {
                c.at(key, |c| {
                    if ENVELOPE.contains(&key.as_str()) {
                        c.problem(ProblemCode::ReservedMetadataKey, format!("`{key}` is a field of the envelope"));
                    }
                    (Box::from(&**key), c.expr(field))
                })
            })
            .collect()
    });
    MetadataRule { fields }
}

fn notice_rule(c: &mut Compiler, notice: &NoticePattern) -> Option<NoticeRule> {
    let pattern = c.needed_pattern(&notice.pattern);
    let severity = match notice.severity.as_deref() {
        None => Severity::Warning,
        Some(name) => match Severity::from_name(name) {
            Some(severity) => severity,
            None => {
                let known = <Severity as Named>::NAMES;
                c.at("severity", |c| c.problem(ProblemCode::UnknownName, words::none_of(name, known)));
                return None;
            }
        },
    };
    let pattern = pattern?;
    let code = notice.code.as_deref().or_else(|| pattern.keeps_attempt().then_some("retry"));
    Some(NoticeRule { severity, code: code.map(Box::from), pattern })
}

fn classes(c: &mut Compiler, spec: &ProfileSpec) -> Vec<ClassTable> {
    c.at("classes", |c| {
        let mut tables = Vec::new();
        for (n, rule) in spec.classes.iter().enumerate() {
            c.at(n, |c| {
                let class = c.at("class", |c| match &*rule.class {
                    "" => {
                        c.problem(ProblemCode::MissingField, "a `class` is needed");
                        None
                    }
                    name => c.class(name),
                });
                let patterns = c.at("patterns", |c| {
                    let patterns = rule.patterns.iter().enumerate();
                    patterns.filter_map(|(n, text)| c.at(n, |c| c.pattern(text, true))).collect()
                });
                if rule.labels.is_empty() && rule.patterns.is_empty() {
                    c.problem(ProblemCode::EmptyCondition, "a class without labels or patterns");
                }
                let labels = rule.labels.iter().map(|label| Box::from(&**label)).collect();
                tables.extend(class.map(|class| ClassTable { class, labels, patterns }));
            });
        }
        tables
    })
}

fn stderr(c: &mut Compiler, spec: &ProfileSpec) -> Vec<(Pattern, Option<crate::envelope::ErrorClass>)> {
    c.at("stderr", |c| {
        let mut rules = Vec::new();
        for (n, rule) in spec.stderr.iter().enumerate() {
            c.at(n, |c| {
                let class = rule.class.as_ref().and_then(|name| c.at("class", |c| c.class(name)));
                let pattern = c.needed_pattern(&rule.pattern);
                rules.extend(pattern.map(|pattern| (pattern, class)));
            });
        }
        rules
    })
}

/// Sorts everything that looks at records by the value of the record type's first field, so that a record only meets
/// what may be its, and no test on that field is made twice.
fn dispatch(c: &mut Compiler, spec: &ProfileSpec) -> Dispatch {
    use crate::profile::field::Field;
    let path = match spec.record_type.first() {
        Some(Field::Path(path)) if path::alternatives(path).count() == 1 && !path.starts_with('=') => {
            Some(path.as_str())
        }
        _ => None,
    };
    let by: Option<Source> = path.and_then(|path| {
        // A path that cannot be read was reported where it stands.
        let before = c.problems.len();
        let source = c.sources(core::iter::once(path)).first().copied();
        c.problems.truncate(before);
        source
    });
    let path = path.unwrap_or_default();
    let usage = spec.usage.as_deref().unwrap_or_default();
    let mut names: Vec<&str> = Vec::new();
    let all = spec.rules.iter().map(|rule| &rule.r#match);
    let all = all.chain(usage.iter().map(|entry| &entry.r#match));
    let all = all.chain(spec.rate_limits.iter().map(|entry| &entry.r#match));
    let all = all.chain(spec.metadata.iter().map(|entry| &entry.r#match));
    for conditions in all {
        names.extend(values(conditions, path).unwrap_or_default());
    }
    names.sort_unstable();
    names.dedup();
    let mut bucket = |name: Option<&str>| Bucket {
        rules: c.at("rules", |c| candidates(c, spec.rules.iter().map(|rule| &rule.r#match), path, name)),
        usage: c.at("usage", |c| candidates(c, usage.iter().map(|entry| &entry.r#match), path, name)),
        rate_limits: c
            .at("rate_limits", |c| candidates(c, spec.rate_limits.iter().map(|entry| &entry.r#match), path, name)),
        metadata: c.at("metadata", |c| candidates(c, spec.metadata.iter().map(|entry| &entry.r#match), path, name)),
    };
    let others = bucket(None);
    let buckets = names.iter().map(|name| (Box::from(*name), bucket(Some(name)))).collect();
    Dispatch { by, buckets, others }
}

/// The values of the field that conditions name, where they are plain words.
fn values<'a>(conditions: &'a Conditions, path: &str) -> Option<Vec<&'a str>> {
    let text = |scalar: &'a Scalar| match scalar {
        Scalar::Text(text) => Some(text.as_str()),
        _ => None,
    };
    listed(conditions.get(path)?)?.iter().map(text).collect()
}

/// Those that a record with this value of the field may meet, with the tests that are left.
fn candidates<'a>(
    c: &mut Compiler,
    all: impl Iterator<Item = &'a Conditions>,
    path: &str,
    name: Option<&str>,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (number, conditions) in all.enumerate() {
        let mut left = conditions.clone();
        match (values(conditions, path), name) {
            (None, _) => {}
            (Some(values), Some(name)) if values.contains(&name) => {
                left.remove(path);
            }
            (Some(_), _) => continue,
        }
        let tests = c.at(number, |c| c.at("match", |c| c.tests(&left)));
        found.push(Candidate { number: number as u16, tests });
    }
    found
}
