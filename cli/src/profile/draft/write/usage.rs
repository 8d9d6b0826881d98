//! Where tokens are told.

use super::toml::{comment, key, quoted};
use super::{Guess, conditions};
use std::fmt::Write as _;

/// Steps between figures from which on growing is no accident.
const SURE: usize = 3;

/// Writes the entry of the usage.
pub(super) fn write(out: &mut String, guess: &Guess<'_>) {
    let Some(usage) = &guess.usage else { return };
    let Some((group, kind)) = guess.groups.get(usage.group).zip(guess.kinds.get(usage.group)) else { return };
    let mut all = conditions(guess, group);
    // Where only some records of the type tell tokens, the others bill nothing.
    let partial = |path: &str| kind.fields.get(path).is_some_and(|field| field.count < kind.objects.len());
    let sparse = usage.counters.iter().find(|(_, path)| partial(path));
    all.extend(sparse.map(|(_, path)| format!("{} = {{ present = true }}", key(path))));
    let _ = writeln!(out, "\n# Tokens, told by `{}`.", comment(&group.name(), 80));
    let _ = writeln!(out, "[[usage]]\nmatch = {{ {} }}", all.join(", "));
    let (mode, scope) = if usage.cumulative { ("cumulative", "process") } else { ("delta", "turn") };
    let why = match (usage.seen, usage.cumulative) {
        (0, _) => "NOT DECIDED: one figure a stream; `cumulative` where the last of several counts",
        (seen, true) if seen < SURE => "NOT DECIDED: the few captured figures only grow: taken for running totals",
        (_, true) => "the captured figures only ever grow: running totals",
        (_, false) => "the captured figures do not only grow: they are summed",
    };
    let _ = writeln!(out, "scope = \"{scope}\"\n# {why}.\nmode = \"{mode}\"");
    let _ = writeln!(out, "required = [[\"input\", \"output\"]]");
    let has = |name: &str| usage.counters.iter().any(|(counter, _)| *counter == name);
    let inside = [("cache_read", "input"), ("reasoning", "output")].into_iter().filter(|(name, _)| has(name));
    let inside: Vec<String> = inside.map(|(name, outer)| format!("{name} = \"{outer}\"")).collect();
    if !inside.is_empty() {
        let question = "does one counter lie inside another? If so:";
        let _ = writeln!(out, "# NOT DECIDED: {question}\n# inside = {{ {} }}", inside.join(", "));
    }
    for (name, path) in &usage.counters {
        let _ = writeln!(out, "{name} = {}", quoted(path));
    }
}
