//! Simulated or real time, in whole nanoseconds.

use core::fmt;
use core::ops::{Add, AddAssign};

/// An instant since an origin of the caller's choice, or a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The origin, or no time at all.
    pub const ZERO: Time = Time(0);
    /// Later than any event.
    pub const NEVER: Time = Time(u64::MAX);

    /// That many nanoseconds.
    #[inline]
    pub const fn from_nanos(ns: u64) -> Time {
        Time(ns)
    }

    /// That many milliseconds.
    #[inline]
    pub const fn from_millis(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// That many seconds, rounded to the nanosecond; negative or NaN is zero.
    pub fn from_secs_f64(s: f64) -> Time {
        Time((s * 1e9).round() as u64)
    }

    /// In nanoseconds.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// In seconds.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.as_nanos_f64() / 1e9
    }

    /// In nanoseconds. A processor converts signed numbers in one instruction, others in six.
    #[inline]
    pub fn as_nanos_f64(self) -> f64 {
        #[cold]
        #[inline(never)] // or the compiler converts both in six
        fn beyond_signed(ns: u64) -> f64 {
            ns as f64
        }
        i64::try_from(self.0).map_or_else(|_| beyond_signed(self.0), |ns| ns as f64)
    }

    /// A number of nanoseconds from 0 to 2⁶³, rounded down.
    #[inline]
    pub fn from_nanos_f64(ns: f64) -> Time {
        debug_assert!(ns >= 0.0);
        Time(ns as i64 as u64)
    }

    /// The span since `earlier`, zero if that is later.
    #[inline]
    pub fn since(self, earlier: Time) -> Time {
        Time(self.0.saturating_sub(earlier.0))
    }

    /// Rounded down to a multiple of `period` > 0.
    #[inline]
    pub const fn floor(self, period: Time) -> Time {
        Time(self.0 / period.0 * period.0)
    }

    /// Rounded up to a multiple of `period` > 0; at most [`Time::NEVER`].
    #[inline]
    pub const fn ceil(self, period: Time) -> Time {
        Time(self.0.div_ceil(period.0).saturating_mul(period.0))
    }

    /// `n` times this span, at most [`Time::NEVER`].
    #[inline]
    pub fn times(self, n: u64) -> Time {
        Time(self.0.saturating_mul(n))
    }
}

impl Add for Time {
    type Output = Time;
    /// Adds spans; the sum is at most [`Time::NEVER`].
    #[inline]
    fn add(self, span: Time) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign for Time {
    #[inline]
    fn add_assign(&mut self, span: Time) {
        *self = *self + span;
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_secs_f64())
    }
}
