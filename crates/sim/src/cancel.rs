//! When to call the driver's `keep_going`.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod clock {
    use std::time::{Duration, Instant};

    /// Wall-clock time between calls.
    const REPORT: Duration = Duration::from_millis(50);

    pub(crate) struct Clock(Instant);

    impl Clock {
        /// Events between reads of the clock: few enough if each takes milliseconds, as with ten thousand subflows, and
        /// enough to cost nothing.
        pub(crate) const EVENTS_PER_CHECK: u32 = 64;

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

/// In a page the simulator has no clock: it calls the driver, which has one, after a number of events, some ten milliseconds.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod clock {
    pub(crate) struct Clock;

    impl Clock {
        pub(crate) const EVENTS_PER_CHECK: u32 = 1 << 16;

        pub(crate) fn new() -> Self {
            Clock
        }

        pub(crate) fn is_due(&mut self) -> bool {
            true
        }
    }
}

use clock::Clock;

/// Counts events until the next call.
pub(crate) struct CancelCheck {
    events: u32,
    clock: Clock,
}

impl CancelCheck {
    /// Events between reads of the clock.
    pub(crate) const EVENTS: u32 = Clock::EVENTS_PER_CHECK;

    pub(crate) fn new() -> Self {
        CancelCheck { events: 0, clock: Clock::new() }
    }

    /// Counts an event; returns whether to read the clock.
    #[inline]
    pub(crate) fn is_clock_due(&mut self) -> bool {
        self.events += 1;
        if self.events < Clock::EVENTS_PER_CHECK {
            return false;
        }
        self.events = 0;
        true
    }

    /// Reads the clock; returns whether to call the driver.
    pub(crate) fn is_due(&mut self) -> bool {
        self.clock.is_due()
    }
}
