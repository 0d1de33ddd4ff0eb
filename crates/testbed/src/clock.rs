//! The run's clock.

use anabranch_net::Time;
use std::time::{Duration, Instant};

/// The monotonic clock, relative to the start of the run.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// A clock that starts at `zero`.
    pub fn new(zero: Instant) -> Self {
        Clock(zero)
    }

    /// The time of the run; zero before its start.
    pub fn now(self) -> Time {
        Time::from_nanos(Instant::now().saturating_duration_since(self.0).as_nanos() as u64)
    }

    /// The duration until `time`, at most a day.
    pub fn until(self, time: Time) -> Duration {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        let target = self.0 + Duration::from_nanos(time.as_nanos()).min(DAY);
        target.saturating_duration_since(Instant::now())
    }
}
