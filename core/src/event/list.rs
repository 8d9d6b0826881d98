//! Lists inside events. They are kept as the JSON that we wrote into the parser's scratch space, so that a list costs
//! no allocation until somebody asks for its entries.

use crate::scan::Kind;
use crate::text::{Form, Json, Text, raw};
use serde::{Deserialize, Serialize};

macro_rules! lists {
    ($($(#[$meta:meta])* $name:ident of $entry:ident { $($(#[$fmeta:meta])* $field:ident),+ })+) => {$(
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
                $crate::schema::entries(&[$(stringify!($field)),+])
            }
        }

        impl $name<'_> {
            /// The entries, in order. Nothing where the list is absent.
            pub fn iter(&self) -> impl Iterator<Item = $entry<'_>> {
                let json = self.0.as_ref().map_or(&[][..], Json::bytes);
                raw::elements(json).map(|entry| {
                    let entry = entry.of(json);
                    $entry { $($field: text(entry, stringify!($field)),)+ }
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
            $($(#[$fmeta])* pub $field: Option<Text<'a>>,)+
        }
    )+};
}

lists! {
    /// The files that a tool changed.
    Changes of Change {
        /// The file.
        path,
        /// `add`, `update`, `delete` or `move`, else the vendor's word.
        op,
        /// The change as a unified diff, where the executor prints one.
        diff
    }

    /// The files that a tool call is about.
    Locations of Location {
        /// The file.
        path,
        /// The line in it, from 1.
        line
    }

    /// The entries of a plan.
    Plan of PlanEntry {
        /// What is to be done.
        content,
        /// `pending`, `in_progress` or `completed`, else the vendor's word.
        status,
        /// `high`, `medium` or `low`, else the vendor's word.
        priority
    }
}

/// A field of an entry.
fn text<'a>(entry: &'a [u8], name: &str) -> Option<Text<'a>> {
    let slot = raw::field(entry, name)?;
    let form = if matches!(slot.kind, Kind::Str | Kind::Escaped) { Form::Escaped } else { Form::Json };
    Some(Text::borrowed(slot.of(entry), form))
}
