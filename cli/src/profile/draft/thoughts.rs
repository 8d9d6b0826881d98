//! Texts of which nothing but the rest of the stream tells that they are thoughts, and what opens a stream with a banner.

use super::element::{Meaning, Role, Say, Text};
use super::guess::Guess;
use super::kinds::Kind;
use super::path::text_at;
use super::speech::TEXTS;
use super::words::says;
use std::collections::{BTreeMap, BTreeSet};

/// Where elements of several types with texts stand in one list, some may be thoughts: what others tell once more shows which
/// are not.
pub(super) fn settle(guess: &mut Guess<'_>) {
    let spoken = spoken(guess);
    let all: Vec<(usize, Vec<Told<'_>>)> = (0..guess.kinds.len()).filter_map(|n| Some((n, told(guess, n)?))).collect();
    let again = |(stream, _, text): &Told<'_>| {
        spoken.get(stream).is_some_and(|spoken| spoken.iter().any(|all| all.contains(text)))
    };
    let (mut thoughts, mut doubts) = (Vec::new(), Vec::new());
    for (n, own) in &all {
        let list = |n: &usize| guess.kinds.get(*n).and_then(|kind| kind.list.as_ref());
        let mut beside = all.iter().filter(|(other, _)| other != n && list(other) == list(n)).peekable();
        if beside.peek().is_none() || own.iter().any(again) {
            continue;
        }
        let records: BTreeSet<usize> = own.iter().map(|(_, record, _)| *record).collect();
        let answers = |told: &Told<'_>| records.contains(&told.1) && again(told);
        if beside.any(|(_, told)| told.iter().any(answers)) {
            thoughts.push(*n);
        } else if guess.kinds.get(*n).and_then(|kind| kind.name.as_ref()).is_some_and(|name| !is_known(name)) {
            doubts.push(*n);
        }
    }
    for n in thoughts {
        if let Some(meaning) = guess.meanings.get_mut(n) {
            meaning.texts_mut().for_each(|text| text.reasoning = true);
            let open = "is it a thought? What is said beside it comes once more elsewhere, and this does not";
            meaning.open.push(open.to_owned());
        }
    }
    for n in doubts {
        if let Some(meaning) = guess.meanings.get_mut(n) {
            meaning.open.push("is it a thought? Another type of texts stands in the same list".to_owned());
        }
    }
}

/// The stream, the record and the text.
type Told<'v> = (usize, usize, &'v str);

/// The texts of a kind of elements, where it has such as the model says.
fn told<'v>(guess: &Guess<'v>, n: usize) -> Option<Vec<Told<'v>>> {
    let (kind, meaning) = guess.kinds.get(n).zip(guess.meanings.get(n))?;
    let text = meaning.texts().find(|text| is_said(text) && !kind.is_record())?;
    let told = kind.objects.iter().filter_map(|object| {
        let text = text_at(object.value, &text.text)?.trim();
        (!text.is_empty()).then_some((object.stream, object.order.0, text))
    });
    Some(told.collect())
}

fn is_said(text: &Text) -> bool {
    !text.reasoning && !matches!(text.role, Role::User)
}

/// A name of texts.
fn is_known(name: &str) -> bool {
    says(name, &TEXTS) || says(name, &["answer", "plain", "word", "para", "markdown"])
}

/// What each stream says in records of their own: the answers of endings, and the texts of each kind, one after the other.
fn spoken(guess: &Guess<'_>) -> BTreeMap<usize, Vec<String>> {
    let mut spoken: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (kind, meaning) in guess.kinds.iter().zip(&guess.meanings).filter(|(kind, _)| kind.is_record()) {
        let answer = guess.endings.groups.get(&kind.group).and_then(|ending| ending.answer.as_ref());
        let texts = meaning.texts().filter(|text| is_said(text)).map(|text| &text.text);
        for path in answer.into_iter().chain(texts) {
            let mut whole: BTreeMap<usize, String> = BTreeMap::new();
            for object in &kind.objects {
                whole.entry(object.stream).or_default().extend(text_at(object.value, path));
            }
            whole.into_iter().for_each(|(stream, text)| spoken.entry(stream).or_default().push(text));
        }
    }
    spoken
}

/// What stands in the record that opens a session is no message where others have messages: it greets whoever started it.
pub(super) fn banners(guess: &mut Guess<'_>, opens: &BTreeSet<usize>) {
    let Some(session) = guess.session.as_ref().map(|session| session.path.clone()) else { return };
    let opener =
        |kind: &Kind<'_>| kind.is_record() && opens.contains(&kind.group) && kind.fields.contains_key(&session);
    let said = |meaning: &Meaning| meaning.texts().any(is_said);
    let speaks = |(kind, meaning): &(&Kind<'_>, &Meaning)| !opens.contains(&kind.group) && said(meaning);
    let others: BTreeSet<usize> =
        guess.kinds.iter().zip(&guess.meanings).filter(speaks).map(|(kind, _)| kind.group).collect();
    // Where all name the session, the first is no opening for that.
    let everywhere = others.iter().any(|n| guess.kinds.get(*n).is_some_and(|kind| kind.fields.contains_key(&session)));
    for (_, meaning) in guess.kinds.iter().zip(&mut guess.meanings).filter(|(kind, _)| opener(kind)) {
        let Some(path) = meaning.texts().find(|text| is_said(text)).map(|text| text.text.clone()) else { continue };
        if !others.is_empty() && !everywhere {
            meaning.says.retain(|say: &Say| say.as_text().is_none());
        }
        meaning
            .open
            .push(format!("is `{path}` the text of a message? It stands only in the record that opens a stream"));
    }
}
