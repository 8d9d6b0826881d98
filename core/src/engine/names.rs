//! The types of records that came before: the usual record costs a comparison, not a copy and a check.

use crate::pending::Span;

/// Where the names are, in the first bytes of the engine's scratch space.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: [Span; PLACES],
    /// Behind the last one.
    end: usize,
}

/// Types that are remembered; a CLI prints about twenty.
const PLACES: usize = 32;
/// Bytes of all of them.
const ROOM: usize = 2048;

impl Names {
    /// How many bytes of the scratch space are theirs.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// The name made of these parts, joined with `/`, if it is known.
    #[inline]
    pub(super) fn find(&self, scratch: &[u8], first: &[u8], second: &[u8]) -> Option<Span> {
        // No name has no first part; and to compare nothing is slow on some machines.
        if first.is_empty() {
            return None;
        }
        let span = *self.known.get(place(first, second))?;
        let name = scratch.get(span.range())?;
        let rest = name.strip_prefix(first)?;
        let same = match rest.split_first() {
            Some((slash, rest)) => *slash == b'/' && rest == second && !second.is_empty(),
            None => second.is_empty(),
        };
        same.then_some(span)
    }

    /// Remembers a name that was just written at the end of the scratch space, if there is room.
    pub(super) fn keep(&mut self, span: Span, first: &[u8], second: &[u8]) {
        let (start, end) = (span.start as usize, span.end as usize);
        if start == self.end
            && end <= ROOM
            && let Some(known) = self.known.get_mut(place(first, second))
        {
            *known = span;
            self.end = end;
        }
    }
}

fn place(first: &[u8], second: &[u8]) -> usize {
    let last = |part: &[u8]| part.last().map_or(0, |byte| usize::from(*byte));
    (first.len() + last(first) + 5 * second.len() + 3 * last(second)) % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn add(names: &mut Names, scratch: &mut Vec<u8>, first: &str, second: &str) -> Span {
        let start = scratch.len() as u32;
        scratch.extend_from_slice(first.as_bytes());
        if !second.is_empty() {
            scratch.push(b'/');
            scratch.extend_from_slice(second.as_bytes());
        }
        let span = Span { start, end: scratch.len() as u32 };
        names.keep(span, first.as_bytes(), second.as_bytes());
        span
    }

    #[test]
    fn only_the_same_parts_are_found() {
        let (mut names, mut scratch) = (Names::default(), Vec::new());
        let both = add(&mut names, &mut scratch, "system", "init");
        let one = add(&mut names, &mut scratch, "result", "");
        let find = |first: &str, second: &str| names.find(&scratch, first.as_bytes(), second.as_bytes());
        assert_eq!(find("system", "init"), Some(both));
        assert_eq!(find("result", ""), Some(one));
        for (first, second) in [("system", ""), ("system", "inis"), ("systemx", "nit"), ("", ""), ("", "result")] {
            assert_eq!(find(first, second), None, "{first} {second}");
        }
    }

    #[test]
    fn what_stands_behind_something_else_is_not_kept() {
        let (mut names, mut scratch) = (Names::default(), b"x".to_vec());
        add(&mut names, &mut scratch, "a", "");
        assert_eq!((names.end(), names.find(&scratch, b"a", b"")), (0, None));
    }
}
