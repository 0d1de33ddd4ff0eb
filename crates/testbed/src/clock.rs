//! The run's clock.

use anabranch_net::Time;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::time::Duration;

const NANOS: i64 = 1_000_000_000;

/// The monotonic clock, relative to the start of the run.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Time 0, in nanoseconds of CLOCK_MONOTONIC.
    zero: i64,
}

impl Clock {
    /// A clock whose time 0 is after `delay`.
    pub fn starting_in(delay: Duration) -> Self {
        Clock { zero: nanos(ClockId::Monotonic) + delay.as_nanos() as i64 }
    }

    /// The time of the run; zero before its start.
    #[inline]
    pub fn now(self) -> Time {
        Time::from_nanos((nanos(ClockId::Monotonic) - self.zero).max(0) as u64)
    }

    /// The duration until `time`, at most a day.
    pub fn until(self, time: Time) -> Duration {
        const DAY: i64 = 24 * 60 * 60 * NANOS;
        let left = self.monotonic(time).saturating_sub(nanos(ClockId::Monotonic));
        Duration::from_nanos(left.clamp(0, DAY) as u64)
    }

    /// `time` on CLOCK_MONOTONIC.
    pub(crate) fn timespec(self, time: Time) -> Timespec {
        let nanos = self.monotonic(time);
        Timespec { tv_sec: nanos / NANOS, tv_nsec: nanos % NANOS }
    }

    fn monotonic(self, time: Time) -> i64 {
        self.zero.saturating_add_unsigned(time.as_nanos())
    }
}

/// The time of a clock of the kernel, in nanoseconds.
#[inline]
pub(crate) fn nanos(clock: ClockId) -> i64 {
    let time = clock_gettime(clock);
    time.tv_sec * NANOS + time.tv_nsec
}
