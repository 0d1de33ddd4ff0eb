//! The sampler against values computed by hand. Packets have 1000 bytes, and a segment is one packet.

use super::*;

struct Sampler {
    rates: Rates,
    begin: Instant,
}

impl Sampler {
    fn new() -> Sampler {
        let begin = Instant::now();
        Sampler { rates: Rates::new(begin), begin }
    }

    fn at(&self, ms: u64) -> Instant {
        self.begin + Duration::from_millis(ms)
    }

    fn send(&mut self, ms: u64, number: u64, packets: u64) {
        self.rates.on_sent(self.at(ms), number, 1000, 1000 * packets);
    }

    /// An acknowledgement of packets, each with its time of sending.
    fn acknowledge(&mut self, ms: u64, packets: &[(u64, u64)]) -> RateSample {
        for (number, sent) in packets {
            self.rates.on_acked(self.at(ms), *number, self.at(*sent), 1000);
        }
        self.rates.sample(1000.0).unwrap().0
    }

    fn lose(&mut self, number: u64) -> (f64, f64) {
        self.rates.on_lost(0.0, number, 1000, 1000.0);
        let lost = self.rates.losses.pop().unwrap();
        (lost.lost, lost.tx_in_flight)
    }
}

/// A burst of four packets, whose acknowledgements come in pairs, 10 ms apart; each pair releases two.
#[test]
fn the_rate_is_that_of_the_acknowledgements() {
    let mut of = Sampler::new();
    (0..4).for_each(|n| of.send(0, n, n + 1));
    let first = of.acknowledge(100, &[(0, 0), (1, 0)]);
    assert_eq!((first.delivered(), first.interval, first.resumed), (2.0, 0.1, true));
    of.send(100, 4, 3);
    of.send(100, 5, 4);
    let second = of.acknowledge(110, &[(3, 0), (2, 0)]);
    assert_eq!((second.delivered(), second.interval, second.resumed), (4.0, 0.11, false));
    of.send(110, 6, 3);
    of.send(110, 7, 4);
    // Sent at 100 ms, when two had been delivered: 4 in the 100 ms to 200 ms.
    let third = of.acknowledge(200, &[(4, 100), (5, 100)]);
    assert_eq!((third.prior_delivered, third.total_delivered, third.interval), (2.0, 6.0, 0.1));
    assert_eq!((third.delivery_rate(), third.tx_in_flight), (40.0, 4.0));
    // Sent at 110 ms, when four had been delivered, the last at 110 ms. The flight since the burst took 110 ms to send.
    let fourth = of.acknowledge(210, &[(6, 110), (7, 110)]);
    assert_eq!((fourth.delivered(), fourth.interval), (4.0, 0.11));
}

/// §4.1.1.2.4: acknowledgements that come in a bunch do not make a rate above the sending rate: packets each 3 ms, all acknowledged at
/// 100 ms but packet 9, which comes at 101 ms: ten in the 101 ms since the first was sent.
#[test]
fn the_rate_is_no_more_than_that_of_sending() {
    let mut of = Sampler::new();
    (0..10).for_each(|n| of.send(3 * n, n, n + 1));
    let bunch: Vec<_> = (0..9).map(|n| (n, 3 * n)).collect();
    let sample = of.acknowledge(100, &bunch);
    assert_eq!((sample.delivered(), sample.interval), (9.0, 0.1));
    of.send(100, 10, 2);
    let sample = of.acknowledge(101, &[(9, 27)]);
    assert_eq!((sample.delivered(), sample.interval), (10.0, 0.101));
    let sample = of.acknowledge(110, &[(10, 100)]);
    // Sent 76 ms after packet 8, the newest that had been acknowledged then, and acknowledged 10 ms later.
    assert_eq!((sample.delivered(), sample.interval), (2.0, 0.076));
}

#[test]
fn an_interval_below_the_smallest_round_trip_time_gives_no_rate() {
    let mut of = Sampler::new();
    of.rates.on_round_trip(Duration::from_millis(20));
    of.send(0, 0, 1);
    let sample = of.acknowledge(19, &[(0, 0)]);
    assert_eq!((sample.interval, sample.delivery_rate()), (0.0, 0.0));
    of.send(20, 1, 1);
    assert_eq!(of.acknowledge(40, &[(1, 20)]).delivery_rate(), 50.0);
}

/// The count since a packet was sent has the packet itself, and none of before.
#[test]
fn losses_count_from_the_sending() {
    let mut of = Sampler::new();
    (0..4).for_each(|n| of.send(n, n, n + 1));
    assert_eq!(of.lose(0), (1.0, 1.0));
    assert_eq!(of.lose(1), (2.0, 2.0));
    of.send(30, 4, 3);
    assert_eq!(of.acknowledge(40, &[(3, 3)]).lost, 2.0);
    assert_eq!(of.lose(4), (1.0, 3.0));
}

/// §4.1.2.4: the samples of packets that are sent after the application ran dry, until what was in flight is delivered.
#[test]
fn samples_are_limited_by_the_application_for_a_round() {
    let mut of = Sampler::new();
    of.send(0, 0, 1);
    of.send(0, 1, 2);
    of.rates.deliveries.mark_app_limited(2000);
    of.send(5, 2, 3);
    assert!(!of.acknowledge(10, &[(0, 0)]).app_limited);
    assert!(!of.acknowledge(11, &[(1, 0)]).app_limited);
    of.send(12, 3, 2);
    assert!(of.acknowledge(15, &[(2, 5)]).app_limited);
    of.send(16, 4, 2);
    assert!(of.acknowledge(22, &[(3, 12)]).app_limited, "sent while the mark stood");
    assert!(!of.acknowledge(26, &[(4, 16)]).app_limited);
}

/// The handshake's packets have the numbers of the first data packets.
#[test]
fn packets_of_equal_numbers_are_told_apart_by_their_times() {
    let mut of = Sampler::new();
    of.send(0, 0, 1);
    of.send(10, 0, 2);
    assert_eq!(of.acknowledge(20, &[(0, 10)]).tx_in_flight, 2.0);
    assert_eq!(of.acknowledge(30, &[(0, 0)]).tx_in_flight, 1.0);
}
