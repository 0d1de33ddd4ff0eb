//! The model transport that drives algorithms, and the rules that it checks.

mod legal;
mod registry;
mod rules;

use anabranch_cc_model::Random;

/// Random bytes that are always the same.
fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut random = Random(seed);
    std::iter::repeat_with(|| random.word()).flat_map(u64::to_le_bytes).take(count).collect()
}
