//! Carries out the renames of a profile that extends another one, on what it inherits.

use crate::profile::emit::{Each, Emit, EmitSpec, ListField, Translate};
use crate::profile::field::{Alternatives, Conditions, Field, Mapped, Matcher, OneOrMany, Scalar, Switch, When};
use crate::profile::problem::{Problem, ProblemCode};
use crate::profile::spec::{ProfileSpec, RenameSpec, RuleSpec};
use crate::rules::path::{self, Part, Path};
use alloc::collections::BTreeMap;
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
}

fn pointer(table: &str, key: &str) -> String {
    format!("/rename/{table}/{}", key.replace('~', "~0").replace('/', "~1"))
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
                this.values.push(ValueRename { key, old, map, used: false });
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
        self.problems.extend(unused);
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

    /// One path.
    fn path(&mut self, text: &str) -> String {
        let Some((root, old, new)) = self.paths(text) else { return text.to_string() };
        if !root && let Some(rest) = new.strip_prefix(&*self.base.1) {
            return if rest.is_empty() { "@".to_string() } else { path::write(rest) };
        }
        if new.iter().any(|part| !matches!(part, Part::Key(_))) {
            let message = format!("`{}` is not inside the list that it is read from", path::write(&new));
            let key = self.fields.iter().find(|rename| old.starts_with(&rename.old)).map_or("", |rename| rename.key);
            self.problems.push(Problem::new(ProblemCode::BadRename, pointer("fields", key), message));
            return text.to_string();
        }
        format!("$.{}", path::write(&new))
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
        let text = self.path(of);
        let Some((_, old, new)) = self.paths(of) else { return (text, f(self)) };
        let outer = core::mem::replace(&mut self.base, (old, new));
        let value = f(self);
        self.base = outer;
        (text, value)
    }

    /// The new values of what these paths lead to.
    fn value_map(&mut self, paths: &str) -> BTreeMap<String, String> {
        let mut map = BTreeMap::new();
        for one in path::alternatives(paths) {
            let Some((_, old, _)) = self.paths(one) else { continue };
            if let Some(rename) = self.values.iter_mut().find(|rename| rename.old == old) {
                rename.used = true;
                map.extend(rename.map.clone());
            }
        }
        map
    }

    fn conditions(&mut self, conditions: &Conditions) -> Conditions {
        let mut renamed = Conditions::new();
        for (paths, matcher) in conditions {
            let map = self.value_map(paths);
            let scalar = |value: &Scalar| match value {
                Scalar::Text(text) => Scalar::Text(map.get(text).unwrap_or(text).clone()),
                other => other.clone(),
            };
            let matcher = match matcher {
                Matcher::Is(value) => Matcher::Is(scalar(value)),
                Matcher::OneOf(values) => Matcher::OneOf(values.iter().map(scalar).collect()),
                Matcher::Test(test) => {
                    let mut test = test.clone();
                    test.not = test.not.map(|not| OneOrMany::Many(not.as_slice().iter().map(scalar).collect()));
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
                let values = self.value_map(&paths.join("|"));
                let map = mapped.map.iter();
                Field::Mapped(Mapped {
                    path: Alternatives::Many(paths.iter().map(|path| self.path(path)).collect()),
                    map: map.map(|(key, value)| (values.get(key).unwrap_or(key).clone(), value.clone())).collect(),
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
            let names = match &each.record_type {
                Some(Field::Path(path)) => this.value_map(path),
                _ => BTreeMap::new(),
            };
            let ignore = each.ignore.iter().map(|name| names.get(name).unwrap_or(name).clone()).collect();
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
