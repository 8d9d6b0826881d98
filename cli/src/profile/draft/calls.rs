//! Tool calls and their results. The evidence is that ids come again: one kind tells a value once, beside a name and an input,
//! and another kind tells it later.

use super::ids::{PROPERTIES, is_id_name, is_time};
use super::kinds::{Kind, Place};
use super::path::{depth, holds, last, last_key, parent};
use super::records::Field;
use super::tool::is_code;
use super::words::{has_word, says};
use std::collections::{BTreeMap, BTreeSet};

/// How a kind takes part in a tool call.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// It asks for it.
    Call { id: Option<String>, name: Option<String>, input: Option<String> },
    /// It tells news of it; `last` where nothing later does.
    News { id: String, last: bool },
}

const NAMES: [&str; 9] = ["name", "tool", "tool_name", "toolname", "function", "command", "fn", "gadget", "title"];
/// Names of what a tool is given.
pub(super) const INPUTS: [&str; 14] = [
    "input",
    "args",
    "arguments",
    "params",
    "parameters",
    "with",
    "request",
    "command",
    "rawinput",
    "raw_input",
    "cmd",
    "spec",
    "payload",
    "options",
];

/// What of an object could be the name of a tool and its input.
struct Acts {
    name: Option<String>,
    input: Option<String>,
    /// The names of both fields say so.
    named: bool,
}

fn acts(kind: &Kind<'_>, ids: &BTreeSet<String>) -> Acts {
    let free = |path: &str| !ids.contains(path);
    let name = kind.find(&NAMES, |path, field| free(path) && field.is_text() && !field.spaced);
    let name = name.or_else(|| kind.find(&["title"], |_, field| field.is_text()));
    let input = input(kind, ids, name.as_deref());
    if name.is_some() && input.is_some() {
        return Acts { name, input, named: true };
    }
    let by_value = || {
        let words = kind.free().filter(|(path, field)| {
            let other = has_word(last_key(path), &PROPERTIES) || is_time(path, &field.values);
            field.is_name() && free(path) && !other && input.as_ref() != Some(path) && !is_code(path)
        });
        words.min_by_key(|(path, _)| depth(path)).map(|(path, _)| path.clone())
    };
    let name = name.or_else(by_value);
    // An object that holds all the rest is an envelope, not an input.
    let wraps = |path: &str| name.iter().chain(ids).chain(&kind.types).any(|inner| holds(path, inner));
    let objects = kind.free().filter(|(path, field)| field.objects == field.count && free(path) && !wraps(path));
    let object = objects.min_by_key(|(path, _)| path.len()).map(|(path, _)| path.clone());
    Acts { name, input: input.or(object), named: false }
}

/// The field that is called an input, and holds neither the tool's name nor an id.
fn input(kind: &Kind<'_>, ids: &BTreeSet<String>, name: Option<&str>) -> Option<String> {
    let taken =
        |path: &str| ids.iter().map(String::as_str).chain(name).any(|other| path == other || holds(path, other));
    kind.find(&INPUTS, |path, field| field.objects + field.strings + field.arrays > 0 && !taken(path))
}

/// Where one field of a kind has which ids.
struct Site<'k> {
    kind: usize,
    place: Place,
    /// By stream and id: where it came first and last, and how often.
    uses: BTreeMap<(usize, String), Uses>,
    of: &'k Kind<'k>,
    acts: Acts,
    is_number: bool,
}

#[derive(Clone, Copy)]
struct Uses {
    first: (usize, usize),
    last: (usize, usize),
    count: usize,
}

impl<'k> Site<'k> {
    fn new(number: usize, kind: &'k Kind<'k>, path: &str, session: Option<&str>) -> Self {
        let place = Place::Own(path.to_owned());
        let mut uses: BTreeMap<(usize, String), Uses> = BTreeMap::new();
        for object in &kind.objects {
            let Some(id) = place.id(object) else { continue };
            let first = Uses { first: object.order, last: object.order, count: 0 };
            let known = uses.entry((object.stream, id)).or_insert(first);
            (known.last, known.count) = (object.order, known.count + 1);
        }
        let acts = acts(kind, &session.into_iter().chain([path]).map(str::to_owned).collect());
        let is_number = kind.fields.get(path).is_some_and(|field| field.numbers > 0);
        Site { kind: number, place, uses, of: kind, acts, is_number }
    }

    fn path(&self) -> &str {
        self.place.path()
    }

    /// It may be the id of a call: it stands beside a name and an input, and where that is not their name each value comes once.
    fn can_call(&self, opens: &BTreeSet<usize>) -> bool {
        let once = self.acts.named || self.uses.values().all(|uses| uses.count == 1);
        let Some(input) = &self.acts.input else { return false };
        let speaks = has_word(last_key(input), &["text", "content", "body", "message", "usage"]);
        // The record that opens a stream has ids, names and objects of all sorts.
        let opens = self.of.is_record() && opens.contains(&self.of.group);
        let identifies = self.acts.name.is_some() || is_id_name(self.path()) || self.is_number;
        once && identifies && self.is_everywhere() && !speaks && !opens
    }

    /// Nearly all that have the tool's name, or all, have it.
    fn is_everywhere(&self) -> bool {
        let count = |path: &str| self.of.fields.get(path).map(|field| field.count);
        let all = self.acts.name.as_deref().and_then(count).unwrap_or(self.of.objects.len());
        count(self.path()).unwrap_or_default() * 5 >= all * 4
    }

    /// It stands beside the tool's name.
    fn is_near(&self) -> bool {
        self.acts.name.as_deref().is_some_and(|name| parent(name) == parent(self.path()))
    }

    /// Its names say that it is of a message.
    fn is_of_message(&self) -> bool {
        let words = ["message", "msg", "mid", "text", "turn", "step", "usage", "token", "session"];
        says(self.path(), &words) || says(&self.of.title, &words)
    }

    /// Nearly all of its ids are those of calls, and come after them.
    fn follows(&self, call: &Site<'_>) -> bool {
        let after =
            |(id, uses): &(&(usize, String), &Uses)| call.uses.get(*id).is_some_and(|call| call.first < uses.first);
        let shared = self.uses.iter().filter(after).count();
        // Numbers are the same by chance: the fields at least have one name.
        let alike = !self.is_number || last(self.path()) == last(call.path());
        alike && shared > 0 && shared * 5 >= self.uses.len() * 4
    }

    /// Nothing else tells its ids before it does.
    fn tells_first(&self, firsts: &BTreeMap<(usize, String), (usize, usize)>) -> bool {
        let first = self.uses.iter().filter(|(id, uses)| firsts.get(*id) == Some(&uses.first)).count();
        first * 5 >= self.uses.len() * 4
    }

    fn call(&self) -> Part {
        let Acts { name, input, .. } = &self.acts;
        Part::Call { id: Some(self.path().to_owned()), name: name.clone(), input: input.clone() }
    }
}

fn sites<'k>(kinds: &'k [Kind<'k>], session: Option<&str>) -> Vec<Site<'k>> {
    let can_be = |path: &str, field: &Field| {
        let number = field.numbers == field.count && (is_id_name(path) || last(path).len() <= 2);
        (field.is_id() || number) && !is_time(path, &field.values)
    };
    let of_kind = |(n, kind): (usize, &'k Kind<'k>)| {
        let session = session.filter(|_| kind.is_record());
        let ids = kind.free().filter(|(path, field)| can_be(path, field) && Some(path.as_str()) != session);
        ids.map(move |(path, _)| Site::new(n, kind, path, session)).collect::<Vec<_>>()
    };
    kinds.iter().enumerate().flat_map(of_kind).collect()
}

/// Finds calls and their news, by the numbers of their kinds. `speaks`: kinds with texts, which call nothing.
pub(super) fn find(
    kinds: &[Kind<'_>],
    session: Option<&str>,
    opens: &BTreeSet<usize>,
    speaks: &BTreeSet<usize>,
) -> BTreeMap<usize, Part> {
    let sites = sites(kinds, session);
    let firsts = firsts(&sites);
    // Kinds that hold texts or calls, themselves or in their lists.
    let speaking: BTreeSet<usize> = (0..kinds.len()).filter(|n| holds_any(kinds, *n, speaks)).collect();
    let may = |site: &&Site<'_>| {
        let named = site.acts.named || !(speaks.contains(&site.kind) || site.is_of_message());
        site.can_call(opens) && named && site.tells_first(&firsts)
    };
    let mut calls: BTreeMap<usize, Vec<(&Site<'_>, Vec<&Site<'_>>)>> = BTreeMap::new();
    for call in sites.iter().filter(may) {
        let news: Vec<&Site<'_>> =
            sites.iter().filter(|other| other.kind != call.kind && other.follows(call)).collect();
        if !news.is_empty() {
            calls.entry(call.kind).or_default().push((call, news));
        }
    }
    // What comes again in the fewest kinds identifies best: a turn's id comes again in all of them.
    let best = |sites: Vec<_>| {
        sites
            .into_iter()
            .min_by_key(|(site, news): &(&Site<'_>, Vec<_>)| (!site.is_near(), !is_id_name(site.path()), news.len()))
    };
    let mut calls: Vec<_> = calls.into_values().filter_map(best).collect();
    calls.sort_by_key(|(call, _)| (!call.acts.named, call.uses.values().map(|uses| uses.first).min()));
    let mut parts = BTreeMap::new();
    for (call, news) in calls {
        claim(call, &news, &speaking, &mut parts);
    }
    by_name(kinds, &sites, opens, &mut parts);
    parts
}

/// One of these is the kind, or in its lists.
fn holds_any(kinds: &[Kind<'_>], kind: usize, any: &BTreeSet<usize>) -> bool {
    let within = |n: &usize| {
        let up = |n: &usize| kinds.get(*n)?.list.as_ref().map(|(outer, _)| *outer);
        std::iter::successors(Some(*n), up).any(|n| n == kind)
    };
    any.iter().any(|n| within(n))
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
            parts.insert(n, Part::Call { id, name, input });
        }
    }
}
