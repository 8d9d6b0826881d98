//! Tool calls and their results. The evidence is that ids come again: one kind tells a value once, beside a name and an input,
//! and another kind tells it later.

use super::acts::{Acts, acts};
use super::ids::is_id_name;
use super::kinds::Kind;
use super::path::{last, last_key, parent};
use super::site::{self, Site};
use super::words::says;
use std::collections::{BTreeMap, BTreeSet};

/// How a kind takes part in a tool call.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// It asks for it; `named` where names say so.
    Call { id: Option<String>, name: Option<String>, input: Option<String>, named: bool },
    /// It tells news of it; `last` where nothing later does.
    News { id: String, last: bool },
}

/// Calls, each with the places that tell its ids later.
type Calls<'s, 'k> = Vec<(&'s Site<'k>, Vec<&'s Site<'k>>)>;

/// Finds calls and their news, by the numbers of their kinds. `speaks`: kinds with texts, which call nothing.
pub(super) fn find(
    kinds: &[Kind<'_>],
    session: Option<&str>,
    opens: &BTreeSet<usize>,
    speaks: &BTreeSet<usize>,
) -> BTreeMap<usize, Part> {
    let sites = site::all(kinds, session);
    // Kinds that hold texts, themselves or in their lists.
    let speaking: BTreeSet<usize> = (0..kinds.len()).filter(|n| holds_any(kinds, *n, speaks)).collect();
    let mut parts = BTreeMap::new();
    for (call, news) in candidates(&sites, opens, speaks) {
        claim(call, &news, &speaking, &mut parts);
    }
    by_name(kinds, &sites, opens, &mut parts);
    parts
}

/// Of each kind that may be a call the place that identifies it best; those first that are named as calls.
fn candidates<'s, 'k>(sites: &'s [Site<'k>], opens: &BTreeSet<usize>, speaks: &BTreeSet<usize>) -> Calls<'s, 'k> {
    let firsts = firsts(sites);
    let beside: BTreeSet<usize> = sites.iter().filter(|site| site.is_beside()).map(|site| site.kind).collect();
    let may = |site: &&'s Site<'k>| {
        let named = site.acts.named || !(speaks.contains(&site.kind) || site.is_of_message());
        // Beside the name stands the call's id, also where others told it before.
        let own = if beside.contains(&site.kind) { site.is_beside() } else { site.tells_first(&firsts) };
        site.can_call(opens) && named && own
    };
    let mut by_kind: BTreeMap<usize, Calls<'s, 'k>> = BTreeMap::new();
    for call in sites.iter().filter(may) {
        let news: Vec<&Site<'k>> =
            sites.iter().filter(|other| other.kind != call.kind && other.follows(call)).collect();
        if !news.is_empty() {
            by_kind.entry(call.kind).or_default().push((call, news));
        }
    }
    // What comes again in the fewest kinds identifies best: a turn's id comes again in all of them.
    let best = |calls: Calls<'s, 'k>| {
        calls.into_iter().min_by_key(|(site, news)| (!site.is_near(), !is_id_name(site.path()), news.len()))
    };
    let mut calls: Calls<'s, 'k> = by_kind.into_values().filter_map(best).collect();
    calls.sort_by_key(|(call, _)| (!call.acts.named, call.uses.values().map(|uses| uses.first).min()));
    calls
}

/// One of these is the kind, or in its lists.
fn holds_any(kinds: &[Kind<'_>], kind: usize, any: &BTreeSet<usize>) -> bool {
    let within = |n: &usize| {
        let up = |n: &usize| kinds.get(*n)?.list.as_ref().map(|(outer, _)| *outer);
        std::iter::successors(Some(*n), up).any(|n| n == kind)
    };
    any.iter().any(within)
}

/// Where each value comes first.
fn firsts(sites: &[Site<'_>]) -> BTreeMap<(usize, String), (usize, usize)> {
    let mut firsts = BTreeMap::new();
    for (id, uses) in sites.iter().flat_map(|site| &site.uses) {
        let first = firsts.entry(id.clone()).or_insert(uses.first);
        *first = uses.first.min(*first);
    }
    firsts
}

/// Makes a call of the kind, and news of those that tell its ids later.
fn claim(call: &Site<'_>, news: &[&Site<'_>], speaking: &BTreeSet<usize>, parts: &mut BTreeMap<usize, Part>) {
    if parts.contains_key(&call.kind) {
        return;
    }
    parts.insert(call.kind, call.call());
    for site in news {
        // What speaks, or speaks at times, names the call that it is part of.
        let whose =
            says(last_key(site.path()), &["parent"]) || (speaking.contains(&site.kind) && !site.is_everywhere());
        if parts.contains_key(&site.kind) || (site.is_of_message() && !call.acts.named) || whose {
            continue;
        }
        let last = !news.iter().any(|later| later.kind != site.kind && ends_after(later, site));
        let again = site.acts.named && call.acts.named && site.is_everywhere();
        let news = Part::News { id: site.path().to_owned(), last };
        parts.insert(site.kind, if again { site.call() } else { news });
    }
}

fn ends_after(later: &Site<'_>, site: &Site<'_>) -> bool {
    site.uses.iter().all(|(id, uses)| later.uses.get(id).is_some_and(|later| uses.last < later.last))
}

/// Calls by their names alone: of those no other kind tells anything in these streams.
fn by_name(kinds: &[Kind<'_>], sites: &[Site<'_>], opens: &BTreeSet<usize>, parts: &mut BTreeMap<usize, Part>) {
    for (n, kind) in kinds.iter().enumerate().filter(|(_, kind)| !opens.contains(&kind.group)) {
        if parts.contains_key(&n) || kind.fields.keys().any(|path| last(path) == "role") {
            continue;
        }
        let ids = sites.iter().filter(|site| site.kind == n && is_id_name(site.path()));
        let paths: BTreeSet<String> = ids.map(|site| site.path().to_owned()).collect();
        let Acts { name, input, named } = acts(kind, &paths);
        // The nearest to the name.
        let near = |path: &String| name.as_deref().is_some_and(|name| parent(name) == parent(path));
        let id = paths.into_iter().min_by_key(|path| (!near(path), path.len()));
        if named && (id.is_some() || says(&kind.title, &["tool", "call", "exec", "use"])) {
            parts.insert(n, Part::Call { id, name, input, named });
        }
    }
}
