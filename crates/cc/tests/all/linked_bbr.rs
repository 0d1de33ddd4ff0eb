//! Linked BBR, driven by samples of the delivery rate.

use crate::group;
use anabranch_cc_model::{Tested, assert_close};
use multipath_cc::{Ack, Congestion, RateSample, Signal};

const RTT: f64 = 0.1;
/// States of BBR.
const DOWN: f64 = 2.0;

/// A connection whose paths have a sample per round trip.
struct Connection {
    group: Tested,
    now: f64,
    delivered: Vec<f64>,
}

impl Connection {
    fn new(detect: &str, paths: usize) -> Connection {
        let mut group = group(&format!("linked-bbr detect={detect}"));
        (0..paths).for_each(|_| _ = group.add_path(RTT, 10.0));
        Connection { group, now: 0.0, delivered: vec![0.0; paths] }
    }

    /// A round trip in which the paths deliver these rates, one after the other; those with 0 are idle. Each round-trip time is a bit
    /// shorter than all before, so that no path goes into ProbeRTT.
    fn round(&mut self, rates: &[f64]) {
        self.round_with(rates, &vec![RTT - 1e-6 * self.now; rates.len()]);
    }

    fn round_with(&mut self, rates: &[f64], rtts: &[f64]) {
        self.now += RTT;
        for (r, rate) in rates.iter().enumerate().filter(|(_, rate)| **rate > 0.0) {
            let prior_delivered = self.delivered[r];
            self.delivered[r] += rate * RTT;
            let sample = RateSample {
                total_delivered: self.delivered[r],
                prior_delivered,
                interval: RTT,
                tx_in_flight: rate * RTT,
                ..RateSample::default()
            };
            let ack = Ack::of(self.now, rate * RTT, rtts[r]);
            self.group.on_ack(r, &Ack { srtt: RTT, in_flight: 0.0, rate: Some(sample), ..ack });
        }
    }

    fn each(&self, observable: &str) -> Vec<f64> {
        (0..self.delivered.len()).map(|r| self.group.see(r, observable)).collect()
    }

    fn fractions(&self) -> Vec<f64> {
        self.each("fraction")
    }
}

/// Two paths with 100 each, then with 120 and 80, then with 85 and 115. Their maxima are 120 and 115. The first path saw a sum of
/// 220, as the other's latest sample was of the round before; the second saw 200 each time. A path's sample changes the sum and
/// its maximum at once.
#[test]
fn the_largest_sum_is_shared() {
    let mut of = Connection::new("always", 2);
    of.round(&[100.0, 100.0]);
    of.round(&[120.0, 80.0]);
    of.round(&[85.0, 115.0]);
    let fractions = of.fractions();
    assert_close(fractions[0], 1.0, 1e-12); // before the second path's sample: 220 of 120 + 100
    assert_close(fractions[1], 200.0 / 235.0, 1e-12);
    of.round(&[85.0, 0.0]);
    assert_close(of.fractions()[0], 220.0 / 235.0, 1e-12);
}

/// With constant rates the sum of the samples is the sum of the maxima, cycle for cycle. Then the paths have 120 and 80, and 80 and
/// 120, in turns. The second one's maximum stays, and so does the first one's, but the sum that it sees is 200 now, of 240. The former
/// sum counts until its cycle and the next one have ended.
#[test]
fn a_sum_counts_for_two_cycles() {
    let mut of = Connection::new("always", 2);
    // A cycle's maximum ends a round trip after the path goes into DOWN.
    let mut ended = 0;
    let mut is_down = false;
    let mut cycle_ends = |of: &Connection| {
        let was_down = is_down;
        is_down = of.each("state")[1] == DOWN;
        ended += u32::from(is_down && !was_down);
        ended
    };
    while cycle_ends(&of) < 4 {
        of.round(&[120.0, 120.0]);
        of.fractions().iter().for_each(|fraction| assert_close(*fraction, 1.0, 1e-12));
        assert!(of.now < 60.0, "{:?}", of.each("state"));
    }
    (0..2).for_each(|_| of.round(&[120.0, 120.0]));
    let mut rounds = 0;
    while cycle_ends(&of) < 6 {
        assert_eq!(of.fractions()[1], 1.0, "round {rounds}");
        of.round(if rounds % 2 == 0 { &[120.0, 80.0] } else { &[80.0, 120.0] });
        rounds += 1;
        assert!(rounds < 200, "{:?}", of.each("state"));
    }
    (0..2).for_each(|_| of.round(&[120.0, 80.0]));
    assert_close(of.fractions()[1], 200.0 / 240.0, 1e-12);
}

/// A path uses its whole bandwidth alone, and beside one that it shares nothing with. With bandwidths of 100 and 80 or less apart
/// the paths share: 20 % of the larger.
#[test]
fn what_shares_nothing_is_not_linked() {
    let mut alone = Connection::new("always", 1);
    [100.0, 130.0, 90.0].iter().for_each(|rate| alone.round(&[*rate]));
    assert_eq!(alone.fractions(), [1.0]);
    for (second, shares) in [(79.0, false), (81.0, true)] {
        let mut of = Connection::new("bandwidths", 2);
        of.round(&[100.0, 0.5 * second]);
        of.round(&[50.0, second]);
        of.round(&[50.0, second]);
        assert_eq!(of.fractions()[1] < 1.0, shares, "{second}: {:?}", of.fractions());
    }
}

/// RFC 8382 takes all paths together for 50 intervals of 0.35 s, and then those whose delays are alike. Three of four delays above the
/// mean are a skewness of −0.5, as before a full queue, three of four below it one of 0.5, which is not a bottleneck.
#[test]
fn delays_group_the_paths() {
    for (fourth, sharing) in [(0.5, 2.0), (2.0, 1.0)] {
        let mut of = Connection::new("delays", 2);
        for round in 0..300 {
            let delay = |fourth| if round % 4 == 3 { fourth * RTT } else { RTT };
            of.round_with(&[100.0, 100.0], &[delay(0.5), delay(fourth)]);
            let now = of.now;
            if now < 17.0 {
                assert!(round == 0 || of.each("sharing") == [2.0, 2.0], "at {now}");
            } else if now > 25.0 {
                assert_eq!(of.each("sharing"), [sharing; 2], "at {now}");
            }
        }
    }
}

/// Paths that do not count share nothing: one that is removed, one that has timed out, until it delivers again, and one that has been
/// idle for more than four round trips, as a backup.
#[test]
fn only_paths_that_count_are_linked() {
    let with = |leave: fn(&mut Connection)| {
        let mut of = Connection::new("always", 2);
        of.round(&[100.0, 100.0]);
        of.round(&[60.0, 120.0]);
        of.round(&[60.0, 120.0]);
        assert_close(of.fractions()[0], 180.0 / 220.0, 1e-12);
        leave(&mut of);
        of.round(&[100.0, 0.0]);
        (of.each("sharing")[0], of.fractions()[0], of)
    };
    let (sharing, fraction, _) = with(|of| of.group.remove_path(1));
    assert_eq!((sharing, fraction), (1.0, 1.0));
    let (sharing, fraction, _) = with(|of| (0..5).for_each(|_| of.round(&[60.0, 0.0])));
    assert_eq!((sharing, fraction), (1.0, 1.0));
    let (sharing, fraction, mut of) = with(|of| {
        let event = Congestion { now: of.now, signal: Signal::Timeout };
        of.group.on_congestion(1, &event);
    });
    assert_eq!((sharing, fraction), (1.0, 1.0));
    of.round(&[100.0, 20.0]);
    of.round(&[100.0, 20.0]);
    assert_eq!(of.each("sharing")[0], 2.0);
}
