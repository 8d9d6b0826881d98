//! Reads the bulk of every record: members whose keys were expected and whose values are strings, whole numbers or words. A
//! loop of its own, so that all of it stays in registers; whatever is otherwise is left to the caller.

use super::bits::Bits;
use super::cursor::Cursor;
use super::frames::{Cell, Kind};
use super::hints::Key;
use super::trie::Target;

/// Where reading stopped.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    /// At a key, or what stands in its place.
    Key,
    /// At the value of an expected key.
    Value(Target),
    /// Behind a value.
    Behind,
}

/// How far members were read.
pub(super) struct Read {
    pub(super) at: usize,
    pub(super) stop: Stop,
    /// The last key that was read and the one to be expected next, as numbered in the hints.
    pub(super) last: u32,
    pub(super) next: u32,
    /// The bits of all strings.
    pub(super) seen: u64,
}

/// What is to be read.
pub(super) struct Members<'a> {
    pub(super) node: u32,
    pub(super) keys: &'a [Key],
    /// The cells of the frame that the node is in, and the stamp of what is in them.
    pub(super) cells: &'a mut [Cell],
    pub(super) stamp: u32,
}

/// Reads members from the key at `at` on, as far as they are plain; `last` and `next` are as in [`Read`].
#[inline(always)]
pub(super) fn read<B: Bits>(cursor: Cursor<'_, B>, members: Members<'_>, at: usize, last: u32, next: u32) -> Read {
    cursor.bits().run(
        #[inline(always)]
        || read_from(cursor, members, at, last, next),
    )
}

#[inline(always)]
fn read_from<B: Bits>(cursor: Cursor<'_, B>, members: Members<'_>, at: usize, last: u32, next: u32) -> Read {
    let Members { node, keys, cells, stamp } = members;
    let mut read = Read { at, stop: Stop::Key, last, next, seen: 0 };
    loop {
        let Some(key) = Key::expected(keys, read.next, node, cursor.text(), read.at) else { return read };
        let mut start = read.at + key.len as usize;
        let byte = cursor.byte(start);
        let (end, kind, behind);
        if byte == b'"' {
            let Ok(string) = cursor.string(start) else { return read };
            read.seen |= string.bits();
            (start, end, behind) = (start + 1, string.end(), string.end() + 1);
            kind = if string.escaped() { Kind::Escaped } else { Kind::Str };
        } else {
            let word = |word: &[u8], kind| (start + word.len(), kind);
            (end, kind) = match byte {
                b'n' if cursor.word(start, b"null").is_ok() => word(b"null", Kind::Null),
                b't' if cursor.word(start, b"true").is_ok() => word(b"true", Kind::True),
                b'f' if cursor.word(start, b"false").is_ok() => word(b"false", Kind::False),
                b'0'..=b'9' => match cursor.number(start) {
                    Ok(end) => (end, Kind::Number),
                    Err(_) => return read,
                },
                _ => {
                    (read.at, read.last, read.next) = (start, key.number, key.next);
                    read.stop = Stop::Value(key.target);
                    return read;
                }
            };
            behind = end;
        }
        if !key.target.is_none()
            && let Some(cell) = cells.get_mut(usize::from(key.target.slot()))
        {
            // A key that comes again is not plain.
            if cell.is_of(stamp) {
                return read;
            }
            *cell = Cell::new(start, end, kind, stamp);
        }
        (read.at, read.last, read.next) = (behind, key.number, key.next);
        if cursor.byte(behind) != b',' {
            read.stop = Stop::Behind;
            return read;
        }
        read.at = behind + 1;
    }
}
