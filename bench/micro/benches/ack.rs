//! The cost of one acknowledgement in each algorithm, in congestion avoidance, with 1, 2 and 4 paths.

use anabranch_cc::{Ack, Congestion, Group, Signal, registry};
use divan::Bencher;
use divan::counter::ItemsCount;

const ACKS: usize = 10_000;
const RTT: f64 = 0.1;

fn main() {
    divan::main();
}

fn ack(now: f64, round: u64) -> Ack {
    Ack { in_flight: 90.0, round, ..Ack::of(now, 2.0, RTT) }
}

/// A connection whose paths have an RTT and have had a loss.
fn in_avoidance(name: &str, paths: usize) -> Group {
    let entry = registry::find(name).expect("a registered name");
    let mut group = entry.group(&[]).expect("the defaults are allowed");
    for r in 0..paths {
        group.add_path(RTT, 100.0);
        group.on_ack(r, &ack(0.0, 0));
        group.on_congestion(r, &Congestion { now: 0.1, signal: Signal::Loss });
    }
    group
}

#[divan::bench(args = registry::ALL.iter().map(|entry| entry.name), consts = [1, 2, 4])]
fn per_ack<const PATHS: usize>(bencher: Bencher, name: &str) {
    bencher.counter(ItemsCount::new(ACKS)).with_inputs(|| in_avoidance(name, PATHS)).bench_local_values(
        |mut group| {
            for n in 0..ACKS {
                group.on_ack(n % PATHS, &ack(0.2 + n as f64 * 1e-4, n as u64 / 50));
            }
            group
        },
    );
}
