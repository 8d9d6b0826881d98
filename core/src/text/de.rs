//! Reading texts and JSON back from serialized events: they come back owned.

use super::{Form, Json, Text};
use alloc::string::String;
use alloc::sync::Arc;
use serde::{Deserialize, Deserializer};

impl<'de> Deserialize<'de> for Text<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes: Arc<[u8]> = Arc::from(text.into_bytes());
        let range = 0..bytes.len();
        Ok(Text::shared(bytes, range, Form::Plain))
    }
}

impl<'de> Deserialize<'de> for Json<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let bytes: Arc<[u8]> = Arc::from(alloc::format!("{value}").into_bytes());
        let range = 0..bytes.len();
        Ok(Json::shared(bytes, range))
    }
}
