//! Where a record's values are: one frame for the record, one for every element of an iteration, a slot a path in each.
//!
//! Nothing is cleared between records: a cell counts only when its stamp is that of the frame that asks.

use alloc::vec::Vec;

use super::escape::cmp_keys;
use super::trie::{NO_SLOT, Node, Trie};

/// What a value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Not there.
    #[default]
    Absent,
    Null,
    True,
    False,
    Number,
    /// A string without a backslash in it.
    Str,
    /// A string with escapes.
    Escaped,
    Array,
    Object,
}

/// A value's place in its line: of a string what is inside the quotes, of a container all with its brackets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) kind: Kind,
}

impl Slot {
    /// The value's bytes in its line.
    pub(crate) fn of<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        line.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// The value as JSON in its line: a string with its quotes.
    pub(crate) fn json<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        let quote = u32::from(matches!(self.kind, Kind::Str | Kind::Escaped));
        let whole = Slot { start: self.start.saturating_sub(quote), end: self.end.saturating_add(quote), ..*self };
        whole.of(line)
    }
}

/// A slot, and the stamp of the frame that it is of.
#[derive(Clone, Copy, Default)]
pub(super) struct Cell {
    slot: Slot,
    stamp: u32,
}

impl Cell {
    #[inline(always)]
    pub(super) fn new(start: usize, end: usize, kind: Kind, stamp: u32) -> Self {
        // The scanner refuses lines whose places do not fit.
        Cell { slot: Slot { start: start as u32, end: end as u32, kind }, stamp }
    }

    /// Whether it holds something for the frame with this stamp.
    #[inline(always)]
    pub(super) fn is_of(&self, stamp: u32) -> bool {
        self.stamp == stamp
    }
}

#[derive(Clone, Copy, Default)]
struct Frame {
    place: Place,
    parent: u32,
    /// The first frame behind this one that is not inside it.
    end: u32,
    key: Slot,
    each: u16,
    slots: u16,
    /// Its value was given again by a later key.
    dead: bool,
}

/// A frame and where its cells are.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) frame: u32,
    base: u32,
    pub(super) stamp: u32,
}

/// All frames of one record; reused for the next one.
pub(crate) struct Frames {
    cells: Vec<Cell>,
    used: usize,
    list: Vec<Frame>,
    stamp: u32,
    limit: u32,
    dropped: u32,
    repaired: bool,
    /// For sorting keys.
    scratch: Vec<u32>,
}

/// Cells and frames that are kept for the next record; what a larger record needed beyond is given back (1 MiB of cells).
const KEEP: usize = 1 << 16;

impl Frames {
    /// `limit`: how many elements of iterations one record may have; those over it are read but not kept.
    pub(crate) fn new(limit: u32) -> Self {
        Self {
            cells: Vec::new(),
            used: 0,
            list: Vec::new(),
            stamp: 0,
            // So that a record's stamps never run over.
            limit: limit.min(u32::MAX / 4),
            dropped: 0,
            repaired: false,
            scratch: Vec::new(),
        }
    }

    /// The value in a slot of a frame; frame 0 is the record. `Absent` for what is not there.
    #[inline]
    pub(crate) fn slot(&self, frame: u32, slot: u16) -> Slot {
        let Some(frame) = self.list.get(frame as usize).filter(|frame| slot < frame.slots) else {
            return Slot::default();
        };
        self.cell(frame.place, slot).unwrap_or_default()
    }

    /// The value in a slot of the record itself.
    #[inline(always)]
    pub(crate) fn root(&self, slot: u16) -> Slot {
        // The record's cells are the first ones, and its frame the first one of its stamps.
        match (self.cells.get(usize::from(slot)), self.list.first()) {
            (Some(cell), Some(root)) if cell.stamp == root.place.stamp => cell.slot,
            _ => Slot::default(),
        }
    }

    /// The live elements of iteration `each` right inside `parent`, in their order on the line.
    pub(crate) fn frames(&self, each: u16, parent: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.list.get(parent as usize).map_or(0, |frame| frame.end);
        let mut next = parent.saturating_add(1);
        core::iter::from_fn(move || {
            while next < end {
                let at = next;
                let frame = self.list.get(at as usize)?;
                // Steps over everything inside this element.
                next = frame.end.max(at + 1);
                if frame.each == each && !frame.dead {
                    return Some(at);
                }
            }
            None
        })
    }

    /// The key of an entry's frame as it stands in the line (`Str` or `Escaped`); `Absent` for other frames.
    pub(crate) fn key(&self, frame: u32) -> Slot {
        self.list.get(frame as usize).map_or_else(Slot::default, |frame| frame.key)
    }

    /// The frame around a frame; 0 for the record itself.
    #[cfg(test)]
    pub(crate) fn parent(&self, frame: u32) -> u32 {
        self.list.get(frame as usize).map_or(0, |frame| frame.parent)
    }

    /// The iteration that a frame belongs to; 0 for the record itself.
    #[cfg(test)]
    pub(crate) fn each_of(&self, frame: u32) -> u16 {
        self.list.get(frame as usize).map_or(0, |frame| frame.each)
    }

    /// How many elements of the record were over the limit.
    pub(crate) fn dropped(&self) -> u32 {
        self.dropped
    }

    /// Whether the record holds invalid UTF-8 or a lone surrogate, anywhere in it.
    pub(crate) fn repaired(&self) -> bool {
        self.repaired
    }

    /// Forgets the record.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.used = 0;
        self.dropped = 0;
        self.repaired = false;
        if self.cells.len() > KEEP || self.list.capacity() > KEEP || self.stamp > u32::MAX / 2 {
            self.give_back();
        }
    }

    #[cold]
    fn give_back(&mut self) {
        self.cells.truncate(KEEP);
        self.cells.shrink_to(KEEP);
        self.list.shrink_to(KEEP);
        self.scratch = Vec::new();
        if self.stamp > u32::MAX / 2 {
            self.cells.clear();
            self.stamp = 0;
        }
    }

    /// Begins a record.
    #[inline(always)]
    pub(super) fn begin(&mut self, trie: &Trie) -> Place {
        self.clear();
        self.push(Frame { slots: trie.iteration(0).slots, ..Frame::default() }, 0)
    }

    /// Begins an element of an iteration; none when there are too many.
    #[inline(always)]
    pub(super) fn open(&mut self, trie: &Trie, each: u16, parent: u32, key: Slot) -> Option<Place> {
        let slots = trie.iteration(each).slots;
        let base = u32::try_from(self.used).ok().filter(|base| base.checked_add(slots.into()).is_some());
        match base {
            Some(base) if self.list.len() <= self.limit as usize => {
                Some(self.push(Frame { each, parent, key, slots, ..Frame::default() }, base))
            }
            _ => {
                self.dropped = self.dropped.saturating_add(1);
                None
            }
        }
    }

    #[inline(always)]
    fn push(&mut self, mut frame: Frame, base: u32) -> Place {
        self.stamp += 1;
        self.used = base as usize + usize::from(frame.slots);
        if self.cells.len() < self.used {
            self.grow();
        }
        let number = self.list.len() as u32;
        frame.place = Place { frame: number, base, stamp: self.stamp };
        frame.end = number + 1;
        let place = frame.place;
        self.list.push(frame);
        place
    }

    #[cold]
    fn grow(&mut self) {
        self.cells.resize(self.used, Cell::default());
    }

    /// Everything made since then is inside this frame.
    #[inline(always)]
    pub(super) fn close(&mut self, place: Place) {
        let end = self.list.len() as u32;
        if let Some(frame) = self.list.get_mut(place.frame as usize) {
            frame.end = end;
        }
    }

    pub(super) fn count(&self) -> u32 {
        self.list.len() as u32
    }

    pub(super) fn set_repaired(&mut self, repaired: bool) {
        self.repaired = repaired;
    }

    #[inline(always)]
    pub(super) fn set(&mut self, place: Place, slot: u16, start: usize, end: usize, kind: Kind) {
        if let Some(cell) = self.cells.get_mut(place.base as usize + usize::from(slot)) {
            *cell = Cell::new(start, end, kind, place.stamp);
        }
    }

    /// The cells from a frame's first one on.
    #[inline(always)]
    pub(super) fn cells(&mut self, place: Place) -> &mut [Cell] {
        self.cells.get_mut(place.base as usize..).unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn is_set(&self, place: Place, slot: u16) -> bool {
        self.cells.get(place.base as usize + usize::from(slot)).is_some_and(|cell| cell.stamp == place.stamp)
    }

    fn cell(&self, place: Place, slot: u16) -> Option<Slot> {
        let cell = self.cells.get(place.base as usize + usize::from(slot))?;
        (cell.stamp == place.stamp).then_some(cell.slot)
    }

    fn unset(&mut self, place: Place, slot: u16) {
        if let Some(cell) = self.cells.get_mut(place.base as usize + usize::from(slot)) {
            cell.stamp = 0;
        }
    }

    /// Remembers which frames were made below a node: those since there were `from`.
    pub(super) fn set_span(&mut self, place: Place, node: &Node, from: u32) {
        if node.span_slot != NO_SLOT {
            self.set(place, node.span_slot, from as usize, self.list.len(), Kind::Absent);
        }
    }

    /// A key came again: what its earlier value left is forgotten.
    #[cold]
    pub(super) fn forget(&mut self, trie: &Trie, place: Place, id: u32) {
        let node = trie.node(id);
        if node.span_slot != NO_SLOT {
            if let Some(span) = self.cell(place, node.span_slot) {
                self.kill(span.start, span.end);
            }
            self.unset(place, node.span_slot);
        }
        self.unset(place, node.slot);
        for &slot in trie.below(id) {
            self.unset(place, slot);
        }
    }

    fn kill(&mut self, from: u32, to: u32) {
        if to as usize == self.list.len() {
            // The last ones: their room is free again.
            if let Some(first) = self.list.get(from as usize) {
                self.used = first.place.base as usize;
            }
            self.list.truncate(from as usize);
            return;
        }
        for frame in self.list.get_mut(from as usize..to as usize).unwrap_or_default() {
            frame.dead = true;
        }
    }

    /// Of the entries right inside `parent` that are in frames from `from` on and share a key only the last one counts.
    pub(super) fn last_wins(&mut self, line: &[u8], each: u16, parent: u32, from: u32) {
        let mut entries = core::mem::take(&mut self.scratch);
        entries.clear();
        let mut next = from;
        while let Some(frame) = self.list.get(next as usize) {
            if frame.each == each && frame.parent == parent {
                entries.push(next);
            }
            next = frame.end.max(next + 1);
        }
        if entries.len() > 1 {
            let key = |at: u32| self.key(at).of(line);
            entries.sort_unstable_by(|&a, &b| cmp_keys(key(a), key(b)).then(a.cmp(&b)));
            for pair in entries.windows(2) {
                let (earlier, later) = (pair[0], pair[1]);
                if cmp_keys(self.key(earlier).of(line), self.key(later).of(line)).is_eq() {
                    self.list[earlier as usize].dead = true;
                }
            }
        }
        self.scratch = entries;
    }
}
