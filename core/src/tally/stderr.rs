//! Standard error: always read, never a protocol; its first and last bytes are kept.

use crate::envelope::StderrSummary;
use crate::limits::Limits;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

/// What is kept of standard error.
#[derive(Debug)]
pub(crate) struct Stderr {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_bound: usize,
    tail_bound: usize,
    lines: u64,
    ends_in_line: bool,
    bytes: u64,
}

impl Stderr {
    pub(crate) fn new(limits: &Limits) -> Self {
        Stderr {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_bound: limits.stderr_head,
            tail_bound: limits.stderr_tail,
            lines: 0,
            ends_in_line: false,
            bytes: 0,
        }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let Some(last) = chunk.last() else { return };
        self.bytes += chunk.len() as u64;
        self.lines += memchr::memchr_iter(b'\n', chunk).count() as u64;
        self.ends_in_line = *last != b'\n';
        let to_head = chunk.len().min(self.head_bound - self.head.len().min(self.head_bound));
        let (head, rest) = chunk.split_at(to_head);
        self.head.extend_from_slice(head);
        let kept = &rest[rest.len().saturating_sub(self.tail_bound)..];
        let over = (self.tail.len() + kept.len()).saturating_sub(self.tail_bound);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend(kept);
    }

    /// All that is kept, the end of it last: what a reason is looked for in.
    pub(crate) fn kept(&self) -> String {
        let mut bytes = self.head.clone();
        bytes.extend(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// True when the head and the tail do not hold all of it.
    pub(crate) fn was_cut(&self) -> bool {
        self.bytes > (self.head.len() + self.tail.len()) as u64
    }

    pub(crate) fn summary(&self) -> StderrSummary {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        StderrSummary {
            head: String::from_utf8_lossy(&self.head).into_owned(),
            tail: String::from_utf8_lossy(&tail).into_owned(),
            lines: self.lines + u64::from(self.ends_in_line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_tail_are_kept_whatever_the_chunks() {
        let limits = Limits { stderr_head: 4, stderr_tail: 3, ..Limits::default() };
        for size in [1, 2, 3, 5, 100] {
            let mut stderr = Stderr::new(&limits);
            for chunk in b"abcdefghij\nkl".chunks(size) {
                stderr.push(chunk);
            }
            let summary = stderr.summary();
            assert_eq!((&*summary.head, &*summary.tail, summary.lines), ("abcd", "\nkl", 2), "chunks of {size}");
        }
    }

    #[test]
    fn a_short_one_is_all_in_the_head() {
        let mut stderr = Stderr::new(&Limits::default());
        stderr.push(b"oops\n");
        assert_eq!((&*stderr.summary().head, &*stderr.summary().tail), ("oops\n", ""));
        assert_eq!(stderr.kept(), "oops\n");
    }
}
