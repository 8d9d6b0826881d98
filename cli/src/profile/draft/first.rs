//! What each kind says at first sight: parts of tool calls, texts and notices.

use super::calls::{self, Part};
use super::element::{Meaning, Say};
use super::guess::Guess;
use super::ids::Taken;
use super::kinds::Kind;
use super::{speech, tool};
use std::collections::BTreeSet;

/// What takes part in tool calls, and what else says something. The fields that identify something else than a message.
pub(super) fn tools(guess: &mut Guess<'_>, opens: &BTreeSet<usize>) -> Taken {
    let speech: Vec<Option<Say>> =
        guess.kinds.iter().map(|kind| speech::of(kind, &outers(kind, &guess.kinds))).collect();
    let named = |say: &Option<Say>| say.as_ref().and_then(Say::as_text).is_some_and(|text| text.named);
    let speaks = speech.iter().enumerate().filter(|(_, say)| named(say)).map(|(n, _)| n).collect();
    let session = guess.session.as_ref().map(|session| session.path.clone());
    let parts = calls::find(&guess.kinds, session.as_deref(), opens, &speaks);
    let mut taken = Taken { paths: session.into_iter().collect(), calls: BTreeSet::new() };
    let mut covered = vec![false; guess.kinds.len()];
    for (n, say) in speech.into_iter().enumerate() {
        let Some(kind) = guess.kinds.get(n) else { continue };
        let part = parts.get(&n);
        // Lists inside what a tool was given or gave are no messages.
        let inside = kind.list.as_ref().is_some_and(|(outer, list)| {
            let meaning = guess.meanings.get(*outer);
            covered.get(*outer) == Some(&true)
                || meaning.is_some_and(|outer| tool::covers(outer, list) || (outer.acts() && part.is_none()))
        });
        covered[n] = inside;
        let meaning = match part {
            _ if inside => Meaning::default(),
            Some(part) => tool::of(kind, part),
            None => Meaning { says: say.into_iter().collect(), open: Vec::new() },
        };
        if let Some(Part::Call { id: Some(id), .. } | Part::News { id, .. }) = part {
            taken.calls.extend(kind.fields.get(id).into_iter().flat_map(|field| field.values.iter().cloned()));
        }
        guess.meanings[n] = meaning;
    }
    guess.covered = covered;
    outputs(guess);
    taken
}

/// The kinds that a kind stands in, the nearest first.
fn outers<'k, 'v>(kind: &Kind<'v>, kinds: &'k [Kind<'v>]) -> Vec<&'k Kind<'v>> {
    let outer = |kind: &Kind<'v>| kinds.get(kind.list.as_ref()?.0);
    std::iter::successors(outer(kind), |kind| outer(kind)).collect()
}

/// Of an output's blocks only `text` is read.
fn outputs(guess: &mut Guess<'_>) {
    for kind in &guess.kinds {
        let Some((outer, list)) = kind.list.as_ref().filter(|_| !kind.fields.contains_key("text")) else { continue };
        let Some(meaning) = guess.meanings.get_mut(*outer) else { continue };
        let is_output = |say: &Say| matches!(say, Say::Result { output: Some(output), .. } if output == list);
        if meaning.says.iter().any(is_output) {
            meaning.open.push(format!("how to read `{list}`: an output is a text, or blocks with a `text`"));
        }
    }
}
