//! Bytes that are borrowed from a line, or a part of an allocation that several texts share.

use alloc::sync::Arc;
use core::ops::Range;

#[derive(Clone)]
pub(super) enum Store<'a> {
    Borrowed(&'a [u8]),
    Shared { bytes: Arc<[u8]>, range: Range<usize> },
}

impl<'a> Store<'a> {
    pub(super) fn borrowed(bytes: &'a [u8]) -> Self {
        Store::Borrowed(bytes)
    }

    pub(super) fn shared(bytes: Arc<[u8]>, range: Range<usize>) -> Store<'static> {
        Store::Shared { bytes, range }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Store::Borrowed(bytes) => bytes,
            Store::Shared { bytes, range } => bytes.get(range.clone()).unwrap_or_default(),
        }
    }

    pub(super) fn into_owned(self) -> Store<'static> {
        match self {
            Store::Borrowed([]) => Store::Borrowed(&[]),
            Store::Borrowed(bytes) => Store::shared(Arc::from(bytes), 0..bytes.len()),
            Store::Shared { bytes, range } => Store::Shared { bytes, range },
        }
    }
}

impl Default for Store<'_> {
    fn default() -> Self {
        Store::Borrowed(&[])
    }
}
