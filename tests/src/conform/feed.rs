//! The ways in which bytes are handed to a parser. None of them may change anything.

/// Where a stream is cut into chunks.
#[derive(Clone, Debug)]
pub enum Chunks {
    /// All at once.
    Whole,
    /// Pieces of one size.
    Each(usize),
    /// Two pieces.
    SplitAt(usize),
    /// Pieces of these sizes in turn, then the rest.
    Sizes(Vec<usize>),
}

/// By which of its two doors the bytes enter the parser.
#[derive(Clone, Copy, Debug)]
pub enum Door {
    /// `push`, which copies.
    Push,
    /// `space` and `filled`, which read in place.
    Space,
}

/// When events are taken out.
#[derive(Clone, Copy, Debug)]
pub enum Drain {
    /// After every chunk.
    Always,
    /// Only after the end of the stream.
    AtEnd,
}

/// One way to feed a stream.
#[derive(Clone, Debug)]
pub struct Feed {
    /// Where it is cut.
    pub chunks: Chunks,
    /// How it enters.
    pub door: Door,
    /// When events are taken.
    pub drain: Drain,
}

impl Feed {
    /// Pushed, and drained after every chunk.
    #[must_use]
    pub fn push(chunks: Chunks) -> Self {
        Feed { chunks, door: Door::Push, drain: Drain::Always }
    }

    /// The four feeds that every case is read with: whole, byte by byte, seven bytes, 64 KiB.
    #[must_use]
    pub fn usual() -> Vec<Self> {
        vec![
            Feed { chunks: Chunks::Each(1), door: Door::Push, drain: Drain::Always },
            Feed { chunks: Chunks::Each(7), door: Door::Space, drain: Drain::Always },
            Feed { chunks: Chunks::Each(64 << 10), door: Door::Push, drain: Drain::Always },
            Feed { chunks: Chunks::Whole, door: Door::Space, drain: Drain::AtEnd },
            Feed { chunks: Chunks::Each(1000), door: Door::Push, drain: Drain::AtEnd },
        ]
    }
}

impl Chunks {
    /// Cuts the bytes.
    pub fn cut<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let mut rest = bytes;
        let mut turn = 0;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let size = match self {
                Chunks::Whole => rest.len(),
                Chunks::Each(size) => *size,
                Chunks::SplitAt(at) if turn == 0 && *at > 0 => *at,
                Chunks::SplitAt(_) => rest.len(),
                Chunks::Sizes(sizes) => sizes.get(turn).copied().unwrap_or(rest.len()),
            };
            turn += 1;
            let (chunk, after) = rest.split_at(size.clamp(1, rest.len()));
            rest = after;
            Some(chunk)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_cut_where_they_should_be() {
        let cut = |chunks: Chunks| chunks.cut(b"abcdef").map(|c| c.to_vec()).collect::<Vec<_>>();
        assert_eq!(cut(Chunks::Whole), [b"abcdef".to_vec()]);
        assert_eq!(cut(Chunks::Each(4)), [b"abcd".to_vec(), b"ef".to_vec()]);
        assert_eq!(cut(Chunks::SplitAt(1)), [b"a".to_vec(), b"bcdef".to_vec()]);
        assert_eq!(cut(Chunks::Sizes(vec![2, 1])), [b"ab".to_vec(), b"c".to_vec(), b"def".to_vec()]);
    }
}
