//! Makes text of unknown origin safe for a terminal.
//!
//! What an executor prints can hold anything, also what a web page told its model. Written raw to a terminal it could
//! move the cursor, retitle the window, fill the clipboard or show lines in another order than they are. Nothing of
//! that gets through: escape sequences are dropped as a whole, other control characters and the characters that turn
//! the writing direction around are shown by name, a bare carriage return becomes a line end.

/// Cleans a text that arrives in pieces: a sequence cut anywhere is still recognised.
#[derive(Clone, Debug, Default)]
pub struct Cleaner {
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After a carriage return: with a line feed behind it it is one line end.
    Return,
    /// After ESC.
    Escape,
    /// After ESC and intermediate bytes.
    Intermediate,
    /// In a control sequence (CSI): parameters, then one final byte.
    Control,
    /// In a control string (title, clipboard, link). It ends at BEL or ST; here also at a line end, so that a string
    /// without end hides one line at most.
    String,
    /// After ESC in a control string.
    StringEscape,
}

impl Cleaner {
    /// Appends the next piece of the text, cleaned. Only `\n` and `\t` are left of the control characters.
    pub fn push(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.state == State::Text {
                let run = rest.find(special).unwrap_or(rest.len());
                let (plain, tail) = rest.split_at(run);
                out.push_str(plain);
                rest = tail;
            }
            let mut chars = rest.chars();
            if let Some(c) = chars.next() {
                self.step(c, out);
                rest = chars.as_str();
            }
        }
    }

    fn step(&mut self, c: char, out: &mut String) {
        self.state = match (self.state, c) {
            (State::Return, '\r') => State::Return,
            (State::Return, '\n') => {
                out.push('\n');
                State::Text
            }
            (State::Return, c) => {
                out.push('\n');
                ground(c, out)
            }
            (State::Escape, '[') => State::Control,
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::String,
            (State::Escape | State::Intermediate, ' '..='/') => State::Intermediate,
            (State::Escape | State::Intermediate, '0'..='~') => State::Text,
            (State::Control, ' '..='?') => State::Control,
            (State::Control, '@'..='~') => State::Text,
            (State::String, '\x07' | '\u{9c}') => State::Text,
            (State::String, '\x1b') => State::StringEscape,
            (State::String, '\n') => ground('\n', out),
            (State::String, _) => State::String,
            (State::StringEscape, '\\') => State::Text,
            (State::StringEscape, c) => {
                // Not the end of the string but another sequence, which ends the string as well.
                self.state = State::Escape;
                return self.step(c, out);
            }
            // A sequence that is none: what broke it is text again, or begins the next one.
            (State::Text | State::Escape | State::Intermediate | State::Control, c) => ground(c, out),
        };
    }
}

/// True for characters that may not reach a terminal as they are.
fn special(c: char) -> bool {
    matches!(c, '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}') || turns_writing(c)
}

/// Embeddings, overrides and isolates: with them text reads otherwise than it is.
fn turns_writing(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters that are not seen, or change how those around them are. In a text that people only read most of them belong to its
/// language; in one that is to be copied, or that names something, they deceive.
pub(crate) fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A character outside of any sequence; the state after it.
fn ground(c: char, out: &mut String) -> State {
    match c {
        '\x1b' => return State::Escape,
        '\u{9b}' => return State::Control,
        '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => return State::String,
        '\r' => return State::Return,
        '\n' | '\t' => out.push(c),
        // The pictures of the control characters: NUL is U+2400.
        '\0'..='\x1f' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        '\x7f' => out.push('\u{2421}'),
        '\u{80}'..='\u{9f}' => out.push('\u{fffd}'),
        c if turns_writing(c) => {
            use std::fmt::Write as _;
            // Writing to a string cannot fail.
            let _ = write!(out, "<U+{:04X}>", u32::from(c));
        }
        c => out.push(c),
    }
    State::Text
}

/// The whole text, cleaned, its lines kept.
#[must_use]
pub fn block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    Cleaner::default().push(text, &mut out);
    out
}

/// The text as one line of at most `limit` characters: cleaned, line ends and runs of blanks as one space.
#[must_use]
pub fn line(text: &str, limit: usize) -> String {
    // What is far behind the limit is not read: the text may be megabytes.
    let near = text.char_indices().nth(limit.saturating_mul(8)).map_or(text, |(at, _)| text.split_at(at).0);
    let mut out = String::new();
    let mut left = limit;
    let cleaned = block(near);
    for word in cleaned.split_whitespace() {
        if !out.is_empty() {
            if left == 0 {
                break;
            }
            out.push(' ');
            left -= 1;
        }
        for c in word.chars() {
            if left == 0 {
                out.push('…');
                return out;
            }
            out.push(c);
            left -= 1;
        }
    }
    if near.len() < text.len() && left > 0 {
        out.push('…');
    }
    out
}

/// Escapes in the JSON that begins at `from` what a terminal would obey: JSON may hold some of it as it is, and a
/// terminal is no JSON parser. The value stays the same.
pub fn json(out: &mut Vec<u8>, from: usize) {
    use std::fmt::Write as _;
    let Some(text) = out.get(from..).and_then(|json| std::str::from_utf8(json).ok()) else { return };
    if !text.contains(special) {
        return;
    }
    let mut safe = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if special(c) {
            // Writing to a string cannot fail. All of them are in the basic plane: one unit each.
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    out.truncate(from);
    out.extend_from_slice(safe.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cleans whole, and at every two-way split.
    fn check(dirty: &str, want: &str) {
        assert_eq!(block(dirty), want, "{dirty:?}");
        for at in (0..=dirty.len()).filter(|at| dirty.is_char_boundary(*at)) {
            let mut out = String::new();
            let mut cleaner = Cleaner::default();
            cleaner.push(&dirty[..at], &mut out);
            cleaner.push(&dirty[at..], &mut out);
            assert_eq!(out, want, "{dirty:?} cut at {at}");
        }
    }

    #[test]
    fn plain_text_stays() {
        check("", "");
        check("a\tb\nc d é 漢 🙂\n", "a\tb\nc d é 漢 🙂\n");
    }

    #[test]
    fn sequences_go_as_a_whole() {
        check("a\x1b[31mred\x1b[0mz", "aredz");
        check("a\x1b[2J\x1b[1;1Hz", "az");
        check("a\x1b]0;title\x07z", "az");
        check("a\x1b]52;c;ZXZpbA==\x1b\\z", "az");
        check("a\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\z", "alinkz");
        check("a\x1bPq#0;1\x1b\\z", "az");
        check("a\x1b(Bz\x1b7\x1b=", "az");
        check("a\u{9b}31mz", "az");
        check("a\u{9d}0;t\u{9c}z", "az");
    }

    #[test]
    fn a_broken_sequence_hides_no_more_than_its_line() {
        check("a\x1b]0;never ended\nb", "a\nb");
        check("a\x1b[12\nb", "a\nb");
        check("a\x1b\x1b[1mb", "ab");
        check("a\x1b", "a");
        check("a\x1b]0;t\x1b[1mb", "ab");
        check("a\x1bé", "aé");
    }

    #[test]
    fn lone_controls_are_shown_by_name() {
        check("a\0\x07\x08\x7fz", "a\u{2400}\u{2407}\u{2408}\u{2421}z");
        check("a\u{85}\u{8d}z", "a\u{fffd}\u{fffd}z");
        check("a\u{202e}b\u{2066}c", "a<U+202E>b<U+2066>c");
    }

    #[test]
    fn carriage_returns_end_lines() {
        check("a\r\nb\rc\r\r\nd\r", "a\nb\nc\nd");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_ever_left() {
        for code in 0..=0x10_ffff {
            let Some(c) = char::from_u32(code) else { continue };
            for dirty in [format!("{c}"), format!("\x1b{c}m"), format!("\x1b[{c}"), format!("\x1b]{c}x")] {
                assert!(!block(&dirty).contains(|c| special(c) || c == '\x1b'), "{dirty:?}");
            }
        }
    }

    #[test]
    fn json_keeps_its_value() {
        let mut out = b"before\x7f".to_vec();
        let from = out.len();
        out.extend_from_slice("{\"a\":\"x\u{9b}2J\x7f\u{202e}\u{e9}\"}\n".as_bytes());
        json(&mut out, from);
        assert_eq!(String::from_utf8_lossy(&out), "before\x7f{\"a\":\"x\\u009b2J\\u007f\\u202eé\"}\n");
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(line("a\n\n  b\tc", 80), "a b c");
        assert_eq!(line("abcdef", 3), "abc…");
        assert_eq!(line("abc", 3), "abc");
        assert_eq!(line("ab\x1b[31mcd", 80), "abcd");
        assert_eq!(line("", 3), "");
    }
}
