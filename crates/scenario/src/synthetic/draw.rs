//! Random numbers.

use anabranch_net::Random;

/// Approximately standard normal: the sum of twelve uniform numbers, which is the same on every platform.
pub(super) fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0
}

/// Uniform between the two.
pub(super) fn between(random: &mut Random, from: f64, to: f64) -> f64 {
    from + (to - from) * random.uniform()
}
