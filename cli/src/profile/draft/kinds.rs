//! Kinds of objects: the records of one type, and the elements of one type in a list of theirs.

use super::path::{at, last, text_at};
use super::records::{Field, Fields, Record, fields};
use super::types::{discriminator, of_texts};
use serde_json::Value;
use std::collections::BTreeMap;

/// Lists inside one another that are looked into.
const LISTS: usize = 3;

/// Objects that are of one kind.
pub(super) struct Kind<'v> {
    /// The group of the records that they are, or stand in.
    pub(super) group: usize,
    /// The list that they are elements of: the number of the kind that has it, and its path there.
    pub(super) list: Option<(usize, String)>,
    /// The field that makes an element's type, and this kind's.
    pub(super) by: Option<String>,
    pub(super) name: Option<String>,
    pub(super) objects: Vec<Object<'v>>,
    pub(super) fields: Fields,
    /// What its names tell of it: those of the record, or the element's own.
    pub(super) title: String,
    /// Fields that make types.
    pub(super) types: Vec<String>,
}

/// An object and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Object<'v> {
    pub(super) stream: usize,
    /// Number of the record, then of the element in its list.
    pub(super) order: (usize, usize),
    pub(super) value: &'v Value,
    pub(super) record: &'v Value,
}

/// Where a kind's value is: in the object, or in the record that it stands in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Own(String),
    Record(String),
}

impl Place {
    pub(super) fn path(&self) -> &str {
        match self {
            Place::Own(path) | Place::Record(path) => path,
        }
    }

    /// As a profile writes it.
    pub(super) fn written(&self) -> String {
        match self {
            Place::Own(path) => path.clone(),
            Place::Record(path) => format!("$.{path}"),
        }
    }

    /// What identifies something there.
    pub(super) fn id(&self, object: &Object<'_>) -> Option<String> {
        let value = match self {
            Place::Own(path) => at(object.value, path)?,
            Place::Record(path) => at(object.record, path)?,
        };
        match value {
            Value::String(id) if !id.is_empty() => Some(id.clone()),
            Value::Number(number) if number.is_u64() => Some(number.to_string()),
            _ => None,
        }
    }
}

impl Kind<'_> {
    pub(super) fn is_record(&self) -> bool {
        self.list.is_none()
    }

    /// A field makes a type of its records.
    pub(super) fn has_type(&self) -> bool {
        self.types.iter().any(|path| self.fields.contains_key(path))
    }

    /// Fields that make no type.
    pub(super) fn free(&self) -> impl Iterator<Item = (&String, &Field)> {
        self.fields.iter().filter(|(path, _)| !self.types.contains(path))
    }

    /// The field that fits and has one of these names: the first name first, and of that the one nearest to the object.
    pub(super) fn find(&self, names: &[&str], fits: impl Fn(&str, &Field) -> bool) -> Option<String> {
        names.iter().find_map(|wanted| {
            let found = self.free().filter(|(path, field)| last(path) == *wanted && fits(path, field));
            found.min_by_key(|(path, _)| path.len()).map(|(path, _)| path.clone())
        })
    }
}

/// The name of a group, and its records with their numbers.
pub(super) type Members<'v> = (String, Vec<(usize, &'v Record)>);

/// All kinds, those of records first: the kind of group 3 has the number 3.
pub(super) fn all<'v>(groups: &[Members<'v>], types: &[String]) -> Vec<Kind<'v>> {
    let of_group = |(group, (name, records)): (usize, &Members<'v>)| {
        let objects: Vec<Object<'v>> = records
            .iter()
            .map(|(n, record)| Object {
                stream: record.stream,
                order: (*n, 0),
                value: &record.value,
                record: &record.value,
            })
            .collect();
        Kind {
            group,
            list: None,
            by: None,
            name: None,
            fields: fields(objects.iter().map(|object| object.value)),
            objects,
            title: name.clone(),
            types: types.to_vec(),
        }
    };
    let mut kinds: Vec<Kind<'v>> = groups.iter().enumerate().map(of_group).collect();
    let mut from = 0;
    for _ in 0..LISTS {
        let found: Vec<Kind<'v>> =
            kinds.iter().enumerate().skip(from).flat_map(|(n, kind)| of_lists(n, kind)).collect();
        from = kinds.len();
        kinds.extend(found);
    }
    kinds
}

fn of_lists<'v>(number: usize, kind: &Kind<'v>) -> Vec<Kind<'v>> {
    let lists = kind.fields.iter().filter(|(_, field)| field.lists > 0);
    lists.flat_map(|(path, _)| of_list(number, kind, path)).collect()
}

fn of_list<'v>(number: usize, outer: &Kind<'v>, list: &str) -> Vec<Kind<'v>> {
    let of_object = |object: &Object<'v>| {
        let (object, elements) = (*object, at(object.value, list).and_then(Value::as_array));
        let elements = elements.map(Vec::as_slice).unwrap_or_default().iter().enumerate();
        elements.filter(|(_, value)| value.is_object()).map(move |(n, value)| Object {
            order: (object.order.0, n),
            value,
            ..object
        })
    };
    let elements: Vec<Object<'v>> = outer.objects.iter().flat_map(of_object).collect();
    let values: Vec<&Value> = elements.iter().map(|element| element.value).collect();
    let all = fields(values.iter().copied());
    let by = discriminator(&all, &values).or_else(|| of_texts(&all, values.len()));
    let mut by_name: BTreeMap<Option<String>, Vec<Object<'v>>> = BTreeMap::new();
    for element in elements {
        let name = by.as_ref().and_then(|by| text_at(element.value, by)).map(str::to_owned);
        by_name.entry(name).or_default().push(element);
    }
    let kind = |(name, objects): (Option<String>, Vec<Object<'v>>)| Kind {
        group: outer.group,
        list: Some((number, list.to_owned())),
        fields: fields(objects.iter().map(|object| object.value)),
        objects,
        title: name.clone().unwrap_or_else(|| outer.title.clone()),
        name,
        types: by.iter().cloned().collect(),
        by: by.clone(),
    };
    by_name.into_iter().map(kind).collect()
}
