//! The cost of an event in a simulation's queue, by the number of other events in it.

use anabranch_net::{Random, Time};
use anabranch_sim::EventQueue;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

const EVENTS: usize = 10_000;
const WAITING: [u32; 4] = [4, 100, 1000, 10_000];

fn main() {
    divan::main();
}

/// The events lie within a second.
fn waiting(n: u32, pipes: u32, random: &mut Random) -> EventQueue {
    let mut queue = EventQueue::default();
    queue.set_pipes(pipes);
    (0..n).for_each(|target| queue.schedule(later(Time::ZERO, random), target));
    queue
}

fn later(now: Time, random: &mut Random) -> Time {
    now + Time::from_nanos(random.below(1_000_000_000))
}

fn bench(
    bencher: Bencher,
    n: u32,
    pipes: u32,
    mut handle: impl FnMut(&mut EventQueue, Time, u32, &mut Random),
) {
    let inputs = || {
        let mut random = Random::new(1, 0);
        (waiting(n, pipes, &mut random), random)
    };
    bencher.counter(ItemsCount::new(EVENTS)).with_inputs(inputs).bench_local_values(
        |(mut queue, mut random)| {
            for _ in 0..EVENTS {
                if let Some((now, target)) = queue.advance() {
                    handle(&mut queue, now, target, &mut random);
                }
            }
            black_box(queue)
        },
    );
}

/// As timers do: the event is over, and another is scheduled within a second, so that it sinks deep.
#[divan::bench(args = WAITING)]
fn timer(bencher: Bencher, waiting: u32) {
    bench(bencher, waiting, 0, |queue, now, target, random| {
        queue.finish();
        queue.schedule(later(now, random), target);
    });
}

/// As a busy link does among idle ones: it acts again long before any of them.
#[divan::bench(args = WAITING)]
fn link(bencher: Bencher, waiting: u32) {
    bench(bencher, waiting, waiting, |queue, now, target, random| {
        queue.repeat_pipe(now + Time::from_nanos(random.below(1000)), target);
    });
}
