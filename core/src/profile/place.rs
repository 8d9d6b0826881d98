//! Lines and columns of a file's text.

use core::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Place {
    pub(crate) fn new(line: usize, column: usize) -> Self {
        Place { line, column }
    }

    /// The place of a byte of the text.
    pub(crate) fn of(text: &str, at: usize) -> Self {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = text.get(..at).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = before.get(start..).unwrap_or_default().chars().count() + 1;
        Place { line: before.matches('\n').count() + 1, column }
    }
}
