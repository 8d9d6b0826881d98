//! Texts once all records are known: what ends a run repeats, of which message each is, and which may be none.

use super::element::{Meaning, Say};
use super::guess::Guess;
use super::ids::Taken;
use super::kinds::Kind;
use super::path::{holds, text_at};
use super::{keys, session};
use std::collections::BTreeSet;

/// What the records that end a run say once more is no message.
pub(super) fn endings(guess: &mut Guess<'_>) {
    let others: BTreeSet<&str> = {
        let all =
            guess.kinds.iter().zip(&guess.meanings).filter(|(kind, _)| !guess.endings.groups.contains_key(&kind.group));
        all.flat_map(|(kind, meaning)| texts_of(kind, meaning)).collect()
    };
    for (kind, meaning) in guess.kinds.iter().zip(&mut guess.meanings) {
        let Some(ending) = guess.endings.groups.get(&kind.group) else { continue };
        let once_more = texts_of(kind, meaning).any(|text| others.contains(text));
        let reason = |path: &str| ending.reason.as_ref().is_some_and(|reason| reason == path || holds(reason, path));
        let drop = kind.is_record() || once_more || kind.list.as_ref().is_some_and(|(_, list)| reason(list));
        if drop {
            meaning.says.retain(|say| say.as_text().is_none() && !matches!(say, Say::Notice { .. }));
        }
    }
}

fn texts_of<'k>(kind: &'k Kind<'k>, meaning: &Meaning) -> impl Iterator<Item = &'k str> {
    let paths: Vec<String> = meaning.texts().map(|text| text.text.clone()).collect();
    paths.into_iter().flat_map(|path| kind.objects.iter().filter_map(move |object| text_at(object.value, &path)))
}

/// Whose texts are, and of which message.
pub(super) fn settle(guess: &mut Guess<'_>, mut taken: Taken) {
    let with_text = guess.kinds.iter().zip(&guess.meanings).filter(|(_, meaning)| meaning.texts().next().is_some());
    let groups: BTreeSet<usize> = with_text.map(|(kind, _)| kind.group).collect();
    guess.agent = session::agent(&guess.kinds, &groups, &taken);
    taken.paths.extend(guess.agent.iter().map(|(path, _)| path.clone()));
    let joined = keys::settle(&guess.kinds, &mut guess.meanings, &taken);
    let named =
        !joined.is_empty() || guess.meanings.iter().flat_map(Meaning::texts).any(|text| text.named && !text.reasoning);
    let alone = guess.meanings.iter_mut().enumerate().filter(|(n, _)| named && !joined.contains(n));
    for (_, meaning) in alone {
        let Some(path) = meaning.texts().find(|text| !text.named && !text.reasoning).map(|text| text.text.clone())
        else {
            continue;
        };
        meaning.says.retain(|say| say.as_text().is_none());
        meaning
            .open
            .push(format!("is `{path}` the text of a message? Nothing but its length says so, and others are surer"));
    }
}
