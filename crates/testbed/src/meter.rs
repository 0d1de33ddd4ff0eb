//! A subflow's means and counters in its flow's measurement window, from samples of its socket.

use anabranch_record::{Measured, SubflowSample};
use std::borrow::Cow;

/// Entries of `tcp_info.ca_state` (linux/tcp.h).
const RECOVERY: u8 = 3;
const LOSS: u8 = 4;

/// A sample of a subflow's socket.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The sample without its time, its place and the observables.
    pub sample: SubflowSample<'static>,
    /// The state of loss recovery.
    pub ca_state: u8,
    pub counters: Counters,
    /// The algorithm's observables; NaN if the kernel does not report them.
    pub observables: Vec<f64>,
}

/// Counters of a socket.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counters {
    /// Payload bytes acknowledged.
    pub acked_bytes: u64,
    /// Segments with data sent, retransmissions included.
    pub sent: u64,
    /// Retransmitted segments.
    pub retransmitted: u64,
    /// Retransmission timeouts; `None` if the kernel does not count them.
    pub timeouts: Option<u64>,
    /// Entries into loss recovery, as a program of ours counts them.
    pub recoveries: Option<u64>,
    /// Responses undone as spurious, as a program of ours counts them.
    pub spurious: Option<u64>,
}

impl State {
    /// Whether its window is possible. A window grows at most by the acknowledged data (RFC 5681 §3.1, RFC 3465), so it is at
    /// most the initial window plus the segments sent; the SYN may count as one.
    pub fn is_possible(&self, initial_window: u32) -> bool {
        self.sample.cwnd_segments <= (u64::from(initial_window) + self.counters.sent + 1) as f64
    }
}

impl Counters {
    /// The counters of a new socket.
    fn zero(&self) -> Self {
        Counters {
            timeouts: self.timeouts.map(|_| 0),
            recoveries: self.recoveries.map(|_| 0),
            spurious: self.spurious.map(|_| 0),
            ..Counters::default()
        }
    }
}

/// Measures from the first sample in the window to the last.
#[derive(Default)]
pub(crate) struct Meter {
    last: Option<(f64, State)>,
    of: anabranch_record::Meter,
    sums: Counters,
    /// Entries into recovery and loss that samples show. Episodes shorter than the sampling interval are missing.
    seen: [u64; 2],
}

impl Meter {
    /// For an algorithm with this number of observables.
    pub fn new(observables: usize) -> Self {
        Meter { of: anabranch_record::Meter::new(observables), ..Meter::default() }
    }

    /// Adds the subflow's state at a time in seconds. `fresh`: its socket is new since the last sample.
    pub fn add(&mut self, time_s: f64, now: State, fresh: bool) {
        if fresh {
            self.last = None;
            self.count(&now.counters.zero(), &now.counters);
        }
        if let Some((since_s, last)) = self.last.take() {
            self.of.hold(time_s - since_s);
            self.count(&last.counters, &now.counters);
            for (seen, state) in self.seen.iter_mut().zip([RECOVERY, LOSS]) {
                *seen += u64::from(now.ca_state == state && last.ca_state != state);
            }
        }
        self.of.cwnd.now = now.sample.cwnd_segments;
        self.of.srtt.now = f64::NAN;
        if now.sample.srtt_s > 0.0 {
            self.of.srtt.now = now.sample.srtt_s;
            self.of.srtts.record((now.sample.srtt_s * 1e9) as u64);
        }
        let observables = self.of.observables.iter_mut().zip(&now.observables);
        observables.for_each(|(held, value)| held.now = *value);
        self.last = Some((time_s, now));
    }

    /// Records that the subflow has left. The path's next subflow has its own counters.
    pub fn end_subflow(&mut self) {
        self.last = None;
    }

    fn count(&mut self, last: &Counters, now: &Counters) {
        // A new socket in its place started at zero.
        let grown = |last: u64, now: u64| if now >= last { now - last } else { now };
        self.sums.acked_bytes += grown(last.acked_bytes, now.acked_bytes);
        self.sums.sent += grown(last.sent, now.sent);
        self.sums.retransmitted += grown(last.retransmitted, now.retransmitted);
        for (sum, last, now) in [
            (&mut self.sums.timeouts, last.timeouts, now.timeouts),
            (&mut self.sums.recoveries, last.recoveries, now.recoveries),
            (&mut self.sums.spurious, last.spurious, now.spurious),
        ] {
            if let (Some(last), Some(now)) = (last, now) {
                *sum.get_or_insert(0) += grown(last, now);
            }
        }
    }

    /// The results over `seconds`. The links dropped `lost` of `offered` segments. Without counters of timeouts and
    /// recoveries, the samples provide them.
    pub fn measured(&self, seconds: f64, offered: u64, lost: u64) -> Measured<'_> {
        Measured {
            meter: Cow::Borrowed(&self.of),
            bytes: self.sums.acked_bytes,
            seconds,
            sent: self.sums.sent,
            offered,
            lost,
            retransmitted: self.sums.retransmitted,
            recoveries: self.sums.recoveries.unwrap_or(self.seen[0]),
            timeouts: self.sums.timeouts.unwrap_or(self.seen[1]),
            spurious: self.sums.spurious.unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(cwnd: f64, acked_bytes: u64, ca_state: u8) -> State {
        State {
            sample: SubflowSample { cwnd_segments: cwnd, srtt_s: 0.02, ..SubflowSample::default() },
            ca_state,
            counters: Counters { acked_bytes, ..Counters::default() },
            observables: vec![cwnd / 10.0],
        }
    }

    /// Ten segments sent and acknowledged in slow start make 20 of an initial window of 10.
    #[test]
    fn windows_beyond_sent_data_are_impossible() {
        let sent = |cwnd, sent| {
            let counters = Counters { sent, ..Counters::default() };
            State { counters, ..state(cwnd, 0, 0) }
        };
        for (cwnd, segments, possible) in
            [(10.0, 0, true), (12.0, 0, false), (20.0, 10, true), (22.0, 10, false), (1.9e6, 50_000, false)]
        {
            assert_eq!(sent(cwnd, segments).is_possible(10), possible, "{cwnd} {segments}");
        }
    }

    /// By hand: a window of 10 for 1 s and of 20 for 3 s is 17.5 in the mean.
    #[test]
    fn means_hold_until_the_next_sample() {
        let mut meter = Meter::new(1);
        meter.add(2.0, state(10.0, 1_000, 0), false);
        meter.add(3.0, state(20.0, 1_500, RECOVERY), false);
        meter.add(6.0, state(99.0, 4_000, RECOVERY), false);
        let measured = meter.measured(4.0, 0, 0);
        let means = [measured.meter.cwnd, measured.meter.observables[0], measured.meter.srtt];
        assert_eq!(means.map(|held| held.mean.value()), [Some(17.5), Some(1.75), Some(0.02)]);
        assert_eq!((measured.bytes, measured.recoveries, measured.timeouts), (3_000, 1, 0));
    }

    /// A subflow that left and came again counts from nothing, what it had done before it was first seen included; the time
    /// between counts for no mean.
    #[test]
    fn a_subflow_that_comes_again() {
        let mut meter = Meter::new(1);
        meter.add(0.0, state(10.0, 5_000, 0), false);
        meter.add(1.0, state(10.0, 6_000, 0), false);
        meter.end_subflow();
        meter.add(5.0, state(20.0, 300, 0), true);
        meter.add(6.0, state(20.0, 700, LOSS), false);
        let measured = meter.measured(2.0, 0, 0);
        assert_eq!(measured.meter.cwnd.mean.value(), Some(15.0));
        assert_eq!((measured.bytes, measured.timeouts), (1_700, 1));
    }

    #[test]
    fn program_counters_precede_samples() {
        let counted = |recoveries| {
            let counters = Counters { recoveries: Some(recoveries), ..Counters::default() };
            State { counters, ..state(10.0, 0, RECOVERY) }
        };
        let mut meter = Meter::new(1);
        meter.add(0.0, counted(4), false);
        meter.add(1.0, counted(9), false);
        assert_eq!(meter.measured(1.0, 0, 0).recoveries, 5);
    }
}
