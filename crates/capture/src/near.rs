//! Numbers of which packets have 32 bits.

/// The number closest to `at` that is `low` modulo 2³².
pub(crate) fn near(at: u64, low: u32) -> u64 {
    at.saturating_add_signed(i64::from(low.wrapping_sub(at as u32) as i32))
}
