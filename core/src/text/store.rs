//! Bytes that are borrowed from a line, or a part of an allocation that several texts share.

use alloc::sync::Arc;
use core::ops::Range;

/// Small, since an event holds up to ten of them and is moved around.
#[derive(Clone)]
pub(super) enum Store<'a> {
    Borrowed(&'a [u8]),
    Shared { bytes: Arc<[u8]>, start: u32, end: u32 },
}

/// The end of a part that goes on to the end of its allocation, however long that is.
const TO_THE_END: u32 = u32::MAX;

impl<'a> Store<'a> {
    pub(super) fn borrowed(bytes: &'a [u8]) -> Self {
        Store::Borrowed(bytes)
    }

    pub(super) fn shared(bytes: Arc<[u8]>, range: Range<usize>) -> Store<'static> {
        Store::within(bytes, range, TO_THE_END as usize)
    }

    /// A part of an allocation; one that reaches to `most` or over it gets an allocation of its own.
    fn within(bytes: Arc<[u8]>, range: Range<usize>, most: usize) -> Store<'static> {
        if range.start < most && range.end < most {
            return Store::Shared { bytes, start: range.start as u32, end: range.end as u32 };
        }
        let part = bytes.get(range).unwrap_or_default();
        let bytes = if part.len() == bytes.len() { bytes } else { Arc::from(part) };
        Store::Shared { bytes, start: 0, end: TO_THE_END }
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Store::Borrowed(bytes) => bytes,
            Store::Shared { bytes, start, end: TO_THE_END } => bytes.get(*start as usize..).unwrap_or_default(),
            Store::Shared { bytes, start, end } => bytes.get(*start as usize..*end as usize).unwrap_or_default(),
        }
    }

    pub(super) fn into_owned(self) -> Store<'static> {
        match self {
            Store::Borrowed([]) => Store::Borrowed(&[]),
            Store::Borrowed(bytes) => Store::shared(Arc::from(bytes), 0..bytes.len()),
            Store::Shared { bytes, start, end } => Store::Shared { bytes, start, end },
        }
    }
}

impl Default for Store<'_> {
    fn default() -> Self {
        Store::Borrowed(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_the_same_wherever_it_lies() {
        let all: Arc<[u8]> = Arc::from(&b"0123456789"[..]);
        for most in [0, 1, 4, 7, 10, 11, 100] {
            for (range, part) in [(0..10, "0123456789"), (2..4, "23"), (4..7, "456"), (7..10, "789"), (10..10, "")] {
                let store = Store::within(all.clone(), range.clone(), most);
                assert_eq!(store.bytes(), part.as_bytes(), "{range:?}, parts below {most} are shared");
                assert_eq!(store.into_owned().bytes(), part.as_bytes());
            }
            assert_eq!(Store::within(all.clone(), 9..12, most).bytes(), b"", "outside of it there is nothing");
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn it_is_small() {
        assert_eq!(size_of::<Store<'_>>(), 24);
        assert_eq!(size_of::<Option<crate::Text<'_>>>(), 32);
    }
}
