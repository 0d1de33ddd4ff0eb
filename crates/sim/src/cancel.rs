//! When to call the driver's `keep_going`.

use std::time::{Duration, Instant};

/// Wall-clock time between calls.
const REPORT: Duration = Duration::from_millis(50);

/// In a page the simulator has no clock: it calls the driver, which has one, after a number of events, some ten milliseconds.
const HAS_CLOCK: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// Counts events until the next call.
pub(crate) struct CancelCheck {
    events: u32,
    called: Option<Instant>,
}

impl CancelCheck {
    /// Events between reads of the clock: few enough if each takes milliseconds, as with ten thousand subflows, and
    /// enough to cost nothing.
    pub(crate) const EVENTS: u32 = if HAS_CLOCK { 64 } else { 1 << 16 };

    pub(crate) fn new() -> Self {
        CancelCheck { events: 0, called: HAS_CLOCK.then(Instant::now) }
    }

    /// Counts an event; returns whether to read the clock.
    #[inline]
    pub(crate) fn is_clock_due(&mut self) -> bool {
        self.events += 1;
        if self.events < Self::EVENTS {
            return false;
        }
        self.events = 0;
        true
    }

    /// Reads the clock; returns whether to call the driver.
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.called.is_none_or(|called| called.elapsed() >= REPORT);
        if is_due {
            self.called = HAS_CLOCK.then(Instant::now);
        }
        is_due
    }
}
