//! HyStart++, against RFC 9406, through CUBIC.

use crate::group;
use anabranch_cc_model::{RENO_FAMILY, Tested, on_path};
use multipath_cc::{Ack, Congestion, Signal};

/// A path in its first slow start, and the round it is in.
struct Start {
    group: Tested,
    round: u64,
}

impl Start {
    fn new(algorithm: &str) -> Self {
        Start { group: on_path(group(algorithm), 0.1, 10.0), round: 0 }
    }

    /// One acknowledgement of `acked` segments in the current round; returns the growth.
    fn ack(&mut self, acked: f64, rtt: f64) -> f64 {
        let before = self.group.path(0).cwnd;
        let now = self.round as f64 * 0.1;
        let ack = Ack { srtt: 0.1, in_flight: 0.0, round: self.round, ..Ack::of(now, acked, rtt) };
        self.group.on_ack(0, &ack);
        self.group.path(0).cwnd - before
    }

    /// A round of `samples` acknowledgements of one segment; returns the growth of the last.
    fn round(&mut self, samples: usize, rtt: f64) -> f64 {
        let last = (0..samples).map(|_| self.ack(1.0, rtt)).last();
        self.round += 1;
        last.unwrap()
    }
}

/// §4.2: the threshold is an eighth of the last round's RTT, within 4 and 16 ms.
#[test]
fn the_threshold_is_an_eighth_within_bounds() {
    for (base, threshold) in [(0.010, 0.004), (0.032, 0.004), (0.080, 0.010), (0.128, 0.016), (0.600, 0.016)]
    {
        for (rise, growth) in [(threshold - 1e-5, 1.0), (threshold + 1e-5, 0.25)] {
            let mut start = Start::new("cubic");
            start.round(8, base);
            start.round(8, base + rise);
            assert_eq!(start.ack(1.0, base + rise), growth, "{base} s + {rise} s");
        }
    }
}

#[test]
fn a_round_needs_eight_samples() {
    let mut start = Start::new("cubic");
    start.round(8, 0.1);
    assert_eq!((0..8).map(|_| start.ack(1.0, 0.2)).collect::<Vec<_>>(), [1.0; 8]);
    assert_eq!(start.ack(1.0, 0.2), 0.25, "the eighth sample ended standard slow start");
}

#[test]
fn conservative_slow_start_lasts_five_rounds() {
    let mut start = Start::new("cubic");
    start.round(8, 0.1);
    // The round in which it begins is the first; growth is a quarter.
    start.round(9, 0.2);
    for _ in 0..4 {
        assert_eq!(start.round(8, 0.2), 0.25);
        assert!(start.group.path(0).in_slow_start());
    }
    let window = start.group.path(0).cwnd;
    start.ack(1.0, 0.2);
    assert_eq!(start.group.path(0).ssthresh, window);
    assert!(!start.group.path(0).in_slow_start());
}

#[test]
fn a_spurious_rise_returns_to_slow_start() {
    let mut start = Start::new("cubic");
    start.round(8, 0.1);
    start.round(9, 0.2);
    assert_eq!(start.round(8, 0.2), 0.25);
    start.round(8, 0.19); // below the baseline of 0.2
    assert_eq!(start.round(8, 0.19), 1.0);
    // The five rounds start anew with the next rise.
    start.round(9, 0.3);
    for _ in 0..4 {
        assert_eq!(start.round(8, 0.3), 0.25);
    }
    start.ack(1.0, 0.3);
    assert!(!start.group.path(0).in_slow_start());
}

#[test]
fn an_unpaced_sender_counts_eight_segments_per_acknowledgement() {
    assert_eq!(Start::new("cubic").ack(20.0, 0.1), 8.0);
    assert_eq!(Start::new("cubic pacing=true").ack(20.0, 0.1), 20.0);
    assert_eq!(Start::new("cubic hystart=false").ack(20.0, 0.1), 20.0);
}

/// §4.3: only in the first slow start.
#[test]
fn later_slow_starts_are_standard() {
    let mut start = Start::new("cubic");
    start.round(100, 0.1);
    start.group.on_congestion(0, &Congestion { now: 1.0, signal: Signal::Timeout });
    for rtt in [0.1, 0.2, 0.3, 0.4] {
        assert_eq!(start.round(9, rtt), 1.0);
    }
    assert_eq!(start.ack(12.0, 0.4), 12.0);
}

/// The algorithms that couple Reno's windows have it switched off, CUBIC and those that couple its windows on; each can be
/// set. A round 20 ms above the one before ends doubling: a quarter segment for each is conservative slow start.
#[test]
fn algorithms_can_have_it_or_not() {
    let cubic = ["cubic", "coupled-cubic", "coupled-cubic-a1", "linked-cubic"];
    let named = RENO_FAMILY.map(|name| (name, false)).into_iter().chain(cubic.map(|name| (name, true)));
    for (name, default) in named {
        for given in [None, Some(true), Some(false)] {
            let mut start = Start::new(&match given {
                Some(on) => format!("{name} hystart={on}"),
                None => name.to_owned(),
            });
            start.round(8, 0.1);
            start.round(8, 0.12);
            let growth = if given.unwrap_or(default) { 0.25 } else { 1.0 };
            assert_eq!(start.ack(1.0, 0.12), growth, "{name} {given:?}");
        }
    }
}
