//! Time with a fraction: transmission times are not whole nanoseconds, and their sums must not drift.

use crate::Time;

/// Nanoseconds with 64 bits after the point. A product with a packet's size is exact, so that a
/// link's clock drifts by less than 2⁻⁶⁴ ns per byte; `as_time` rounds it up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FineTime(u128);

impl FineTime {
    pub const ZERO: FineTime = FineTime(0);

    #[inline]
    pub fn from_time(t: Time) -> FineTime {
        FineTime((t.as_nanos() as u128) << 64)
    }

    /// Transmission time of a byte, rounded down. The rate is at least 4 bit/s, so that a packet of
    /// 4 GB cannot overflow.
    pub fn per_byte(rate_bps: f64) -> FineTime {
        // 8e9·2⁶⁴ / rate, both sides times 2³⁰ for the fraction of the rate: 8e9·2⁹⁴ < 2¹²⁷.
        let rate = (rate_bps.max(4.0) * (1u64 << 30) as f64) as u128;
        FineTime((8_000_000_000 << 94) / rate)
    }

    /// `n` times this. Cannot overflow for [`FineTime::per_byte`].
    #[inline]
    pub fn times(self, n: u32) -> FineTime {
        FineTime(self.0 * u128::from(n))
    }

    #[inline]
    pub fn plus(self, span: FineTime) -> FineTime {
        FineTime(self.0.saturating_add(span.0))
    }

    #[inline]
    pub fn minus(self, span: FineTime) -> FineTime {
        FineTime(self.0.saturating_sub(span.0))
    }

    /// This times an inexact ratio, rounded down to 2⁻²⁸ ns, so that the ratio's error does not push a whole nanosecond into the next.
    pub fn scaled(self, ratio: f64) -> FineTime {
        let scaled = (self.0 as f64 * ratio) as u128;
        FineTime(scaled & !((1 << 36) - 1))
    }

    /// Rounded up to whole nanoseconds.
    #[inline]
    pub fn as_time(self) -> Time {
        let part = u64::from(self.0 as u64 != 0);
        Time::from_nanos(((self.0 >> 64) as u64).saturating_add(part))
    }

    /// Rounded down to whole nanoseconds.
    pub fn whole(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    /// In seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * (1e-9 / (1u128 << 64) as f64)
    }

    /// From nanoseconds with 32 bits after the point.
    pub fn from_32(nanos: u128) -> FineTime {
        FineTime(nanos << 32)
    }

    /// Nanoseconds with 32 bits after the point, rounded down; fits 96 bits.
    #[inline]
    pub fn to_32(self) -> u128 {
        self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_at_whole_rates() {
        assert_eq!(FineTime::per_byte(500e6), FineTime::from_time(Time::from_nanos(16)));
        assert_eq!(FineTime::per_byte(8.0), FineTime::from_time(Time::from_nanos(1_000_000_000)));
    }

    /// 300 Mbit/s: 26 ⅔ ns per byte; 3 bytes are 80 ns, and still whole after 3·10⁹ of them.
    #[test]
    fn thirds_do_not_drift() {
        let byte = FineTime::per_byte(300e6);
        assert_eq!(byte.as_time().as_nanos(), 27);
        assert_eq!(byte.times(3).as_time().as_nanos(), 80);
        assert_eq!(byte.times(3_000_000_000).as_time().as_nanos(), 80_000_000_000);
        assert_eq!(byte.times(3_000_000_001).as_time().as_nanos(), 80_000_000_027);
    }

    #[test]
    fn extremes_do_not_overflow() {
        for rate in [f64::NAN, f64::NEG_INFINITY, -1.0, 0.0, f64::MIN_POSITIVE, 4.0] {
            let longest = FineTime::per_byte(rate).times(u32::MAX);
            assert_eq!(longest.as_time().as_nanos(), 2_000_000_000 * u64::from(u32::MAX));
        }
        assert_eq!(FineTime::per_byte(f64::INFINITY).as_time(), Time::ZERO);
        assert_eq!(FineTime(u128::MAX).plus(FineTime(u128::MAX)).as_time(), Time::NEVER);
    }
}
