//! One pass over a line: checks that it is JSON (RFC 8259) and finds the values of a profile's paths in it.
//!
//! No tree is built, nothing is decoded, nothing is allocated once the vectors have grown, and nothing recurses. Lenient where
//! a string can be repaired: invalid UTF-8 and surrogates without their other half are accepted and noted.

use alloc::vec::Vec;

mod bits;
mod blocks;
mod builder;
mod cursor;
mod escape;
mod frames;
mod hints;
mod plain;
mod skip;
mod swar;
mod trie;
mod vector;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use bits::BLOCK;
pub(crate) use bits::{Bits, QUARTER, Way, by};
pub(crate) use builder::TrieBuilder;
use cursor::Cursor;
pub(crate) use escape::{eq_key, hex, unescape};
pub(crate) use frames::{Frames, Kind, Slot};
#[cfg(test)]
pub(crate) use trie::Site;
pub(crate) use trie::{Step, Trie};

/// Not JSON: the byte at which that became clear (the line's length if it was cut off).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) at: usize,
}

/// One value of a line, read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// An object; the frames hold what was found in it.
    Record { end: usize },
    /// Any other value; the frames are empty.
    NonObject { end: usize },
}

/// Reads values. Holds nothing of them, only room for the containers that are open.
pub(crate) struct Scanner {
    way: Way,
    levels: Vec<walk::Level>,
    deep: Vec<u64>,
    /// Which key came after which in the records before: see `hints`.
    hints: hints::Hints,
}

impl Scanner {
    pub(crate) fn new() -> Self {
        Self::with(Way::best())
    }

    pub(crate) fn with(way: Way) -> Self {
        Self { way, levels: Vec::new(), deep: Vec::new(), hints: hints::Hints::default() }
    }

    /// Reads the value that begins at `from`, white space aside. Lines over 2 GiB are malformed.
    ///
    /// After an error the frames hold nothing that counts.
    pub(crate) fn next(
        &mut self,
        trie: &Trie,
        line: &[u8],
        from: usize,
        frames: &mut Frames,
    ) -> Result<Item, Malformed> {
        let line = bounded(line)?;
        let at = skip_ws(line, from);
        if line.get(at) != Some(&b'{') {
            frames.clear();
            let end = by!(self.way, bits => skip::value(Cursor::new(bits, line, false), at, &mut self.deep))?;
            return Ok(Item::NonObject { end });
        }
        self.record(trie, line, false, at, frames).map(|end| Item::Record { end })
    }

    /// Reads the record at the very beginning of `lines`, which are whole lines, with their ends, and tells where it ends. An
    /// error is at the end of the line or before it.
    pub(crate) fn first(&mut self, trie: &Trie, lines: &[u8], frames: &mut Frames) -> Result<usize, Malformed> {
        self.record(trie, lines.get(..LONGEST).unwrap_or(lines), true, 0, frames)
    }

    #[inline(always)]
    fn record(
        &mut self,
        trie: &Trie,
        text: &[u8],
        lines: bool,
        at: usize,
        frames: &mut Frames,
    ) -> Result<usize, Malformed> {
        let result = by!(self.way, bits => walk::record(Cursor::new(bits, text, lines), trie, at, frames, self));
        if result.is_err() {
            frames.clear();
        }
        result
    }

    /// Reads the array that begins at `from`, white space aside, and tells its end if it has elements and all are objects.
    pub(crate) fn array_of_objects(&mut self, line: &[u8], from: usize) -> Result<Option<usize>, Malformed> {
        let line = bounded(line)?;
        by!(self.way, bits => skip::array_of_objects(Cursor::new(bits, line, false), skip_ws(line, from), &mut self.deep))
    }
}

/// Where the next element of an array that was already read begins, `from` being behind its bracket or behind an element.
pub(crate) fn next_element(line: &[u8], from: usize) -> Option<usize> {
    let mut at = skip_ws(line, from);
    if line.get(at) == Some(&b',') {
        at = skip_ws(line, at + 1);
    }
    (*line.get(at)? != b']').then_some(at)
}

/// Reads the value at `from`, white space aside, and tells where it is and where what follows it begins.
pub(crate) fn value(line: &[u8], from: usize) -> Result<(Slot, usize), Malformed> {
    let start = skip_ws(line, from);
    by!(Way::baseline(), bits => value_at(Cursor::new(bits, bounded(line)?, false), start))
}

fn value_at<B: Bits>(cursor: Cursor<'_, B>, start: usize) -> Result<(Slot, usize), Malformed> {
    let (kind, slot_start, slot_end, end);
    if cursor.byte(start) == b'"' {
        let string = cursor.string(start)?;
        kind = if string.escaped() { Kind::Escaped } else { Kind::Str };
        (slot_start, slot_end, end) = (start + 1, string.end(), string.end() + 1);
    } else {
        end = skip::value(cursor, start, &mut Vec::new())?;
        kind = match cursor.byte(start) {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b't' => Kind::True,
            b'f' => Kind::False,
            b'n' => Kind::Null,
            _ => Kind::Number,
        };
        (slot_start, slot_end) = (start, end);
    }
    Ok((Slot { start: slot_start as u32, end: slot_end as u32, kind }, end))
}

/// The first place from `at` on that is not JSON's white space.
pub(crate) fn skip_ws(line: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\r' | b'\n') = line.get(at) {
        at += 1;
    }
    at
}

/// Spans are 32 bits wide; half of that, so that nothing added to a place runs over.
const LONGEST: usize = i32::MAX as usize;

fn bounded(line: &[u8]) -> Result<&[u8], Malformed> {
    if line.len() > LONGEST { Err(Malformed { at: LONGEST }) } else { Ok(line) }
}
