//! What every field of an event can do: say whether it is there, be written as JSON, be moved into one allocation.

use super::list::{Changes, Locations, Plan};
use crate::text::{Form, Json, Text};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

/// A field of an event.
pub(crate) trait FieldValue {
    /// The same field without a borrow.
    type Owned;
    /// True when the field says nothing and is left out of the JSON.
    fn absent(&self) -> bool;
    /// Appends the JSON value.
    fn write(&self, out: &mut Vec<u8>);
    /// How many bytes it keeps.
    fn measure(&self) -> usize {
        0
    }
    /// Hands its bytes to the packer, in the order in which `unpack` takes them back.
    fn copy(&self, _packer: &mut Packer) {}
    /// Builds the owned field from the shared bytes.
    fn unpack(self, parts: &mut Parts) -> Self::Owned;
}

/// Collects the bytes of an event into the single allocation that its owned form shares.
pub(crate) struct Packer {
    data: Arc<[u8]>,
    at: usize,
}

impl Packer {
    pub(crate) fn measure(size: usize) -> Self {
        // `RepeatN` has a trusted length: one allocation, filled in place below.
        Packer { data: core::iter::repeat_n(0, size).collect(), at: 0 }
    }

    pub(crate) fn copy<F: FieldValue>(&mut self, field: &F) {
        field.copy(self);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let end = self.at + bytes.len();
        if let Some(target) = Arc::get_mut(&mut self.data).and_then(|data| data.get_mut(self.at..end)) {
            target.copy_from_slice(bytes);
        }
        self.at = end;
    }

    pub(crate) fn finish(self) -> Parts {
        Parts { data: self.data, at: 0 }
    }
}

/// The packed bytes, handed out again in the same order.
pub(crate) struct Parts {
    data: Arc<[u8]>,
    at: usize,
}

impl Parts {
    fn take(&mut self, len: usize) -> (Arc<[u8]>, Range<usize>) {
        let range = self.at..self.at + len;
        self.at = range.end;
        (self.data.clone(), range)
    }

    pub(crate) fn text(&mut self, len: usize, form: Form) -> Text<'static> {
        let (data, range) = self.take(len);
        Text::shared(data, range, form)
    }

    pub(crate) fn json(&mut self, len: usize) -> Json<'static> {
        let (data, range) = self.take(len);
        Json::shared(data, range)
    }
}

impl FieldValue for Text<'_> {
    type Owned = Text<'static>;
    fn absent(&self) -> bool {
        false
    }
    fn write(&self, out: &mut Vec<u8>) {
        self.write_json(out);
    }
    fn measure(&self) -> usize {
        self.bytes().len()
    }
    fn copy(&self, packer: &mut Packer) {
        packer.bytes(self.bytes());
    }
    fn unpack(self, parts: &mut Parts) -> Text<'static> {
        parts.text(self.bytes().len(), self.form())
    }
}

impl FieldValue for Json<'_> {
    type Owned = Json<'static>;
    fn absent(&self) -> bool {
        false
    }
    fn write(&self, out: &mut Vec<u8>) {
        self.write_json(out);
    }
    fn measure(&self) -> usize {
        self.bytes().len()
    }
    fn copy(&self, packer: &mut Packer) {
        packer.bytes(self.bytes());
    }
    fn unpack(self, parts: &mut Parts) -> Json<'static> {
        parts.json(self.bytes().len())
    }
}

impl<F: FieldValue> FieldValue for Option<F> {
    type Owned = Option<F::Owned>;
    fn absent(&self) -> bool {
        self.as_ref().is_none_or(FieldValue::absent)
    }
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.write(out),
            None => out.extend_from_slice(b"null"),
        }
    }
    fn measure(&self) -> usize {
        self.as_ref().map_or(0, FieldValue::measure)
    }
    fn copy(&self, packer: &mut Packer) {
        if let Some(value) = self {
            value.copy(packer);
        }
    }
    fn unpack(self, parts: &mut Parts) -> Self::Owned {
        self.map(|value| value.unpack(parts))
    }
}

/// Fields that keep no bytes: `absent` and `write` are all there is to say.
macro_rules! plain_field {
    ($($ty:ty: |$value:ident, $out:ident| $absent:expr, $write:expr;)+) => {$(
        impl FieldValue for $ty {
            type Owned = $ty;
            fn absent(&self) -> bool {
                let $value = self;
                $absent
            }
            fn write(&self, $out: &mut Vec<u8>) {
                let $value = self;
                $write
            }
            fn unpack(self, _: &mut Parts) -> $ty {
                self
            }
        }
    )+};
}

plain_field! {
    bool: |value, out| !*value, out.extend_from_slice(if *value { b"true" } else { b"false" });
    u64: |value, out| { let _ = value; false }, write_u64(*value, out);
    i64: |value, out| { let _ = value; false }, write_display(value, out);
    f64: |value, out| !value.is_finite(), match whole(*value) {
        Some(whole) => write_display(&whole, out),
        None => write_display(&serde_json::json!(*value), out),
    };
}

/// Vendors give times as whole seconds: whole numbers are written without a fraction.
fn whole(value: f64) -> Option<i64> {
    let whole = value as i64;
    (whole as f64 == value && whole.unsigned_abs() < 1 << 53).then_some(whole)
}

/// Serializes a number as [`FieldValue::write`] writes it.
pub(crate) fn number<S: serde::Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value.map(|value| (value, whole(value))) {
        Some((_, Some(whole))) => serializer.serialize_some(&whole),
        Some((value, None)) => serializer.serialize_some(&value),
        None => serializer.serialize_none(),
    }
}

/// A known answer: unlike `bool`, `false` is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Known(pub bool);

plain_field! {
    Known: |value, out| { let _ = value; false }, value.0.write(out);
}

macro_rules! name_field {
    ($($ty:ident),+ $(,)?) => {$(
        impl FieldValue for super::$ty {
            type Owned = Self;
            fn absent(&self) -> bool {
                false
            }
            fn write(&self, out: &mut Vec<u8>) {
                write_name(self.as_str(), out);
            }
            fn unpack(self, _: &mut Parts) -> Self {
                self
            }
        }
    )+};
}

name_field!(
    Resumed, Role, ToolKind, ToolStatus, UsageScope, UsageMode, Severity, Outcome, Phase, StopReason, RawReason
);

macro_rules! list_field {
    ($($ty:ident),+) => {$(
        impl FieldValue for $ty<'_> {
            type Owned = $ty<'static>;
            fn absent(&self) -> bool {
                self.0.is_none()
            }
            fn write(&self, out: &mut Vec<u8>) {
                self.0.write(out);
            }
            fn measure(&self) -> usize {
                self.0.measure()
            }
            fn copy(&self, packer: &mut Packer) {
                self.0.copy(packer);
            }
            fn unpack(self, parts: &mut Parts) -> $ty<'static> {
                $ty(self.0.unpack(parts))
            }
        }
    )+};
}

list_field!(Changes, Locations, Plan);

/// Appends `,"name":value` unless the field is absent.
pub(crate) fn write_member<F: FieldValue>(name: &str, value: &F, out: &mut Vec<u8>) {
    if !value.absent() {
        out.extend_from_slice(b",\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        value.write(out);
    }
}

/// Appends a name of ours (no character of it needs escaping) as a JSON string.
pub(crate) fn write_name(name: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.push(b'"');
}

/// The decimal digits of a number, and where in the buffer they begin.
pub(crate) fn digits(mut value: u64) -> ([u8; 20], usize) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return (digits, at);
        }
    }
}

/// Appends a number without going through the formatting machinery.
pub(crate) fn write_u64(value: u64, out: &mut Vec<u8>) {
    let (digits, from) = digits(value);
    out.extend_from_slice(&digits[from..]);
}

fn write_display(value: &impl core::fmt::Display, out: &mut Vec<u8>) {
    use core::fmt::Write;
    struct Sink<'a>(&'a mut Vec<u8>);
    impl Write for Sink<'_> {
        fn write_str(&mut self, s: &str) -> core::fmt::Result {
            self.0.extend_from_slice(s.as_bytes());
            Ok(())
        }
    }
    // Writing to a vector cannot fail.
    let _ = write!(Sink(out), "{value}");
}
