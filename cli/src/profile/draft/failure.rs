//! Records that report a failure before the end of a run.

use super::element::{Meaning, Say, Severity};
use super::ending::Endings;
use super::kinds::Kind;
use super::path::{depth, last, text_at};
use super::speech::FAILURES;
use super::words::says;
use std::collections::BTreeSet;

/// Names of what a report says.
const MESSAGES: [&str; 8] = ["message", "msg", "text", "reason", "detail", "why", "cause", "error"];

/// Makes failures of what is called so, and of what an ending gives as its reason.
pub(super) fn settle(kinds: &[Kind<'_>], meanings: &mut [Meaning], endings: &Endings, label: Option<&String>) {
    let reasons = reasons(kinds, endings);
    for kind in kinds.iter().filter(|kind| kind.is_record() && !endings.groups.contains_key(&kind.group)) {
        let Some(meaning) = meanings.get_mut(kind.group).filter(|meaning| !meaning.acts()) else { continue };
        let told = meaning.texts().map(|text| text.text.clone()).find(|path| is_reason(kind, path, &reasons));
        let named = says(&kind.title, &FAILURES) || says(&kind.title, &["trouble", "problem", "fault"]);
        if told.is_none() && !named {
            continue;
        }
        let message = told.or_else(|| message(kind));
        let label = label.filter(|path| kind.fields.contains_key(*path));
        *meaning = report(kind, message, label.cloned(), endings);
    }
}

/// What endings give as reasons.
fn reasons<'k>(kinds: &'k [Kind<'k>], endings: &Endings) -> BTreeSet<&'k str> {
    let told =
        endings.groups.iter().filter_map(|(group, ending)| Some((kinds.get(*group)?, ending.reason.as_ref()?, ending)));
    told.flat_map(|(kind, path, ending)| {
        let failed = kind.objects.iter().filter(|object| ending.outcome.failed(object.value));
        failed.filter_map(|object| text_at(object.value, path))
    })
    .collect()
}

fn is_reason(kind: &Kind<'_>, path: &str, reasons: &BTreeSet<&str>) -> bool {
    let mut texts = kind.objects.iter().filter_map(|object| text_at(object.value, path)).peekable();
    texts.peek().is_some() && texts.all(|text| reasons.contains(text))
}

fn message(kind: &Kind<'_>) -> Option<String> {
    let named = kind.free().filter(|(path, field)| field.is_text() && MESSAGES.contains(&&*last(path)));
    let place = |path: &str| MESSAGES.iter().position(|name| *name == last(path));
    let best = named.min_by_key(|(path, field)| (!field.spaced, depth(path), place(path)));
    let longest =
        || kind.free().filter(|(_, field)| field.is_text() && field.spaced).max_by_key(|(_, field)| field.longest);
    best.or_else(longest).map(|(path, _)| path.clone())
}

/// Where a run ended well after it, it was no failure of the run.
fn report(kind: &Kind<'_>, message: Option<String>, label: Option<String>, endings: &Endings) -> Meaning {
    let well = kind
        .objects
        .iter()
        .any(|object| endings.ended.contains(&object.stream) && !endings.failed.contains(&object.stream));
    match message {
        Some(message) if well => {
            let open =
                "is it a failure of the run? A captured run ended well all the same, so that it is told as a notice";
            let notice = Say::Notice { severity: Severity::Always("error"), message };
            Meaning { says: vec![notice], open: vec![open.to_owned()] }
        }
        message => Meaning { says: vec![Say::Failure { label, message }], open: Vec::new() },
    }
}
