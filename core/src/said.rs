//! The last texts by the record that told them, for an executor that takes texts back.

use crate::hash::hash;
use crate::tally::answer::Key;
use alloc::collections::VecDeque;
use core::ops::Range;

/// A text that may be withdrawn: all that is needed to say so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    /// Hash of the record's id.
    record: u64,
    /// Where its words begin in all that was ever kept.
    start: u64,
    /// How long the message's id is, then the part's, the agent's, and the call's that started that one.
    lengths: [u16; 4],
    /// The number of the part, where it has one.
    pub(crate) part: Option<u64>,
    pub(crate) reasoning: bool,
    /// Where it counts for the answer.
    pub(crate) key: Option<Key>,
}

/// A bounded number of texts; the oldest is forgotten. Nothing is allocated once it has been full.
#[derive(Debug)]
pub(crate) struct Sayings {
    all: VecDeque<Said>,
    words: VecDeque<u8>,
    /// Bytes that were forgotten.
    gone: u64,
    bound: usize,
}

/// Room for the ids of as many texts as are usual.
const ROOM: usize = 16 << 10;

impl Sayings {
    pub(crate) fn new(bound: usize) -> Self {
        Sayings { all: VecDeque::new(), words: VecDeque::new(), gone: 0, bound }
    }

    /// Keeps a text of the record with this id. `ids`: of the message, the part, the agent and the call that started it.
    pub(crate) fn keep(&mut self, record: u64, ids: [&[u8]; 4], part: Option<u64>, reasoning: bool, key: Option<Key>) {
        if self.bound == 0 {
            return;
        }
        if self.all.capacity() == 0 {
            self.all.reserve(self.bound.min(1024));
            self.words.reserve(ROOM);
        }
        while self.all.len() >= self.bound {
            let Some(oldest) = self.all.pop_front() else { break };
            let end = self.all.front().map_or(self.gone + self.words.len() as u64, |next| next.start);
            self.words.drain(..(end - oldest.start) as usize);
            self.gone = end;
        }
        let start = self.gone + self.words.len() as u64;
        let lengths = ids.map(|id| {
            let id = id.get(..usize::from(u16::MAX)).unwrap_or(id);
            self.words.extend(id);
            id.len() as u16
        });
        self.all.push_back(Said { record, start, lengths, part, reasoning, key });
    }

    /// Takes out the next text of the record with this id.
    pub(crate) fn take(&mut self, id: &[u8]) -> Option<Said> {
        let record = hash(id);
        let said = self.all.iter_mut().find(|said| said.record == record)?;
        // Its place stays, so that the words of the others do.
        said.record = 0;
        Some(*said)
    }

    /// One of its ids, in the order in which they were kept. It must have been taken out just before.
    pub(crate) fn id(&self, said: &Said, which: usize) -> impl Iterator<Item = u8> {
        let before: u64 = said.lengths.iter().take(which).map(|length| u64::from(*length)).sum();
        let start = (said.start - self.gone + before) as usize;
        let length = said.lengths.get(which).copied().unwrap_or_default();
        let range: Range<usize> = start..start + usize::from(length);
        self.words.range(range).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn ids(sayings: &Sayings, said: &Said) -> Vec<Vec<u8>> {
        (0..4).map(|n| sayings.id(said, n).collect()).collect()
    }

    #[test]
    fn each_text_of_a_record_is_taken_once() {
        let mut sayings = Sayings::new(4);
        sayings.keep(hash(b"r1"), [b"m1", b"", b"", b""], Some(0), false, None);
        sayings.keep(hash(b"r2"), [b"m2", b"p", b"agent", b"call"], None, true, None);
        sayings.keep(hash(b"r1"), [b"m1", b"", b"", b""], Some(1), false, None);
        assert_eq!(sayings.take(b"r1").unwrap().part, Some(0));
        assert_eq!(sayings.take(b"r1").unwrap().part, Some(1));
        assert!(sayings.take(b"r1").is_none());
        let said = sayings.take(b"r2").unwrap();
        assert!(said.reasoning);
        assert_eq!(ids(&sayings, &said), [&b"m2"[..], b"p", b"agent", b"call"]);
    }

    #[test]
    fn the_oldest_is_forgotten_and_the_others_keep_their_words() {
        let mut sayings = Sayings::new(2);
        for (record, message) in [("r1", "first"), ("r2", "second"), ("r3", "third"), ("r4", "4")] {
            sayings.keep(hash(record.as_bytes()), [message.as_bytes(), b"", b"", b""], None, false, None);
        }
        assert!(sayings.take(b"r1").is_none());
        assert!(sayings.take(b"r2").is_none());
        let said = sayings.take(b"r3").unwrap();
        assert_eq!(ids(&sayings, &said)[0], b"third");
        let said = sayings.take(b"r4").unwrap();
        assert_eq!(ids(&sayings, &said)[0], b"4");
        assert_eq!(sayings.words.len(), 6);
    }

    #[test]
    fn a_bound_of_zero_keeps_nothing() {
        let mut sayings = Sayings::new(0);
        sayings.keep(hash(b"r"), [b"m", b"", b"", b""], None, false, None);
        assert!(sayings.take(b"r").is_none());
    }
}
