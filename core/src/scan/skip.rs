//! Reads a value of which nothing is wanted: checks it and finds its end. One bit a level, so depth is bounded by nothing but
//! the line.

use alloc::vec::Vec;

use super::Malformed;
use super::bits::Bits;
use super::cursor::Cursor;

/// Which of the open containers are objects: the innermost 64 in a word, the others in a vector of words.
struct Depth<'d> {
    word: u64,
    /// How many bits of the word are in use; 0 only when nothing is open.
    used: u32,
    outer: &'d mut Vec<u64>,
}

/// Words of depth that are kept for the next value: 64 kB, half a million levels.
const KEEP: usize = 8192;

impl Depth<'_> {
    #[inline(always)]
    fn push(&mut self, object: bool) {
        if self.used == 64 {
            self.outer.push(self.word);
            self.used = 0;
        }
        self.word = self.word << 1 | u64::from(object);
        self.used += 1;
    }

    /// Whether another container is open.
    #[inline(always)]
    fn pop(&mut self) -> bool {
        self.word >>= 1;
        self.used -= 1;
        if self.used > 0 {
            return true;
        }
        match self.outer.pop() {
            Some(word) => {
                self.word = word;
                self.used = 64;
                true
            }
            None => false,
        }
    }

    #[inline(always)]
    fn in_object(&self) -> bool {
        self.word & 1 == 1
    }
}

/// Reads the value at `at`, where no white space is, and tells its end.
pub(super) fn value<B: Bits>(cursor: Cursor<'_, B>, at: usize, outer: &mut Vec<u64>) -> Result<usize, Malformed> {
    match cursor.byte(at) {
        b'{' | b'[' => Ok(container(cursor, at, outer)?.0),
        b'"' => Ok(cursor.string(at)?.end() + 1),
        b't' => cursor.word(at, b"true"),
        b'f' => cursor.word(at, b"false"),
        b'n' => cursor.word(at, b"null"),
        _ => cursor.number(at),
    }
}

/// Reads the array at `start`, if it is one, and tells its end if it has elements and all of them are objects.
pub(super) fn array_of_objects<B: Bits>(
    cursor: Cursor<'_, B>,
    start: usize,
    outer: &mut Vec<u64>,
) -> Result<Option<usize>, Malformed> {
    let mut at = start;
    if cursor.byte(at) != b'[' {
        value(cursor, at, outer)?;
        return Ok(None);
    }
    at += 1;
    if cursor.token(&mut at) == b']' {
        return Ok(None);
    }
    let mut objects = true;
    loop {
        objects &= cursor.byte(at) == b'{';
        at = value(cursor, at, outer)?;
        match cursor.token(&mut at) {
            b',' => at += 1,
            b']' => return Ok(objects.then_some(at + 1)),
            _ => return Err(Malformed { at }),
        }
        cursor.token(&mut at);
    }
}

/// Reads the object or array whose bracket is at `at` and tells its end, and the bits of its strings.
#[inline(always)]
pub(super) fn container<B: Bits>(
    cursor: Cursor<'_, B>,
    at: usize,
    outer: &mut Vec<u64>,
) -> Result<(usize, u64), Malformed> {
    cursor.bits().run(
        #[inline(always)]
        || container_at(cursor, at, outer),
    )
}

#[inline(always)]
fn container_at<B: Bits>(
    cursor: Cursor<'_, B>,
    mut at: usize,
    outer: &mut Vec<u64>,
) -> Result<(usize, u64), Malformed> {
    if outer.capacity() > KEEP {
        *outer = Vec::new();
    }
    outer.clear();
    let mut depth = Depth { word: 0, used: 0, outer };
    let mut seen = 0;
    'value: loop {
        match cursor.byte(at) {
            b'"' => {
                let string = cursor.string(at)?;
                seen |= string.bits();
                at = string.end() + 1;
            }
            b'{' => {
                depth.push(true);
                at += 1;
                if cursor.token(&mut at) != b'}' {
                    at = key(cursor, at, &mut seen)?;
                    continue;
                }
            }
            b'[' => {
                depth.push(false);
                at += 1;
                if cursor.token(&mut at) != b']' {
                    continue;
                }
            }
            b't' => at = cursor.word(at, b"true")?,
            b'f' => at = cursor.word(at, b"false")?,
            b'n' => at = cursor.word(at, b"null")?,
            _ => at = cursor.number(at)?,
        }
        // Behind a value, or at the bracket that closes an empty container.
        loop {
            let byte = cursor.token(&mut at);
            let object = depth.in_object();
            if byte == b',' {
                at += 1;
                cursor.token(&mut at);
                if object {
                    at = key(cursor, at, &mut seen)?;
                }
                continue 'value;
            }
            if byte != if object { b'}' } else { b']' } {
                return Err(Malformed { at });
            }
            at += 1;
            if !depth.pop() {
                return Ok((at, seen));
            }
        }
    }
}

/// Reads the key at `at` and tells where its value begins.
#[inline(always)]
fn key<B: Bits>(cursor: Cursor<'_, B>, mut at: usize, seen: &mut u64) -> Result<usize, Malformed> {
    if cursor.byte(at) != b'"' {
        return Err(Malformed { at });
    }
    let string = cursor.string(at)?;
    *seen |= string.bits();
    at = string.end() + 1;
    if cursor.token(&mut at) != b':' {
        return Err(Malformed { at });
    }
    at += 1;
    cursor.token(&mut at);
    Ok(at)
}
