//! Patterns over whole messages, tried letter by letter.

use std::collections::HashSet;

/// The numbers that a match keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Kept {
    pub(super) attempt: Option<u64>,
    pub(super) max: Option<u64>,
    pub(super) delay_ms: Option<u64>,
}

/// Whether a pattern keeps the number of a try.
pub(super) fn keeps_attempt(pattern: &str) -> bool {
    pattern.contains("{attempt}")
}

/// Matches the whole text: `*` is anything, `#` a run of digits, `{name}` one that is kept.
pub(super) fn captures(pattern: &str, text: &str, fold_case: bool) -> Option<Kept> {
    let (pattern, text) = match fold_case {
        true => (pattern.to_lowercase(), text.to_lowercase()),
        false => (pattern.to_owned(), text.to_owned()),
    };
    attempt(&pattern, &text, Kept::default(), &mut HashSet::new())
}

pub(super) fn matches(pattern: &str, text: &str, fold_case: bool) -> bool {
    captures(pattern, text, fold_case).is_some()
}

/// `failed` remembers what was tried in vain, by what was left of both.
fn attempt(pattern: &str, text: &str, kept: Kept, failed: &mut HashSet<(usize, usize)>) -> Option<Kept> {
    if failed.contains(&(pattern.len(), text.len())) {
        return None;
    }
    let found = step(pattern, text, kept, failed);
    if found.is_none() {
        failed.insert((pattern.len(), text.len()));
    }
    found
}

fn step(pattern: &str, text: &str, mut kept: Kept, failed: &mut HashSet<(usize, usize)>) -> Option<Kept> {
    let Some(first) = pattern.chars().next() else { return text.is_empty().then_some(kept) };
    if first == '*' {
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        return ends.into_iter().find_map(|at| attempt(&pattern[1..], &text[at..], kept, failed));
    }
    if first != '#' && first != '{' {
        // All letters up to the next sign at once, so that nothing goes deep.
        let end = pattern.find(['*', '#', '{']).unwrap_or(pattern.len());
        return attempt(&pattern[end..], text.strip_prefix(&pattern[..end])?, kept, failed);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return None;
    }
    let value = text[..digits].parse().ok();
    let end = if first == '#' { 1 } else { pattern.find('}')? + 1 };
    match &pattern[..end] {
        "{attempt}" => kept.attempt = value,
        "{max}" => kept.max = value,
        "{delay_ms}" => kept.delay_ms = value,
        _ => {}
    }
    attempt(&pattern[end..], &text[digits..], kept, failed)
}
