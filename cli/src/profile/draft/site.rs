//! Where which ids stand: what finds calls by ids that come again.

use super::acts::{Acts, acts};
use super::calls::Part;
use super::ids::{is_id_name, is_time};
use super::kinds::{Kind, Place};
use super::path::{last, last_key, parent};
use super::records::Field;
use super::words::{has_word, says};
use std::collections::{BTreeMap, BTreeSet};

/// Where one field of a kind has which ids.
pub(super) struct Site<'k> {
    pub(super) kind: usize,
    place: Place,
    /// By stream and id: where it came first and last, and how often.
    pub(super) uses: BTreeMap<(usize, String), Uses>,
    of: &'k Kind<'k>,
    pub(super) acts: Acts,
    is_number: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Uses {
    pub(super) first: (usize, usize),
    pub(super) last: (usize, usize),
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

    pub(super) fn path(&self) -> &str {
        self.place.path()
    }

    /// It may be the id of a call: it stands beside a name and an input, and where that is not their name each value comes once.
    pub(super) fn can_call(&self, opens: &BTreeSet<usize>) -> bool {
        let once = self.acts.named || self.uses.values().all(|uses| uses.count == 1);
        let Some(input) = &self.acts.input else { return false };
        let speaks = has_word(last_key(input), &["text", "content", "body", "message", "usage"]);
        // The record that opens a stream has ids, names and objects of all sorts.
        let opens = self.of.is_record() && opens.contains(&self.of.group);
        let identifies = self.acts.name.is_some() || is_id_name(self.path()) || self.is_number;
        once && identifies && self.is_everywhere() && !speaks && !opens
    }

    /// Nearly all that have the tool's name, or all, have it.
    pub(super) fn is_everywhere(&self) -> bool {
        let count = |path: &str| self.of.fields.get(path).map(|field| field.count);
        let all = self.acts.name.as_deref().and_then(count).unwrap_or(self.of.objects.len());
        count(self.path()).unwrap_or_default() * 5 >= all * 4
    }

    /// It stands beside the tool's name, and is called an id.
    pub(super) fn is_beside(&self) -> bool {
        self.acts.named && self.is_near() && is_id_name(self.path())
    }

    /// It stands beside the tool's name.
    pub(super) fn is_near(&self) -> bool {
        self.acts.name.as_deref().is_some_and(|name| parent(name) == parent(self.path()))
    }

    /// Its names say that it is of a message.
    pub(super) fn is_of_message(&self) -> bool {
        let words = ["message", "msg", "mid", "text", "turn", "step", "usage", "token", "session"];
        says(self.path(), &words) || says(&self.of.title, &words)
    }

    /// Nearly all of its ids are those of calls, and come after them.
    pub(super) fn follows(&self, call: &Site<'_>) -> bool {
        let after =
            |(id, uses): &(&(usize, String), &Uses)| call.uses.get(*id).is_some_and(|call| call.first < uses.first);
        let shared = self.uses.iter().filter(after).count();
        // Numbers are the same by chance: the fields at least have one name.
        let alike = !self.is_number || last(self.path()) == last(call.path());
        alike && shared > 0 && shared * 5 >= self.uses.len() * 4
    }

    /// Nothing else tells its ids before it does.
    pub(super) fn tells_first(&self, firsts: &BTreeMap<(usize, String), (usize, usize)>) -> bool {
        let first = self.uses.iter().filter(|(id, uses)| firsts.get(*id) == Some(&uses.first)).count();
        first * 5 >= self.uses.len() * 4
    }

    pub(super) fn call(&self) -> Part {
        let Acts { name, input, named } = &self.acts;
        Part::Call { id: Some(self.path().to_owned()), name: name.clone(), input: input.clone(), named: *named }
    }
}

/// All fields that can identify something.
pub(super) fn all<'k>(kinds: &'k [Kind<'k>], session: Option<&str>) -> Vec<Site<'k>> {
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
