//! Guesses what the records of streams mean: each step stands in a file of its own.

use super::calls::{self, Part};
use super::element::{Meaning, Say};
use super::ending::{self, Endings};
use super::ids::Taken;
use super::kinds::{self, Kind, Members};
use super::path::{holds, text_at};
use super::records::{Streams, fields};
use super::session::{self, Session};
use super::usage::{self, Usage};
use super::words::says;
use super::{failure, keys, speech, tool, types};
use std::collections::{BTreeMap, BTreeSet};

/// What was guessed.
#[derive(Default)]
pub(super) struct Guess<'v> {
    /// The fields that make a record's type.
    pub(super) types: Vec<String>,
    pub(super) groups: Vec<Group>,
    /// All kinds of objects: the first are the records of the groups, in their order.
    pub(super) kinds: Vec<Kind<'v>>,
    /// What each kind says.
    pub(super) meanings: Vec<Meaning>,
    /// Kinds inside what a tool was given or gave.
    pub(super) covered: Vec<bool>,
    pub(super) session: Option<Session>,
    /// The group whose records begin a session.
    pub(super) begins: Option<usize>,
    /// The field of the sub-agent that a record is of, and the groups that have it.
    pub(super) agent: Option<(String, BTreeSet<usize>)>,
    pub(super) endings: Endings,
    pub(super) usage: Option<Usage>,
    /// What a person has to look at.
    pub(super) open: Vec<String>,
}

/// The records of one type.
pub(super) struct Group {
    /// The type: of each field its value, where there is one.
    pub(super) key: Vec<Option<String>>,
    pub(super) example: String,
}

impl Group {
    pub(super) fn name(&self) -> String {
        self.key.iter().flatten().cloned().collect::<Vec<_>>().join("/")
    }
}

/// Guesses all of it.
pub(super) fn guess(streams: &Streams) -> Guess<'_> {
    let mut guess = Guess::default();
    if streams.records.is_empty() {
        guess.open.push("no line of the streams is a JSON object: with text, use framing = \"text\"".to_owned());
        return guess;
    }
    let all = fields(streams.records.iter().map(|record| &record.value));
    let values: Vec<_> = streams.records.iter().map(|record| &record.value).collect();
    let Some(first) = types::discriminator(&all, &values) else {
        guess.open.push("no field tells one type of record from another: name one in record_type".to_owned());
        return guess;
    };
    guess.types.push(first.clone());
    guess.types.extend(types::second(&first, &streams.records));
    let group_of = group(&mut guess, streams);
    guess.session = session::find(&all, streams, &guess.types);
    let opens = openers(streams, &group_of);
    let taken = tools(&mut guess, &opens);
    guess.endings = ending::find(&guess.kinds, &guess.meanings, &group_of, &streams.records);
    endings(&mut guess);
    failure::settle(&guess.kinds, &mut guess.meanings, &guess.endings, guess.types.first());
    texts(&mut guess, taken);
    beginnings(&mut guess);
    let ends: BTreeSet<usize> = guess.endings.groups.keys().copied().collect();
    guess.usage = usage::find(&guess.kinds, &ends);
    undecided(&mut guess);
    guess
}

/// Sorts the records into groups of one type, in the order in which these first come. The group of each record.
fn group<'v>(guess: &mut Guess<'v>, streams: &'v Streams) -> Vec<usize> {
    let mut numbers: BTreeMap<Vec<Option<String>>, usize> = BTreeMap::new();
    let mut members: Vec<Members<'v>> = Vec::new();
    let mut group_of = Vec::new();
    for (n, record) in streams.records.iter().enumerate() {
        let key = types::key(&record.value, &guess.types);
        let number = *numbers.entry(key).or_insert_with_key(|key| {
            let group = Group { key: key.clone(), example: record.place.clone() };
            members.push((group.name(), Vec::new()));
            guess.groups.push(group);
            members.len() - 1
        });
        if let Some((_, records)) = members.get_mut(number) {
            records.push((n, record));
        }
        group_of.push(number);
    }
    guess.kinds = kinds::all(&members, &guess.types);
    guess.meanings = vec![Meaning::default(); guess.kinds.len()];
    group_of
}

/// The groups of the records that streams begin with, and whose records come nowhere else.
fn openers(streams: &Streams, group_of: &[usize]) -> BTreeSet<usize> {
    let mut before = None;
    let (mut first, mut later) = (BTreeSet::new(), BTreeSet::new());
    for (record, group) in streams.records.iter().zip(group_of) {
        let set = if before == Some(record.stream) { &mut later } else { &mut first };
        set.insert(*group);
        before = Some(record.stream);
    }
    first.difference(&later).copied().collect()
}

/// What takes part in tool calls, and what else says something. The fields that identify something else than a message.
fn tools(guess: &mut Guess<'_>, opens: &BTreeSet<usize>) -> Taken {
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

/// What the records that end a run say once more is no message.
fn endings(guess: &mut Guess<'_>) {
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
fn texts(guess: &mut Guess<'_>, mut taken: Taken) {
    let with_text = guess.kinds.iter().zip(&guess.meanings).filter(|(_, meaning)| meaning.texts().next().is_some());
    let groups: BTreeSet<usize> = with_text.map(|(kind, _)| kind.group).collect();
    guess.agent = session::agent(&guess.kinds, &groups, &taken);
    taken.paths.extend(guess.agent.iter().map(|(path, _)| path.clone()));
    let joined = keys::settle(&guess.kinds, &mut guess.meanings, &taken);
    let named = guess.meanings.iter().flat_map(Meaning::texts).any(|text| text.named && !text.reasoning);
    let alone = guess.meanings.iter_mut().enumerate().filter(|(n, _)| named && !joined.contains(n));
    for (_, meaning) in alone {
        let Some(path) = meaning.texts().find(|text| !text.named).map(|text| text.text.clone()) else { continue };
        meaning.says.retain(|say| say.as_text().is_none());
        meaning.open.push(format!(
            "is `{path}` the text of a message? Nothing but its length says so, and others are named so"
        ));
    }
}

/// What begins a session, and what a turn.
fn beginnings(guess: &mut Guess<'_>) {
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
    let first = first.filter(|kind| !guess.endings.groups.contains_key(&kind.group));
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

fn undecided(guess: &mut Guess<'_>) {
    let mut open = std::mem::take(&mut guess.endings.open);
    match &guess.session {
        None => open.push("no field looks like the id of a session".to_owned()),
        Some(session) if !session.named => open.push(format!(
            "`{}` is taken for the session: each stream has one value of its own, and no name says more",
            session.path
        )),
        Some(_) => {}
    }
    if !guess.meanings.iter().flat_map(Meaning::texts).any(|text| !text.reasoning) {
        open.push("no field looks like the text of a message".to_owned());
    }
    if let Some((path, _)) = &guess.agent {
        open.push(format!(
            "`{path}` is taken for the sub-agent that a record is of; without it the record is the main agent's"
        ));
    }
    match &guess.usage {
        None => open.push("no field looks like a count of tokens".to_owned()),
        Some(usage) => {
            let other = usage.others.iter().filter_map(|group| guess.groups.get(*group)).map(Group::name);
            open.extend(other.map(|name| format!("`{name}` tells tokens too, which are not billed")));
        }
    }
    guess.open.extend(open);
}
