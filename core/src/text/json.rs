//! A JSON value as it stands in its line.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::raw;
use super::store::Store;

/// A JSON value of a record, such as a tool's input: kept as it stands in its line, parsed only by who wants a tree.
///
/// Any value is possible, nested as deep as the line was. Borrowed from the parser's buffer, or, after
/// [`into_owned`](Self::into_owned), free of it. Serializes as the value itself.
#[derive(Clone)]
pub struct Json<'a> {
    store: Store<'a>,
}

impl<'a> Json<'a> {
    /// The value as valid JSON, borrowed where nothing has to be repaired: invalid UTF-8 and surrogates without their other
    /// half become U+FFFD.
    pub fn as_str(&self) -> Cow<'_, str> {
        raw::repaired(self.bytes())
    }

    /// The value as a tree.
    ///
    /// # Errors
    ///
    /// What `serde_json` cannot hold: nesting over 128 levels, and numbers outside of an `f64`'s range.
    pub fn to_value(&self) -> Result<Value, serde_json::Error> {
        serde_json::from_str(&self.as_str())
    }

    /// Appends the value as valid JSON.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_str().as_bytes());
    }

    /// The same value, independent of the parser's buffer. One allocation, none if it was owned already.
    pub fn into_owned(self) -> Json<'static> {
        Json { store: self.store.into_owned() }
    }

    /// A value that stands in `bytes`, quotes and brackets included. It was checked to be JSON.
    pub(crate) fn borrowed(bytes: &'a [u8]) -> Self {
        Self { store: Store::borrowed(bytes) }
    }

    /// A value that stands in a part of `bytes`, which others may share.
    pub(crate) fn shared(bytes: Arc<[u8]>, range: Range<usize>) -> Json<'static> {
        Json { store: Store::shared(bytes, range) }
    }

    /// The value as it stands in its line.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.store.bytes()
    }
}

impl Default for Json<'_> {
    fn default() -> Self {
        Self::borrowed(b"null")
    }
}

impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.as_str())
    }
}

impl fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.as_str())
    }
}

/// Equal when written the same.
impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes() || self.as_str() == other.as_str()
    }
}

impl Eq for Json<'_> {}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = self.as_str();
        // serde_json's own serializers take raw JSON in a wrapper that only they know; nothing else tells them apart. If this
        // guess is wrong, the value still comes out right, by way of a tree.
        if core::any::type_name::<S>().contains("serde_json::") {
            let raw: &RawValue = serde_json::from_str(&json).map_err(S::Error::custom)?;
            raw.serialize(serializer)
        } else {
            self.to_value().map_err(S::Error::custom)?.serialize(serializer)
        }
    }
}
