//! Reads one record: follows the trie where it has paths, skips the rest, notes what it finds in the frames.

use super::bits::Bits;
use super::cursor::{Cursor, Str};
use super::frames::{Frames, Kind, Place, Slot};
use super::hints::{Hints, Key};
use super::plain::{self, Members, Stop};
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
    /// The last of its keys, and the one that is to be expected now: numbers of the hints.
    last: u32,
    next: u32,
    /// The iteration over its elements or entries; 0 for none.
    each: u16,
    /// The bracket that closes it.
    closes: u8,
    /// Both an iteration over the entries and the key itself may want the same value: then it is read again from here.
    again: Target,
    again_at: u32,
}

impl Level {
    #[inline(always)]
    fn open(trie: &Trie, hints: &Hints, id: u32, place: Place, start: usize, frames: u32, array: bool) -> Self {
        let node = trie.node(id);
        let (each, closes) = if array { (node.each, b']') } else { (node.entries, b'}') };
        let last = hints.first(id);
        let next = hints.after(last);
        let (start, again) = (start as u32, Target::NONE);
        Level { node: id, place, start, frames, last, next, each, closes, again, again_at: 0 }
    }

    #[inline(always)]
    fn is_array(&self) -> bool {
        self.closes == b']'
    }
}

/// Reads the object at `from` and tells its end.
#[inline(never)]
pub(super) fn record<B: Bits>(
    cursor: Cursor<'_, B>,
    trie: &Trie,
    from: usize,
    frames: &mut Frames,
    scanner: &mut Scanner,
) -> Result<usize, Malformed> {
    cursor.bits().run(
        #[inline(always)]
        || record_at(cursor, trie, from, frames, scanner),
    )
}

#[inline(always)]
fn record_at<B: Bits>(
    cursor: Cursor<'_, B>,
    trie: &Trie,
    from: usize,
    frames: &mut Frames,
    scanner: &mut Scanner,
) -> Result<usize, Malformed> {
    let Scanner { levels, deep, hints, way: _ } = scanner;
    levels.clear();
    hints.prepare(trie);
    let text = cursor.text();
    let root = trie.root(0).node();
    let place = frames.begin(trie);
    let mut level = Level::open(trie, hints, root, place, from, frames.count(), false);
    // The bits of all strings.
    let mut seen = 0;
    let mut at = from + 1;
    let mut byte = cursor.token(&mut at);
    if byte == b'}' {
        close(text, trie, frames, &level, at + 1);
        return Ok(at + 1);
    }
    'members: loop {
        // The next member, whose first byte was seen at `at`: what its value is for, and in which frame.
        let (mut target, mut place) = (Target::NONE, level.place);
        let mut stop = Stop::Key;
        if level.is_array() {
            if let Some(element) = frames.open(trie, level.each, place.frame, Slot::default()) {
                (target, place) = (trie.root(level.each), element);
            }
        } else {
            if level.each == 0 {
                let cells = frames.cells(place);
                let members = Members { node: level.node, keys: hints.keys(), cells, stamp: place.stamp };
                let read = plain::read(cursor, members, at, level.last, level.next);
                seen |= read.seen;
                (at, level.last, level.next) = (read.at, read.last, read.next);
                byte = cursor.token(&mut at);
                stop = read.stop;
            }
            if let Stop::Value(expected) = stop {
                target = expected;
            } else if let Stop::Key = stop {
                let quote = at;
                if let Some(key) = Key::expected(hints.keys(), level.next, level.node, text, at) {
                    target = key.target;
                    at += key.len as usize;
                    level.last = key.number;
                    level.next = key.next;
                } else {
                    let key = unexpected(cursor, trie, hints, level.node, level.last, at)?;
                    seen |= key.bits;
                    (target, at, level.last) = (key.target, key.behind as usize, key.number);
                    level.next = hints.after(level.last);
                }
                byte = cursor.token(&mut at);
                if level.each != 0 {
                    let key = key_of(cursor, quote)?;
                    if let Some(entry) = frames.open(trie, level.each, place.frame, key) {
                        level.again = target;
                        level.again_at = at as u32;
                        (target, place) = (trie.root(level.each), entry);
                    }
                }
            }
        }
        // Its value.
        'value: loop {
            'done: {
                if let Stop::Behind = core::mem::replace(&mut stop, Stop::Key) {
                    break 'done;
                }
                let (start, end, kind);
                if byte == b'"' {
                    let string = cursor.string(at)?;
                    seen |= string.bits();
                    (start, end) = (at + 1, string.end());
                    kind = if string.escaped() { Kind::Escaped } else { Kind::Str };
                    at = end + 1;
                } else if byte == b'{' || byte == b'[' {
                    let array = byte == b'[';
                    if target.goes_on(array) {
                        if frames.is_set(place, target.slot()) {
                            frames.forget(trie, place, target.node());
                        }
                        levels.push(level);
                        level = Level::open(trie, hints, target.node(), place, at, frames.count(), array);
                        at += 1;
                        byte = cursor.token(&mut at);
                        if byte != level.closes {
                            continue 'members;
                        }
                        break 'done;
                    }
                    start = at;
                    let bits;
                    (at, bits) = skip::container(cursor, at, deep)?;
                    seen |= bits;
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
                    // Of a key that comes again only the last value counts.
                    if frames.is_set(place, target.slot()) {
                        frames.forget(trie, place, target.node());
                    }
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
                if byte != level.closes {
                    return Err(Malformed { at });
                }
                at += 1;
                close(text, trie, frames, &level, at);
                match levels.pop() {
                    Some(outer) => level = outer,
                    None => {
                        frames.set_repaired(seen & Str::REPAIRED != 0);
                        return Ok(at);
                    }
                }
                byte = cursor.token(&mut at);
            }
        }
    }
}

/// A key that was not the expected one.
struct Unexpected {
    target: Target,
    /// Of its string.
    bits: u64,
    /// Where what stands behind the colon begins.
    behind: u32,
    /// Its number in the hints, or that of the key before.
    number: u32,
}

/// Reads the key at `at`, up to its colon, and remembers that it came behind `last`.
#[inline(always)]
fn unexpected<B: Bits>(
    cursor: Cursor<'_, B>,
    trie: &Trie,
    hints: &mut Hints,
    node: u32,
    last: u32,
    quote: usize,
) -> Result<Unexpected, Malformed> {
    if cursor.byte(quote) != b'"' {
        return Err(Malformed { at: quote });
    }
    let key = cursor.string(quote)?;
    let mut at = key.end() + 1;
    if cursor.token(&mut at) != b':' {
        return Err(Malformed { at });
    }
    let text = cursor.text();
    let mut found = Unexpected { target: Target::NONE, bits: key.bits(), behind: at as u32 + 1, number: last };
    if key.escaped() {
        found.target = trie.find_escaped(node, text.get(quote + 1..key.end()).unwrap_or_default());
    } else if let Some(entry) = trie.find(node, text, quote + 1, key.end()) {
        found.target = entry.target;
        hints.learn(&mut found.number, entry.key);
    } else {
        hints.learn_unused(&mut found.number, node, text, quote + 1, key.end());
    }
    Ok(found)
}

/// The place of the key whose quote is at `quote`, which was passed already.
fn key_of<B: Bits>(cursor: Cursor<'_, B>, quote: usize) -> Result<Slot, Malformed> {
    let key = cursor.string(quote)?;
    let kind = if key.escaped() { Kind::Escaped } else { Kind::Str };
    Ok(Slot { start: quote as u32 + 1, end: key.end() as u32, kind })
}

/// Notes a container that ends at `end`.
#[inline(always)]
fn close(text: &[u8], trie: &Trie, frames: &mut Frames, level: &Level, end: usize) {
    let node = trie.node(level.node);
    let kind = if level.is_array() { Kind::Array } else { Kind::Object };
    frames.set(level.place, node.slot, level.start as usize, end, kind);
    if frames.count() > level.frames {
        frames.set_span(level.place, node, level.frames);
        if !level.is_array() && node.entries != 0 {
            frames.last_wins(text, node.entries, level.place.frame, level.frames);
        }
    }
    // Always: what was made inside may have been forgotten again.
    frames.close(level.place);
}
