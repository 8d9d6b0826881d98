//! What one would write without turnline.

use bytes::BytesMut;
use serde::de::IgnoredAny as Ignored;
use serde_json::Value;
use std::hint::black_box;
use std::slice::Chunks;
use tokio_util::codec::{Decoder, LinesCodec};

pub(super) fn floor(chunks: Chunks<'_, u8>) -> usize {
    let mut count = 0;
    lines(chunks, |line| {
        black_box(line);
        count += 1;
    });
    count
}

pub(super) fn ignored_any(chunks: Chunks<'_, u8>) -> usize {
    let mut count = 0;
    lines(chunks, |line| count += usize::from(serde_json::from_slice::<Ignored>(line).is_ok()));
    count
}

pub(super) fn naive(chunks: Chunks<'_, u8>) -> usize {
    let mut codec = LinesCodec::new();
    let mut buffer = BytesMut::new();
    let mut count = 0;
    for chunk in chunks {
        buffer.extend_from_slice(chunk);
        count += values(|| codec.decode(&mut buffer));
    }
    count + values(|| codec.decode_eof(&mut buffer))
}

/// Reads the lines there are. A line that is not UTF-8 or not JSON is skipped.
fn values<E>(mut next: impl FnMut() -> Result<Option<String>, E>) -> usize {
    let mut count = 0;
    loop {
        match next() {
            Ok(Some(line)) => count += usize::from(black_box(serde_json::from_str::<Value>(&line)).is_ok()),
            Ok(None) => return count,
            Err(_) => {}
        }
    }
}

/// Hands over each line: in place where a chunk holds it whole, else put together in one reused buffer.
fn lines(chunks: Chunks<'_, u8>, mut each: impl FnMut(&[u8])) {
    let mut begun = Vec::new();
    for chunk in chunks {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', chunk) {
            if begun.is_empty() {
                each(&chunk[start..end]);
            } else {
                begun.extend_from_slice(&chunk[start..end]);
                each(&begun);
                begun.clear();
            }
            start = end + 1;
        }
        begun.extend_from_slice(&chunk[start..]);
    }
    if !begun.is_empty() {
        each(&begun);
    }
}
