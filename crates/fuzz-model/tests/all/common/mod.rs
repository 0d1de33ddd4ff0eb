//! Random bytes that are always the same.

/// SplitMix64.
pub fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed;
    let words = std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    words.flat_map(u64::to_le_bytes).take(count).collect()
}
