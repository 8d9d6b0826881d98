//! The arguments of one program: which are options, which belong to options, and which stand for themselves.

use super::lex::Word;
use super::table::{Alternatives, ProgramSpec};
use alloc::vec::Vec;

/// Arguments, sorted.
#[derive(Default)]
pub(super) struct Arguments<'w> {
    options: Vec<Given<'w>>,
    pub(super) arguments: Vec<&'w Word>,
    /// Where the arguments begin in the words.
    pub(super) first: Option<usize>,
}

struct Given<'w> {
    name: Name<'w>,
    value: Option<&'w Word>,
    /// The value, where it is a part of the word.
    glued: Option<&'w str>,
}

#[derive(Clone, Copy, PartialEq)]
enum Name<'w> {
    Word(&'w str),
    Letter(char),
}

impl<'w> Arguments<'w> {
    /// Sorts the words behind a program's name; nothing where its own words are others. `stop` ends the options at the first
    /// argument: what follows is another command's.
    pub(super) fn sort(
        words: &'w [Word],
        own: &[Alternatives],
        values: &[&[alloc::string::String]],
        program: Option<&ProgramSpec>,
        stop: Option<usize>,
    ) -> Option<Arguments<'w>> {
        let takes = |name: &str| values.iter().any(|values| values.iter().any(|value| value == name));
        let letters = !program.is_some_and(|program| program.single_dash);
        let mut sorted = Arguments::default();
        let mut wanted = own.iter();
        let (mut at, mut ended) = (0, false);
        while let Some(word) = words.get(at) {
            at += 1;
            let text = &*word.text;
            if ended || !text.starts_with('-') || text == "-" {
                if let Some(any) = wanted.next() {
                    any.0.iter().find(|known| ***known == *text)?;
                } else {
                    sorted.first.get_or_insert(at - 1);
                    sorted.arguments.push(word);
                    if stop.is_some_and(|stop| sorted.arguments.len() > stop) {
                        sorted.first = Some(at - 1);
                        return Some(sorted);
                    }
                }
                continue;
            }
            if text == "--" {
                ended = true;
                continue;
            }
            let (name, glued) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            let mut given = Given { name: Name::Word(name), value: None, glued };
            if glued.is_none() && takes(name) {
                given.value = words.get(at);
                at += usize::from(given.value.is_some());
            } else if letters && !text.starts_with("--") && text.len() > 2 {
                // A row of letters, the last of which may be followed by its value.
                for (n, letter) in text.char_indices().skip(1) {
                    let mut one = [b'-', 0, 0, 0, 0];
                    let length = letter.encode_utf8(&mut one[1..]).len();
                    let takes = core::str::from_utf8(&one[..=length]).is_ok_and(takes);
                    let rest = text.get(n + letter.len_utf8()..).unwrap_or_default();
                    let mut given = Given { name: Name::Letter(letter), value: None, glued: None };
                    if takes && rest.is_empty() {
                        given.value = words.get(at);
                        at += usize::from(given.value.is_some());
                    } else if takes {
                        given.glued = Some(rest.strip_prefix('=').unwrap_or(rest));
                    }
                    sorted.options.push(given);
                    if takes || !letter.is_ascii_alphanumeric() {
                        break;
                    }
                }
            }
            sorted.options.push(given);
        }
        wanted.next().is_none().then_some(sorted)
    }

    /// Whether one of these options was given; `--name=value` asks for the value too.
    pub(super) fn has(&self, any: &Alternatives) -> bool {
        any.0.iter().any(|wanted| match wanted.split_once('=') {
            Some((name, value)) => {
                self.given(name).any(|given| given.said().is_some_and(|said| said.eq_ignore_ascii_case(value)))
            }
            None => self.given(wanted).any(|given| !given.denies()),
        })
    }

    /// Whether this very word was given as an option.
    pub(super) fn has_word(&self, wanted: &str) -> bool {
        self.options.iter().any(|given| given.name == Name::Word(wanted) && given.value.is_none() && !given.denies())
    }

    /// The value of the first of these options that has one.
    pub(super) fn value(&self, any: &Alternatives) -> Option<&'w str> {
        let mut all = any.0.iter().flat_map(|name| self.given(name));
        all.find_map(|given| given.said())
    }

    fn given(&self, name: &str) -> impl Iterator<Item = &Given<'w>> {
        let mut letters = name.strip_prefix('-').unwrap_or_default().chars();
        let letter = letters.next().filter(|letter| letters.next().is_none() && *letter != '-');
        self.options.iter().filter(move |given| match given.name {
            Name::Word(said) => said == name,
            Name::Letter(said) => Some(said) == letter,
        })
    }
}

impl<'w> Given<'w> {
    fn said(&self) -> Option<&'w str> {
        self.value.map(|word| &*word.text).or(self.glued)
    }

    /// `--dry-run=false` is no dry run.
    fn denies(&self) -> bool {
        self.glued.is_some_and(|value| matches!(value, "false" | "none" | "no" | "0"))
    }
}
