//! Each text once: pieces are shown as they come, the whole that closes them only where it says more.
//!
//! Of a text that was shown only its length, a hash and its first words are kept, so that a stream of deltas without end
//! costs nothing.

use super::clean;
use super::recent::Recent;
use std::hash::{DefaultHasher, Hash, Hasher};
use turnline::Part;

/// Texts remembered; the oldest are forgotten (their whole, if it ever came, would be shown again).
const REMEMBERED: usize = 1024;
/// Bytes kept of a text's beginning.
const BEGINNING: usize = 240;
/// Characters by which a text is quoted.
const QUOTED: usize = 60;

/// What is still to be shown of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    /// It stands there already.
    Nothing,
    /// From this byte on; what is before it stands there already.
    From(usize),
    /// All of it, and what was shown before does not hold any more.
    Instead,
}

/// A text that was taken back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Withdrawn {
    /// Nothing is known of it, or no more.
    Unknown,
    /// Nothing of it was ever to be seen.
    Unseen,
    /// It was shown; its first words, clean.
    Shown(String),
}

/// Which text it is: the hash of all that tells it from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TextKey {
    hash: u64,
    /// False where the executor gave no message id: then a whole text is always a new one.
    named: bool,
}

impl TextKey {
    pub(super) fn new(lane: &str, kind: u8, message_id: Option<&str>, part: Option<&Part<'_>>) -> Self {
        let mut hasher = DefaultHasher::new();
        (lane, kind, message_id).hash(&mut hasher);
        match part {
            Some(Part::Index(index)) => (1_u8, *index).hash(&mut hasher),
            Some(Part::Id(id)) => (2_u8, &*id.decode()).hash(&mut hasher),
            _ => 0_u8.hash(&mut hasher),
        }
        TextKey { hash: hasher.finish(), named: message_id.is_some() }
    }
}

/// What was shown so far, by text.
#[derive(Debug)]
pub(super) struct Texts {
    shown: Recent<TextKey, Seen>,
}

impl Texts {
    pub(super) fn new() -> Self {
        Texts { shown: Recent::new(REMEMBERED) }
    }

    /// A piece: shown in full.
    pub(super) fn piece(&mut self, key: TextKey, text: &str) {
        match self.shown.get_mut(&key) {
            Some(seen) => seen.extend(text),
            None => self.shown.insert(key, Seen::of(text)),
        }
    }

    /// A whole text.
    pub(super) fn whole(&mut self, key: TextKey, text: &str) -> Show {
        let whole = Seen::of(text);
        let show = match self.shown.get(&key) {
            // A text without a name is over when its whole has come.
            Some(seen) if key.named || !seen.over => seen.compare(&whole, text),
            _ => Show::From(0),
        };
        self.shown.insert(key, Seen { over: true, ..whole });
        show
    }

    /// A text is void: what may yet come under its key is shown in full.
    pub(super) fn withdraw(&mut self, key: TextKey) -> Withdrawn {
        let Some(seen) = self.shown.get_mut(&key) else { return Withdrawn::Unknown };
        let seen = std::mem::replace(seen, Seen { over: true, ..Seen::of("") });
        if seen.trimmed_len == 0 { Withdrawn::Unseen } else { Withdrawn::Shown(seen.quote()) }
    }
}

/// Length and hash of a text, and of the same without the blanks at its end.
#[derive(Clone, Debug)]
struct Seen {
    beginning: String,
    len: usize,
    hash: u64,
    trimmed_len: usize,
    trimmed_hash: u64,
    over: bool,
}

impl Seen {
    fn of(text: &str) -> Self {
        let mut seen = Seen {
            beginning: String::new(),
            len: 0,
            hash: FNV_BASIS,
            trimmed_len: 0,
            trimmed_hash: FNV_BASIS,
            over: false,
        };
        seen.extend(text);
        seen
    }

    fn extend(&mut self, text: &str) {
        if self.beginning.len() == self.len {
            let room = BEGINNING.saturating_sub(self.len).min(text.len());
            let end = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            self.beginning.push_str(text.get(..end).unwrap_or_default());
        }
        let trimmed = text.trim_end();
        let hash = fnv(self.hash, trimmed);
        if !trimmed.is_empty() {
            self.trimmed_len = self.len + trimmed.len();
            self.trimmed_hash = hash;
        }
        self.hash = fnv(hash, text.get(trimmed.len()..).unwrap_or_default());
        self.len += text.len();
        self.over = false;
    }

    /// The first words, as a line.
    fn quote(&self) -> String {
        let mut quote = clean::line(&self.beginning, QUOTED);
        if self.beginning.len() < self.trimmed_len && !quote.ends_with('…') {
            quote.push('…');
        }
        quote
    }

    fn compare(&self, whole: &Seen, text: &str) -> Show {
        if self.trimmed_len == whole.trimmed_len && self.trimmed_hash == whole.trimmed_hash {
            return Show::Nothing;
        }
        match text.get(..self.len) {
            Some(begin) if fnv(FNV_BASIS, begin) == self.hash => Show::From(self.len),
            _ => Show::Instead,
        }
    }
}

const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: it does not matter in what pieces a text is hashed.
fn fnv(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(message: Option<&str>) -> TextKey {
        TextKey::new("", 0, message, Some(&Part::Index(0)))
    }

    fn after(pieces: &[&str], message: Option<&str>, whole: &str) -> Show {
        let mut texts = Texts::new();
        for piece in pieces {
            texts.piece(key(message), piece);
        }
        texts.whole(key(message), whole)
    }

    #[test]
    fn a_whole_adds_only_what_the_pieces_lack() {
        for message in [Some("m"), None] {
            assert_eq!(after(&[], message, "hello"), Show::From(0));
            assert_eq!(after(&["hel", "lo"], message, "hello"), Show::Nothing);
            assert_eq!(after(&["hel", "lo \n"], message, "hello"), Show::Nothing);
            assert_eq!(after(&["hel", "lo"], message, "hello\n"), Show::Nothing);
            assert_eq!(after(&["hé"], message, "hél"), Show::From(3));
            assert_eq!(after(&["hel", "lo"], message, "help"), Show::Instead);
            assert_eq!(after(&["hello"], message, "hel"), Show::Instead);
            assert_eq!(after(&["é"], message, "è!"), Show::Instead);
            assert_eq!(after(&["a", "  "], message, "a  b"), Show::From(3));
        }
    }

    #[test]
    fn the_same_whole_again_is_old_where_it_has_a_name() {
        let mut texts = Texts::new();
        assert_eq!(texts.whole(key(Some("m")), "hello"), Show::From(0));
        assert_eq!(texts.whole(key(Some("m")), "hello"), Show::Nothing);
        assert_eq!(texts.whole(key(Some("m")), "hello you"), Show::From(5));
        assert_eq!(texts.whole(key(None), "hello"), Show::From(0));
        assert_eq!(texts.whole(key(None), "hello"), Show::From(0));
    }

    #[test]
    fn a_text_taken_back_is_quoted_and_forgotten() {
        let long = "é".repeat(BEGINNING);
        let table: &[(&[&str], &str, Withdrawn)] = &[
            (&["hel", "lo\nyou"], "", Withdrawn::Shown("hello you".into())),
            (&["hel"], "hello", Withdrawn::Shown("hello".into())),
            (&["a", &long, "b"], "", Withdrawn::Shown(format!("a{}…", "é".repeat(QUOTED - 1)))),
            (&["\u{1b}]0;", "t\u{7}a"], "", Withdrawn::Shown("a".into())),
            (&["a\u{1b}]0;", &long, "\u{7}b"], "", Withdrawn::Shown("a…".into())),
            (&[" \n"], "", Withdrawn::Unseen),
        ];
        for (pieces, whole, want) in table {
            for message in [Some("m"), None] {
                let mut texts = Texts::new();
                pieces.iter().for_each(|piece| texts.piece(key(message), piece));
                if !whole.is_empty() {
                    texts.whole(key(message), whole);
                }
                assert_eq!(texts.withdraw(key(message)), *want, "{pieces:?}");
                assert_eq!(texts.withdraw(key(message)), Withdrawn::Unseen, "it is void already");
                assert_eq!(texts.whole(key(message), "hello"), Show::From(0), "{pieces:?}");
            }
        }
        assert_eq!(Texts::new().withdraw(key(Some("m"))), Withdrawn::Unknown);
    }

    #[test]
    fn texts_are_told_apart_by_all_of_their_key() {
        let mut texts = Texts::new();
        let keys = [
            TextKey::new("", 0, Some("m"), None),
            TextKey::new("a", 0, Some("m"), None),
            TextKey::new("", 1, Some("m"), None),
            TextKey::new("", 0, Some("n"), None),
            TextKey::new("", 0, Some("m"), Some(&Part::Index(0))),
            TextKey::new("", 0, Some("m"), Some(&Part::Index(1))),
        ];
        for key in keys {
            assert_eq!(texts.whole(key, "same"), Show::From(0), "{key:?}");
        }
    }
}
