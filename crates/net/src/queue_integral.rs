//! The time integral of waiting bytes, exact in whole numbers.

use crate::Time;
use crate::fine_time::FineTime;

/// Σ size·(departure) over packets that left − Σ size·(arrival) over all that entered, in
/// bytes × 2⁻³² ns, modulo 2¹²⁸.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueIntegral(u128);

impl QueueIntegral {
    /// A packet enters.
    #[inline]
    pub fn enter(&mut self, now: Time, size: u32) {
        self.0 = self.0.wrapping_sub(FineTime::from_time(now).to_32().wrapping_mul(size.into()));
    }

    /// A packet leaves at `departure`, in 2⁻³² ns.
    #[inline]
    pub fn leave_at(&mut self, departure: u128, size: u32) {
        self.0 = self.0.wrapping_add(departure.wrapping_mul(size.into()));
    }

    /// A packet leaves.
    pub fn leave(&mut self, now: Time, size: u32) {
        self.leave_at(FineTime::from_time(now).to_32(), size);
    }

    /// The integral up to `now`, in byte-seconds, with `waiting` bytes in the queue.
    pub fn byte_seconds(&self, now: Time, waiting: u64) -> f64 {
        let still = FineTime::from_time(now).to_32().wrapping_mul(waiting.into());
        self.0.wrapping_add(still) as f64 * (1e-9 / (1u64 << 32) as f64)
    }
}
