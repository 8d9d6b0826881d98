//! Writes text as the inside of a JSON string.

use alloc::vec::Vec;

use crate::scan::{BLOCK, Bits, QUARTER, Way, by};

/// Appends `text` escaped, without quotes.
pub(super) fn inside(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len());
    let mut rest = text.as_bytes();
    loop {
        let run = plain_run(rest);
        let (run, special) = rest.split_at(run);
        out.extend_from_slice(run);
        let Some((&byte, behind)) = special.split_first() else {
            break;
        };
        escape(byte, out);
        rest = behind;
    }
}

/// How many bytes stand for themselves.
fn plain_run(bytes: &[u8]) -> usize {
    by!(Way::baseline(), bits => plain_run_by(bits, bytes))
}

fn plain_run_by(bits: impl Bits, bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
        let classes = bits.block(block);
        let mut special = classes.quotes | classes.slashes;
        if classes.odd {
            special |= bits.controls(block);
        }
        if special != 0 {
            return at + special.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    // What only looks special is left to the last step.
    while let Some(quarter) = bytes.get(at..).and_then(|rest| rest.first_chunk::<QUARTER>())
        && bits.specials(quarter) == 0
    {
        at += QUARTER;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let special = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    special.map_or(bytes.len(), |run| at + run)
}

/// Whether text is ASCII that stands for itself inside a JSON string.
pub(crate) fn is_plain_ascii(bytes: &[u8]) -> bool {
    bytes.is_ascii() && plain_run(bytes) == bytes.len()
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        8 => b'b',
        12 => b'f',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
