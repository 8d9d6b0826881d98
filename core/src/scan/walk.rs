//! Reads one record: follows the trie where it has paths, skips the rest, notes what it finds in the frames.

use super::bits::Bits;
use super::cursor::Cursor;
use super::frames::{Frames, Kind, Place, Slot};
use super::trie::{Target, Trie};
use super::{Malformed, Scanner, skip};

/// A container that is open and has paths below it. There are never more than the trie is deep.
#[derive(Clone, Copy)]
pub(super) struct Level {
    node: u32,
    /// The frame that the node is in.
    place: Place,
    start: u32,
    /// How many frames there were when it began.
    frames: u32,
    /// The last of its keys, in the hints.
    last: u32,
    /// The iteration over its elements or entries; 0 for none.
    each: u16,
    array: bool,
    /// Both an iteration over the entries and the key itself may want the same value: then it is read again from here.
    again: Target,
    again_at: u32,
}

impl Level {
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
    hints.prepare(trie);
    let line = cursor.line();
    let open = |node: u32, place: Place, start: usize, frames: u32, array: bool, first: u32| {
        let node_of = trie.node(node);
        let each = if array { node_of.each } else { node_of.entries };
        Level { node, place, start: start as u32, frames, last: first, each, array, again: Target::NONE, again_at: 0 }
    };
    let root = trie.root(0).node();
    let place = frames.begin(trie);
    let mut level = open(root, place, from, frames.count(), false, hints.first(root));
    let mut at = from + 1;
    let mut byte = cursor.token(&mut at);
    if byte == b'}' {
        close(line, trie, frames, &level, at + 1);
        return Ok(at + 1);
    }
    'members: loop {
        {
            // The next member, whose first byte was seen at `at`: what its value is for, and in which frame.
            let (mut target, mut place) = (Target::NONE, level.place);
            if level.array {
                if let Some(element) = frames.open(trie, level.each, place.frame, Slot::default()) {
                    (target, place) = (trie.root(level.each), element);
                }
            } else {
                if byte != b'"' {
                    return Err(Malformed { at });
                }
                let quote = at;
                if let Some(key) = hints.expected(trie, level.node, level.last, line, at) {
                    target = key.target;
                    at += key.len as usize;
                    level.last = key.number;
                } else {
                    let key = cursor.string(at)?;
                    at = key.end + 1;
                    if cursor.token(&mut at) != b':' {
                        return Err(Malformed { at });
                    }
                    at += 1;
                    if key.escaped {
                        target = trie.find_escaped(level.node, line.get(quote + 1..key.end).unwrap_or_default());
                    } else if let Some(found) = trie.find(level.node, line, quote + 1, key.end) {
                        target = trie.entries[found as usize].target;
                        hints.learn(&mut level.last, found);
                    } else {
                        hints.learn_unused(&mut level.last, level.node, line, quote + 1, key.end);
                    }
                }
                byte = cursor.token(&mut at);
                if !target.is_none() && frames.is_set(place, target.slot()) {
                    frames.forget(trie, place, target.node());
                }
                if level.each != 0 {
                    let key = key_of(cursor, quote)?;
                    if let Some(entry) = frames.open(trie, level.each, place.frame, key) {
                        level.again = target;
                        level.again_at = at as u32;
                        (target, place) = (trie.root(level.each), entry);
                    }
                }
            }
            // Its value.
            'value: loop {
                'done: {
                    let (start, end, kind);
                    if byte == b'"' {
                        let string = cursor.string(at)?;
                        (start, end) = (at + 1, string.end);
                        kind = if string.escaped { Kind::Escaped } else { Kind::Str };
                        at = end + 1;
                    } else if byte == b'{' || byte == b'[' {
                        let array = byte == b'[';
                        if target.goes_on(array) {
                            levels.push(level);
                            level = open(target.node(), place, at, frames.count(), array, hints.first(target.node()));
                            at += 1;
                            byte = cursor.token(&mut at);
                            if byte != level.closes() {
                                continue 'members;
                            }
                            break 'done;
                        }
                        start = at;
                        at = skip::container(cursor, at, deep)?;
                        end = at;
                        kind = if array { Kind::Array } else { Kind::Object };
                    } else {
                        start = at;
                        (at, kind) = match byte {
                            b't' => (cursor.word(at, b"true")?, Kind::True),
                            b'f' => (cursor.word(at, b"false")?, Kind::False),
                            b'n' => (cursor.word(at, b"null")?, Kind::Null),
                            _ => (cursor.number(at)?, Kind::Number),
                        };
                        end = at;
                    }
                    if !target.is_none() {
                        frames.set(place, target.slot(), start, end, kind);
                    }
                    byte = cursor.token(&mut at);
                }
                // Behind a value, or at the bracket that closes an empty container.
                loop {
                    if !level.again.is_none() {
                        (target, place, at) = (level.again, level.place, level.again_at as usize);
                        level.again = Target::NONE;
                        byte = cursor.byte(at);
                        continue 'value;
                    }
                    if byte == b',' {
                        at += 1;
                        byte = cursor.token(&mut at);
                        continue 'members;
                    }
                    if byte != level.closes() {
                        return Err(Malformed { at });
                    }
                    at += 1;
                    close(line, trie, frames, &level, at);
                    match levels.pop() {
                        Some(outer) => level = outer,
                        None => return Ok(at),
                    }
                    byte = cursor.token(&mut at);
                }
            }
        }
    }
}

/// The place of the key whose quote is at `quote`, which was passed already.
fn key_of<B: Bits>(cursor: &mut Cursor<'_, B>, quote: usize) -> Result<Slot, Malformed> {
    let key = cursor.string(quote)?;
    let kind = if key.escaped { Kind::Escaped } else { Kind::Str };
    Ok(Slot { start: quote as u32 + 1, end: key.end as u32, kind })
}

/// Notes a container that ends at `end`.
#[inline(always)]
fn close(line: &[u8], trie: &Trie, frames: &mut Frames, level: &Level, end: usize) {
    let node = trie.node(level.node);
    let kind = if level.array { Kind::Array } else { Kind::Object };
    frames.set(level.place, node.slot, level.start as usize, end, kind);
    if frames.count() > level.frames {
        frames.set_span(level.place, node, level.frames);
        if !level.array && node.entries != 0 {
            frames.last_wins(line, node.entries, level.place.frame, level.frames);
        }
    }
    // Always: what was made inside may have been forgotten again.
    frames.close(level.place);
}
