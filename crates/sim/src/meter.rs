//! Measurements of a subflow in its measurement window.

use crate::sender::Counters;
use anabranch_net::Time;
use anabranch_record::Measured;
use std::borrow::Cow;

/// Time-weighted sums and counters, from [`Meter::begin`] to [`Meter::end`].
///
/// Fields are in memory order, those that each ACK needs first.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Meter {
    since: Time,
    running: bool,
    of: anabranch_record::Meter,
    counters: Counters,
    /// Packets of this window that the network dropped.
    pub(crate) dropped: u64,
    first_bytes: u64,
}

impl Meter {
    pub(crate) fn new(observables: usize) -> Meter {
        Meter {
            since: Time::ZERO,
            running: false,
            of: anabranch_record::Meter::new(observables),
            counters: Counters::default(),
            dropped: 0,
            first_bytes: 0,
        }
    }

    /// An empty meter with the same observables.
    pub(crate) fn renewed(&self) -> Meter {
        Meter::new(self.observables())
    }

    /// The measurement window begins; `counters` and `first_bytes` are the values before.
    pub(crate) fn begin(&mut self, now: Time, counters: Counters, first_bytes: u64) {
        let (cwnd, rtt) = (self.of.cwnd.now, self.of.rtt.now);
        *self = Meter { running: true, since: now, counters, first_bytes, ..self.renewed() };
        (self.of.cwnd.now, self.of.rtt.now) = (cwnd, rtt);
    }

    /// The window ends: takes the differences. `dropped` covers this window only.
    pub(crate) fn end(&mut self, now: Time, counters: Counters, dropped: u64, first_bytes: u64) {
        self.settle(now);
        self.running = false;
        self.counters = counters.since(&self.counters);
        self.dropped = dropped;
        self.first_bytes = first_bytes - self.first_bytes;
    }

    /// Adds the measurements of a closed connection.
    pub(crate) fn absorb(&mut self, other: &Meter) {
        self.of.absorb(&other.of);
        self.counters = self.counters.and(&other.counters);
        self.dropped += other.dropped;
        self.first_bytes += other.first_bytes;
    }

    #[inline]
    fn settle(&mut self, now: Time) {
        if now == self.since {
            return; // an RTT and then a window of the same instant
        }
        let dt = now.since(self.since).as_secs_f64();
        self.since = now;
        self.of.cwnd.hold(dt);
        self.of.rtt.hold(dt);
    }

    /// The window is `cwnd` > 0 from now on.
    #[inline]
    pub(crate) fn window(&mut self, now: Time, cwnd: f64) {
        if self.running && cwnd.to_bits() != self.of.cwnd.now.to_bits() {
            self.settle(now);
        }
        self.of.cwnd.now = cwnd;
    }

    /// The subflow is not established from now on.
    pub(crate) fn no_window(&mut self, now: Time) {
        self.window(now, f64::NAN);
        self.of.rtt.now = f64::NAN;
    }

    /// An RTT sample of a segment that was sent once.
    #[inline]
    pub(crate) fn round_trip(&mut self, now: Time, rtt: Time) {
        if self.running {
            self.settle(now);
            self.of.rtts.record(rtt.as_nanos());
        }
        self.of.rtt.now = if rtt > Time::ZERO { rtt.as_secs_f64() } else { f64::NAN };
    }

    /// The number of observables.
    pub(crate) fn observables(&self) -> usize {
        self.of.observables.len()
    }

    /// The smoothed RTT, zero before the first sample, and the observables' values at a sampling instant.
    pub(crate) fn observe(&mut self, srtt: Time, values: &[f64]) {
        if srtt > Time::ZERO {
            self.of.srtts.record(srtt.as_nanos());
            self.of.srtt.mean.add(srtt.as_secs_f64(), 1.0);
        }
        for (held, value) in self.of.observables.iter_mut().zip(values) {
            held.mean.add(*value, 1.0);
        }
    }

    /// The results over `seconds`.
    pub(crate) fn measured(&self, seconds: f64) -> Measured<'_> {
        Measured {
            meter: Cow::Borrowed(&self.of),
            bytes: self.first_bytes,
            seconds,
            sent: self.counters.sent,
            offered: self.counters.sent,
            lost: self.dropped,
            retransmitted: self.counters.resent,
            recoveries: self.counters.recoveries,
            timeouts: self.counters.timeouts,
            spurious: self.counters.spurious,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_weighted_by_time_and_start_at_the_window() {
        let ms = Time::from_millis;
        let mut meter = Meter::new(0);
        meter.window(ms(0), 100.0);
        meter.round_trip(ms(0), ms(50));
        meter.begin(ms(10), Counters::default(), 0);
        meter.window(ms(20), 10.0);
        meter.round_trip(ms(30), ms(100));
        meter.end(ms(50), Counters::default(), 0, 0);
        assert!((meter.of.cwnd.mean.value().unwrap() - (100.0 + 3.0 * 10.0) / 4.0).abs() < 1e-9);
        assert!((meter.of.rtt.mean.value().unwrap() - (2.0 * 0.05 + 2.0 * 0.1) / 4.0).abs() < 1e-12);
    }
}
