//! What is measured of a subflow between the beginning and the end of its window of measurement.

use crate::sender::Counters;
use anabranch_net::Time;
use anabranch_record::Histogram;

/// Time-weighted sums and counters, from [`Meter::begin`] to [`Meter::end`].
///
/// Laid out as it is written, what each acknowledgement needs first.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Meter {
    since: Time,
    cwnd: f64,
    rtt: f64,
    cwnd_seconds: f64,
    cwnd_time: f64,
    rtt_seconds: f64,
    rtt_time: f64,
    pub(crate) rtts: Histogram,
    running: bool,
    pub(crate) counters: Counters,
    pub(crate) dropped: u64,
    pub(crate) first_bytes: u64,
    /// The smoothed RTT at the sampling instants, and the sum in seconds.
    pub(crate) srtts: Histogram,
    srtt_sum_s: f64,
    /// Sums of the observables' samples, and how many had a value.
    pub(crate) observables: Vec<(f64, u64)>,
}

impl Meter {
    pub(crate) fn new(observables: usize) -> Meter {
        Meter {
            running: false,
            since: Time::ZERO,
            cwnd: 0.0,
            rtt: 0.0,
            cwnd_seconds: 0.0,
            cwnd_time: 0.0,
            rtt_seconds: 0.0,
            rtt_time: 0.0,
            rtts: Histogram::default(),
            counters: Counters::default(),
            dropped: 0,
            first_bytes: 0,
            srtts: Histogram::default(),
            srtt_sum_s: 0.0,
            observables: vec![(0.0, 0); observables],
        }
    }

    /// The window of measurement begins; `counters` and `first_bytes` are what there was before.
    pub(crate) fn begin(&mut self, now: Time, counters: Counters, first_bytes: u64) {
        let (cwnd, rtt, observables) = (self.cwnd, self.rtt, self.observables.len());
        *self =
            Meter { running: true, since: now, cwnd, rtt, counters, first_bytes, ..Meter::new(observables) };
    }

    /// It ends: differences are taken. `dropped` is of this window already.
    pub(crate) fn end(&mut self, now: Time, counters: Counters, dropped: u64, first_bytes: u64) {
        self.settle(now);
        self.running = false;
        self.counters = counters.since(&self.counters);
        self.dropped = dropped;
        self.first_bytes = first_bytes - self.first_bytes;
    }

    /// Adds what another measured, of a connection that is over.
    pub(crate) fn absorb(&mut self, other: &Meter) {
        self.cwnd_seconds += other.cwnd_seconds;
        self.cwnd_time += other.cwnd_time;
        self.rtt_seconds += other.rtt_seconds;
        self.rtt_time += other.rtt_time;
        self.rtts.merge(&other.rtts);
        self.srtts.merge(&other.srtts);
        self.srtt_sum_s += other.srtt_sum_s;
        self.counters = self.counters.and(&other.counters);
        self.dropped += other.dropped;
        self.first_bytes += other.first_bytes;
        for (own, (sum, n)) in self.observables.iter_mut().zip(&other.observables) {
            *own = (own.0 + sum, own.1 + n);
        }
    }

    #[inline]
    fn settle(&mut self, now: Time) {
        let dt = now.since(self.since).as_secs_f64();
        self.since = now;
        if self.cwnd > 0.0 {
            self.cwnd_seconds += self.cwnd * dt;
            self.cwnd_time += dt;
        }
        if self.rtt > 0.0 {
            self.rtt_seconds += self.rtt * dt;
            self.rtt_time += dt;
        }
    }

    /// The window is `cwnd` from now on; 0: the subflow is not established.
    #[inline]
    pub(crate) fn window(&mut self, now: Time, cwnd: f64) {
        if self.running && cwnd != self.cwnd {
            self.settle(now);
        }
        self.cwnd = cwnd;
        if cwnd == 0.0 {
            self.rtt = 0.0;
        }
    }

    /// The RTT was measured, with a segment that was sent once.
    #[inline]
    pub(crate) fn round_trip(&mut self, now: Time, rtt: Time) {
        if self.running {
            self.settle(now);
            self.rtts.record(rtt.as_nanos());
        }
        self.rtt = rtt.as_secs_f64();
    }

    /// The smoothed RTT, zero before the first sample, and the observables' values at a sampling instant.
    pub(crate) fn observe(&mut self, srtt: Time, values: &[f64]) {
        if srtt > Time::ZERO {
            self.srtts.record(srtt.as_nanos());
            self.srtt_sum_s += srtt.as_secs_f64();
        }
        for (sum, value) in self.observables.iter_mut().zip(values).filter(|(_, v)| v.is_finite()) {
            sum.0 += value;
            sum.1 += 1;
        }
    }

    /// Time-weighted mean window; none if the subflow was not established in the window of measurement.
    pub(crate) fn mean_cwnd(&self) -> Option<f64> {
        (self.cwnd_time > 0.0).then(|| self.cwnd_seconds / self.cwnd_time)
    }

    /// Time-weighted mean RTT, each sample holding until the next.
    pub(crate) fn mean_rtt(&self) -> Option<f64> {
        (self.rtt_time > 0.0).then(|| self.rtt_seconds / self.rtt_time)
    }

    /// Mean of the smoothed RTT over the sampling instants.
    pub(crate) fn mean_srtt(&self) -> Option<f64> {
        let n = self.srtts.count();
        (n > 0).then(|| self.srtt_sum_s / n as f64)
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
        assert!((meter.mean_cwnd().unwrap() - (100.0 + 3.0 * 10.0) / 4.0).abs() < 1e-9);
        assert!((meter.mean_rtt().unwrap() - (2.0 * 0.05 + 2.0 * 0.1) / 4.0).abs() < 1e-12);
    }
}
