//! What the `[input]` table of a profile says.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// How an executor that goes on listening is spoken to: one shape for each thing that a host can say. Empty: it takes
/// one prompt and no more.
///
/// A shape is the JSON record as the executor wants it, with slots: strings of the form `{name}`, which are replaced,
/// quotes included, by the value of that name. An entry whose slot ends with a question mark (`{name?}`) is left out
/// when there is no such value. `{null}` is `null`, which TOML cannot say.
///
/// ```toml
/// [input]
/// turn = { type = "say", words = "{text}" }
/// interrupt = { type = "stop", id = "{id}" }
/// ```
///
/// What has no shape cannot be said to this executor: a host that tries is refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct InputSpec {
    /// A turn of the user. Slots: `text`, or `parts`, a list of what `text_part` and `image_part` make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Shape>,
    /// A part of a turn that is text. Slot: `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_part: Option<Shape>,
    /// A part of a turn that is an image. Slots: `media_type`, `data` (base64).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_part: Option<Shape>,
    /// Stops the turn that runs; the process lives on. Slot: `id`, the request's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<Shape>,
    /// Allows what the executor asked for. Slots: `id`, that of the executor's request; `input`, with which the call is to
    /// be made (as it was asked for, unless the host changes it); `permissions`, what is allowed from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Shape>,
    /// Denies it. Slots: `id`; `message`, what the model is told; `interrupt`, true when the turn is to stop as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<Shape>,
    /// Changes the model. Slots: `id`, `model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_model: Option<Shape>,
    /// Changes the permission mode. Slots: `id`, `mode`, in the vendor's word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_permission_mode: Option<Shape>,
    /// Any other request of the host. Slots: `id`, `request`, its JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Shape>,
    /// Any other answer to a request of the executor. Slots: `id`, that of its request; `reply`, the answer's JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Shape>,
}

impl InputSpec {
    /// True when nothing can be said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == InputSpec::default()
    }

    /// Every shape there is, by its key.
    pub(super) fn shapes(&self) -> impl Iterator<Item = (&'static str, &Shape)> {
        [
            ("turn", &self.turn),
            ("text_part", &self.text_part),
            ("image_part", &self.image_part),
            ("interrupt", &self.interrupt),
            ("allow", &self.allow),
            ("deny", &self.deny),
            ("set_model", &self.set_model),
            ("set_permission_mode", &self.set_permission_mode),
            ("request", &self.request),
            ("reply", &self.reply),
        ]
        .into_iter()
        .filter_map(|(key, shape)| Some((key, shape.as_ref()?)))
    }
}

/// The shape of a record: JSON with slots.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Shape(#[cfg_attr(feature = "schema", schemars(with = "alloc::collections::BTreeMap<String, Value>"))] Value);

impl Shape {
    /// The shape as JSON.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}

impl From<Value> for Shape {
    /// `null` becomes `{null}`, so that a profile can be written in either format.
    fn from(value: Value) -> Self {
        Shape(without_null(value))
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Shape::from)
    }
}

fn without_null(value: Value) -> Value {
    match value {
        Value::Null => Value::String("{null}".into()),
        Value::Array(list) => Value::Array(list.into_iter().map(without_null).collect::<Vec<_>>()),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, value)| (key, without_null(value))).collect::<Map<String, _>>())
        }
        other => other,
    }
}
