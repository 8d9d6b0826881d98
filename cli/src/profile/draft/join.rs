//! Whether the texts of one kind are pieces of those of another: they are joined and compared, and nothing else counts.

use super::ids::rank;
use super::kinds::{Kind, Object, Place};
use super::path::{at, depth, join, last_key, text_at};
use super::words::says;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A text where it stands.
pub(super) type Found<'k> = (Object<'k>, &'k str);

/// Texts that are tried: streams may be long.
const TRIED: usize = 4000;

/// Texts of a kind in the order of the streams, the first of them.
pub(super) fn found<'k>(kind: &'k Kind<'k>, text: &str) -> Vec<Found<'k>> {
    kind.objects.iter().filter_map(|object| Some((*object, text_at(object.value, text)?))).take(TRIED).collect()
}

/// Texts of a kind, and the places that can name their message.
pub(super) struct Texts<'k> {
    pub(super) texts: Vec<Found<'k>>,
    pub(super) places: Vec<Place>,
    /// They are elements of lists.
    pub(super) in_list: bool,
}

/// How pieces and wholes are of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The pieces' place and the whole's, where both name the message.
    pub(super) ids: Option<(Place, Place)>,
    /// The pieces' number of the block, where that is what tells blocks apart.
    pub(super) number: Option<String>,
    /// Wholes that pieces join to.
    pub(super) hits: usize,
    /// Pieces that were joined.
    pub(super) pieces: usize,
}

/// Wholes: a text, or the texts of one record's list.
struct Message<'k> {
    blocks: Vec<Found<'k>>,
    text: String,
}

/// Tries to join the pieces to the wholes.
pub(super) fn link(pieces: &Texts<'_>, wholes: &Texts<'_>) -> Option<Link> {
    let messages = messages(wholes);
    let mut best: Option<Link> = None;
    for own in &pieces.places {
        let by_id = by_id(&pieces.texts, own);
        for other in &wholes.places {
            let link = by_ids(&by_id, &messages, (own, other), wholes.in_list);
            if link.as_ref().is_some_and(|link| best.as_ref().is_none_or(|best| link.hits > best.hits)) {
                best = link;
            }
        }
    }
    best.or_else(|| in_a_row(&pieces.texts, &messages))
}

fn messages<'k>(wholes: &Texts<'k>) -> Vec<Message<'k>> {
    let mut messages: Vec<Message<'k>> = Vec::new();
    for (object, text) in &wholes.texts {
        let last = messages.last_mut().filter(|_| wholes.in_list);
        let last = last.filter(|message| message.blocks.last().is_some_and(|(last, _)| last.order.0 == object.order.0));
        match last {
            Some(message) => {
                message.blocks.push((*object, text));
                message.text.push_str(text);
            }
            None => messages.push(Message { blocks: vec![(*object, text)], text: (*text).to_owned() }),
        }
    }
    messages
}

type ById<'k> = BTreeMap<(usize, String), Vec<Found<'k>>>;

fn by_id<'k>(pieces: &[Found<'k>], place: &Place) -> ById<'k> {
    let mut by_id = ById::new();
    for piece in pieces {
        if let Some(id) = place.id(&piece.0) {
            by_id.entry((piece.0.stream, id)).or_default().push(*piece);
        }
    }
    by_id
}

/// Pieces and wholes that have an id in common.
fn by_ids(pieces: &ById<'_>, messages: &[Message<'_>], ids: (&Place, &Place), in_list: bool) -> Option<Link> {
    let mut pairs = Vec::new();
    for message in messages {
        let first = message.blocks.first().map(|(object, _)| object);
        let id = first.and_then(|first| Some((first.stream, ids.1.id(first)?)));
        pairs.extend(id.and_then(|id| pieces.get(&id)).map(|pieces| (pieces.as_slice(), message)));
    }
    let hits = pairs.iter().filter(|(pieces, message)| same(&joined(pieces), &message.text)).count();
    let number = numbers(&pairs).into_iter().find(|number| {
        let named = says(last_key(number), &["index", "idx", "block", "part", "slot"]);
        in_list
            && (named || hits < pairs.len())
            && pairs.iter().all(|(pieces, message)| blocks_fit(pieces, number, message))
    });
    let hits = if number.is_some() { pairs.len() } else { hits };
    // What is no name of an id has to tell messages apart: else it only happens to be the same in both.
    let known: BTreeSet<(usize, String)> =
        pairs.iter().filter_map(|(pieces, _)| Some(key(pieces.first()?, ids.0))).collect();
    let streams: BTreeSet<usize> = known.iter().map(|(stream, _)| *stream).collect();
    let tells = known.len() > streams.len() || (rank(ids.0.path()) > 1 && rank(ids.1.path()) > 1);
    let pieces = pairs.iter().map(|(pieces, _)| pieces.len()).sum();
    let ids = Some((ids.0.clone(), ids.1.clone()));
    (tells && hits > 0 && hits * 2 > pairs.len()).then_some(Link { ids, number, hits, pieces })
}

fn key(piece: &Found<'_>, place: &Place) -> (usize, String) {
    (piece.0.stream, place.id(&piece.0).unwrap_or_default())
}

fn joined(pieces: &[Found<'_>]) -> String {
    pieces.iter().map(|(_, text)| *text).collect()
}

fn same(a: &str, b: &str) -> bool {
    !a.trim().is_empty() && a.trim() == b.trim()
}

/// Fields of pieces that hold small numbers.
fn numbers(pairs: &[(&[Found<'_>], &Message<'_>)]) -> Vec<String> {
    let pieces = || pairs.iter().flat_map(|(pieces, _)| pieces.iter());
    let Some((first, _)) = pieces().next() else { return Vec::new() };
    let mut paths = Vec::new();
    let mut walk = vec![(String::new(), first.value)];
    while let Some((outer, value)) = walk.pop() {
        for (key, value) in value.as_object().into_iter().flatten() {
            let path = join(&outer, key);
            match value {
                Value::Number(_) => paths.push(path),
                Value::Object(_) if depth(&path) < 4 => walk.push((path, value)),
                _ => {}
            }
        }
    }
    paths.retain(|path| pieces().all(|(object, _)| number(object, path).is_some()));
    paths
}

fn number(object: &Object<'_>, path: &str) -> Option<u64> {
    at(object.value, path)?.as_u64().filter(|number| *number < 1000)
}

/// Each block is what the pieces with one number join to.
fn blocks_fit(pieces: &[Found<'_>], path: &str, message: &Message<'_>) -> bool {
    let mut by_number: BTreeMap<Option<u64>, String> = BTreeMap::new();
    for (object, text) in pieces {
        by_number.entry(number(object, path)).or_default().push_str(text);
    }
    let texts: BTreeSet<&str> = by_number.values().map(|text| text.trim()).collect();
    message.blocks.iter().all(|(_, block)| texts.contains(block.trim()))
}

/// Pieces without an id, in a row before their whole.
fn in_a_row(pieces: &[Found<'_>], messages: &[Message<'_>]) -> Option<Link> {
    let (mut hits, mut misses, mut joined) = (0, 0, 0);
    let mut from = 0;
    for message in messages {
        let Some((object, _)) = message.blocks.first() else { continue };
        let here = |piece: &&Found<'_>| (piece.0.stream, piece.0.order) < (object.stream, object.order);
        let until = from + pieces.get(from..).unwrap_or_default().iter().take_while(here).count();
        let before = pieces.get(from..until).unwrap_or_default();
        from = until;
        let text: String =
            before.iter().filter(|piece| piece.0.stream == object.stream).map(|(_, text)| *text).collect();
        if text.is_empty() {
            continue;
        }
        joined += before.len();
        if same(&text, &message.text) { hits += 1 } else { misses += 1 }
    }
    (hits > misses).then_some(Link { ids: None, number: None, hits, pieces: joined })
}

/// Flags that may tell pieces from wholes, with either value.
fn flags<'k>(kind: &'k Kind<'_>) -> impl Iterator<Item = (&'k String, bool)> {
    let names = ["partial", "delta", "final", "done", "complete", "last", "whole", "more", "stream"];
    let flags = kind.fields.iter().filter(move |(path, field)| field.is_flag() && says(last_key(path), &names));
    flags.flat_map(|(flag, _)| [(flag, true), (flag, false)])
}

/// Where the flag is missing it has the other value.
fn has(object: &Object<'_>, (flag, when): (&str, bool)) -> bool {
    at(object.value, flag).and_then(Value::as_bool).unwrap_or(!when) == when
}

/// A flag that tells the pieces of a kind from its wholes: the flag, its value for pieces, and the id of both.
pub(super) fn flagged(kind: &Kind<'_>, text: &str, places: &[Place]) -> Option<(String, bool, Option<Place>)> {
    flags(kind).find_map(|(flag, when)| {
        let (pieces, wholes) = found(kind, text).into_iter().partition(|(object, _)| has(object, (flag, when)));
        let texts = |texts| Texts { texts, places: places.to_vec(), in_list: !kind.is_record() };
        let link = link(&texts(pieces), &texts(wholes)).filter(|link| link.pieces > link.hits)?;
        let id = match link.ids {
            Some((own, other)) if own == other => Some(own),
            Some(_) => return None,
            None => None,
        };
        Some((flag.clone(), when, id))
    })
}

/// A flag, and its value in texts that the next one says once more, and more with it.
pub(super) fn snapshots(kind: &Kind<'_>, text: &str) -> Option<(String, bool)> {
    let texts = found(kind, text);
    let found = flags(kind).find(|flag| {
        let before = texts.windows(2).filter_map(|pair| match pair {
            [(a, before), (b, text)] if has(a, (flag.0, flag.1)) => {
                Some(a.stream == b.stream && text.starts_with(before))
            }
            _ => None,
        });
        let (mut again, mut all) = (0, 0);
        before.for_each(|next| (again, all) = (again + usize::from(next), all + 1));
        again > 0 && again * 5 >= all * 4
    });
    found.map(|(flag, when)| (flag.clone(), when))
}
