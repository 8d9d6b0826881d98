//! What tells whose records are: the session, and the sub-agent.

use super::ids::{Taken, is_id_name, is_time};
use super::kinds::Kind;
use super::path::{last, last_key, text_at};
use super::records::{Fields, Streams};
use super::words::says;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The field that names the session, and whether its name says so.
pub(super) struct Session {
    pub(super) path: String,
    pub(super) named: bool,
}

/// Finds the session: by its name, else as what is one value in each stream, and another in each.
pub(super) fn find(all: &Fields, streams: &Streams, types: &[String]) -> Option<Session> {
    let count = streams.records.len();
    let named = all.iter().filter(|(path, field)| {
        let whole = says(path, &["sess", "thread", "conversation", "chat"]);
        let id = last(path).ends_with("id") || says(last_key(path), &["sess", "thread", "conversation"]);
        whole && id && field.is_id() && field.values.len() * 2 <= count.max(2) + 1
    });
    if let Some((path, _)) = named.max_by_key(|(path, field)| (field.count, Reverse(path.len()))) {
        return Some(Session { path: path.clone(), named: true });
    }
    let like = all.iter().filter(|(path, field)| {
        let id = field.is_id() && field.longest >= 3 && !types.contains(path) && !is_time(path, &field.values);
        id && one_a_stream(path, streams)
    });
    let like = like.max_by_key(|(path, field)| (is_id_name(path), field.count, Reverse(path.len())));
    like.map(|(path, _)| Session { path: path.clone(), named: false })
}

/// Each stream has one value of its own, from its first record on. One stream shows nothing of that.
fn one_a_stream(path: &str, streams: &Streams) -> bool {
    let mut of: BTreeMap<usize, &str> = BTreeMap::new();
    let mut begun = BTreeSet::new();
    for record in &streams.records {
        let begins = begun.insert(record.stream);
        match text_at(&record.value, path) {
            None if begins => return false,
            None => {}
            Some(value) if !value.contains(|c: char| c.is_ascii_digit()) => return false,
            Some(value) if *of.entry(record.stream).or_insert(value) != value => return false,
            Some(_) => {}
        }
    }
    let different: BTreeSet<&str> = of.values().copied().collect();
    of.len() > 1 && different.len() == of.len()
}

/// Names of whose a record is.
const AGENTS: [&str; 9] = ["agent", "worker", "child", "kid", "sub", "parent", "owner", "scout", "helper"];

/// A field of some records, and not of others of the same kind, whose value stays: whose records they are. With the groups
/// that have it.
pub(super) fn agent(kinds: &[Kind<'_>], texts: &BTreeSet<usize>, taken: &Taken) -> Option<(String, BTreeSet<usize>)> {
    let mut found: BTreeMap<&String, (usize, BTreeSet<usize>, bool)> = BTreeMap::new();
    for kind in kinds.iter().filter(|kind| kind.is_record()) {
        for (path, field) in kind.free() {
            if !field.is_id() || taken.paths.contains(path) || !says(last_key(path), &AGENTS) {
                continue;
            }
            let stays = field.values.len() * 2 <= field.count || field.count == 1;
            let (count, groups, partial) = found.entry(path).or_default();
            *count += field.count;
            groups.insert(kind.group);
            *partial |= stays && field.count < kind.objects.len() && texts.contains(&kind.group);
        }
    }
    let found = found.into_iter().filter(|(_, (_, _, partial))| *partial);
    found.max_by_key(|(_, (count, ..))| *count).map(|(path, (_, groups, _))| (path.clone(), groups))
}
