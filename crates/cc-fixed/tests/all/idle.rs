//! A path that does not count has no more effect on the others than one that has left: in both arithmetics.

use crate::group;
use anabranch_cc::registry::{Entry, Kind};
use anabranch_cc::{Ack, Congestion, Signal};
use anabranch_cc_fixed::registry;
use anabranch_cc_model::{Random, Tested};

/// A transport over two paths that sends without a pause.
pub struct Run {
    pub groups: [Tested; 2],
    now: f64,
    acks: u64,
    random: Random,
}

const RTTS: [f64; 2] = [0.05, 0.08];

impl Run {
    pub fn new(mut groups: [Tested; 2], seed: u64) -> Self {
        for (rtt, window) in RTTS.into_iter().zip([20.0, 200.0]) {
            groups.iter_mut().for_each(|group| _ = group.add_path(rtt, window));
        }
        Run { groups, now: 0.0, acks: 0, random: Random(seed) }
    }

    /// A number from 0 to n - 1.
    fn below(&mut self, n: u64) -> u64 {
        self.random.word() % n
    }

    fn acknowledge(&mut self, r: usize, in_flight: f64) {
        self.acks += 1;
        let queue = self.below(20) as f64 / 40.0;
        let rtt = ((RTTS[r] * (1.0 + queue)) * 1e6).round() / 1e6;
        let round = self.acks / 10;
        let ack = Ack { in_flight, round, ..Ack::of(self.now, 1.0, rtt) };
        self.groups.iter_mut().for_each(|group| group.on_ack(r, &ack));
    }

    fn congestion(&mut self, r: usize, signal: Signal) {
        let event = Congestion { now: self.now, signal };
        self.groups.iter_mut().for_each(|group| group.on_congestion(r, &event));
    }

    /// Acknowledgements, and now and then a congestion or a mistaken one.
    pub fn anything(&mut self, r: usize) {
        self.now += 0.001;
        match self.below(60) {
            0 => self.congestion(r, Signal::Loss),
            1 => self.congestion(r, Signal::Ecn),
            2 => self.groups.iter_mut().for_each(|group| group.on_spurious(r)),
            3 if self.below(5) == 0 => self.congestion(r, Signal::Timeout),
            _ => self.acknowledge(r, 10.0),
        }
    }

    /// After path 1 has left one of the groups, path 0 is the same in both.
    fn alike(&mut self, what: &str) {
        self.groups[1].remove_path(1);
        for i in 0..400 {
            self.anything(0);
            let [idle, left] = [0, 1].map(|g| (self.groups[g].path(0).cwnd, self.groups[g].path(0).ssthresh));
            assert_eq!(idle, left, "{what}, event {i}");
        }
        assert!(!self.groups[0].path(1).counts);
    }
}

fn two_of(entry: &Entry) -> [Tested; 2] {
    [entry.name; 2].map(group)
}

fn coupled() -> impl Iterator<Item = &'static Entry> {
    registry::entries().filter(|entry| entry.kind == Kind::Coupled)
}

#[test]
fn as_if_it_had_left() {
    assert!(coupled().count() > 15);
    for entry in coupled() {
        for seed in 0..8 {
            let start = || {
                let mut run = Run::new(two_of(entry), seed);
                (0..400).for_each(|i| run.anything(i % 2));
                run
            };
            // All of it was acknowledged; it had 4 x 120 ms at most.
            let mut run = start();
            run.acknowledge(1, 0.0);
            run.now += 0.481;
            run.alike(&format!("{}, idle", entry.name));
            // The timer expired on it.
            let mut run = start();
            run.congestion(1, Signal::Timeout);
            run.alike(&format!("{}, timed out", entry.name));
        }
    }
}

/// An application that sends a segment now and then on a path: each lets the path count for a while and no longer.
#[test]
fn a_segment_now_and_then() {
    for entry in coupled() {
        let mut run = Run::new(two_of(entry), 1);
        (0..400).for_each(|i| run.anything(i % 2));
        for _ in 0..20 {
            run.acknowledge(1, 0.0);
            let until = run.now + 4.0 * run.groups[0].path(1).srtt;
            for _ in 0..700 {
                run.anything(0);
                let counts = run.groups[0].path(1).counts;
                assert_eq!(counts, run.now < until, "{} at {} of {until}", entry.name, run.now);
            }
        }
    }
}
