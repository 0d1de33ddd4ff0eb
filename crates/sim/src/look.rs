//! When the driver is asked whether to go on.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod clock {
    use std::time::{Duration, Instant};

    /// The driver is asked after that much time of the clock on the wall.
    const REPORT: Duration = Duration::from_millis(50);

    pub(crate) struct Clock(Instant);

    impl Clock {
        /// After so many events the clock is asked: often enough where each takes milliseconds, as with ten thousand subflows,
        /// and seldom enough to cost nothing.
        pub(crate) const EVENTS_PER_LOOK: u32 = 64;

        pub(crate) fn new() -> Self {
            Clock(Instant::now())
        }

        pub(crate) fn is_due(&mut self) -> bool {
            let due = self.0.elapsed() >= REPORT;
            if due {
                self.0 = Instant::now();
            }
            due
        }
    }
}

/// A page gives the simulator no clock: the driver is asked after so many events, some ten milliseconds, and has one itself.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod clock {
    pub(crate) struct Clock;

    impl Clock {
        pub(crate) const EVENTS_PER_LOOK: u32 = 1 << 16;

        pub(crate) fn new() -> Self {
            Clock
        }

        pub(crate) fn is_due(&mut self) -> bool {
            true
        }
    }
}

use clock::Clock;

/// Counts events, and says at which of them the driver is asked.
pub(crate) struct Look {
    events: u32,
    clock: Clock,
}

impl Look {
    pub(crate) fn new() -> Self {
        Look { events: 0, clock: Clock::new() }
    }

    /// After an event: whether so many have gone by that the clock may be asked.
    #[inline]
    pub(crate) fn may_ask(&mut self) -> bool {
        self.events += 1;
        if self.events < Clock::EVENTS_PER_LOOK {
            return false;
        }
        self.events = 0;
        true
    }

    /// Whether the driver is asked now.
    pub(crate) fn is_due(&mut self) -> bool {
        self.clock.is_due()
    }
}
