//! Whether an answer has been read already: it usually repeats texts that were shown, alone or joined.
//!
//! Of all that the main agent said a rolling hash is kept, blanks left out, with a mark where each text begins. An
//! answer was shown when it is what stands between two marks.

use std::collections::VecDeque;

/// Marks kept; the beginning of all is never forgotten.
const MARKS: usize = 256;

/// The texts of the main agent as they were shown.
#[derive(Debug, Default)]
pub(super) struct Spoken {
    now: Print,
    marks: VecDeque<Print>,
}

impl Spoken {
    /// A text begins.
    pub(super) fn begin(&mut self) {
        if self.marks.back() != Some(&self.now) {
            self.marks.push_back(self.now);
            if self.marks.len() > MARKS {
                self.marks.pop_front();
            }
        }
    }

    /// The text goes on.
    pub(super) fn push(&mut self, text: &str) {
        self.now = self.now.with(text);
    }

    /// A text was taken back: what was said so far proves nothing of an answer any more.
    pub(super) fn forget(&mut self) {
        *self = Spoken::default();
    }

    /// True when this was shown, blanks apart.
    pub(super) fn holds(&self, answer: &str) -> bool {
        let answer = Print::default().with(answer);
        let ends = || std::iter::once(&self.now).chain(&self.marks);
        std::iter::once(&Print::default()).chain(&self.marks).any(|begin| ends().any(|end| begin.then(answer) == *end))
    }
}

/// Length and polynomial hash of a text without its blanks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Print {
    len: u64,
    hash: u64,
    /// The base to the power of the length.
    power: Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Power(u64);

impl Default for Power {
    fn default() -> Self {
        Power(1)
    }
}

/// Odd, so that its powers never vanish.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

impl Print {
    fn with(mut self, text: &str) -> Self {
        for byte in text.split_whitespace().flat_map(str::bytes) {
            self.len += 1;
            self.hash = self.hash.wrapping_mul(BASE).wrapping_add(u64::from(byte) + 1);
            self.power = Power(self.power.0.wrapping_mul(BASE));
        }
        self
    }

    /// The print of this text with the other behind it.
    fn then(self, other: Print) -> Print {
        Print {
            len: self.len + other.len,
            hash: self.hash.wrapping_mul(other.power.0).wrapping_add(other.hash),
            power: Power(self.power.0.wrapping_mul(other.power.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(texts: &[&[&str]]) -> Spoken {
        let mut spoken = Spoken::default();
        for text in texts {
            spoken.begin();
            for piece in *text {
                spoken.push(piece);
            }
        }
        spoken
    }

    #[test]
    fn any_run_of_whole_texts_was_shown() {
        let spoken = spoken(&[&["first"], &["sec", "ond\n"], &["third"]]);
        for answer in ["first", "second", "third", "second\nthird", "first second third", "firstsecond"] {
            assert!(spoken.holds(answer), "{answer}");
        }
        for answer in ["fir", "thirdfirst", "first third", "econd", "other"] {
            assert!(!spoken.holds(answer), "{answer}");
        }
    }

    #[test]
    fn what_was_forgotten_was_not_shown() {
        let mut spoken = spoken(&[&["void"]]);
        spoken.forget();
        assert!(!spoken.holds("void"));
        spoken.begin();
        spoken.push("good");
        assert!(spoken.holds("good") && !spoken.holds("voidgood"));
    }

    #[test]
    fn thousands_of_lines_joined_were_shown() {
        let lines: Vec<String> = (0..5000).map(|n| format!("line {n}\n")).collect();
        let mut spoken = Spoken::default();
        for line in &lines {
            spoken.begin();
            spoken.push(line);
        }
        assert!(spoken.holds(&lines.concat()));
        assert!(!spoken.holds(&lines[1..].concat().replace("4999", "5000")));
    }
}
