//! A subflow's means and counters over a record.

use super::Subflow;
use anabranch_record::{Held, Measured};

/// A subflow's means and counters since the start of the record or, if later, of the subflow.
pub struct Meter {
    /// The socket's number.
    pub owner: u64,
    /// The start of the subflow or, if later, of the record.
    pub from_s: f64,
    /// The time of its last sample.
    pub to_s: f64,
    /// Bytes sent and acknowledged: those before the record, and the latest.
    first_bytes: [u64; 2],
    bytes: [u64; 2],
    /// The last values of the kernel's 32-bit counters.
    last: [u32; COUNTS],
    totals: [u64; COUNTS],
    of: anabranch_record::Meter,
}

const COUNTS: usize = 6;

fn bytes(s: &Subflow) -> [u64; 2] {
    [s.sent_bytes, s.acked_bytes]
}

fn counters(s: &Subflow) -> [u32; COUNTS] {
    [s.sent_segments, s.lost_segments, s.retransmitted_segments, s.recoveries, s.timeouts, s.spurious]
}

impl Meter {
    /// A subflow that began at `from_s`.
    pub fn new(from_s: f64, s: &Subflow) -> Self {
        Meter {
            owner: s.owner,
            from_s,
            to_s: from_s,
            first_bytes: [0; 2],
            bytes: [0; 2],
            last: [0; COUNTS],
            totals: [0; COUNTS],
            of: anabranch_record::Meter::new(s.observables.len()),
        }
    }

    /// A subflow that existed before the record: its counters begin at their current values.
    pub fn from_existing(from_s: f64, s: &Subflow) -> Self {
        Meter { first_bytes: bytes(s), bytes: bytes(s), last: counters(s), ..Meter::new(from_s, s) }
    }

    /// Adds its state at a time.
    pub fn add(&mut self, time_s: f64, s: &Subflow) {
        self.of.hold(time_s - self.to_s);
        self.to_s = time_s;
        let set = |held: &mut Held, value: f64| held.now = if value.is_finite() { value } else { held.now };
        set(&mut self.of.cwnd, s.cwnd);
        if let Some(srtt) = s.srtt_s {
            set(&mut self.of.srtt, srtt);
            self.of.srtts.record((srtt * 1e9) as u64);
        }
        self.of.observables.iter_mut().zip(&s.observables).for_each(|(held, value)| set(held, *value));
        self.bytes = bytes(s);
        for ((total, last), now) in self.totals.iter_mut().zip(&mut self.last).zip(counters(s)) {
            *total += u64::from(now.wrapping_sub(*last));
            *last = now;
        }
    }

    /// Payload bytes sent, first transmissions only.
    pub fn sent_bytes(&self) -> u64 {
        self.bytes[0].saturating_sub(self.first_bytes[0])
    }

    /// Payload bytes acknowledged.
    pub fn acked_bytes(&self) -> u64 {
        self.bytes[1].saturating_sub(self.first_bytes[1])
    }

    /// Lost and retransmitted segments.
    pub fn lost_and_retransmitted(&self) -> (u64, u64) {
        (self.totals[1], self.totals[2])
    }

    /// The results. The kernel reports only the smoothed RTT.
    pub fn measured(&self) -> Measured<'_> {
        let [sent, lost, retransmitted, recoveries, timeouts, spurious] = self.totals;
        Measured {
            meter: self.of.with_single_values(),
            bytes: self.acked_bytes(),
            seconds: self.to_s - self.from_s,
            sent,
            offered: sent,
            lost,
            retransmitted,
            recoveries,
            timeouts,
            spurious,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::subflow;
    use anabranch_record::SubflowSummary;

    /// By hand: a window of 10 for 1 s and of 20 for 3 s is 17.5 in the mean.
    #[test]
    fn means_and_counters() {
        let mut s = subflow(7, 1, 1_000_000);
        let mut meter = Meter::from_existing(2.0, &s);
        let mut at = |time_s: f64, cwnd: f64, acked: u64, lost: u32| {
            (s.cwnd, s.acked_bytes, s.lost_segments) = (cwnd, acked, lost);
            meter.add(time_s, &s);
        };
        at(2.0, 10.0, 1_000_000, 5);
        at(3.0, 20.0, 1_100_000, 9);
        // The kernel's counter passed 2³².
        at(6.0, 99.0, 1_500_000, 8);
        let summary = SubflowSummary::of(vec![], &["alpha"], &meter.measured());
        assert_eq!(summary.mean_cwnd_segments, Some(17.5));
        assert_eq!(summary.goodput_bps, Some(1e6));
        assert_eq!((meter.acked_bytes(), summary.lost_segments), (500_000, u64::from(u32::MAX) + 4));
        assert_eq!((summary.mean_srtt_s, summary.timeouts), (Some(0.02), 0));
        assert!((summary.srtt_p50_s.unwrap() - 0.02).abs() < 1e-4);
        assert_eq!(summary.mean_observables, [("alpha".to_owned(), Some(0.75))]);
    }

    #[test]
    fn one_that_began_counts_from_nothing() {
        let s = subflow(7, 1, 250_000);
        let mut meter = Meter::new(4.0, &s);
        meter.add(5.0, &s);
        let summary = SubflowSummary::of(vec![], &["alpha"], &meter.measured());
        assert_eq!((summary.goodput_bps, summary.mean_cwnd_segments), (Some(2e6), Some(11.0)));
        assert_eq!((summary.lost_segments, summary.sent_segments, summary.timeouts), (5, 100, 2));
    }
}
