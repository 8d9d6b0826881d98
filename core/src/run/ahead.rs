//! What was read before the consumer took it: how much there is, and when that is too much.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use core::time::Duration;

/// Bytes of memory that what was read ahead may take for each byte of the bound: small records make things that are
/// larger than themselves.
const MEMORY_PER_BYTE: usize = 4;

/// What an entry takes beside what it holds: its box, its shared bytes, its place in the queue.
const ENTRY: usize = 64;

/// Things that wait to be taken, and bytes that were pushed into a parser and are not looked at yet.
pub(super) struct Ahead<T> {
    queue: VecDeque<Entry<T>>,
    bound: usize,
    /// Bytes of the stream that the queue stands for.
    queued: usize,
    /// Bytes that were pushed and not looked at.
    pushed: usize,
    pushed_at: Option<Duration>,
    full: bool,
}

struct Entry<T> {
    // Boxed, since a queue that grows by doubling would take twice its size for a while.
    item: Box<T>,
    stream: usize,
}

impl<T> Ahead<T> {
    pub(super) fn new(bound: usize) -> Self {
        Ahead { queue: VecDeque::new(), bound: bound.max(1), queued: 0, pushed: 0, pushed_at: None, full: false }
    }

    pub(super) fn push(&mut self, bytes: usize, now: Duration) {
        self.pushed = self.pushed.saturating_add(bytes);
        self.pushed_at.get_or_insert(now);
    }

    /// Since when bytes wait to be looked at.
    pub(super) fn pushed_at(&self) -> Option<Duration> {
        self.pushed_at
    }

    pub(super) fn put(&mut self, item: T) {
        self.queue.push_back(Entry { item: Box::new(item), stream: 0 });
    }

    /// All that was pushed is looked at: nothing comes of it any more.
    pub(super) fn looked_at(&mut self) {
        if let Some(last) = self.queue.back_mut() {
            last.stream = last.stream.saturating_add(self.pushed);
            self.queued = self.queued.saturating_add(self.pushed);
        }
        self.pushed = 0;
        self.pushed_at = None;
    }

    pub(super) fn take(&mut self) -> Option<T> {
        let entry = self.queue.pop_front()?;
        self.queued = self.queued.saturating_sub(entry.stream);
        Some(*entry.item)
    }

    /// Whether reading is to stop. Once it is, room for half of the bound must be there before it is not.
    pub(super) fn is_full(&mut self) -> bool {
        let bound = if self.full { self.bound / 2 } else { self.bound };
        let stream = self.queued.saturating_add(self.pushed);
        let entries = self.queue.len().saturating_mul(size_of::<T>() + ENTRY);
        let memory = stream.saturating_add(entries);
        self.full = stream >= bound.max(1) || memory >= bound.max(1).saturating_mul(MEMORY_PER_BYTE);
        // Whoever holds nothing back has room, however small the bound.
        self.full &= !(self.queue.is_empty() && self.pushed == 0);
        self.full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(1);

    #[test]
    fn bytes_are_given_back_with_the_last_thing_that_came_of_them() {
        let mut ahead = Ahead::<u8>::new(1000);
        ahead.push(600, NOW);
        ahead.put(1);
        ahead.put(2);
        ahead.looked_at();
        assert_eq!(ahead.pushed_at(), None);
        assert!(!ahead.is_full());
        ahead.push(400, NOW);
        assert!(ahead.is_full());
        assert_eq!(ahead.take(), Some(1));
        assert!(ahead.is_full());
        assert_eq!(ahead.take(), Some(2));
        assert!(!ahead.is_full());
        // Bytes of which nothing comes are no burden.
        ahead.push(5000, NOW);
        assert!(ahead.is_full());
        ahead.looked_at();
        assert!(!ahead.is_full());
    }

    #[test]
    fn many_small_things_are_a_burden_too() {
        let mut ahead = Ahead::<[u8; 400]>::new(1 << 20);
        let mut put = 0;
        while !ahead.is_full() {
            ahead.push(2, NOW);
            ahead.put([0; 400]);
            ahead.looked_at();
            put += 1;
        }
        // 4 MiB at 464 bytes each, and 2 of the stream.
        assert_eq!(put, (4usize << 20).div_ceil(466));
    }

    #[test]
    fn a_bound_of_nothing_still_lets_through() {
        let mut ahead = Ahead::<u8>::new(0);
        assert!(!ahead.is_full());
        ahead.push(1, NOW);
        assert!(ahead.is_full());
        ahead.put(7);
        ahead.looked_at();
        assert!(ahead.is_full());
        assert_eq!(ahead.take(), Some(7));
        assert!(!ahead.is_full());
    }
}
