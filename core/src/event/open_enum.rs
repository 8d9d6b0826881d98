//! One macro for the small enums of the vocabulary: a variant, its name on the wire, its sentence.

/// Declares an open enum with its wire names: `as_str`, `from_name`, `Display`, serde both ways and [`FieldValue`].
///
/// [`FieldValue`]: super::field::FieldValue
macro_rules! open_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $wire:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// All values, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire),+ }
            }

            /// The value with this name on the wire, if there is one.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($wire => Some(Self::$variant),)+ _ => None }
            }
        }

        impl $crate::event::open_enum::Named for $name {
            const NAMES: &'static [&'static str] = &[$($wire),+];
            fn named(name: &str) -> Option<Self> {
                $name::from_name(name)
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> alloc::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::schema::names(&[$($wire),+])
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            /// A name that this version does not know reads as the default value: the vocabulary is open.
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <alloc::string::String as serde::Deserialize>::deserialize(deserializer)?;
                Ok(Self::from_name(&name).unwrap_or_default())
            }
        }
    };
}

pub(crate) use open_enum;

/// What all open enums have in common, for code that is generic over them.
pub(crate) trait Named: Copy + 'static {
    /// The names on the wire, in the order of the documentation.
    const NAMES: &'static [&'static str];
    fn named(name: &str) -> Option<Self>;
}

/// Reads a name strictly: files that people write are told of a name that does not exist.
pub(crate) fn strict<'de, T: Named, D: serde::Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let name = <alloc::string::String as serde::Deserialize>::deserialize(deserializer)?;
    named_or(&name)
}

/// [`strict`] for a field that may be absent.
pub(crate) fn strict_option<'de, T: Named, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    strict(deserializer).map(Some)
}

/// [`strict`] for the values of a map.
pub(crate) fn strict_map<'de, T: Named, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<alloc::collections::BTreeMap<alloc::string::String, T>, D::Error> {
    // A type of its own, so that whoever reads knows at which entry a name is wrong.
    struct Strict<T>(T);
    impl<'de, T: Named> serde::Deserialize<'de> for Strict<T> {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            strict(deserializer).map(Strict)
        }
    }
    type Names<T> = alloc::collections::BTreeMap<alloc::string::String, Strict<T>>;
    let names = <Names<T> as serde::Deserialize>::deserialize(deserializer)?;
    Ok(names.into_iter().map(|(key, Strict(value))| (key, value)).collect())
}

fn named_or<T: Named, E: serde::de::Error>(name: &str) -> Result<T, E> {
    T::named(name).ok_or_else(|| E::unknown_variant(name, T::NAMES))
}
