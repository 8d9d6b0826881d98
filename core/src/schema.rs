//! JSON Schemas (2020-12) of what is written and read as JSON or TOML, generated from the types themselves.

use crate::envelope::Envelope;
use crate::event::{Column, Event};
use crate::explain::Explanation;
use crate::launch::{ArgSpec, ArgWhen};
use crate::profile::ProfileSpec;
use crate::text::{Json, Text};
use alloc::borrow::Cow;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// The schema of a profile file, in TOML or in JSON.
///
/// What it accepts has the right shape; whether it is sound is what [`Profile`](crate::Profile)'s constructors check.
#[must_use]
pub fn profile() -> Value {
    of::<ProfileSpec>(SchemaSettings::draft2020_12())
}

/// The schema of one event.
#[must_use]
pub fn event() -> Value {
    of::<Event<'static>>(SchemaSettings::draft2020_12().for_serialize())
}

/// The schema of the envelope.
#[must_use]
pub fn envelope() -> Value {
    tagged(of::<Envelope>(SchemaSettings::draft2020_12().for_serialize()), "envelope")
}

/// The schema of one reason for what an envelope says.
#[must_use]
pub fn explanation() -> Value {
    tagged(of::<Explanation>(SchemaSettings::draft2020_12().for_serialize()), "explanation")
}

fn of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The same with the `type` by which lines are told apart: of a struct's tag the generator knows nothing.
fn tagged(mut schema: Value, name: &str) -> Value {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert("type".into(), serde_json::json!({ "const": name }));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.insert(0, "type".into());
    }
    schema
}

/// One of these names. Events and envelopes may hold further ones in later versions.
pub(crate) fn names(names: &[&str]) -> Schema {
    json_schema!({ "type": "string", "enum": names })
}

/// A list of entries with these fields.
pub(crate) fn entries(columns: &[Column]) -> Schema {
    let of = |column: &Column| match column.whole {
        true => serde_json::json!({ "type": "integer", "minimum": 0 }),
        false => serde_json::json!({ "type": "string" }),
    };
    let properties: serde_json::Map<_, _> = columns.iter().map(|column| (column.name.into(), of(column))).collect();
    json_schema!({ "type": "array", "items": { "type": "object", "properties": properties } })
}

impl JsonSchema for Text<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

impl JsonSchema for Json<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}

impl JsonSchema for ArgSpec {
    fn schema_name() -> Cow<'static, str> {
        "ArgSpec".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let group = generator.subschema_for::<ArgWhen>();
        json_schema!({ "anyOf": [{ "type": "string", "description": "This argument, always." }, group] })
    }
}
