//! A small hash for the tables that remember ids. Equality of ids is always decided by their bytes.

/// Mixes the bytes, eight at a time.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = MIX ^ bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(MIX).rotate_left(29);
    }
    for &byte in chunks.remainder() {
        state = (state ^ u64::from(byte)).wrapping_mul(MIX).rotate_left(13);
    }
    state ^ (state >> 32)
}
