//! What the records that end a run hold: why it failed, and what it answers.

use super::ending::Ending;
use super::ids::is_time;
use super::kinds::{Kind, Object};
use super::outcome::Outcome;
use super::path::{holds, last_key, text_at};
use super::records::Field;
use super::words::says;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Names of reasons.
const REASONS: [&str; 12] =
    ["err", "fail", "cause", "why", "reason", "problem", "detail", "message", "msg", "trouble", "explain", "diagnos"];
const ANSWERS: [&str; 10] =
    ["answer", "output", "final", "result", "reply", "response", "text", "message", "summary", "content"];

/// An ending that is read.
pub(super) struct Reading<'r> {
    pub(super) kind: &'r Kind<'r>,
    pub(super) outcome: Outcome,
    /// What all other records say.
    pub(super) texts: &'r BTreeSet<&'r str>,
    /// The field that was taken for its text.
    pub(super) own: Option<String>,
}

/// Reads it.
pub(super) fn read(reading: &Reading<'_>) -> Ending {
    let reason = reading.reason();
    let answer = reading.answer(reason.as_deref());
    // One field for both: what a good run answers, and why a bad one failed.
    let shared = answer.clone().filter(|path| in_any(&reading.failed(), path));
    let reason = reason.or(shared);
    let open = reading.open(reason.as_deref());
    Ending { outcome: reading.outcome.clone(), reason, answer, by_place: false, open }
}

fn in_any(objects: &[&Object<'_>], path: &str) -> bool {
    objects.iter().any(|object| has_words(object, path))
}

fn has_words(object: &Object<'_>, path: &str) -> bool {
    text_at(object.value, path).is_some_and(|text| !text.trim().is_empty())
}

impl Reading<'_> {
    fn failed(&self) -> Vec<&Object<'_>> {
        self.kind.objects.iter().filter(|object| self.outcome.failed(object.value)).collect()
    }

    /// Runs that failed say it, and those that did not do not.
    fn only_failed(&self, path: &str) -> bool {
        self.outcome.only_failed(&self.kind.objects, |object| has_words(object, path))
    }

    fn strings(&self) -> impl Iterator<Item = (&String, &Field)> {
        self.kind.free().filter(|(path, field)| {
            field.is_text() && self.outcome.path() != Some(path) && !is_time(path, &field.values)
        })
    }

    /// Where a failed run says why.
    fn reason(&self) -> Option<String> {
        let scored = self.strings().filter(|(path, _)| self.only_failed(path) || !self.says_texts_only(path));
        let scored = scored.map(|(path, field)| (self.score(path, field), path)).filter(|(score, _)| *score >= 3);
        let best = scored.max_by_key(|(score, path)| (*score, Reverse(path.len()))).map(|(_, path)| path.clone());
        best.or_else(|| match &self.outcome {
            Outcome::Present(path) => Some(path.clone()),
            _ => None,
        })
    }

    /// How much a field is a reason: it is there when the run failed and not else, it is called so, it stands inside the error.
    fn score(&self, path: &str, field: &Field) -> usize {
        let named = says(path, &REASONS);
        let inside = self.outcome.path().is_some_and(|outcome| holds(outcome, path));
        let no_good = self.failed().len() == self.kind.objects.len();
        let said = no_good && in_any(&self.failed(), path) && (named || inside || field.spaced);
        let seen = self.only_failed(path) || said;
        let points = |yes: bool, points: usize| if yes { points } else { 0 };
        points(seen, 4) + points(named, 3) + points(field.spaced, 1) + points(inside, 2)
    }

    /// Every value is a text of the run: the answer, and no reason.
    fn says_texts_only(&self, path: &str) -> bool {
        let values = || self.kind.objects.iter().filter_map(|object| text_at(object.value, path));
        values().all(|text| self.texts.contains(text))
            && !says(path, &["err", "fail", "cause", "why", "reason", "problem"])
    }

    /// The field of the answer, where that is not this one.
    fn answer(&self, reason: Option<&str>) -> Option<String> {
        if matches!(self.outcome, Outcome::Always) {
            return None;
        }
        let fields = || self.strings().filter(|(path, _)| reason != Some(path) && !self.only_failed(path));
        let again = |field: &Field| field.values.iter().any(|value| value.len() > 3 && self.texts.contains(&**value));
        let named = |path: &str| says(last_key(path), &["answer", "output", "final"]);
        let alone = |path: &str, field: &Field| self.texts.is_empty() && field.spaced && says(last_key(path), &ANSWERS);
        let by_value = fields().find(|(_, field)| again(field));
        let found = by_value.or_else(|| fields().find(|(path, field)| named(path) || alone(path, field)));
        let own = self.own.clone().filter(|path| reason != Some(path) && !self.only_failed(path));
        found.map(|(path, _)| path.clone()).or(own)
    }

    /// What a person has to look at.
    fn open(&self, reason: Option<&str>) -> Vec<String> {
        let mut open = Vec::new();
        match &self.outcome {
            Outcome::Untold => {
                open.push("no field of it says whether the run failed: capture a run that fails".to_owned())
            }
            Outcome::Always => {}
            outcome if self.failed().is_empty() => {
                open.push(format!("no captured run failed: {}, and where its reason is was not seen", outcome.guess()));
            }
            _ if reason.is_none() => open.push("where the reason of a failure stands".to_owned()),
            _ => {}
        }
        open.extend(self.outcome.open());
        open
    }
}
