//! Terminal escape sequences: found to be dropped, never interpreted.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// Length of the escape sequence at the start of `bytes`; nothing where there is none.
///
/// Control sequences (`ESC [` up to a final byte), operating system commands and other strings (up to BEL or
/// `ESC \`), and two- and three-byte escapes. A string without an end reaches to the end of the line; a byte that cannot
/// end a sequence (a control, or one of a character that is not ASCII) is left where it stands.
pub(crate) fn sequence(bytes: &[u8]) -> Option<usize> {
    let [0x1b, rest @ ..] = bytes else { return None };
    let end = match rest.first() {
        None => 1,
        Some(b'[') => {
            let last = 2 + rest.iter().skip(1).take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
            last + usize::from(matches!(bytes.get(last), Some(0x40..=0x7e)))
        }
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let mut at = 2;
            loop {
                match (bytes.get(at), bytes.get(at + 1)) {
                    (None, _) => break at,
                    (Some(0x07), _) => break at + 1,
                    (Some(0x1b), Some(b'\\')) => break at + 2,
                    _ => at += 1,
                }
            }
        }
        Some(0x20..=0x2f) => {
            let last = 1 + rest.iter().take_while(|byte| matches!(byte, 0x20..=0x2f)).count();
            last + usize::from(matches!(bytes.get(last), Some(0x30..=0x7e)))
        }
        Some(0x30..=0x7e) => 2,
        Some(_) => 1,
    };
    Some(end.min(bytes.len()))
}

/// Skips blanks and escape sequences; tells whether there was a sequence.
pub(crate) fn skip(line: &[u8], mut at: usize) -> (usize, bool) {
    let mut found = false;
    loop {
        match line.get(at) {
            Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            Some(0x1b) => {
                let rest = line.get(at..).unwrap_or_default();
                match sequence(rest) {
                    Some(len) => {
                        at += len;
                        found = true;
                    }
                    None => return (at, found),
                }
            }
            _ => return (at, found),
        }
    }
}

/// The text without its escape sequences: what is quoted in a message for people.
pub(crate) fn strip(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return Cow::Borrowed(text);
    }
    let mut kept = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match sequence(rest) {
            Some(len) => rest = rest.get(len..).unwrap_or_default(),
            None => {
                kept.push(*first);
                rest = after;
            }
        }
    }
    // A sequence that was cut off may have taken the beginning of a character with it.
    Cow::Owned(String::from_utf8_lossy(&kept).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences() {
        let table: &[(&[u8], Option<usize>)] = &[
            (b"\x1b[0m{", Some(4)),
            (b"\x1b[38;5;12mx", Some(10)),
            (b"\x1b]0;title\x07{", Some(10)),
            (b"\x1b]8;;x\x1b\\{", Some(8)),
            (b"\x1b(B{", Some(3)),
            (b"\x1bc{", Some(2)),
            (b"\x1b", Some(1)),
            (b"\x1b[12", Some(4)),
            (b"\x1b[1\xc3\xa9", Some(3)),
            (b"\x1b\xc3\xa9", Some(1)),
            (b"\x1b\0", Some(1)),
            (b"\x1b(\x07", Some(2)),
            (b"{", None),
            (b"", None),
        ];
        for (bytes, want) in table {
            assert_eq!(sequence(bytes), *want, "{bytes:?}");
        }
    }

    #[test]
    fn stripped_for_people() {
        assert_eq!(strip("\x1b[91m\x1b[1mError: \x1b[0mno caf\u{e9}"), "Error: no caf\u{e9}");
        assert_eq!(strip("plain"), "plain");
    }

    #[test]
    fn a_line_of_sequences_is_skipped_whole() {
        assert_eq!(skip(b" \x1b[1m\x1b[0m\t", 0), (10, true));
        assert_eq!(skip(b"  {", 0), (2, false));
    }
}
