//! Virtual time for a library that takes instants of the machine's clock.

use anabranch_net::Time;
use std::time::{Duration, Instant};

/// The instant of time 0. Only differences to it matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn new() -> Clock {
        Clock(Instant::now())
    }

    pub(crate) fn instant(self, time: Time) -> Instant {
        self.0 + Duration::from_nanos(time.as_nanos())
    }

    pub(crate) fn time(self, instant: Instant) -> Time {
        Time::from_nanos(instant.duration_since(self.0).as_nanos() as u64)
    }
}
