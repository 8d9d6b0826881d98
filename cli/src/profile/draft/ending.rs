//! Which records end a run or a turn. Where they stand is the evidence; what they are called only helps.

use super::element::{Meaning, Role, Say, Text};
use super::kinds::{Kind, Object};
use super::outcome::{Outcome, judge};
use super::path::text_at;
use super::reason::{self, Reading};
use super::records::Record;
use super::speech::FAILURES;
use super::stands::{Places, stands};
use super::words::{says, verdict};
use std::collections::{BTreeMap, BTreeSet};

/// What the records of a group that end something hold.
pub(super) struct Ending {
    pub(super) outcome: Outcome,
    /// Where a failed run's reason is.
    pub(super) reason: Option<String>,
    pub(super) answer: Option<String>,
    /// It is known by where it stands, not by its name alone.
    pub(super) by_place: bool,
    /// What a person has to look at.
    pub(super) open: Vec<String>,
}

/// The groups whose records end a run or a turn.
#[derive(Default)]
pub(super) struct Endings {
    pub(super) groups: BTreeMap<usize, Ending>,
    /// All streams have one of them; most have none.
    pub(super) complete: bool,
    pub(super) seldom: bool,
    /// Streams that end with one of them.
    pub(super) ended: BTreeSet<usize>,
    /// Streams of which one says that they failed.
    pub(super) failed: BTreeSet<usize>,
    /// What a person has to look at.
    pub(super) open: Vec<String>,
}

/// Names of what ends.
const ENDS: [&str; 14] = [
    "result", "done", "end", "finish", "fin", "complete", "final", "summary", "stop", "bye", "exit", "clos", "over",
    "quit",
];

/// Finds the groups of records that end something.
pub(super) fn find(kinds: &[Kind<'_>], meanings: &[Meaning], group_of: &[usize], records: &[Record]) -> Endings {
    let mut endings = Endings::default();
    let streams: BTreeSet<usize> = records.iter().map(|record| record.stream).collect();
    let view = View { kinds, meanings, group_of, records, streams: streams.len() };
    for kind in kinds.iter().filter(|kind| kind.is_record() && kind.has_type()) {
        let Some(ending) = view.ending(kind) else { continue };
        let failed = kind.objects.iter().filter(|object| ending.outcome.failed(object.value));
        endings.failed.extend(failed.map(|object| object.stream));
        endings.groups.insert(kind.group, ending);
    }
    // A step's end may be called so too: where another record stands last, that one ends.
    let last =
        |ending: &Ending| ending.by_place && ending.outcome.tells() && !matches!(ending.outcome, Outcome::Always);
    if endings.groups.values().any(last) {
        endings.groups.retain(|_, ending| ending.by_place || ending.outcome.tells());
    }
    // Reports of failures alone end no stream that goes well.
    if endings.groups.values().all(|ending| matches!(ending.outcome, Outcome::Always)) {
        endings = Endings::default();
    }
    let with = records.iter().zip(group_of).filter(|(_, group)| endings.groups.contains_key(group));
    endings.ended = with.map(|(record, _)| record.stream).collect();
    let without = streams.len() - endings.ended.len();
    endings.complete = without == 0;
    if endings.groups.is_empty() {
        endings.open.push("no type of record ends every stream alone: terminal stays \"never\"".to_owned());
    } else if without * 2 > streams.len() {
        endings.seldom = true;
        endings.open.push(format!("{without} streams hold no record that ends them, so that none is promised"));
    } else if without > 0 {
        let open = "hold no record that ends them: were they interrupted? Else terminal is \"never\"";
        endings.open.push(format!("{without} stream(s) {open}"));
    }
    endings
}

fn is_answer(text: &Text) -> bool {
    !text.reasoning && !matches!(text.role, Role::User)
}

/// Of the kind's records only those of failed runs have its texts.
fn only_failed(kind: &Kind<'_>, meaning: &Meaning, outcome: &Outcome) -> bool {
    outcome.only_failed(&kind.objects, |object| meaning.texts().any(|text| text_at(object.value, &text.text).is_some()))
}

/// What is looked at.
struct View<'v> {
    kinds: &'v [Kind<'v>],
    meanings: &'v [Meaning],
    group_of: &'v [usize],
    records: &'v [Record],
    streams: usize,
}

impl View<'_> {
    /// What the records of this kind hold, where they end something.
    fn ending(&self, kind: &Kind<'_>) -> Option<Ending> {
        let meaning = self.meanings.get(kind.group)?;
        // Of streams of one record the last would be the first. What the user says ends nothing.
        if meaning.acts() || self.records.len() <= self.streams || self.is_users(kind.group) {
            return None;
        }
        let texts = self.other_texts(kind.group);
        let own: Vec<&str> = self.texts(kind.group).collect();
        let repeats = own.iter().any(|text| text.len() > 3 && texts.contains(text));
        let outcome = judge(kind);
        let failure = says(&kind.title, &FAILURES);
        let named = says(&kind.title, &ENDS);
        let stands = stands(kind.group, self.group_of, self.records, &self.places(kind.group));
        // What only failed runs say is their reason; and what is last everywhere, where others speak, is no answer of its own.
        let sole = stands.ends && kind.objects.len() == self.streams && self.speaks_elsewhere(kind.group);
        let speaks = !own.is_empty() && !repeats && !sole && !only_failed(kind, meaning, &outcome);
        let often = stands.streams * 2 >= self.streams;
        let told = named || failure || repeats || (outcome.tells() && often && !speaks);
        // A name is evidence where noise comes behind the end.
        let once = stands.streams == self.streams && kind.objects.len() == self.streams;
        let by_turns = stands.turns && told && !speaks;
        let by_place = by_turns || (stands.ends && (told || (self.streams > 1 && often && !speaks)));
        if !(by_place || (named && once && !speaks && self.is_behind_all(kind.group))) {
            return None;
        }
        let word = kind.title.rsplit(['/', '.']).next().unwrap_or_default();
        let fails = failure || verdict(word) == Some(false);
        let outcome = if failure || (fails && !outcome.tells()) { Outcome::Always } else { outcome };
        let own = meaning.texts().map(|text| text.text.clone()).next();
        let mut ending = reason::read(&Reading { kind, outcome, texts: &texts, own });
        ending.by_place = by_place;
        if let Some(answer) = ending.answer.as_ref().filter(|_| sole && !told && !texts.is_empty()) {
            ending
                .open
                .push(format!("`{answer}` is taken for the answer: is it a message, and is there no end at all?"));
        }
        if !told {
            ending
                .open
                .push("it ends the captured streams, and nothing else in it says that it ends anything".to_owned());
        }
        Some(ending)
    }

    /// What the model says in all records but those of a group, and the results of tools: where they stand.
    fn places(&self, group: usize) -> Places {
        let mut places = Places::default();
        for (kind, meaning) in self.kinds.iter().zip(self.meanings).filter(|(kind, _)| kind.group != group) {
            let texts: Vec<&Text> = meaning.texts().filter(|text| is_answer(text)).collect();
            let says = |object: &&Object<'_>| texts.iter().any(|text| text_at(object.value, &text.text).is_some());
            places.spoken.extend(kind.objects.iter().filter(says).map(|object| object.order.0));
            // Not those that tell the call as well.
            let result = |say: &Say| matches!(say, Say::Result { .. });
            if !meaning.says.is_empty() && meaning.says.iter().all(result) {
                places.results.extend(kind.objects.iter().map(|object| object.order.0));
            }
        }
        places
    }

    /// In most streams the model speaks in another record.
    fn speaks_elsewhere(&self, group: usize) -> bool {
        let spoken = self.places(group).spoken;
        let streams: BTreeSet<usize> =
            spoken.iter().filter_map(|n| self.records.get(*n)).map(|record| record.stream).collect();
        self.streams > 1 && streams.len() * 2 > self.streams
    }

    fn is_users(&self, group: usize) -> bool {
        let all = self.kinds.iter().zip(self.meanings).filter(|(kind, _)| kind.group == group);
        let mut texts = all.flat_map(|(_, meaning)| meaning.texts()).peekable();
        texts.peek().is_some() && texts.all(|text| matches!(text.role, Role::User))
    }

    /// No text and no tool comes behind it.
    fn is_behind_all(&self, group: usize) -> bool {
        let says = |meaning: &Meaning| meaning.acts() || meaning.texts().next().is_some();
        let all = self.kinds.iter().zip(self.meanings).filter(|(kind, meaning)| kind.group != group && says(meaning));
        let speaking: BTreeSet<usize> = all.map(|(kind, _)| kind.group).collect();
        let mut ended = BTreeSet::new();
        self.records.iter().zip(self.group_of).all(|(record, own)| {
            if *own == group {
                ended.insert(record.stream);
            }
            !(ended.contains(&record.stream) && speaking.contains(own))
        })
    }

    /// The texts of a group, those in lists too.
    fn texts(&self, group: usize) -> impl Iterator<Item = &str> {
        let all = self.kinds.iter().zip(self.meanings).filter(move |(kind, _)| kind.group == group);
        all.flat_map(|(kind, meaning)| {
            meaning
                .says
                .iter()
                .filter_map(Say::as_text)
                .flat_map(move |text| kind.objects.iter().filter_map(|object| text_at(object.value, &text.text)))
        })
    }

    /// The texts of all other groups.
    fn other_texts(&self, group: usize) -> BTreeSet<&str> {
        let groups: BTreeSet<usize> =
            self.kinds.iter().map(|kind| kind.group).filter(|other| *other != group).collect();
        groups.into_iter().flat_map(|other| self.texts(other)).collect()
    }
}
