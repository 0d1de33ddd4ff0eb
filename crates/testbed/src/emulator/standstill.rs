//! Standstills: periods in which the emulator should have run and did not.

use super::network::routes;
use anabranch_net::{Discipline, LinkSpec, QueueLimit, Time};
use anabranch_scenario::Path;
use std::collections::VecDeque;

/// Shorter waits for a CPU are normal on any host.
const LEAST: Time = Time::from_millis(1);

/// The largest cost of a loss, as a fraction of a cycle.
const MOST_COST: f64 = 0.25;

/// The number of recent standstills stored: enough for a round-trip time.
const KNOWN: usize = 16;

/// Detects the standstills of a thread from its reports about work and sleep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standstills {
    /// The latest time at which the thread must run.
    due: Time,
    number: u64,
    /// The total length of all standstills.
    pub sum: Time,
    last: VecDeque<Standstill>,
}

#[derive(Clone, Copy, Debug)]
struct Standstill {
    /// The number, from 1.
    number: u64,
    length: Time,
    end: Time,
}

/// The properties of a path that determine which losses a standstill can cause.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reach {
    /// The round-trip time without queues.
    round_trip: Time,
    /// The smallest queue of the path, as a time at its rate; zero if unknown.
    queue: Time,
}

impl Reach {
    /// The reach of a path with packets of at most `mtu` bytes.
    pub fn new(links: &[LinkSpec], path: &Path, mtu: u32) -> Reach {
        let [forward, back] = routes(links, path)
            .map(|route| route.links.iter().fold(route.delay, |sum, link| sum + links[*link].delay));
        let queues = path.links.iter().map(|link| queue_time(&links[*link], mtu));
        Reach { round_trip: forward + back, queue: queues.min().unwrap_or(Time::ZERO) }
    }
}

/// A link's queue as a time at its highest rate; zero with a trace or an AQM.
fn queue_time(link: &LinkSpec, mtu: u32) -> Time {
    if link.trace.is_some() || !matches!(link.discipline, Discipline::DropTail { .. }) {
        return Time::ZERO;
    }
    let bytes = match link.queue {
        QueueLimit::Packets(packets) => packets as f64 * f64::from(mtu),
        QueueLimit::Bytes(bytes) => bytes as f64,
    };
    Time::from_secs_f64(bytes * 8.0 / link.highest_rate_bps())
}

/// Standstills that can cause a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cause {
    /// The number, from 1, of the last standstill.
    pub number: u64,
    /// The largest cost of the loss, as a fraction of a cycle between two reactions to congestion.
    pub cost: f64,
}

impl Standstills {
    /// Records that the thread runs.
    #[inline]
    pub fn record_work(&mut self, now: Time) {
        let length = now.since(self.due);
        if length > LEAST {
            self.add(length, now);
        }
        self.due = now;
    }

    fn add(&mut self, length: Time, end: Time) {
        self.number += 1;
        self.sum += length;
        if self.last.len() == KNOWN {
            self.last.pop_front();
        }
        self.last.push_back(Standstill { number: self.number, length, end });
    }

    /// Records that the thread sleeps until the given time.
    pub fn record_sleep(&mut self, until: Time) {
        self.due = self.due.max(until);
    }

    /// The standstills that may have caused a loss at `now`. After a standstill, the waiting packets reach the queues at
    /// once, and the packets that they trigger follow within a round-trip time without queues.
    pub fn cause(&self, now: Time, reach: Reach) -> Option<Cause> {
        let near = |one: &&Standstill| one.end < now && now.since(one.end) <= reach.round_trip + LEAST;
        let near = || self.last.iter().filter(near);
        let length: f64 = near().map(|one| one.length.as_secs_f64()).sum();
        let cost = (length / reach.queue.as_secs_f64()).min(MOST_COST);
        near().next_back().map(|one| Cause { number: one.number, cost })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Time {
        Time::from_nanos(us * 1000)
    }

    #[test]
    fn late_wake_ups_are_standstills() {
        let mut still = Standstills::default();
        still.record_work(us(900));
        // Asleep as requested, woken early, woken 1 ms late: no standstill.
        for (until, woken) in [(5_000, 5_000), (9_000, 6_000), (7_000, 8_000)] {
            still.record_sleep(us(until));
            still.record_work(us(woken));
        }
        assert_eq!((still.sum, still.cause(us(8_001), Reach::default())), (Time::ZERO, None));
        // 8 ms late after a sleep, and 3 ms between two steps of its work.
        still.record_sleep(us(9_000));
        still.record_work(us(17_000));
        assert_eq!(still.sum, us(8_000));
        still.record_work(us(20_000));
        assert_eq!(still.sum, us(11_000));
    }

    fn reach(round_trip: u64, queue: u64) -> Reach {
        Reach { round_trip: us(round_trip), queue: us(queue) }
    }

    #[test]
    fn its_packets_reach_queues_within_a_round_trip() {
        let mut still = Standstills::default();
        still.record_work(us(5_000));
        let number = |now| still.cause(us(now), reach(20_000, 0)).map(|cause| cause.number);
        // Packets that a link drops until its end were on their way before.
        assert_eq!([5_000, 5_001, 26_000, 26_001].map(number), [None, Some(1), Some(1), None]);
    }

    /// Those of one round-trip time count together.
    #[test]
    fn a_loss_costs_what_it_was_brought_forward() {
        let mut still = Standstills::default();
        still.record_work(us(2_000));
        let cost = |queue| still.cause(us(2_001), reach(20_000, queue)).unwrap().cost;
        assert_eq!((cost(20_000), cost(4_000), cost(0)), (0.1, 0.25, 0.25));
        still.record_sleep(us(5_000));
        still.record_work(us(7_000));
        let of = |now| still.cause(us(now), reach(20_000, 20_000));
        assert_eq!(of(7_001), Some(Cause { number: 2, cost: 0.2 }));
        // The second is over only then.
        assert_eq!(of(7_000), Some(Cause { number: 1, cost: 0.1 }));
    }

    /// 100 packets of 1500 bytes take 60 ms at 20 Mbit/s, and 150,000 bytes 30 ms at 40.
    #[test]
    fn queues_of_a_path() {
        let link = |rate: f64, queue| LinkSpec::new(rate, Time::from_millis(10), queue);
        let managed = Discipline::CoDel(Default::default());
        let links = [
            link(20e6, QueueLimit::Packets(100)),
            link(40e6, QueueLimit::Bytes(150_000)),
            LinkSpec { discipline: managed, ..link(20e6, QueueLimit::Packets(100)) },
        ];
        let of = |forward: &[usize], back: &[usize]| {
            let path = Path { links: forward.to_vec(), return_links: back.to_vec(), backup: false };
            let Reach { round_trip, queue } = Reach::new(&links, &path, 1500);
            (round_trip, queue)
        };
        let ms = Time::from_millis;
        assert_eq!(of(&[0], &[]), (ms(20), ms(60)));
        assert_eq!(of(&[0, 1], &[0]), (ms(30), ms(30)));
        assert_eq!(of(&[0, 2], &[]), (ms(40), ms(0)));
    }
}
