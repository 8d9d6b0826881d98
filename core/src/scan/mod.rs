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
#[allow(dead_code, reason = "compiled everywhere, so that the tests hold it against `swar`")]
mod simd;
mod skip;
#[allow(dead_code, reason = "compiled everywhere, so that the tests hold it against `simd`")]
mod swar;
mod trie;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use bits::BLOCK;
pub(crate) use bits::{Best, Bits};
pub(crate) use builder::TrieBuilder;
use cursor::Cursor;
pub(crate) use escape::{eq_key, hex, unescape};
pub(crate) use frames::{Frames, Kind, Slot};
pub(crate) use trie::{Step, Trie};
#[cfg(test)]
pub(crate) use {simd::Simd, swar::Swar, trie::Site};

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
#[derive(Default)]
pub(crate) struct Scanner {
    levels: Vec<walk::Level>,
    deep: Vec<u64>,
    /// Which key came after which in the records before: see `hints`.
    hints: hints::Hints,
}

impl Scanner {
    pub(crate) fn new() -> Self {
        Self::default()
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
        self.next_by::<Best>(trie, line, from, frames)
    }

    fn next_by<B: Bits>(
        &mut self,
        trie: &Trie,
        line: &[u8],
        from: usize,
        frames: &mut Frames,
    ) -> Result<Item, Malformed> {
        let mut cursor = cursor::<B>(line)?;
        let at = skip_ws(line, from);
        if line.get(at) != Some(&b'{') {
            frames.clear();
            let end = skip::value(&mut cursor, at, &mut self.deep)?;
            return Ok(Item::NonObject { end });
        }
        match walk::record(&mut cursor, trie, at, frames, self) {
            Ok(end) => {
                frames.set_repaired(cursor.repaired(end));
                Ok(Item::Record { end })
            }
            Err(malformed) => {
                frames.clear();
                Err(malformed)
            }
        }
    }

    /// Reads the array that begins at `from`, white space aside, and tells its end if it has elements and all are objects.
    pub(crate) fn array_of_objects(&mut self, line: &[u8], from: usize) -> Result<Option<usize>, Malformed> {
        let mut cursor = cursor::<Best>(line)?;
        let mut at = skip_ws(line, from);
        let mut objects = cursor.byte(at) == b'[';
        if !objects {
            skip::value(&mut cursor, at, &mut self.deep)?;
            return Ok(None);
        }
        at += 1;
        if cursor.token(&mut at) == b']' {
            return Ok(None);
        }
        loop {
            objects &= cursor.byte(at) == b'{';
            at = skip::value(&mut cursor, at, &mut self.deep)?;
            match cursor.token(&mut at) {
                b',' => at += 1,
                b']' => return Ok(objects.then_some(at + 1)),
                _ => return Err(Malformed { at }),
            }
            cursor.token(&mut at);
        }
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
    let mut cursor = cursor::<Best>(line)?;
    let (kind, slot_start, slot_end, end);
    if cursor.byte(start) == b'"' {
        let string = cursor.string(start)?;
        kind = if string.escaped { Kind::Escaped } else { Kind::Str };
        (slot_start, slot_end, end) = (start + 1, string.end, string.end + 1);
    } else {
        end = skip::value(&mut cursor, start, &mut Vec::new())?;
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

fn cursor<B: Bits>(line: &[u8]) -> Result<Cursor<'_, B>, Malformed> {
    if line.len() > LONGEST {
        return Err(Malformed { at: LONGEST });
    }
    Ok(Cursor::new(line))
}
