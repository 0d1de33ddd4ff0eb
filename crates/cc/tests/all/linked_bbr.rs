//! Linked BBR, driven by samples of the delivery rate.

use crate::common::{assert_close, group, observed};
use multipath_cc::registry::ParamValue;
use multipath_cc::{Ack, Group, RateSample};

const RTT: f64 = 0.1;

/// A connection whose paths have a sample per round trip.
struct Connection {
    group: Group,
    now: f64,
    delivered: Vec<f64>,
}

impl Connection {
    fn new(detect: &str, paths: usize) -> Connection {
        let mut group = group("linked-bbr", &[("detect", ParamValue::Word(detect.into()))]);
        (0..paths).for_each(|_| _ = group.add_path(RTT, 10.0));
        Connection { group, now: 0.0, delivered: vec![0.0; paths] }
    }

    /// A round trip in which the paths deliver these rates, one after the other.
    fn round(&mut self, rates: &[f64]) {
        self.now += RTT;
        for (r, rate) in rates.iter().enumerate() {
            let prior_delivered = self.delivered[r];
            self.delivered[r] += rate * RTT;
            let sample = RateSample {
                total_delivered: self.delivered[r],
                prior_delivered,
                interval: RTT,
                tx_in_flight: rate * RTT,
                ..RateSample::default()
            };
            let acked = rate * RTT;
            self.group.on_ack(
                r,
                &Ack {
                    now: self.now,
                    acked,
                    delivered: acked,
                    rtt: Some(RTT),
                    srtt: RTT,
                    in_flight: 1e6, // it stays in Startup or Drain
                    cwnd_limited: true,
                    rate: Some(sample),
                    ..Ack::default()
                },
            );
        }
    }

    fn fractions(&self) -> Vec<f64> {
        let paths = 0..self.delivered.len();
        paths.map(|r| observed(&self.group, "linked-bbr", r, "fraction")).collect()
    }
}

/// Two paths with 100 each, then with 120 and 80, then with 85 and 115. Their maxima are 120 and 115. The first path saw a sum of
/// 220, as the other's latest sample was of the round before; the second saw 200 each time.
#[test]
fn the_largest_sum_is_shared() {
    let mut of = Connection::new("always", 2);
    of.round(&[100.0, 100.0]);
    of.round(&[120.0, 80.0]);
    of.round(&[85.0, 115.0]);
    of.round(&[85.0, 115.0]);
    let fractions = of.fractions();
    assert_close(fractions[0], 220.0 / 235.0, 1e-12);
    assert_close(fractions[1], 200.0 / 235.0, 1e-12);
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

/// Without competition nothing changes, whatever shares: the sum of the samples is the sum of the maxima.
#[test]
fn constant_rates_are_used_in_full() {
    let mut of = Connection::new("always", 3);
    (0..50).for_each(|_| of.round(&[100.0, 30.0, 70.0]));
    of.fractions().iter().for_each(|fraction| assert_close(*fraction, 1.0, 1e-12));
}
