//! JSON held against its schema, and against a part of it.
#![allow(dead_code, unreachable_pub, missing_docs)]

use boon::{Compiler, Schemas};
use serde_json::Value;

/// A schema that values are held against.
pub struct Held {
    schemas: Schemas,
    index: boon::SchemaIndex,
}

impl Held {
    /// Compiles the schema.
    pub fn new(schema: Value) -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("schema.json", schema).expect("a schema");
        let index = compiler.compile("schema.json", &mut schemas).expect("a schema that compiles");
        Held { schemas, index }
    }

    /// What does not fit, if anything.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.schemas.validate(value, self.index).map_err(|error| format!("{error:#}\n{value}"))
    }
}

/// True when `all` says everything that `part` says; what is absent is null or false.
pub fn holds(all: &Value, part: &Value) -> bool {
    match (all, part) {
        (Value::Object(all), Value::Object(part)) if part.is_empty() => all.is_empty(),
        (Value::Object(all), Value::Object(part)) => part.iter().all(|(key, part)| match all.get(key) {
            Some(all) => holds(all, part),
            None => part.is_null() || *part == Value::Bool(false),
        }),
        (Value::Array(all), Value::Array(part)) => {
            all.len() == part.len() && all.iter().zip(part).all(|(all, part)| holds(all, part))
        }
        (all, part) => all == part,
    }
}
