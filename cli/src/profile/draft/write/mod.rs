//! Writes a guess down as a profile: commented, and such that it passes the check.

mod event;
mod head;
mod list;
mod rule;
mod toml;
mod usage;

use super::guess::{Group, Guess};
use super::records::Streams;
use toml::{key, quoted};

// Writing to a string cannot fail: the results of all `write!` in these files are nothing.

/// The profile of a guess.
pub(super) fn draft(guess: &Guess<'_>, streams: &Streams, id: &str) -> String {
    let mut out = String::new();
    head::write(&mut out, guess, streams, id);
    for n in 0..guess.groups.len() {
        rule::write(&mut out, guess, n);
    }
    usage::write(&mut out, guess);
    head::tail(&mut out, id);
    out
}

/// The conditions of a group's records. A field that other records of the type have, and these do not, is one too.
fn conditions(guess: &Guess<'_>, group: &Group) -> Vec<String> {
    let shares = |other: &Group| other.key.iter().zip(&group.key).all(|(other, own)| own.is_none() || own == other);
    let others = guess.groups.iter().filter(|other| other.key != group.key).any(shares);
    let condition = |(path, value): (&String, &Option<String>)| match value {
        Some(value) => Some(format!("{} = {}", key(path), quoted(value))),
        None => others.then(|| format!("{} = {{ present = false }}", key(path))),
    };
    guess.types.iter().zip(&group.key).filter_map(condition).collect()
}

/// The same as a table.
fn matches(guess: &Guess<'_>, group: &Group) -> String {
    format!("{{ {} }}", conditions(guess, group).join(", "))
}
