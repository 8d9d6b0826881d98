//! Reading an emit, whose `event` says which fields it has. By hand: what serde derives for a tag keeps all fields aside
//! first, and with that loses where they stand.

use crate::profile::emit::{EVENTS, Emit};
use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The key that says which event it is.
const TAG: &str = "event";

impl<'de, F: Deserialize<'de>, W: Deserialize<'de>, L: Deserialize<'de>> Deserialize<'de> for Emit<F, W, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Emit", &[TAG], Tagged(PhantomData))
    }
}

struct Tagged<F, W, L>(PhantomData<(F, W, L)>);

impl<'de, F: Deserialize<'de>, W: Deserialize<'de>, L: Deserialize<'de>> Visitor<'de> for Tagged<F, W, L> {
    type Value = Emit<F, W, L>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table with `event`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Some(first) = map.next_key::<String>()? else { return Err(A::Error::missing_field(TAG)) };
        if first == TAG {
            let event = map.next_value_seed(EventName)?;
            return Emit::read(event, MapAccessDeserializer::new(map));
        }
        // Another format's order: the fields before the tag have to wait for it.
        let mut said = Map::new();
        said.insert(first, map.next_value::<Value>()?);
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            said.insert(key, value);
        }
        let event = said.remove(TAG).ok_or_else(|| A::Error::missing_field(TAG))?;
        let event = EventName.deserialize(&event).map_err(A::Error::custom)?;
        Emit::read(event, Value::Object(said)).map_err(A::Error::custom)
    }
}

/// Reads a name that there is.
struct EventName;

impl<'de> DeserializeSeed<'de> for EventName {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'static str, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = EVENTS.iter().find(|known| **known == name);
        known.copied().ok_or_else(|| D::Error::unknown_variant(&name, EVENTS))
    }
}
