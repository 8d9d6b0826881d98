//! Guesses what the records of a stream mean, from the names and the values of their fields.

use super::element::{self, Say};
use super::records::{Fields, Record, Streams, at, fields, last, last_key, says};
use super::usage::{self, Usage};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What was guessed.
#[derive(Default)]
pub(super) struct Guess {
    /// The fields that make a record's type.
    pub(super) types: Vec<String>,
    pub(super) groups: Vec<Group>,
    /// The group that ends each stream.
    pub(super) terminal: Option<usize>,
    pub(super) answer: Option<String>,
    pub(super) usage: Option<Usage>,
    /// What a person has to look at.
    pub(super) open: Vec<String>,
}

/// The records of one type.
pub(super) struct Group {
    /// The type: of each field its value, where there is one.
    pub(super) key: Vec<Option<String>>,
    pub(super) count: usize,
    pub(super) example: String,
    pub(super) fields: Fields,
    pub(super) session: Option<String>,
    pub(super) begins: bool,
    pub(super) says: Vec<Say>,
    /// Lists of elements that say something: the path, the field of the element's type, what they say.
    pub(super) lists: Vec<List>,
    /// A field that says how it went, and its values that mean success.
    pub(super) outcome: Option<(String, Vec<String>)>,
    pub(super) failure: Option<String>,
}

/// A list inside records, whose elements say something.
pub(super) struct List {
    pub(super) of: String,
    pub(super) by: Option<String>,
    pub(super) says: Vec<(Option<String>, Say)>,
    pub(super) silent: Vec<String>,
}

/// Names that record types usually have, the best first.
const TYPE_NAMES: [&str; 13] =
    ["type", "kind", "event", "t", "k", "op", "method", "msg_type", "item_type", "role", "subtype", "phase", "name"];
/// Values that mean that all is well.
const GOOD: [&str; 12] = [
    "ok",
    "success",
    "succeeded",
    "completed",
    "complete",
    "done",
    "end_turn",
    "stop",
    "finished",
    "passed",
    "true",
    "fine",
];

pub(super) fn guess(streams: &Streams) -> Guess {
    let mut guess = Guess::default();
    if streams.records.is_empty() {
        guess.open.push("no line of the streams is a JSON object: with text, use framing = \"text\"".to_owned());
        return guess;
    }
    let all = fields(streams.records.iter().map(|record| &record.value));
    let Some(first) = discriminator(&all, streams.records.len()) else {
        guess.open.push("no field tells one type of record from another: name one in record_type".to_owned());
        return guess;
    };
    guess.types.push(first.clone());
    guess.types.extend(second(&first, &streams.records));
    let mut by_key: BTreeMap<Vec<Option<String>>, Vec<&Record>> = BTreeMap::new();
    for record in &streams.records {
        let key = guess.types.iter().map(|path| at(&record.value, path).and_then(Value::as_str).map(str::to_owned));
        by_key.entry(key.collect()).or_default().push(record);
    }
    let mut groups: Vec<(Vec<Option<String>>, Vec<&Record>)> = by_key.into_iter().collect();
    // In the order in which they first came.
    groups.sort_by_key(|(_, records)| records.first().map(|record| std::ptr::from_ref::<Record>(*record) as usize));
    let session = session(&all, streams.records.len());
    let calls = element::calls(&groups);
    for (key, records) in &groups {
        guess.groups.push(group(key, records, session.as_deref(), &calls, &guess.types));
    }
    if let Some(first) = guess.groups.iter_mut().find(|group| group.session.is_some()) {
        first.begins = true;
    }
    terminal(&mut guess, &groups, streams);
    guess.usage = usage::find(&groups);
    settle_deltas(&mut guess, &groups);
    undecided(&mut guess, session.as_deref());
    guess
}

/// The field whose values are the types of the records.
fn discriminator(all: &Fields, count: usize) -> Option<String> {
    let place = |path: &str| TYPE_NAMES.iter().position(|name| last(path) == *name);
    let candidates = all.iter().filter(|(path, field)| {
        // Of few records each may be of another type; elsewhere types come back.
        let returns =
            field.values.len() * 2 <= count || (place(path).is_some() && (field.values.len() < count || count <= 8));
        let id = last(path).ends_with("id") || says(path, &["sess", "thread", "conversation", "chat"]);
        path.matches('.').count() <= 2 && field.is_name() && field.count * 10 >= count * 7 && returns && !id
    });
    let score = |path: &str, values: usize| {
        let telling = if values > 1 || count <= 2 { values.min(24) + 24 } else { 0 };
        // The nearer to the record itself, the better.
        place(path).map_or(0, |at| 40 - 2 * at) + telling + 12 - 6 * path.matches('.').count()
    };
    candidates.max_by_key(|(path, field)| score(path, field.values.len())).map(|(path, _)| path.clone())
}

/// A second field that tells records of one type apart.
fn second(first: &str, records: &[Record]) -> Option<String> {
    let mut by_type: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for record in records {
        if let Some(name) = at(&record.value, first).and_then(Value::as_str) {
            by_type.entry(name).or_default().push(&record.value);
        }
    }
    // Where nearly all records are of one type, it is an envelope around what tells them apart.
    let wraps = |values: &[&Value]| values.len() * 10 >= records.len() * 7 && values.len() > 1;
    let tells = |path: &str| says(last_key(path), &["type", "kind", "event", "update", "action", "variant", "tag"]);
    let mut votes: BTreeMap<String, usize> = BTreeMap::new();
    for values in by_type.values() {
        for (path, field) in fields(values.iter().copied()) {
            let named =
                TYPE_NAMES.contains(&&*last(&path)) || (wraps(values) && field.values.len() > 1 && tells(&path));
            let named = named && path.matches('.').count() <= 2;
            if path != first && named && field.is_name() && field.count == values.len() && field.values.len() <= 24 {
                let telling = if field.values.len() > 1 { 10 } else { 1 };
                *votes.entry(path).or_default() +=
                    telling * 10 - TYPE_NAMES.iter().position(|name| last(first) == *name).unwrap_or(0);
            }
        }
    }
    votes.into_iter().filter(|(_, votes)| *votes >= 80).max_by_key(|(_, votes)| *votes).map(|(path, _)| path)
}

/// The field that names the session.
fn session(all: &Fields, count: usize) -> Option<String> {
    let named = all.iter().filter(|(path, field)| {
        let whole = says(path, &["sess", "thread", "conversation", "chat"]);
        let id = last(path).ends_with("id") || says(last_key(path), &["sess", "thread", "conversation"]);
        whole && id && field.is_id() && field.values.len() * 2 <= count.max(2) + 1
    });
    named.max_by_key(|(path, field)| (field.count, std::cmp::Reverse(path.len()))).map(|(path, _)| path.clone())
}

fn group(
    key: &[Option<String>],
    records: &[&Record],
    session: Option<&str>,
    calls: &element::Calls,
    types: &[String],
) -> Group {
    let values: Vec<&Value> = records.iter().map(|record| &record.value).collect();
    let own = fields(values.iter().copied());
    let name = key.iter().flatten().cloned().collect::<Vec<_>>().join("/");
    let says_itself = element::says(&name, &own, calls, types);
    let lists = own
        .iter()
        .filter(|(path, field)| field.lists > 0 && !path.contains('"'))
        .filter_map(|(path, _)| list(path, &values, calls))
        .collect();
    Group {
        key: key.to_vec(),
        count: records.len(),
        example: records.first().map(|record| record.place.clone()).unwrap_or_default(),
        session: session.filter(|path| own.contains_key(*path)).map(str::to_owned),
        begins: false,
        says: says_itself,
        lists,
        outcome: None,
        failure: failure(&name, &own),
        fields: own,
    }
}

fn list(path: &str, values: &[&Value], calls: &element::Calls) -> Option<List> {
    let elements: Vec<&Value> = values.iter().filter_map(|value| at(value, path)?.as_array()).flatten().collect();
    let by = discriminator(&fields(elements.iter().copied()), elements.len());
    let mut by_type: BTreeMap<Option<&str>, Vec<&Value>> = BTreeMap::new();
    for element in elements {
        let name = by.as_ref().and_then(|by| at(element, by)?.as_str());
        by_type.entry(name).or_default().push(element);
    }
    let types: Vec<String> = by.iter().cloned().collect();
    let mut list = List { of: format!("{path}[]"), by, says: Vec::new(), silent: Vec::new() };
    for (name, elements) in by_type {
        let says = element::says(name.unwrap_or_default(), &fields(elements.into_iter()), calls, &types);
        match (says.is_empty(), name) {
            (true, Some(name)) => list.silent.push(name.to_owned()),
            _ => list.says.extend(says.into_iter().map(|say| (name.map(str::to_owned), say))),
        }
    }
    (!list.says.is_empty()).then_some(list)
}

/// Where a record that reports a failure says why.
fn failure(name: &str, fields: &Fields) -> Option<String> {
    let named = says(name, &["error", "fail", "fatal", "exception"]);
    let reason = |path: &str| ["message", "error", "reason", "detail", "text", "msg"].contains(&&*last(path));
    let inside = fields
        .iter()
        .find(|(path, field)| field.is_text() && path.contains('.') && says(path, &["err", "fail"]) && reason(path));
    let own = fields.iter().find(|(path, field)| field.is_text() && reason(path));
    match named {
        true => own.or(inside).map(|(path, _)| path.clone()),
        false => None,
    }
}

/// The type that ends streams, how it tells a failure, and whether it holds the answer.
fn terminal(guess: &mut Guess, groups: &[(Vec<Option<String>>, Vec<&Record>)], streams: &Streams) {
    let mut last_of: BTreeMap<usize, &Record> = BTreeMap::new();
    for record in &streams.records {
        last_of.insert(record.stream, record);
    }
    let is_in = |record: &Record, records: &[&Record]| records.iter().any(|other| std::ptr::eq(*other, record));
    let ends = |records: &[&Record]| last_of.values().filter(|record| is_in(record, records)).count();
    let best = (0..groups.len()).max_by_key(|n| ends(&groups[*n].1));
    let Some(n) = best.filter(|n| ends(&groups[*n].1) > 0) else { return };
    let (_, records) = &groups[n];
    let often = records.len() > 2 * last_of.len();
    let speaks =
        guess.groups.get(n).is_some_and(|group| group.says.iter().any(|say| say.is_text()) || group.failure.is_some());
    let named = guess.groups.get(n).is_some_and(|group| {
        let name = group.key.iter().flatten().cloned().collect::<Vec<_>>().join("/");
        says(&name, &["result", "done", "end", "finish", "complete", "final", "summary", "stop", "bye", "exit", "clos"])
    });
    if often || (speaks && !named) {
        guess.open.push("no type of record ends every stream alone: terminal stays \"never\"".to_owned());
        return;
    }
    let texts: BTreeSet<&String> = guess
        .groups
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != n)
        .flat_map(|(_, group)| group.texts().filter_map(|path| group.fields.get(path)))
        .flat_map(|field| &field.values)
        .collect();
    let texts: BTreeSet<String> = texts.into_iter().cloned().collect();
    let Some(group) = guess.groups.get_mut(n) else { return };
    let outcome = group.fields.iter().find(|(path, field)| {
        !guess.types.contains(path)
            && field.is_name()
            && says(last_key(path), &["status", "state", "outcome", "result", "subtype", "reason"])
    });
    group.outcome = outcome.map(|(path, field)| {
        let good = field.values.iter().filter(|value| GOOD.contains(&&*value.to_ascii_lowercase()));
        (path.clone(), good.cloned().collect())
    });
    group.failure = group
        .fields
        .iter()
        .filter(|(path, field)| field.is_text() && says(path, &["err", "fail", "reason", "problem", "why"]))
        .map(|(path, _)| path.clone())
        .find(|path| group.outcome.as_ref().is_none_or(|(outcome, _)| outcome != path));
    let answer = group.fields.iter().filter(|(path, field)| {
        field.is_text()
            && !guess.types.contains(path)
            && group.failure.as_ref() != Some(*path)
            && group.outcome.as_ref().is_none_or(|(outcome, _)| outcome != *path)
    });
    guess.answer = answer
        .filter(|(path, field)| {
            field.values.iter().any(|value| value.len() > 3 && texts.contains(value))
                || says(last_key(path), &["answer", "output", "final"])
        })
        .map(|(path, _)| path.clone())
        .next();
    // What the last record says is the answer once more, not another message.
    group.says.retain(|say| !say.is_text());
    let reasons = group
        .failure
        .as_ref()
        .and_then(|path| group.fields.get(path))
        .map(|field| field.values.clone())
        .unwrap_or_default();
    guess.terminal = Some(n);
    // A text that the last record gives as its reason is a report of the failure.
    for (_, other) in guess.groups.iter_mut().enumerate().filter(|(other, _)| *other != n) {
        let path = other.texts().find(|path| {
            other.fields.get(*path).is_some_and(|field| !field.values.is_empty() && field.values.is_subset(&reasons))
        });
        if let Some(path) = path.map(str::to_owned) {
            other.says.retain(|say| say.text() != Some(&path));
            other.failure = Some(path);
        }
    }
}

/// Texts that are tried as the first piece of another.
const PIECES: usize = 2000;

/// Texts that are pieces of others are deltas.
fn settle_deltas(guess: &mut Guess, groups: &[(Vec<Option<String>>, Vec<&Record>)]) {
    let whole: BTreeSet<String> = guess
        .groups
        .iter()
        .zip(groups)
        .flat_map(|(group, (_, records))| {
            let in_lists = group.lists.iter().flat_map(move |list| {
                let path = list.of.trim_end_matches("[]");
                let elements = records.iter().filter_map(move |record| at(&record.value, path)?.as_array()).flatten();
                elements
                    .flat_map(|element| list.says.iter().filter_map(move |(_, say)| at(element, say.text()?)?.as_str()))
            });
            let own = records
                .iter()
                .flat_map(|record| group.says.iter().filter_map(|say| at(&record.value, say.text()?)?.as_str()));
            own.chain(in_lists).filter(|text| text.len() > 3).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    for (group, (_, records)) in guess.groups.iter_mut().zip(groups) {
        for say in &mut group.says {
            let Some(path) = say.text().map(str::to_owned) else { continue };
            let pieces: Vec<&str> = records.iter().filter_map(|record| at(&record.value, &path)?.as_str()).collect();
            let pieced = pieces.iter().take(PIECES).enumerate().any(|(from, _)| {
                let mut text = String::new();
                pieces.iter().skip(from).take(64).enumerate().any(|(n, piece)| {
                    text.push_str(piece);
                    n > 0 && whole.contains(&text)
                })
            });
            if pieced {
                say.set_delta();
            }
        }
    }
}

fn undecided(guess: &mut Guess, session: Option<&str>) {
    let mut open = Vec::new();
    if session.is_none() {
        open.push("no field looks like the id of a session".to_owned());
    }
    if !guess.groups.iter().any(Group::speaks) {
        open.push("no field looks like the text of a message".to_owned());
    }
    match &guess.usage {
        None => open.push("no field looks like a count of tokens".to_owned()),
        Some(usage) if !usage.seen => open
            .push("usage came once a stream: whether several are summed or the last one counts is unknown".to_owned()),
        Some(_) => {}
    }
    if let Some((path, _)) =
        guess.terminal.and_then(|n| guess.groups.get(n)?.outcome.as_ref()).filter(|(_, good)| good.is_empty())
    {
        open.push(format!("no value of `{path}` was seen that means success"));
    }
    if guess
        .terminal
        .is_some_and(|n| guess.groups.get(n).is_some_and(|group| group.outcome.is_none() && group.failure.is_none()))
    {
        open.push("no field of the last record says whether the run failed: capture a run that fails".to_owned());
    }
    guess.open.extend(open);
}

impl Group {
    /// The fields that hold its texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.says.iter().filter_map(Say::text)
    }

    fn speaks(&self) -> bool {
        self.says.iter().any(Say::is_text)
            || self.lists.iter().any(|list| list.says.iter().any(|(_, say)| say.is_text()))
    }

    /// True when nothing was recognised in it.
    pub(super) fn is_silent(&self) -> bool {
        self.says.is_empty() && self.lists.is_empty() && self.failure.is_none() && !self.begins
    }
}
