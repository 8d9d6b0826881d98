//! Patterns over whole messages: `*` is anything, `#` is digits, `{name}` is digits that are kept.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    parts: Vec<Part>,
    fold_case: bool,
    /// Bytes of the shortest text that it may match: most patterns are longer than most short messages.
    least: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Box<str>),
    Any,
    Digits(Option<Capture>),
}

impl Part {
    /// Bytes that it takes at least.
    fn least(&self) -> usize {
        match self {
            Part::Text(text) => text.len(),
            Part::Any => 0,
            Part::Digits(_) => 1,
        }
    }
}

/// What a pattern keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    Attempt,
    Max,
    DelayMs,
}

/// The numbers that a match kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Captures {
    pub(crate) attempt: Option<u64>,
    pub(crate) max: Option<u64>,
    pub(crate) delay_ms: Option<u64>,
}

/// Patterns of which the first that matches counts.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    seen: BTreeSet<String>,
    fold_case: bool,
}

impl Taken {
    pub(crate) fn new(fold_case: bool) -> Self {
        Taken { seen: BTreeSet::new(), fold_case }
    }

    fn key(&self, text: &str) -> String {
        let mut key = if self.fold_case { text.to_lowercase() } else { text.to_string() };
        while key.contains("**") {
            key = key.replace("**", "*");
        }
        key
    }

    /// Whether one of them takes all that this one matches: the same one, or a bare `*`.
    pub(crate) fn takes(&self, text: &str) -> bool {
        self.seen.contains("*") || self.seen.contains(&self.key(text))
    }

    /// Whether the ones before it take it; it counts from now on.
    pub(crate) fn add(&mut self, text: &str) -> bool {
        let taken = self.takes(text);
        self.seen.insert(self.key(text));
        taken
    }
}

impl Pattern {
    pub(crate) fn new(text: &str, fold_case: bool) -> Result<Pattern, &'static str> {
        if text.is_empty() {
            return Err("the pattern is empty");
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let taken = match first {
                '*' => {
                    if parts.last() != Some(&Part::Any) {
                        parts.push(Part::Any);
                    }
                    1
                }
                '#' => {
                    parts.push(Part::Digits(None));
                    1
                }
                '{' => {
                    let end = rest.find('}').ok_or("a `{` has no `}`")?;
                    let capture = match &rest[1..end] {
                        "attempt" => Capture::Attempt,
                        "max" => Capture::Max,
                        "delay_ms" => Capture::DelayMs,
                        _ => return Err("a pattern keeps `{attempt}`, `{max}` or `{delay_ms}`"),
                    };
                    parts.push(Part::Digits(Some(capture)));
                    end + 1
                }
                _ => {
                    let end = rest.find(['*', '#', '{']).unwrap_or(rest.len());
                    let text = if fold_case { rest[..end].to_lowercase() } else { rest[..end].into() };
                    parts.push(Part::Text(text.into()));
                    end
                }
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
        let least = parts.iter().map(Part::least).sum();
        Ok(Pattern { parts, fold_case, least })
    }

    pub(crate) fn keeps_attempt(&self) -> bool {
        self.parts.contains(&Part::Digits(Some(Capture::Attempt)))
    }

    /// Matches the whole text. After a `*` only the newest one is tried again, as in every glob, and only where what
    /// follows it can begin: a text of sixteen thousand letters is gone through once per part, not once per letter.
    pub(crate) fn captures(&self, text: &str) -> Option<Captures> {
        if self.fold_case {
            return self.run(&text.to_lowercase());
        }
        self.run(text)
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.captures(text).is_some()
    }

    /// [`matches`](Pattern::matches) of a pattern that folds case, for a text that is folded already.
    pub(crate) fn matches_folded(&self, folded: &str) -> bool {
        self.run(folded).is_some()
    }

    fn run(&self, text: &str) -> Option<Captures> {
        if text.len() < self.least {
            return None;
        }
        let mut captures = Captures::default();
        let (mut part, mut at) = (0, 0);
        // The part behind the newest `*`, where it was tried last, and what was kept before.
        let mut again: Option<(usize, usize, Captures)> = None;
        let mut run = 0..0;
        loop {
            let rest = text.get(at..)?;
            let step = match self.parts.get(part) {
                Some(Part::Any) => {
                    part += 1;
                    at = self.place(part, text, at)?;
                    again = Some((part, at, captures));
                    continue;
                }
                Some(Part::Text(want)) => rest.starts_with(&**want).then_some(want.len()),
                Some(Part::Digits(capture)) => {
                    if !run.contains(&at) {
                        run = at..at + rest.bytes().take_while(u8::is_ascii_digit).count();
                    }
                    let value = text.get(at..run.end).and_then(|digits| digits.parse().ok());
                    match capture {
                        Some(Capture::Attempt) => captures.attempt = value,
                        Some(Capture::Max) => captures.max = value,
                        Some(Capture::DelayMs) => captures.delay_ms = value,
                        None => {}
                    }
                    (at < run.end).then(|| run.end - at)
                }
                None if rest.is_empty() => return Some(captures),
                None => None,
            };
            match (step, &mut again) {
                (Some(len), _) => {
                    at += len;
                    part += 1;
                }
                (None, Some((behind, from, kept))) => {
                    // Digits are taken whole: what failed behind them fails for each of their ends.
                    let beyond = match self.parts.get(*behind)? {
                        Part::Digits(_) => text.get(*from..)?.bytes().take_while(u8::is_ascii_digit).count(),
                        _ => text.get(*from..)?.chars().next()?.len_utf8(),
                    };
                    *from = self.place(*behind, text, *from + beyond)?;
                    (part, at, captures) = (*behind, *from, *kept);
                }
                (None, None) => return None,
            }
        }
    }

    /// The first place from `from` on where a part can begin.
    fn place(&self, part: usize, text: &str, from: usize) -> Option<usize> {
        let rest = text.as_bytes().get(from..)?;
        let skipped = match self.parts.get(part) {
            None => rest.len(),
            Some(Part::Any) => 0,
            Some(Part::Text(want)) => memchr::memmem::find(rest, want.as_bytes())?,
            Some(Part::Digits(_)) => rest.iter().position(u8::is_ascii_digit)?,
        };
        Some(from + skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let table = [
            ("Reconnecting... #/#", "Reconnecting... 2/5", true),
            ("Reconnecting... #/#", "Reconnecting... 2/5 (timeout)", false),
            ("Reconnecting... #/#*", "Reconnecting... 2/5 (timeout)", true),
            ("Reconnecting... #/#*", "we were Reconnecting... 2/5", false),
            ("*; retrying #/# in #ms…", "stream error: a; b; retrying 1/2 in 184ms…", true),
            ("*; retrying #/# in #ms…", "stream error: a; retrying x/2 in 184ms…", false),
            ("a*b*c", "abcabc", true),
            ("a*b*c", "abcab", false),
            ("*", "", true),
            ("*é*", "caf\u{e9}s", true),
            ("#", "", false),
            ("x", "xx", false),
            ("*#ms*", "1 12ms", true),
            ("*#ms", "1ms 12s", false),
            ("*1#x", "1112x", true),
            ("*#", "a1", true),
            ("*#", "a1b", false),
            ("*b*b", "ab", false),
            ("*ab", "aab ab", true),
            ("*ab", "ab a", false),
            ("*é#*é", "éé1é", true),
        ];
        for (pattern, text, want) in table {
            assert_eq!(Pattern::new(pattern, false).unwrap().matches(text), want, "{pattern} on {text}");
        }
    }

    /// Each took the square of the text's length, or would in a pattern that tries every letter.
    #[test]
    fn a_long_text_is_gone_through_once() {
        let digits = "1".repeat(1 << 20);
        let words = "retry 1 ".repeat(1 << 17);
        for (pattern, text) in
            [("*#x", &digits), ("*1#x", &digits), ("*#*#x", &digits), ("*retry #!", &words), ("*a*#*!", &words)]
        {
            assert!(!Pattern::new(pattern, false).unwrap().matches(text), "{pattern}");
        }
    }

    #[test]
    fn captures() {
        let pattern = Pattern::new("*; retrying {attempt}/{max} in {delay_ms}ms…", false).unwrap();
        let kept = pattern.captures("stream error: x; retrying 1/2 in 184ms…").unwrap();
        assert_eq!((kept.attempt, kept.max, kept.delay_ms), (Some(1), Some(2), Some(184)));
        let huge = pattern.captures("x; retrying 99999999999999999999999/2 in 1ms…").unwrap();
        assert_eq!(huge.attempt, None);
    }

    #[test]
    fn case_is_folded_on_request() {
        assert!(Pattern::new("*Rate Limit*", true).unwrap().matches("RATE limit reached"));
        assert!(!Pattern::new("*Rate Limit*", false).unwrap().matches("RATE limit reached"));
    }

    #[test]
    fn bad_patterns() {
        for bad in ["", "{", "{x}", "a{attempt"] {
            assert!(Pattern::new(bad, false).is_err(), "{bad}");
        }
    }
}
