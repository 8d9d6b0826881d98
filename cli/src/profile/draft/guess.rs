//! Guesses what the records of streams mean: each step stands in a file of its own.

use super::element::Meaning;
use super::ending::{self, Endings};
use super::kinds::{self, Kind, Members};
use super::records::{Streams, fields};
use super::session::{self, Session};
use super::usage::{self, Usage};
use super::{begin, failure, first, texts, thoughts, types};
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
    let Some(by) = types::discriminator(&all, &values) else {
        guess.open.push("no field tells one type of record from another: name one in record_type".to_owned());
        return guess;
    };
    guess.types.push(by.clone());
    guess.types.extend(types::second(&by, &all, &streams.records));
    let group_of = group(&mut guess, streams);
    guess.session = session::find(&all, streams, &guess.types);
    let opens = openers(streams, &group_of);
    let taken = first::tools(&mut guess, &opens);
    thoughts::banners(&mut guess, &opens);
    guess.endings = ending::find(&guess.kinds, &guess.meanings, &group_of, &streams.records);
    texts::endings(&mut guess);
    failure::settle(&guess.kinds, &mut guess.meanings, &guess.endings, guess.types.first());
    thoughts::settle(&mut guess);
    texts::settle(&mut guess, taken);
    begin::settle(&mut guess);
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

/// What a person has to look at, of all of it.
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
