//! Decodes the inside of a JSON string, piece by piece.
//!
//! Half a block at a time is copied into a small buffer on the stack, cut at the first backslash; the buffer's UTF-8 is
//! checked once when it is full. No call and no check per escape.

use crate::scan::{Best, Bits, HALF, unescape};

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
    if body.len() <= SMALL - HALF - CHAR {
        by_buffers::<Best, SMALL, E>(body, sink)
    } else {
        by_buffers::<Best, LARGE, E>(body, sink)
    }
}

pub(super) fn by_buffers<B: Bits, const N: usize, E>(
    body: &[u8],
    sink: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = [0; N];
    let (mut at, mut len) = (0, 0);
    loop {
        (at, len) = fill::<B, N>(body, at, &mut buffer, len);
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
fn fill<B: Bits, const N: usize>(body: &[u8], mut at: usize, buffer: &mut [u8; N], mut len: usize) -> (usize, usize) {
    while len + HALF + CHAR <= N {
        let room = &mut buffer[len..len + HALF + CHAR];
        let Some(half) = body.get(at..).and_then(|rest| rest.first_chunk::<HALF>()) else {
            let rest = body.get(at..).unwrap_or_default();
            let Some(run) = rest.iter().position(|byte| *byte == b'\\') else {
                room[..rest.len()].copy_from_slice(rest);
                return (body.len(), len + rest.len());
            };
            room[..run].copy_from_slice(&rest[..run]);
            let added;
            (at, added) = escape(body, at + run, &mut room[run..]);
            len += run + added;
            continue;
        };
        room[..HALF].copy_from_slice(half);
        let slashes = B::slashes(half);
        if slashes == 0 {
            at += HALF;
            len += HALF;
            continue;
        }
        let run = slashes.trailing_zeros() as usize;
        let added;
        (at, added) = escape(body, at + run, &mut room[run..]);
        len += run + added;
    }
    (at, len)
}

/// Decodes the escape at `at` to `room`; tells the place behind it and how many bytes it came to.
#[inline(always)]
fn escape(body: &[u8], at: usize, room: &mut [u8]) -> (usize, usize) {
    let simple = body.get(at + 1).map_or(0, |byte| SIMPLE[usize::from(*byte)]);
    if simple != 0 {
        room[0] = simple;
        return (at + 2, 1);
    }
    let (char, next) = unescape(body, at);
    (next, char.encode_utf8(room).len())
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
