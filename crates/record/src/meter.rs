//! Measurements of a subflow while its flow is measured.

use crate::Histogram;
use std::borrow::Cow;

/// A mean of values, each with its weight: the seconds that it held, or 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    /// Adds a value; one that is not finite is ignored.
    #[inline]
    pub fn add(&mut self, value: f64, weight: f64) {
        if value.is_finite() {
            self.sum += value * weight;
            self.weight += weight;
        }
    }

    /// Adds what another has.
    pub fn absorb(&mut self, other: &Mean) {
        self.sum += other.sum;
        self.weight += other.weight;
    }

    /// `None` without values.
    pub fn value(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }
}

/// A value and its mean over time: it holds until the next.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// NaN without values.
    pub now: f64,
    /// The mean so far.
    pub mean: Mean,
}

impl Default for Held {
    fn default() -> Self {
        Held { now: f64::NAN, mean: Mean::default() }
    }
}

impl Held {
    /// Adds a value that held for this number of seconds.
    #[inline]
    pub fn hold(&mut self, seconds: f64) {
        self.mean.add(self.now, seconds);
    }
}

/// Means and percentiles of a subflow. Who measures decides when a value changes and which of them hold over time.
///
/// Laid out as the simulator writes it, what each acknowledgement needs first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct Meter {
    /// The congestion window, in segments.
    pub cwnd: Held,
    /// The round-trip time, in seconds.
    pub rtt: Held,
    /// Its samples.
    pub rtts: Histogram,
    /// The smoothed round-trip time, in seconds.
    pub srtt: Held,
    /// Its values at sampling instants.
    pub srtts: Histogram,
    /// The algorithm's observables, in the registry's order.
    pub observables: Vec<Held>,
}

impl Meter {
    /// For an algorithm with this number of observables.
    pub fn new(observables: usize) -> Self {
        Meter { observables: vec![Held::default(); observables], ..Meter::default() }
    }

    /// Adds values that held for this number of seconds.
    pub fn hold(&mut self, seconds: f64) {
        self.each().for_each(|held| held.hold(seconds));
    }

    fn each(&mut self) -> impl Iterator<Item = &mut Held> {
        [&mut self.cwnd, &mut self.rtt, &mut self.srtt].into_iter().chain(&mut self.observables)
    }

    /// A value that has held for no time is its own mean.
    pub fn with_single_values(&self) -> Cow<'_, Self> {
        let mut of = self.clone();
        of.each().filter(|held| held.mean.weight == 0.0).for_each(|held| held.hold(1.0));
        Cow::Owned(of)
    }

    /// Adds the measurements of an ended connection.
    pub fn absorb(&mut self, other: &Meter) {
        self.cwnd.mean.absorb(&other.cwnd.mean);
        self.rtt.mean.absorb(&other.rtt.mean);
        self.rtts.merge(&other.rtts);
        self.srtt.mean.absorb(&other.srtt.mean);
        self.srtts.merge(&other.srtts);
        for (own, other) in self.observables.iter_mut().zip(&other.observables) {
            own.mean.absorb(&other.mean);
        }
    }
}

/// The data for a subflow's summary.
#[derive(Default)]
pub struct Measured<'a> {
    /// Means and percentiles.
    pub meter: Cow<'a, Meter>,
    /// Payload that arrived here first, or that was acknowledged, in bytes.
    pub bytes: u64,
    /// Over so much time.
    pub seconds: f64,
    /// Segments with payload sent, retransmissions included.
    pub sent: u64,
    /// Segments given to the network, which dropped `lost` of them.
    pub offered: u64,
    /// Segments dropped.
    pub lost: u64,
    /// Retransmitted segments.
    pub retransmitted: u64,
    /// Entries into loss recovery.
    pub recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Congestion responses undone.
    pub spurious: u64,
}

/// Bits per second; `None` over no time: a flow that ends before the warm-up or starts after the end has no share.
pub fn rate_bps(bytes: u64, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| bytes as f64 * 8.0 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: a window of 10 for 1 s and of 20 for 3 s is 17.5 in the mean.
    #[test]
    fn values_hold_until_the_next() {
        let mut meter = Meter::new(1);
        for (seconds, cwnd) in [(2.0, 10.0), (1.0, 20.0), (3.0, f64::NAN), (5.0, 99.0)] {
            meter.hold(seconds);
            meter.cwnd.now = cwnd;
        }
        meter.observables[0].now = 0.5;
        assert_eq!((meter.cwnd.mean.value(), meter.observables[0].mean.value()), (Some(17.5), None));
        let whole = meter.with_single_values().into_owned();
        assert_eq!((whole.cwnd.mean.value(), whole.observables[0].mean.value()), (Some(17.5), Some(0.5)));
        meter.absorb(&whole);
        assert_eq!((meter.cwnd.mean.value(), meter.observables[0].mean.value()), (Some(17.5), Some(0.5)));
    }
}
