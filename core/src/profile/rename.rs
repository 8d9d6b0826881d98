//! Carries out the renames of a profile that extends another one, on what it inherits.

use crate::profile::emit::{Each, Emit, EmitSpec, ListField, Translate};
use crate::profile::field::{Alternatives, Conditions, Field, Mapped, Matcher, OneOrMany, Scalar, Switch, When};
use crate::profile::problem::{Problem, ProblemCode};
use crate::profile::spec::{ProfileSpec, RenameSpec, RuleSpec};
use crate::rules::path::{self, Part, Path};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Renames what is inherited.
pub(crate) fn apply(spec: &mut ProfileSpec, rename: &RenameSpec) -> Vec<Problem> {
    let mut renamer = Renamer::new(rename);
    renamer.spec(spec);
    renamer.problems()
}

#[derive(Default)]
struct Renamer<'r> {
    fields: Vec<FieldRename<'r>>,
    values: Vec<ValueRename<'r>>,
    /// The path of the element that the innermost iteration is at, before and after.
    base: (Vec<Part>, Vec<Part>),
    problems: Vec<Problem>,
}

struct FieldRename<'r> {
    key: &'r str,
    old: Vec<Part>,
    new: Vec<Part>,
    used: bool,
}

struct ValueRename<'r> {
    key: &'r str,
    old: Vec<Part>,
    map: &'r BTreeMap<String, String>,
    used: bool,
    /// The old values that something names.
    named: BTreeSet<&'r str>,
}

fn pointer(table: &str, key: &str) -> String {
    format!("/rename/{table}/{}", escaped(key))
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

impl<'r> Renamer<'r> {
    fn new(rename: &'r RenameSpec) -> Self {
        let mut this = Renamer::default();
        for (key, new) in &rename.fields {
            let old = this.whole("fields", key, key);
            let new = this.whole("fields", key, new);
            if let (Some(old), Some(new)) = (old, new) {
                this.fields.push(FieldRename { key, old, new, used: false });
            }
        }
        // Of several that fit the longest counts.
        this.fields.sort_by_key(|rename| core::cmp::Reverse(rename.old.len()));
        for (key, map) in &rename.values {
            if let Some(old) = this.whole("values", key, key) {
                this.values.push(ValueRename { key, old, map, used: false, named: BTreeSet::new() });
            }
        }
        this
    }

    /// A path from the record's root.
    fn whole(&mut self, table: &str, key: &str, text: &str) -> Option<Vec<Part>> {
        let message = match path::parse(text) {
            Ok(Path::Root(parts) | Path::Here(parts)) if !parts.is_empty() => return Some(parts),
            Ok(_) => "a path from the record's root is needed",
            Err(message) => message,
        };
        self.problems.push(Problem::new(ProblemCode::BadRename, pointer(table, key), format!("`{text}`: {message}")));
        None
    }

    /// What is wrong: also a rename that touched nothing, which is a slip of the pen.
    fn problems(mut self) -> Vec<Problem> {
        let fields = self.fields.iter().filter(|rename| !rename.used).map(|rename| ("fields", rename.key));
        let values = self.values.iter().filter(|rename| !rename.used).map(|rename| ("values", rename.key));
        let unused = fields.chain(values).map(|(table, key)| {
            let message = format!("nothing that is inherited reads `{key}`");
            Problem::new(ProblemCode::BadRename, pointer(table, key), message)
        });
        let unnamed = self.values.iter().filter(|rename| rename.used).flat_map(|rename| {
            let values = rename.map.keys().filter(|value| !rename.named.contains(&***value));
            values.map(|value| {
                let message = format!("nothing that is inherited names the value `{value}` of `{}`", rename.key);
                let pointer = format!("{}/{}", pointer("values", rename.key), escaped(value));
                Problem::new(ProblemCode::BadRename, pointer, message)
            })
        });
        self.problems.extend(unused.chain(unnamed));
        self.problems
    }

    /// The whole path before and after.
    fn renamed(&mut self, old: Vec<Part>, unnamed: Vec<Part>) -> (Vec<Part>, Vec<Part>) {
        match self.fields.iter_mut().find(|rename| old.starts_with(&rename.old)) {
            Some(rename) => {
                rename.used = true;
                let mut new = rename.new.clone();
                new.extend_from_slice(old.get(rename.old.len()..).unwrap_or_default());
                (old, new)
            }
            None => (old, unnamed),
        }
    }

    /// The whole path of what a text names, before and after; nothing for what is no path.
    fn paths(&mut self, text: &str) -> Option<(bool, Vec<Part>, Vec<Part>)> {
        let (root, parts) = match path::parse(text).ok()? {
            Path::Root(parts) => (true, parts),
            Path::Here(parts) => (false, parts),
            Path::Key | Path::Block => return None,
        };
        let join = |base: &[Part]| base.iter().chain(&parts).cloned().collect::<Vec<_>>();
        let (old, unnamed) =
            if root { (parts.clone(), parts.clone()) } else { (join(&self.base.0), join(&self.base.1)) };
        let (old, new) = self.renamed(old, unnamed);
        Some((root, old, new))
    }

    /// The path of one value.
    fn path(&mut self, text: &str) -> String {
        self.moved(text, false)
    }

    /// One path; `of`: that of an iteration, which ends with the only list in it.
    fn moved(&mut self, text: &str, of: bool) -> String {
        let Some((root, old, new)) = self.paths(text) else { return text.to_string() };
        let is_list = |part: &Part| matches!(part, Part::Each | Part::Entries);
        let lists = |parts: &[Part]| parts.iter().filter(|part| is_list(part)).count();
        let iterates = |parts: &[Part]| {
            lists(parts) == 1 && parts.last().is_some_and(is_list) && !parts.first().is_some_and(is_list)
        };
        let near = new.strip_prefix(&*self.base.1).filter(|_| !root || self.base.1.is_empty());
        let (sound, written) = match near {
            Some([]) => (!of, "@".to_string()),
            Some(rest) => (if of { iterates(rest) } else { lists(rest) == 0 }, path::write(rest)),
            None => (!of && lists(&new) == 0, format!("$.{}", path::write(&new))),
        };
        match self.fields.iter().find(|rename| old.starts_with(&rename.old)) {
            // Nothing is renamed, and it was sound.
            None if !sound => return text.to_string(),
            None => return written,
            Some(_) if sound => return written,
            Some(rename) => {
                let why = match (of, near) {
                    (true, Some(_)) => "is not one list, and one is gone through there",
                    (false, Some(_)) => "is no one value, and one is read there",
                    (_, None) => "is not inside the list that it is read from",
                };
                let message = format!("`{}` {why}", path::write(&new));
                let problem = Problem::new(ProblemCode::BadRename, pointer("fields", rename.key), message);
                // What several read is told once.
                if !self.problems.contains(&problem) {
                    self.problems.push(problem);
                }
            }
        }
        text.to_string()
    }

    /// Paths separated by `|`, or a literal.
    fn alternatives(&mut self, text: &str) -> String {
        if text.starts_with('=') {
            return text.to_string();
        }
        path::alternatives(text).map(|one| self.path(one)).collect::<Vec<_>>().join("|")
    }

    /// Runs `f` inside the iteration over `of`; gives its new path.
    fn inside<T>(&mut self, of: &str, f: impl FnOnce(&mut Self) -> T) -> (String, T) {
        let text = self.moved(of, true);
        let Some((_, old, new)) = self.paths(of) else { return (text, f(self)) };
        let outer = core::mem::replace(&mut self.base, (old, new));
        let value = f(self);
        self.base = outer;
        (text, value)
    }

    /// The renames of values of what these paths lead to.
    fn values_of(&mut self, paths: &str) -> Vec<usize> {
        let mut found = Vec::new();
        for one in path::alternatives(paths) {
            let Some((_, old, _)) = self.paths(one) else { continue };
            if let Some(n) = self.values.iter().position(|rename| rename.old == old) {
                self.values[n].used = true;
                found.push(n);
            }
        }
        found
    }

    /// One value, by these renames.
    fn renamed_value(&mut self, renames: &[usize], value: &str) -> String {
        let mut renamed = value;
        for rename in renames {
            let rename = &mut self.values[*rename];
            if let Some((old, new)) = rename.map.get_key_value(value) {
                rename.named.insert(old);
                renamed = new;
            }
        }
        renamed.to_string()
    }

    fn scalar(&mut self, renames: &[usize], value: &Scalar) -> Scalar {
        match value {
            Scalar::Text(text) => Scalar::Text(self.renamed_value(renames, text)),
            other => other.clone(),
        }
    }

    fn scalars(&mut self, renames: &[usize], values: &[Scalar]) -> Vec<Scalar> {
        values.iter().map(|value| self.scalar(renames, value)).collect()
    }

    fn conditions(&mut self, conditions: &Conditions) -> Conditions {
        let mut renamed = Conditions::new();
        for (paths, matcher) in conditions {
            let renames = self.values_of(paths);
            let matcher = match matcher {
                Matcher::Is(value) => Matcher::Is(self.scalar(&renames, value)),
                Matcher::OneOf(values) => Matcher::OneOf(self.scalars(&renames, values)),
                Matcher::Test(test) => {
                    let mut test = test.clone();
                    test.not = test.not.map(|not| OneOrMany::Many(self.scalars(&renames, not.as_slice())));
                    Matcher::Test(test)
                }
            };
            renamed.insert(self.alternatives(paths), matcher);
        }
        renamed
    }

    fn condition(&mut self, when: &When) -> When {
        match when {
            When::All(group) => When::All(self.conditions(group)),
            When::Any(groups) => When::Any(groups.iter().map(|group| self.conditions(group)).collect()),
        }
    }

    fn value(&mut self, field: &Field) -> Field {
        match field {
            Field::Flag(flag) => Field::Flag(*flag),
            Field::Path(path) => Field::Path(self.alternatives(path)),
            Field::Paths(paths) => Field::Paths(paths.iter().map(|path| self.alternatives(path)).collect()),
            Field::Mapped(mapped) => {
                let paths: Vec<&str> = mapped.path.iter().collect();
                let renames = self.values_of(&paths.join("|"));
                let map = mapped.map.iter();
                let map = map.map(|(key, value)| (self.renamed_value(&renames, key), value.clone())).collect();
                Field::Mapped(Mapped {
                    path: Alternatives::Many(paths.iter().map(|path| self.path(path)).collect()),
                    map,
                    ..mapped.clone()
                })
            }
        }
    }

    fn optional(&mut self, field: &mut Option<Field>) {
        *field = field.as_ref().map(|field| self.value(field));
    }

    fn switch(&mut self, switch: &mut Option<Switch>) {
        if let Some(Switch::When(when)) = switch {
            *when = self.condition(when);
        }
    }

    fn emits(&mut self, emits: &[EmitSpec]) -> Vec<EmitSpec> {
        emits.iter().map(|emit| self.emit(emit)).collect()
    }

    fn emit(&mut self, emit: &EmitSpec) -> EmitSpec {
        let Emit::Each(each) = emit else { return emit.translate(self).unwrap_or_else(|| emit.clone()) };
        let when = each.when.as_ref().map(|when| self.condition(when));
        let (of, (record_type, ignore, emit)) = self.inside(&each.of, |this| {
            let renames = match &each.record_type {
                Some(Field::Path(path)) => this.values_of(path),
                _ => Vec::new(),
            };
            let ignore = each.ignore.iter().map(|name| this.renamed_value(&renames, name)).collect();
            (each.record_type.as_ref().map(|field| this.value(field)), ignore, this.emits(&each.emit))
        });
        Emit::Each(Each { when, of, record_type, ignore, emit })
    }

    fn rule(&mut self, rule: &mut RuleSpec) {
        rule.r#match = self.conditions(&rule.r#match);
        for field in [
            &mut rule.agent,
            &mut rule.parent_tool_call_id,
            &mut rule.session_id,
            &mut rule.begins_message,
            &mut rule.background,
            &mut rule.queued,
            &mut rule.record_id,
            &mut rule.answer,
            &mut rule.structured_output,
        ] {
            self.optional(field);
        }
        for switch in [&mut rule.owes, &mut rule.terminal, &mut rule.withdraws_failures] {
            self.switch(switch);
        }
        rule.emit = self.emits(&rule.emit);
    }

    fn spec(&mut self, spec: &mut ProfileSpec) {
        spec.record_type = spec.record_type.iter().map(|field| self.value(field)).collect();
        spec.rules.iter_mut().for_each(|rule| self.rule(rule));
        for usage in spec.usage.iter_mut().flatten() {
            usage.r#match = self.conditions(&usage.r#match);
            let of = usage.each.clone();
            let fields = |this: &mut Self| {
                for field in [
                    &mut usage.id,
                    &mut usage.input,
                    &mut usage.cache_read,
                    &mut usage.cache_write,
                    &mut usage.output,
                    &mut usage.reasoning,
                    &mut usage.total,
                    &mut usage.model,
                    &mut usage.cost_usd,
                ] {
                    this.optional(field);
                }
            };
            usage.each = self.maybe_inside(of, fields);
        }
        for limit in &mut spec.rate_limits {
            limit.r#match = self.conditions(&limit.r#match);
            let of = limit.each.clone();
            let fields = |this: &mut Self| {
                for field in [&mut limit.name, &mut limit.utilization, &mut limit.resets_at, &mut limit.status] {
                    this.optional(field);
                }
            };
            limit.each = self.maybe_inside(of, fields);
        }
        for metadata in &mut spec.metadata {
            metadata.r#match = self.conditions(&metadata.r#match);
            let fields = metadata.fields.iter();
            metadata.fields = fields.map(|(key, field)| (key.clone(), self.value(field))).collect();
        }
    }

    fn maybe_inside(&mut self, of: Option<String>, f: impl FnOnce(&mut Self)) -> Option<String> {
        match of {
            Some(of) => Some(self.inside(&of, f).0),
            None => {
                f(self);
                None
            }
        }
    }
}

impl Translate<Field, When, ListField> for Renamer<'_> {
    type F = Field;
    type W = When;
    type L = ListField;

    fn field(&mut self, _: &'static str, field: &Field) -> Field {
        self.value(field)
    }

    fn when(&mut self, when: &When) -> When {
        self.condition(when)
    }

    fn list(&mut self, _: &'static str, list: &ListField) -> ListField {
        let fields = |this: &mut Self| -> ListField {
            let own = list.iter().filter(|(key, _)| *key != "each");
            own.map(|(key, field)| (key.clone(), this.value(field))).collect()
        };
        match list.get("each") {
            Some(Field::Path(of)) => {
                let (of, mut fields) = self.inside(of, fields);
                fields.insert("each".to_string(), Field::Path(of));
                fields
            }
            _ => fields(self),
        }
    }
}
