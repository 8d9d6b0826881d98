//! Elements of lists: each list is gone through, and says what its elements say.

use super::rule::fields;
use super::toml::{comment, key, listed, open, quoted};
use super::{Guess, event};
use crate::profile::draft::kinds::Kind;
use std::collections::BTreeMap;

/// The lists of a kind's objects whose elements say something, each as lines, `depth` lists deep; `when`: the conditions of
/// the objects.
pub(super) fn write(guess: &Guess<'_>, number: usize, depth: usize, when: &[String]) -> Vec<String> {
    let mut lists: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (n, kind) in guess.kinds.iter().enumerate() {
        if let Some((_, path)) = kind.list.as_ref().filter(|(outer, _)| *outer == number) {
            lists.entry(path).or_default().push(n);
        }
    }
    lists.into_iter().filter_map(|(path, elements)| list(guess, path, &elements, depth, when)).collect()
}

fn list(guess: &Guess<'_>, path: &str, elements: &[usize], depth: usize, when: &[String]) -> Option<String> {
    let indent = "  ".repeat(depth);
    let (mut entries, mut silent, mut doubts) = (String::new(), Vec::new(), String::new());
    for n in elements {
        let (kind, meaning) = guess.kinds.get(*n).zip(guess.meanings.get(*n))?;
        let own = element(guess, *n, depth + 1);
        if !own.is_empty() {
            entries += &open(&"  ".repeat(depth + 1), &meaning.open);
            entries += &own;
        } else if guess.covered.get(*n) != Some(&true) {
            doubts += &open(&indent, &meaning.open);
            doubts += &doubt(&indent, path, kind);
            silent.extend(kind.name.clone());
        }
    }
    let by = guess.kinds.get(*elements.first()?)?.by.as_ref();
    let by = by.map(|by| format!(", record_type = {}", quoted(by))).unwrap_or_default();
    let ignore = if silent.is_empty() { String::new() } else { format!(", ignore = [{}]", listed(&silent)) };
    let of = quoted(&format!("{path}[]"));
    let when = if when.is_empty() { String::new() } else { format!(", when = {{ {} }}", when.join(", ")) };
    let each = format!("{indent}{{ event = \"each\"{when}, of = {of}{by}{ignore}, emit = [\n{entries}{indent}] }},\n");
    (!entries.is_empty()).then(|| doubts + &each)
}

/// Elements of which nothing is known are not reported, so the draft says so.
fn doubt(indent: &str, list: &str, kind: &Kind<'_>) -> String {
    let name = kind.name.as_deref().map(|name| format!(" `{}`", comment(name, 80))).unwrap_or_default();
    let list = comment(list, 80);
    format!("{indent}# NOT DECIDED: what elements{name} of `{list}` say. Fields: {}\n", fields(&kind.fields))
}

/// What elements of one kind say, and the lists in them.
fn element(guess: &Guess<'_>, n: usize, depth: usize) -> String {
    let Some((kind, meaning)) = guess.kinds.get(n).zip(guess.meanings.get(n)) else { return String::new() };
    let indent = "  ".repeat(depth);
    let when: Vec<String> = kind
        .by
        .iter()
        .map(|by| match &kind.name {
            Some(name) => format!("{} = {}", key(by), quoted(name)),
            None => format!("{} = {{ present = false }}", key(by)),
        })
        .collect();
    let says: String = meaning.says.iter().map(|say| format!("{indent}{},\n", event::write(say, &when))).collect();
    says + &write(guess, n, depth, &when).concat()
}
