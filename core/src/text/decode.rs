//! Decodes the inside of a JSON string, piece by piece.
//!
//! The backslashes of a block are found at once, what is between them is copied in fixed steps into a buffer on the stack, and
//! the buffer's UTF-8 is checked once when it is full. No call and no check per escape.

use crate::scan::{BLOCK, Bits, Way, by, unescape};

/// What the usual escapes stand for; 0 for all others.
const SIMPLE: [u8; 256] = {
    let mut table = [0; 256];
    table[b'n' as usize] = b'\n';
    table[b't' as usize] = b'\t';
    table[b'r' as usize] = b'\r';
    table[b'b' as usize] = 8;
    table[b'f' as usize] = 12;
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table[b'/' as usize] = b'/';
    table
};

/// The longest character.
const CHAR: usize = 4;
/// Texts are copied in steps of this size, whatever is behind them.
const STEP: usize = 32;
/// What a block may come to, and what is copied too much.
const ROOM: usize = BLOCK + CHAR + STEP;
/// Buffers: for the many short texts, and for the others (an eighth of a first-level cache).
const SMALL: usize = 256;
const LARGE: usize = 4096;

/// Gives text that stands for itself; what is not UTF-8 in it as U+FFFD.
pub(super) fn plain<E>(bytes: &[u8], sink: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    if let Ok(text) = core::str::from_utf8(bytes) {
        return sink(text);
    }
    for chunk in bytes.utf8_chunks() {
        sink(chunk.valid())?;
        if !chunk.invalid().is_empty() {
            sink("\u{FFFD}")?;
        }
    }
    Ok(())
}

/// Gives the text that a string's inside stands for.
pub(super) fn escaped<E>(body: &[u8], sink: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    if body.len() <= SMALL - ROOM {
        by!(Way::baseline(), bits => by_buffers::<_, SMALL, E>(bits, body, sink))
    } else {
        by!(Way::baseline(), bits => by_buffers::<_, LARGE, E>(bits, body, sink))
    }
}

pub(super) fn by_buffers<B: Bits, const N: usize, E>(
    bits: B,
    body: &[u8],
    sink: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    // Room for a block behind what is left of a character: else nothing would ever be read.
    const { assert!(N >= CHAR + ROOM) };
    let mut buffer = [0; N];
    let (mut at, mut len) = (0, 0);
    loop {
        (at, len) = fill(bits, body, at, &mut buffer, len);
        if at >= body.len() {
            return plain(&buffer[..len], sink);
        }
        let whole = whole_characters(&buffer[..len]);
        plain(&buffer[..whole], sink)?;
        buffer.copy_within(whole..len, 0);
        len -= whole;
    }
}

/// Decodes from `at` on behind the first `len` bytes of the buffer until it is full or the body ends.
#[inline(always)]
fn fill<B: Bits, const N: usize>(
    bits: B,
    body: &[u8],
    mut at: usize,
    buffer: &mut [u8; N],
    mut len: usize,
) -> (usize, usize) {
    while let Some(room) = buffer.get_mut(len..).and_then(|rest| rest.first_chunk_mut::<ROOM>()) {
        let rest = body.get(at..).unwrap_or_default();
        let (taken, written) = match rest.first_chunk::<{ BLOCK + STEP }>() {
            Some(bytes) => block(bits, body, at, bytes, BLOCK, room),
            None if rest.is_empty() => break,
            None => {
                let mut bytes = [0; BLOCK + STEP];
                bytes[..rest.len()].copy_from_slice(rest);
                block(bits, body, at, &bytes, rest.len().min(BLOCK), room)
            }
        };
        at += taken;
        len += written;
    }
    (at, len)
}

/// Decodes the first `end` bytes of a block, which stands at `base`; tells how many bytes were taken (an escape may reach out of
/// the block) and written.
#[inline(always)]
fn block<B: Bits>(
    bits: B,
    body: &[u8],
    base: usize,
    bytes: &[u8; BLOCK + STEP],
    end: usize,
    room: &mut [u8; ROOM],
) -> (usize, usize) {
    let (mut from, mut to) = (0, 0);
    let mut slashes = bytes.first_chunk().map_or(0, |block| bits.slashes(block));
    if end < BLOCK {
        slashes &= (1 << end) - 1;
    }
    while slashes != 0 {
        let slash = slashes.trailing_zeros() as usize;
        copy(bytes, from, room, to, slash - from);
        to += slash - from;
        let simple = SIMPLE[usize::from(bytes[slash + 1])];
        if simple != 0 {
            room[to] = simple;
            to += 1;
            from = slash + 2;
        } else {
            let (char, next) = unescape(body, base + slash);
            to += char.encode_utf8(&mut room[to..]).len();
            from = next - base;
        }
        if from >= end {
            return (from, to);
        }
        slashes &= u64::MAX << from;
    }
    copy(bytes, from, room, to, end - from);
    (end, to + end - from)
}

/// Copies `len` bytes, and some behind them.
#[inline(always)]
fn copy(bytes: &[u8; BLOCK + STEP], mut from: usize, room: &mut [u8; ROOM], mut to: usize, len: usize) {
    let end = from + len;
    loop {
        let step = bytes.get(from..).and_then(|rest| rest.first_chunk::<STEP>());
        let there = room.get_mut(to..).and_then(|rest| rest.first_chunk_mut::<STEP>());
        if let (Some(step), Some(there)) = (step, there) {
            *there = *step;
        }
        from += STEP;
        to += STEP;
        if from >= end {
            return;
        }
    }
}

/// How many bytes there are without a character that the end cuts in two.
fn whole_characters(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(CHAR - 1);
    let cut = bytes[tail..].iter().rposition(|byte| *byte >= 0xC0);
    cut.map_or(bytes.len(), |at| {
        let at = tail + at;
        let wanted = match bytes[at] {
            0xF0.. => 4,
            0xE0.. => 3,
            _ => 2,
        };
        if bytes.len() - at < wanted { at } else { bytes.len() }
    })
}

/// Whether a text is blank, if its first character that is not ordinary white space tells.
pub(super) fn blank_at_a_glance(bytes: &[u8], escapes: bool) -> Option<bool> {
    let mut at = 0;
    loop {
        match (bytes.get(at), bytes.get(at + 1)) {
            (None, _) => return Some(true),
            (Some(b' ' | b'\t' | b'\n' | b'\r'), _) => at += 1,
            (Some(b'\\'), Some(b'n' | b't' | b'r')) if escapes => at += 2,
            (Some(b'\\'), _) if escapes => return None,
            (Some(b'!'..=b'~'), _) => return Some(false),
            _ => return None,
        }
    }
}
