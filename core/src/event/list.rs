//! Lists inside events. They are kept as the JSON that we wrote into the parser's scratch space, so that a list costs
//! no allocation until somebody asks for its entries.

use crate::scan::Kind;
use crate::text::{Form, Json, Text, raw};
use serde::{Deserialize, Serialize};

/// A field of the entries of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    /// It is a whole number from 0, not a text.
    pub(crate) whole: bool,
}

impl Column {
    const fn text(name: &'static str) -> Self {
        Column { name, whole: false }
    }

    const fn whole(name: &'static str) -> Self {
        Column { name, whole: true }
    }
}

macro_rules! field_type {
    (text $life:lifetime) => { Text<$life> };
    (whole $life:lifetime) => { u64 };
}

macro_rules! read {
    (text $entry:ident, $name:expr) => {
        text($entry, $name)
    };
    (whole $entry:ident, $name:expr) => {
        whole($entry, $name)
    };
}

macro_rules! lists {
    ($($(#[$meta:meta])* $name:ident of $entry:ident { $($(#[$fmeta:meta])* $field:ident: $type:ident),+ })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name<'a>(pub(crate) Option<Json<'a>>);

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name<'_> {
            fn schema_name() -> alloc::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::schema::entries($name::COLUMNS)
            }
        }

        impl $name<'_> {
            /// The fields of an entry. Without the first one an entry says nothing.
            pub(crate) const COLUMNS: &'static [Column] = &[$(Column::$type(stringify!($field))),+];

            /// The entries, in order. Nothing where the list is absent.
            pub fn iter(&self) -> impl Iterator<Item = $entry<'_>> {
                let json = self.0.as_ref().map_or(&[][..], Json::bytes);
                raw::elements(json).map(|entry| {
                    let entry = entry.of(json);
                    $entry { $($field: read!($type entry, stringify!($field)),)+ }
                })
            }

            /// True where the list is absent or empty.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.iter().next().is_none()
            }
        }

        /// An entry of the list. What the executor did not say is absent.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $entry<'a> {
            $($(#[$fmeta])* pub $field: Option<field_type!($type 'a)>,)+
        }
    )+};
}

lists! {
    /// The files that a tool changed.
    Changes of Change {
        /// The file.
        path: text,
        /// `add`, `update`, `delete` or `move`, else the vendor's word.
        op: text,
        /// The change as a unified diff, where the executor prints one.
        diff: text
    }

    /// The files that a tool call is about.
    Locations of Location {
        /// The file.
        path: text,
        /// The line in it, as the executor counts.
        line: whole
    }

    /// The entries of a plan.
    Plan of PlanEntry {
        /// What is to be done.
        content: text,
        /// `pending`, `in_progress` or `completed`, else the vendor's word.
        status: text,
        /// `high`, `medium` or `low`, else the vendor's word.
        priority: text
    }
}

/// A field of an entry that is a text.
fn text<'a>(entry: &'a [u8], name: &str) -> Option<Text<'a>> {
    let slot = raw::field(entry, name)?;
    let form = if matches!(slot.kind, Kind::Str | Kind::Escaped) { Form::Escaped } else { Form::Json };
    Some(Text::borrowed(slot.of(entry), form))
}

/// A field of an entry that is a number: what we wrote are its digits.
fn whole(entry: &[u8], name: &str) -> Option<u64> {
    core::str::from_utf8(raw::field(entry, name)?.of(entry)).ok()?.parse().ok()
}
