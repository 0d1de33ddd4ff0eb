//! The time integral of waiting bytes, exact in whole numbers.

use crate::Time;
use crate::fine_time::FineTime;

/// Σ size·(departure − arrival) over packets, in bytes × 2⁻³² ns, modulo 2¹²⁸. Of those that wait only the arrival may count.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueIntegral(u128);

impl QueueIntegral {
    /// A packet waits from one instant to another, both in 2⁻³² ns; a negative span takes back what was added.
    #[inline]
    pub fn wait(&mut self, from: u128, until: u128, size: u32) {
        self.0 = self.0.wrapping_add(until.wrapping_sub(from).wrapping_mul(size.into()));
    }

    /// A packet enters.
    pub fn enter(&mut self, now: Time, size: u32) {
        self.wait(FineTime::from_time(now).to_32(), 0, size);
    }

    /// A packet leaves.
    pub fn leave(&mut self, now: Time, size: u32) {
        self.wait(0, FineTime::from_time(now).to_32(), size);
    }

    /// The integral up to `now`, in byte-seconds, with `waiting` bytes of which only the arrival counts.
    pub fn byte_seconds(&self, now: Time, waiting: u64) -> f64 {
        let still = FineTime::from_time(now).to_32().wrapping_mul(waiting.into());
        self.0.wrapping_add(still) as f64 * (1e-9 / (1u64 << 32) as f64)
    }
}
