//! A subflow's means and counters over a record.

use super::Subflow;
use anabranch_record::{Histogram, SubflowSummary};

/// A subflow's means and counters since the record, or the subflow, began.
pub struct Meter {
    /// The socket's number.
    pub owner: u64,
    from_s: f64,
    to_s: f64,
    first_bytes: Bytes,
    bytes: Bytes,
    /// The kernel's counters, of 32 bits each, as they were last.
    last: [u32; COUNTS],
    totals: [u64; COUNTS],
    cwnd: Mean,
    srtt: Mean,
    observables: Vec<Mean>,
    srtts: Histogram,
}

const COUNTS: usize = 6;

/// Segments and events since the record began.
pub struct Counts {
    pub sent: u64,
    pub lost: u64,
    pub retransmitted: u64,
    pub recoveries: u64,
    pub timeouts: u64,
    pub spurious: u64,
}

#[derive(Clone, Copy, Default)]
struct Bytes {
    sent: u64,
    acked: u64,
}

/// A mean over time: a value holds until the next.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    seconds: f64,
    last: Option<f64>,
}

impl Mean {
    /// `value` from now on; the last one held for so many seconds.
    fn add(&mut self, seconds: f64, value: Option<f64>) {
        if let Some(last) = self.last {
            self.sum += last * seconds;
            self.seconds += seconds;
        }
        self.last = value.filter(|x| x.is_finite()).or(self.last);
    }

    /// With a single value, that.
    fn value(&self) -> Option<f64> {
        if self.seconds > 0.0 { Some(self.sum / self.seconds) } else { self.last }
    }
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
            first_bytes: Bytes::default(),
            bytes: Bytes::default(),
            last: [0; COUNTS],
            totals: [0; COUNTS],
            cwnd: Mean::default(),
            srtt: Mean::default(),
            observables: vec![Mean::default(); s.observables.len()],
            srtts: Histogram::new(),
        }
    }

    /// A subflow that was there before: its counters begin where they are.
    pub fn amid(from_s: f64, s: &Subflow) -> Self {
        let first_bytes = Bytes { sent: s.sent_bytes, acked: s.acked_bytes };
        Meter { first_bytes, bytes: first_bytes, last: counters(s), ..Meter::new(from_s, s) }
    }

    /// Its state at that time.
    pub fn add(&mut self, time_s: f64, s: &Subflow) {
        let seconds = time_s - self.to_s;
        self.to_s = time_s;
        self.cwnd.add(seconds, Some(s.cwnd));
        self.srtt.add(seconds, s.srtt_s);
        for (mean, value) in self.observables.iter_mut().zip(&s.observables) {
            mean.add(seconds, Some(*value));
        }
        if let Some(srtt) = s.srtt_s {
            self.srtts.record((srtt * 1e9) as u64);
        }
        self.bytes = Bytes { sent: s.sent_bytes, acked: s.acked_bytes };
        for ((total, last), now) in self.totals.iter_mut().zip(&mut self.last).zip(counters(s)) {
            *total += u64::from(now.wrapping_sub(*last));
            *last = now;
        }
    }

    /// When it began, or the record did.
    pub fn began_s(&self) -> f64 {
        self.from_s
    }

    /// When it was last seen.
    pub fn ended_s(&self) -> f64 {
        self.to_s
    }

    /// Payload bytes sent, first transmissions only.
    pub fn sent_bytes(&self) -> u64 {
        self.bytes.sent.saturating_sub(self.first_bytes.sent)
    }

    /// Payload bytes acknowledged.
    pub fn acked_bytes(&self) -> u64 {
        self.bytes.acked.saturating_sub(self.first_bytes.acked)
    }

    /// Segments and events.
    pub fn counts(&self) -> Counts {
        let [sent, lost, retransmitted, recoveries, timeouts, spurious] = self.totals;
        Counts { sent, lost, retransmitted, recoveries, timeouts, spurious }
    }

    /// All of it.
    pub fn summary(&self, path: Vec<String>, observables: &[&str]) -> SubflowSummary {
        let seconds = self.to_s - self.from_s;
        let counts = self.counts();
        let means = observables.iter().zip(&self.observables);
        SubflowSummary {
            path,
            goodput_bps: (seconds > 0.0).then(|| self.acked_bytes() as f64 * 8.0 / seconds),
            mean_cwnd_segments: self.cwnd.value(),
            // The kernel tells the smoothed one alone.
            mean_rtt_s: None,
            rtt_p5_s: None,
            rtt_p50_s: None,
            rtt_p95_s: None,
            rtt_p99_s: None,
            mean_srtt_s: self.srtt.value(),
            srtt_p5_s: self.srtts.quantile(0.05),
            srtt_p50_s: self.srtts.quantile(0.5),
            srtt_p95_s: self.srtts.quantile(0.95),
            srtt_p99_s: self.srtts.quantile(0.99),
            loss_rate: (counts.sent > 0).then(|| counts.lost as f64 / counts.sent as f64),
            sent_segments: counts.sent,
            lost_segments: counts.lost,
            retransmitted_segments: counts.retransmitted,
            recoveries: counts.recoveries,
            timeouts: counts.timeouts,
            spurious: counts.spurious,
            mean_observables: means.map(|(name, mean)| ((*name).to_owned(), mean.value())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::subflow;

    /// By hand: a window of 10 for 1 s and of 20 for 3 s is 17.5 in the mean.
    #[test]
    fn means_and_counters() {
        let mut s = subflow(7, 1, 1_000_000);
        let mut meter = Meter::amid(2.0, &s);
        let mut at = |time_s: f64, cwnd: f64, acked: u64, lost: u32| {
            (s.cwnd, s.acked_bytes, s.lost_segments) = (cwnd, acked, lost);
            meter.add(time_s, &s);
        };
        at(2.0, 10.0, 1_000_000, 5);
        at(3.0, 20.0, 1_100_000, 9);
        // The kernel's counter passed 2³².
        at(6.0, 99.0, 1_500_000, 8);
        let summary = meter.summary(vec!["a → b".to_owned()], &["alpha"]);
        assert_eq!(summary.mean_cwnd_segments, Some(17.5));
        assert_eq!(summary.goodput_bps, Some(1e6));
        assert_eq!((meter.acked_bytes(), meter.counts().lost), (500_000, u64::from(u32::MAX) + 4));
        assert_eq!((summary.mean_srtt_s, summary.timeouts), (Some(0.02), 0));
        assert!((summary.srtt_p50_s.unwrap() - 0.02).abs() < 1e-4);
        assert_eq!(summary.mean_observables, [("alpha".to_owned(), Some(0.75))]);
    }

    #[test]
    fn one_that_began_counts_from_nothing() {
        let s = subflow(7, 1, 250_000);
        let mut meter = Meter::new(4.0, &s);
        meter.add(5.0, &s);
        let summary = meter.summary(vec![], &["alpha"]);
        assert_eq!((summary.goodput_bps, summary.mean_cwnd_segments), (Some(2e6), Some(11.0)));
        assert_eq!((summary.lost_segments, summary.sent_segments, summary.timeouts), (5, 100, 2));
    }
}
