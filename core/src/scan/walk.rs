//! Reads one record: follows the trie where it has paths, skips the rest, notes what it finds in the frames.

use super::bits::Bits;
use super::cursor::Cursor;
use super::frames::{Frames, Kind, Place, Slot};
use super::trie::{NONE, Node, Trie};
use super::{Malformed, Scanner, skip};

/// A container that is open and has paths below it. There are never more than the trie is deep.
#[derive(Clone, Copy)]
pub(super) struct Level {
    node: u32,
    /// The frame that the node is in.
    place: Place,
    start: usize,
    /// How many frames there were when it began.
    frames: u32,
    array: bool,
    /// Both an iteration over the entries and the key itself may want the same value: then it is read again, for this node.
    again: u32,
    again_at: usize,
    /// The last of its keys that was known, in the hints.
    last: u32,
}

impl Level {
    fn new(trie: &Trie, node: u32, place: Place, start: usize, frames: u32, array: bool) -> Self {
        Self { node, place, start, frames, array, again: NONE, again_at: 0, last: trie.first_hint(node) }
    }

    #[inline(always)]
    fn closes(&self) -> u8 {
        if self.array { b']' } else { b'}' }
    }
}

/// Reads the object at `from` and tells its end.
pub(super) fn record<B: Bits>(
    cursor: &mut Cursor<'_, B>,
    trie: &Trie,
    from: usize,
    frames: &mut Frames,
    scanner: &mut Scanner,
) -> Result<usize, Malformed> {
    let Scanner { levels, deep, hints } = scanner;
    levels.clear();
    trie.prepare(hints);
    let root = frames.begin(trie);
    let mut level = Level::new(trie, trie.iteration(0).root, root, from, frames.count(), false);
    let mut at = from + 1;
    'container: loop {
        // Behind the bracket of `level`.
        let mut byte = cursor.token(&mut at);
        let mut more = byte != level.closes();
        'member: loop {
            // The node that the next value is for, and where.
            let (mut node, mut place) = (NONE, level.place);
            if !more {
                // Nothing in it.
            } else if level.again != NONE {
                node = level.again;
                level.again = NONE;
                at = level.again_at;
                cursor.rewind();
            } else if level.array {
                (node, place) = element(trie, frames, &level);
            } else {
                if byte != b'"' {
                    return Err(Malformed { at });
                }
                let line = cursor.line();
                let quote = at;
                if let Some((child, behind)) = trie.expected(hints, level.node, &mut level.last, line, at) {
                    node = child;
                    at = behind;
                } else {
                    let key = cursor.string(at)?;
                    at = key.end + 1;
                    if cursor.token(&mut at) != b':' {
                        return Err(Malformed { at });
                    }
                    at += 1;
                    node = trie.child(level.node, line, quote + 1, key.end, &mut level.last, hints);
                    if key.escaped {
                        node = trie.child_escaped(level.node, line.get(quote + 1..key.end).unwrap_or_default());
                    }
                }
                cursor.token(&mut at);
                if node != NONE && frames.is_set(place, trie.node(node).slot) {
                    frames.forget(trie, place, node);
                }
                if trie.node(level.node).entries != 0 {
                    (node, place) = entry(cursor, trie, frames, &mut level, node, quote, at)?;
                }
            }
            if more {
                // The value.
                let (start, end, kind);
                match cursor.byte(at) {
                    b'"' => {
                        let string = cursor.string(at)?;
                        (start, end) = (at + 1, string.end);
                        kind = if string.escaped { Kind::Escaped } else { Kind::Str };
                        at = end + 1;
                    }
                    byte @ (b'{' | b'[') => {
                        let array = byte == b'[';
                        if node != NONE && goes_on(trie.node(node), array) {
                            levels.push(level);
                            level = Level::new(trie, node, place, at, frames.count(), array);
                            at += 1;
                            continue 'container;
                        }
                        start = at;
                        at = skip::container(cursor, at, deep)?;
                        end = at;
                        kind = if array { Kind::Array } else { Kind::Object };
                    }
                    byte => {
                        start = at;
                        (at, kind) = match byte {
                            b't' => (cursor.word(at, b"true")?, Kind::True),
                            b'f' => (cursor.word(at, b"false")?, Kind::False),
                            b'n' => (cursor.word(at, b"null")?, Kind::Null),
                            _ => (cursor.number(at)?, Kind::Number),
                        };
                        end = at;
                    }
                }
                if node != NONE {
                    frames.set(place, trie.node(node).slot, start, end, kind);
                }
                byte = cursor.token(&mut at);
            }
            // Behind a value: the ends of all containers that end here, then a comma.
            loop {
                if level.again != NONE {
                    continue 'member;
                }
                if byte == b',' && more {
                    at += 1;
                    byte = cursor.token(&mut at);
                    continue 'member;
                }
                if byte != level.closes() {
                    return Err(Malformed { at });
                }
                at += 1;
                close(cursor.line(), trie, frames, &level, at);
                match levels.pop() {
                    Some(outer) => level = outer,
                    None => return Ok(at),
                }
                more = true;
                byte = cursor.token(&mut at);
            }
        }
    }
}

/// Whether there are paths below a node where its value is an array, or an object.
#[inline(always)]
fn goes_on(node: &Node, array: bool) -> bool {
    if array { node.each != 0 } else { node.object }
}

/// The frame of the next element of an array.
#[inline(always)]
fn element(trie: &Trie, frames: &mut Frames, level: &Level) -> (u32, Place) {
    let each = trie.node(level.node).each;
    match frames.open(trie, each, level.place.frame, Slot::default()) {
        Some(place) => (trie.iteration(each).root, place),
        None => (NONE, level.place),
    }
}

/// The frame of the next entry of an object, whose key's quote is at `quote`. Its value, at `at`, may be wanted by the key's own
/// node too.
fn entry<B: Bits>(
    cursor: &mut Cursor<'_, B>,
    trie: &Trie,
    frames: &mut Frames,
    level: &mut Level,
    child: u32,
    quote: usize,
    at: usize,
) -> Result<(u32, Place), Malformed> {
    cursor.rewind();
    let key = cursor.string(quote)?;
    let kind = if key.escaped { Kind::Escaped } else { Kind::Str };
    let key = Slot { start: quote as u32 + 1, end: key.end as u32, kind };
    let each = trie.node(level.node).entries;
    Ok(match frames.open(trie, each, level.place.frame, key) {
        Some(place) => {
            level.again = child;
            level.again_at = at;
            (trie.iteration(each).root, place)
        }
        None => (child, level.place),
    })
}

/// Notes a container that ends at `end`.
#[inline(always)]
fn close(line: &[u8], trie: &Trie, frames: &mut Frames, level: &Level, end: usize) {
    let node = trie.node(level.node);
    let kind = if level.array { Kind::Array } else { Kind::Object };
    frames.set(level.place, node.slot, level.start, end, kind);
    if frames.count() > level.frames {
        frames.set_span(level.place, node, level.frames);
        if !level.array && node.entries != 0 {
            frames.last_wins(line, node.entries, level.place.frame, level.frames);
        }
    }
    // Always: what was made inside may have been forgotten again.
    frames.close(level.place);
}
