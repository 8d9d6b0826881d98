//! Texts of a list that all have one key: what they say is one text, told where the last of them stands.

use super::field::{Here, keys_of, literal, mapped, paths};
use turnline::profile::{Emit, EmitSpec, Field};

/// What some of a list's emits say together.
pub(super) struct Joined {
    /// Which emits.
    pub(super) emits: Vec<usize>,
    /// The element and the emit where it is told.
    pub(super) last: (usize, usize),
    pub(super) text: String,
}

/// A field as far as it can be the same in two emits: its paths, its literal, and what it makes of a value.
#[derive(PartialEq)]
struct Meaning {
    paths: Vec<Vec<String>>,
    literal: Option<String>,
    map: Vec<(String, String)>,
    others: [Option<String>; 2],
}

/// What the elements of a list say together; nothing where only one says something.
pub(super) fn joined(emits: &[EmitSpec], elements: &[Here<'_>]) -> Vec<Joined> {
    let mut groups: Vec<(Key, Vec<usize>)> = Vec::new();
    for (n, emit) in emits.iter().enumerate() {
        let Some(key) = key(emit) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, emits)) => emits.push(n),
            None => groups.push((key, vec![n])),
        }
    }
    let together = |(_, group): (Key, Vec<usize>)| {
        let mut said: Vec<((usize, usize), String)> = Vec::new();
        for (at, here) in elements.iter().enumerate() {
            let made = group.iter().filter(|n| here.when(emits[**n].when()));
            said.extend(made.map(|n| ((at, *n), text(&emits[*n], *here))));
        }
        let last = said.last().filter(|_| said.len() > 1)?.0;
        Some(Joined { emits: group, last, text: said.into_iter().map(|(_, text)| text).collect() })
    };
    groups.into_iter().filter_map(together).collect()
}

fn text(emit: &EmitSpec, here: Here<'_>) -> String {
    let field = match emit {
        Emit::Message(emit) => &emit.text,
        Emit::Reasoning(emit) => &emit.text,
        _ => return String::new(),
    };
    here.text(field).unwrap_or_default()
}

type Key = (&'static str, Vec<Option<Meaning>>);

/// The key, where it is the same for all elements.
fn key(emit: &EmitSpec) -> Option<Key> {
    let (kind, text, delta, fields) = match emit {
        Emit::Message(e) => ("message", &e.text, &e.delta, [&e.message_id, &e.part, &e.role, &e.synthetic].to_vec()),
        Emit::Reasoning(e) => ("reasoning", &e.text, &e.delta, [&e.message_id, &e.part, &e.redacted].to_vec()),
        _ => return None,
    };
    let whole = delta.as_ref().is_none_or(|delta| literal(delta).as_deref() == Some("false"));
    let named = fields[0].is_some() || fields[1].is_some();
    let of_record = |field: &Field| paths(field).iter().all(|path| path.starts_with("$."));
    let same = fields.iter().all(|field| field.as_ref().is_none_or(of_record));
    (text.is_some() && whole && named && same)
        .then(|| (kind, fields.into_iter().map(|field| field.as_ref().map(meaning)).collect()))
}

fn meaning(field: &Field) -> Meaning {
    let mapped = mapped(field);
    Meaning {
        paths: paths(field).iter().map(|path| keys_of(path)).collect(),
        literal: literal(field),
        map: mapped.map(|mapped| mapped.map.clone().into_iter().collect()).unwrap_or_default(),
        others: [mapped.and_then(|mapped| mapped.default.clone()), mapped.and_then(|mapped| mapped.missing.clone())],
    }
}
