//! Values that may be written in several ways, told apart by their type. By hand: what serde derives for them tries one
//! way after the other, and says of a mistake no more than that none fits.

use crate::profile::field::{Alternatives, Field, Mapped, Matcher, OneOrMany, Scalar, Switch, Test, When};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

/// What a type makes of each way in which it may be written. What is not given is refused with what is expected.
trait Either<'de>: Sized {
    const EXPECTED: &'static str;

    fn scalar(_: Scalar) -> Option<Self> {
        None
    }

    fn flag(flag: bool) -> Option<Self> {
        Self::scalar(Scalar::Flag(flag))
    }

    fn whole(number: i64) -> Option<Self> {
        Self::scalar(Scalar::Whole(number))
    }

    fn number(number: f64) -> Option<Self> {
        Self::scalar(Scalar::Number(number))
    }

    fn text(text: &str) -> Option<Self> {
        Self::scalar(Scalar::Text(text.into()))
    }

    fn list<A: SeqAccess<'de>>(_: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Seq, &Self::EXPECTED))
    }

    fn table<A: MapAccess<'de>>(_: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Map, &Self::EXPECTED))
    }
}

struct Ways<T>(PhantomData<T>);

impl<'de, T: Either<'de>> Visitor<'de> for Ways<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<T, E> {
        T::flag(flag).ok_or_else(|| E::invalid_type(Unexpected::Bool(flag), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        T::whole(number).ok_or_else(|| E::invalid_type(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let value = i64::try_from(number).map_or_else(|_| T::number(number as f64), T::whole);
        value.ok_or_else(|| E::invalid_type(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        T::number(number).ok_or_else(|| E::invalid_type(Unexpected::Float(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::text(text).ok_or_else(|| E::invalid_type(Unexpected::Str(text), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<T, A::Error> {
        T::table(table)
    }
}

macro_rules! deserialize {
    ($($name:ident)*) => {
        $(impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Ways(PhantomData))
            }
        })*
    };
}

deserialize! { Field Alternatives When Switch Matcher Scalar OneOrMany }

fn seq<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(list: A) -> Result<T, A::Error> {
    T::deserialize(SeqAccessDeserializer::new(list))
}

fn map<'de, T: Deserialize<'de>, A: MapAccess<'de>>(table: A) -> Result<T, A::Error> {
    T::deserialize(MapAccessDeserializer::new(table))
}

impl<'de> Either<'de> for Field {
    const EXPECTED: &'static str =
        "a path (a string), a list of paths, `true`, `false`, or a table of `path`, `map`, `default` and `missing`";

    fn flag(flag: bool) -> Option<Self> {
        Some(Field::Flag(flag))
    }

    fn text(text: &str) -> Option<Self> {
        Some(Field::Path(text.into()))
    }

    fn list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        seq::<Vec<String>, A>(list).map(Field::Paths)
    }

    fn table<A: MapAccess<'de>>(table: A) -> Result<Self, A::Error> {
        map::<Mapped, A>(table).map(Field::Mapped)
    }
}

impl<'de> Either<'de> for Alternatives {
    const EXPECTED: &'static str = "a path (a string), or a list of paths";

    fn text(text: &str) -> Option<Self> {
        Some(Alternatives::One(text.into()))
    }

    fn list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        seq(list).map(Alternatives::Many)
    }
}

impl<'de> Either<'de> for When {
    const EXPECTED: &'static str = "a table of conditions, or a list of such tables";

    fn list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        seq(list).map(When::Any)
    }

    fn table<A: MapAccess<'de>>(table: A) -> Result<Self, A::Error> {
        map(table).map(When::All)
    }
}

impl<'de> Either<'de> for Switch {
    const EXPECTED: &'static str = "`true`, `false`, a table of conditions, or a list of such tables";

    fn flag(flag: bool) -> Option<Self> {
        Some(Switch::Flag(flag))
    }

    fn list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        When::list(list).map(Switch::When)
    }

    fn table<A: MapAccess<'de>>(table: A) -> Result<Self, A::Error> {
        When::table(table).map(Switch::When)
    }
}

impl<'de> Either<'de> for Matcher {
    const EXPECTED: &'static str = "a string, a number, `true` or `false`, a list of these, or a table of tests: prefix, not, present, is, blank, pattern";

    fn scalar(scalar: Scalar) -> Option<Self> {
        Some(Matcher::Is(scalar))
    }

    fn list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        seq(list).map(Matcher::OneOf)
    }

    fn table<A: MapAccess<'de>>(table: A) -> Result<Self, A::Error> {
        map::<Test, A>(table).map(Matcher::Test)
    }
}

impl Either<'_> for Scalar {
    const EXPECTED: &'static str = "a string, a number, `true` or `false`";

    fn scalar(scalar: Scalar) -> Option<Self> {
        Some(scalar)
    }
}

impl<'de> Either<'de> for OneOrMany {
    const EXPECTED: &'static str = "a string, a number, `true` or `false`, or a list of these";

    fn scalar(scalar: Scalar) -> Option<Self> {
        Some(OneOrMany::One(scalar))
    }

    fn list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        seq(list).map(OneOrMany::Many)
    }
}
