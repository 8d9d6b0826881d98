//! Pieces of a record, kept as they stand in their line and decoded only when read.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use serde::{Serialize, Serializer};

use crate::limits::Limits;
use crate::scan::{Bits, QUARTER, Way, by};

mod blocks;
mod de;
mod decode;
mod json;
pub(crate) mod raw;
mod store;
mod write;

#[cfg(test)]
mod tests;

pub use json::Json;
use store::Store;
pub(crate) use write::is_plain_ascii;

/// A piece of text of a record: decoded when it is read, not before.
///
/// Reading never fails: invalid UTF-8 and surrogates without their other half come out as U+FFFD. Borrowed from the parser's
/// buffer, or, after [`into_owned`](Self::into_owned), free of it; cloning an owned one copies no text.
///
/// Two texts are equal when they read the same. Formatting with `{}` and serializing give the decoded text.
#[derive(Clone, Default)]
pub struct Text<'a> {
    store: Store<'a>,
    form: Form,
}

/// How a text stands in its line. As wide as what it stands beside: bytes written one by one and then read at once, as
/// a move does, are slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Form {
    /// As it reads.
    #[default]
    Plain,
    /// The inside of a JSON string, with escapes.
    Escaped,
    /// A JSON value that holds the text: a list of blocks, a block, or anything else.
    Json,
}

impl<'a> Text<'a> {
    /// The text, borrowed where nothing has to be decoded or repaired.
    pub fn decode(&self) -> Cow<'_, str> {
        match self.form {
            Form::Plain => String::from_utf8_lossy(self.bytes()),
            Form::Escaped if memchr::memchr(b'\\', self.bytes()).is_none() => String::from_utf8_lossy(self.bytes()),
            Form::Escaped | Form::Json => {
                let mut text = String::new();
                self.decode_into(&mut text);
                Cow::Owned(text)
            }
        }
    }

    /// Appends the text to `out`, which saves an allocation per text where one buffer is used for many.
    pub fn decode_into(&self, out: &mut String) {
        if self.form == Form::Escaped {
            out.reserve(self.bytes().len());
        }
        let Ok(()) = self.pieces(&mut |piece| {
            out.push_str(piece);
            Ok::<(), core::convert::Infallible>(())
        });
    }

    /// Whether the text has no characters.
    pub fn is_empty(&self) -> bool {
        match self.form {
            Form::Plain | Form::Escaped => self.bytes().is_empty(),
            Form::Json => self.pieces(&mut |piece| if piece.is_empty() { Ok(()) } else { Err(()) }).is_ok(),
        }
    }

    /// Whether the text has nothing but white space. Allocates nothing, and mostly looks at the first character only.
    pub fn is_blank(&self) -> bool {
        let glance = match self.form {
            Form::Plain | Form::Escaped => decode::blank_at_a_glance(self.bytes(), self.form == Form::Escaped),
            Form::Json => None,
        };
        if let Some(blank) = glance {
            return blank;
        }
        let blank = |piece: &str| {
            if piece.chars().all(char::is_whitespace) { Ok(()) } else { Err(()) }
        };
        self.pieces(&mut |piece| blank(piece)).is_ok()
    }

    /// The same text, independent of the parser's buffer. One allocation, none if it was owned already.
    pub fn into_owned(self) -> Text<'static> {
        Text { store: self.store.into_owned(), form: self.form }
    }

    /// Appends the text as a JSON string, quotes included: always valid JSON.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        match self.form {
            Form::Escaped if !raw::needs_repair(self.bytes()) => {
                out.push(b'"');
                out.extend_from_slice(self.bytes());
                out.push(b'"');
            }
            Form::Plain | Form::Escaped | Form::Json => {
                out.push(b'"');
                self.write_by_itself(out);
                out.push(b'"');
            }
        }
    }

    /// Appends the text as the inside of a JSON string.
    pub(crate) fn write_inside(&self, out: &mut Vec<u8>) {
        match self.form {
            Form::Escaped => out.extend_from_slice(self.bytes()),
            Form::Plain | Form::Json => self.write_by_itself(out),
        }
    }

    /// The same, where half a character at its end must not become one with the half that the next text begins with.
    pub(crate) fn write_by_itself(&self, out: &mut Vec<u8>) {
        let Ok(()) = self.pieces(&mut |piece| {
            write::inside(piece, out);
            Ok::<(), core::convert::Infallible>(())
        });
    }

    /// The same text with the bytes that every text that reads the same has: what compares ids and keys compares bytes.
    /// Costs nothing for a text without escapes.
    #[inline]
    pub(crate) fn canonical(self) -> Self {
        if self.form == Form::Json || stands_for_itself(self.bytes()) { self } else { self.written_anew(usize::MAX) }
    }

    /// The text as an id: [`canonical`](Self::canonical), and of a huge one its beginning, since ids are what is
    /// remembered. The bound counts what the text reads, so that no way of writing it makes another id of it.
    #[inline]
    pub(crate) fn id(self) -> Self {
        let bytes = self.bytes();
        if self.form != Form::Json && bytes.len() <= Limits::ID_BYTES && stands_for_itself(bytes) {
            return self;
        }
        // What is invalid is longer to read than it was.
        self.written_anew(Limits::ID_BYTES)
    }

    /// Written as every text of its kind, with at most `most` bytes of what it reads: whole characters.
    #[cold]
    fn written_anew(self, most: usize) -> Self {
        let mut body = Vec::new();
        let mut left = most;
        let _full = self.pieces(&mut |piece| {
            let mut end = left.min(piece.len());
            while !piece.is_char_boundary(end) {
                end -= 1;
            }
            let kept = piece.get(..end).unwrap_or_default();
            write::inside(kept, &mut body);
            left -= kept.len();
            if kept.len() < piece.len() { Err(()) } else { Ok(()) }
        });
        if body == self.bytes() {
            return Text { form: Form::Escaped, ..self };
        }
        let range = 0..body.len();
        Text::shared(Arc::from(body), range, Form::Escaped)
    }

    /// A text that stands in `bytes`.
    pub(crate) fn borrowed(bytes: &'a [u8], form: Form) -> Self {
        Self { store: Store::borrowed(bytes), form }
    }

    /// A text that stands in a part of `bytes`, which others may share.
    pub(crate) fn shared(bytes: Arc<[u8]>, range: Range<usize>, form: Form) -> Text<'static> {
        Text { store: Store::shared(bytes, range), form }
    }

    /// The text as it stands in its line.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.store.bytes()
    }

    /// How it stands there.
    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// Gives the text piece by piece, allocating nothing, until `sink` has had enough.
    fn pieces<E>(&self, sink: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        match self.form {
            Form::Plain => decode::plain(self.bytes(), sink),
            Form::Escaped => decode::escaped(self.bytes(), sink),
            Form::Json => blocks::pieces(self.bytes(), sink),
        }
    }
}

/// Whether text in a JSON string reads as it is written: ASCII without quotes, backslashes and control characters.
#[inline]
fn stands_for_itself(bytes: &[u8]) -> bool {
    let (quarters, _) = bytes.as_chunks::<QUARTER>();
    match bytes.last_chunk::<QUARTER>() {
        Some(last) => {
            by!(Way::baseline(), bits => quarters.iter().chain([last]).all(|quarter| bits.specials(quarter) == 0))
        }
        None => bytes.iter().all(|byte| matches!(byte, b' '..=0x7F) && !matches!(byte, b'"' | b'\\')),
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::borrowed(text.as_bytes(), Form::Plain)
    }
}

impl From<String> for Text<'static> {
    fn from(text: String) -> Self {
        let bytes: Arc<[u8]> = Arc::from(text.into_bytes());
        let range = 0..bytes.len();
        Self::shared(bytes, range, Form::Plain)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.width().is_some() || f.precision().is_some() {
            return f.pad(&self.decode());
        }
        self.pieces(&mut |piece| f.write_str(piece))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.decode(), f)
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        let mut rest = other;
        let matched = self.pieces(&mut |piece| {
            rest = rest.strip_prefix(piece).ok_or(())?;
            Ok::<(), ()>(())
        });
        matched.is_ok() && rest.is_empty()
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        let same = self.form == other.form && self.bytes() == other.bytes();
        same || *self == *other.decode()
    }
}

impl Eq for Text<'_> {}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.form, core::str::from_utf8(self.bytes())) {
            (Form::Plain, Ok(text)) => serializer.serialize_str(text),
            // Piece by piece into serde_json's writer.
            _ => serializer.collect_str(self),
        }
    }
}
