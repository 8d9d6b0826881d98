//! Gives all texts their ids and parts: pieces and the texts that they join to get the same.

use super::element::{Delta, Meaning, Role, Text};
use super::ids::{Taken, comes_again, keeps_all, places, rank};
use super::join::{Found, Link, Texts, flagged, found, link, snapshots};
use super::kinds::{Kind, Place};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The texts of a kind, by its number.
struct Site<'k> {
    number: usize,
    text: Text,
    kind: &'k Kind<'k>,
    texts: Texts<'k>,
}

/// Kinds with texts that are looked at: each is tried with each.
const SITES: usize = 48;

/// Makes pieces of what joins to other texts, and gives both the same key; then the ids of all other texts.
/// `taken`: fields that identify something else. The kinds that were joined.
pub(super) fn settle(kinds: &[Kind<'_>], meanings: &mut [Meaning], taken: &Taken) -> BTreeSet<usize> {
    let sites: Vec<Site<'_>> = sites(kinds, meanings, taken);
    let mut settled = BTreeSet::new();
    for piece in &sites {
        let links = links(piece, &sites);
        if links.is_empty() {
            settled.extend(flag(piece, meanings));
        } else {
            join(piece, &links, meanings);
            settled.insert(piece.number);
            settled.extend(links.iter().map(|(whole, _)| whole.number));
        }
    }
    for site in sites.iter().filter(|site| !settled.contains(&site.number)) {
        change(meanings, site.number, |text| alone(site, text));
    }
    settled
}

fn sites<'k>(kinds: &'k [Kind<'k>], meanings: &[Meaning], taken: &Taken) -> Vec<Site<'k>> {
    let site = |(number, (kind, meaning)): (usize, (&'k Kind<'k>, &Meaning))| {
        let (text, record) = (meaning.texts().next()?.clone(), kinds.get(kind.group)?);
        let places = places(kind, record, taken);
        let texts = Texts { texts: found(kind, &text.text), places, in_list: !kind.is_record() };
        Some(Site { number, text, kind, texts })
    };
    kinds.iter().zip(meanings).enumerate().filter_map(site).take(SITES).collect()
}

fn change(meanings: &mut [Meaning], number: usize, f: impl Fn(&mut Text)) {
    meanings.get_mut(number).into_iter().flat_map(Meaning::texts_mut).for_each(f);
}

/// What a kind's texts are pieces of: those that are joined by the best of its ids.
fn links<'s, 'k>(piece: &Site<'k>, sites: &'s [Site<'k>]) -> Vec<(&'s Site<'k>, Link)> {
    let user = |site: &Site<'_>| matches!(site.text.role, Role::User);
    let others = sites.iter().filter(|site| site.number != piece.number && !user(site) && !user(piece));
    let mut links: Vec<_> = others.filter_map(|whole| Some((whole, link(&piece.texts, &whole.texts)?))).collect();
    // What joins one to one are two tellings of the same texts: the later takes the place of the earlier.
    let first = |site: &Site<'_>| site.texts.texts.first().map(|(object, _)| object.order);
    links.retain(|(whole, link)| link.pieces > link.hits || first(piece) < first(whole));
    links.sort_by_key(|(_, link)| Reverse((link.ids.is_some(), link.hits)));
    let own = links.first().map(|(_, link)| link.ids.as_ref().map(|(own, _)| own.clone()));
    links.retain(|(_, link)| Some(link.ids.as_ref().map(|(own, _)| own.clone())) == own);
    links
}

/// Gives pieces and their wholes one key.
fn join(piece: &Site<'_>, links: &[(&Site<'_>, Link)], meanings: &mut [Meaning]) {
    let thought = |site: &Site<'_>| site.text.reasoning;
    let reasoning = thought(piece) || links.iter().all(|(whole, _)| thought(whole));
    if !reasoning && links.iter().any(|(whole, _)| thought(whole)) {
        let open = "pieces of thoughts and of texts come in it alike: here they are all texts";
        meanings.get_mut(piece.number).into_iter().for_each(|meaning| meaning.open.push(open.to_owned()));
    }
    let number = links.iter().find_map(|(_, link)| link.number.clone());
    let in_list = links.iter().any(|(whole, _)| whole.texts.in_list);
    let literal = |reasoning: bool| if reasoning { "=thought" } else { "=text" }.to_owned();
    let part = match &number {
        Some(number) => Some(number.clone()),
        None => in_list.then(|| literal(reasoning)),
    };
    change(meanings, piece.number, |text| {
        text.reasoning = reasoning;
        text.delta = Delta::Yes;
        text.id = links.first().and_then(|(_, link)| link.ids.as_ref()).map(|(own, _)| own.written());
        text.part = part.clone();
    });
    for (whole, link) in links {
        change(meanings, whole.number, |text| {
            text.reasoning |= reasoning;
            text.delta = Delta::No;
            text.id = link.ids.as_ref().map(|(_, own)| own.written());
            text.part = match &number {
                Some(_) => Some("@block".to_owned()),
                None => in_list.then(|| literal(text.reasoning)),
            };
            text.completes = link.ids.is_none();
        });
    }
}

/// One kind may hold pieces and wholes, told apart by a flag.
fn flag(site: &Site<'_>, meanings: &mut [Meaning]) -> Option<usize> {
    if let Some((flag, when, id)) = flagged(site.kind, &site.text.text, &site.texts.places) {
        change(meanings, site.number, |text| {
            text.delta = Delta::Flag(flag.clone(), when);
            text.id = id.as_ref().map(Place::written);
            text.completes = id.is_none();
        });
        return Some(site.number);
    }
    let (flag, when) = snapshots(site.kind, &site.text.text)?;
    change(meanings, site.number, |text| text.not = Some((flag.clone(), when)));
    let open = format!("texts with `{flag}` = {when} are said once more by those that follow: they are left out");
    meanings.get_mut(site.number)?.open.push(open);
    None
}

/// The key of a text that is joined to no other.
fn alone(site: &Site<'_>, text: &mut Text) {
    let (texts, places) = (&site.texts.texts, &site.texts.places);
    if text.delta != Delta::No || streamed(site) {
        let id = places
            .iter()
            .find(|place| rank(place.path()) >= 10 || (rank(place.path()) > 1 && comes_again(place, texts)));
        text.delta = Delta::Yes;
        text.id = id.map(Place::written);
        return;
    }
    let named = |place: &&Place| rank(place.path()) > 1;
    let own = places.iter().filter(named).find(|place| matches!(place, Place::Own(_)) && keeps_all(place, texts));
    let outer = || places.iter().filter(named).find(|place| matches!(place, Place::Record(_)));
    let id = own.or_else(outer);
    text.id = id.map(Place::written);
    text.part = match id {
        Some(Place::Own(_)) => None,
        // A record's id is that of all its elements.
        Some(place) => Some(if grows(place, texts) { "=text" } else { "@block" }.to_owned()),
        None => site.texts.in_list.then(|| "@block".to_owned()),
    };
}

/// Spaces at the ends of texts, and an id that several in a row have that do not grow, or none: they are pieces.
fn streamed(site: &Site<'_>) -> bool {
    let texts = &site.texts.texts;
    let spaces = texts.windows(2).any(|pair| match pair {
        [(_, a), (_, b)] => a.ends_with(' ') || b.starts_with(' '),
        _ => false,
    });
    let place = |place: &Place| comes_again(place, texts) && !keeps_all(place, texts);
    let without = site.texts.places.iter().all(|place| rank(place.path()) < 2);
    spaces && (without || (!site.texts.in_list && site.texts.places.iter().any(place)))
}

/// Records tell a message again and again, each time with more of it.
fn grows(place: &Place, texts: &[Found<'_>]) -> bool {
    let first = |pair: &[Found<'_>]| match pair {
        [(a, before), (b, text)] => {
            a.order.0 != b.order.0
                && a.stream == b.stream
                && place.id(a).is_some_and(|id| place.id(b) == Some(id))
                && text.len() > before.len()
                && text.starts_with(before)
        }
        _ => false,
    };
    texts.windows(2).any(first)
}
