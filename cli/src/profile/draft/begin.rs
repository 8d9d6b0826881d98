//! What begins a session, and what a turn.

use super::element::Say;
use super::guess::Guess;
use super::kinds::Kind;
use super::words::says;
use std::collections::BTreeMap;

/// Finds both.
pub(super) fn settle(guess: &mut Guess<'_>) {
    let turn = guess.kinds.iter().find(|kind| {
        kind.is_record()
            && says(&kind.title, &["turn", "run", "task"])
            && says(&kind.title, &["start", "begin"])
            && guess.meanings.get(kind.group).is_some_and(|meaning| meaning.says.is_empty())
    });
    let turn = turn.map(|kind| kind.group);
    let Some(session) = &guess.session else { return };
    let first = guess.kinds.iter().find(|kind| kind.is_record() && kind.fields.contains_key(&session.path));
    // What names it only at the end begins nothing.
    let first = first.filter(|kind| kind.has_type() && !guess.endings.groups.contains_key(&kind.group));
    let Some(first) = first.filter(|kind| once_a_turn(kind, guess)) else { return };
    guess.begins = Some(first.group);
    if let Some(meaning) = guess.meanings.get_mut(turn.unwrap_or(first.group)) {
        meaning.says.insert(0, Say::TurnStarted);
    }
}

/// A kind of records of which no stream has more than turns.
fn once_a_turn(kind: &Kind<'_>, guess: &Guess<'_>) -> bool {
    let count = |kind: &Kind<'_>| {
        let mut count: BTreeMap<usize, usize> = BTreeMap::new();
        kind.objects.iter().for_each(|object| *count.entry(object.stream).or_default() += 1);
        count
    };
    let ends: Vec<_> = guess.endings.groups.keys().filter_map(|group| guess.kinds.get(*group)).map(count).collect();
    let turns = |stream: &usize| ends.iter().filter_map(|ends| ends.get(stream)).sum::<usize>().max(1);
    count(kind).iter().all(|(stream, count)| *count <= turns(stream))
}
