//! JSON held against its schema.
#![allow(unreachable_pub, missing_docs)]

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
