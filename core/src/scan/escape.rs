//! What a backslash in a JSON string stands for, one at a time: for keys, and for all that is rare.

use core::cmp::Ordering;

/// The value of the four hexadecimal digits at `at`.
pub(crate) fn hex(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..)?.first_chunk::<4>()?;
    let mut unit = 0;
    for digit in digits {
        unit = unit << 4 | char::from(*digit).to_digit(16)? as u16;
    }
    Some(unit)
}

/// The character that the escape at `at` (its backslash) stands for, and the place behind it. U+FFFD for a surrogate without
/// its other half; a backslash that begins no escape stands for itself.
pub(crate) fn unescape(bytes: &[u8], at: usize) -> (char, usize) {
    let simple = match bytes.get(at + 1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{C}',
        Some(&byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
        Some(b'u') => return unicode(bytes, at),
        _ => return ('\\', at + 1),
    };
    (simple, at + 2)
}

fn unicode(bytes: &[u8], at: usize) -> (char, usize) {
    let Some(unit) = hex(bytes, at + 2) else {
        return ('\\', at + 1);
    };
    if let Some(char) = char::from_u32(u32::from(unit)) {
        return (char, at + 6);
    }
    let paired = unit < 0xDC00 && bytes.get(at + 6..at + 8) == Some(b"\\u");
    match hex(bytes, at + 8) {
        Some(low @ 0xDC00..=0xDFFF) if paired => {
            let code = 0x1_0000 + (u32::from(unit - 0xD800) << 10 | u32::from(low - 0xDC00));
            (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), at + 12)
        }
        _ => (char::REPLACEMENT_CHARACTER, at + 6),
    }
}

/// The bytes of a string's body, decoded.
struct Decoded<'a> {
    bytes: &'a [u8],
    at: usize,
    /// What is left of an escaped character, last byte first.
    pending: u32,
}

impl Iterator for Decoded<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.pending != 0 {
            let byte = self.pending as u8;
            self.pending >>= 8;
            return Some(byte);
        }
        let byte = *self.bytes.get(self.at)?;
        if byte != b'\\' {
            self.at += 1;
            return Some(byte);
        }
        let (char, next) = unescape(self.bytes, self.at);
        self.at = next;
        let mut utf8 = [0; 4];
        char.encode_utf8(&mut utf8);
        self.pending = u32::from_le_bytes(utf8) >> 8;
        Some(utf8[0])
    }
}

fn decoded(bytes: &[u8]) -> Decoded<'_> {
    Decoded { bytes, at: 0, pending: 0 }
}

/// Whether a key as it stands in a line is `key`.
pub(crate) fn eq_key(raw: &[u8], key: &[u8]) -> bool {
    decoded(raw).eq(key.iter().copied())
}

/// Orders two keys as they stand in a line by what they are when decoded.
pub(crate) fn cmp_keys(a: &[u8], b: &[u8]) -> Ordering {
    decoded(a).cmp(decoded(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn decode(body: &str) -> String {
        String::from_utf8(decoded(body.as_bytes()).collect()).unwrap()
    }

    #[test]
    fn every_escape() {
        assert_eq!(decode(r#"a\"\\\/\b\f\n\r\tz"#), "a\"\\/\u{8}\u{C}\n\r\tz");
        assert_eq!(decode(r"\u0000\u0041\u00e9\u20AC\uFFFF"), "\0Aé€\u{FFFF}");
        assert_eq!(decode(r"\ud83d\ude00\uD83D\uDE00"), "😀😀");
    }

    #[test]
    fn lone_surrogates_become_one_replacement_each() {
        assert_eq!(decode(r"\ud83d"), "\u{FFFD}");
        assert_eq!(decode(r"\ud83dx\ude00"), "\u{FFFD}x\u{FFFD}");
        assert_eq!(decode(r"\ud83d\ud83d\ude00"), "\u{FFFD}😀");
        assert_eq!(decode(r"\ude00\ud83d\n"), "\u{FFFD}\u{FFFD}\n");
    }

    #[test]
    fn what_is_no_escape_stands_for_itself() {
        assert_eq!(decode(r"\"), "\\");
        assert_eq!(decode(r"\x\u12"), r"\x\u12");
        assert_eq!(decode(r"\ud83d\u12"), "\u{FFFD}\\u12");
    }

    #[test]
    fn keys_are_compared_decoded() {
        assert!(eq_key(br"ty\u0070e", b"type"));
        assert!(!eq_key(br"ty\u0070", b"type"));
        assert!(!eq_key(br"ty\u0070es", b"type"));
        assert!(eq_key(br"\u0000", b"\0"));
        assert_eq!(cmp_keys(br"\u0062", b"a"), Ordering::Greater);
        assert_eq!(cmp_keys(br"\u0061", b"a"), Ordering::Equal);
    }
}
