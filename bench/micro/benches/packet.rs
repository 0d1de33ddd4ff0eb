//! The cost of one packet in a link: an idle one, one with a standing queue, one with random loss.

use anabranch_net::{FifoLink, Link, LinkSpec, Loss, QueueLimit, Time};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

const PACKETS: u64 = 10_000;
/// Transmission time of 1500 bytes at 100 Mbit/s.
const SLOT: Time = Time::from_nanos(120_000);

fn main() {
    divan::main();
}

fn link(loss: Loss) -> FifoLink {
    let lossless = LinkSpec::new(100e6, Time::from_millis(10), QueueLimit::Packets(167));
    let spec = LinkSpec { loss, ..lossless };
    Link::new(&spec, 1, 0).fifo().expect("it decides at arrival")
}

/// Offers packets `every` apart to a link in which `waiting` already wait.
fn offer(bencher: Bencher, loss: Loss, every: Time, waiting: u64) {
    bencher
        .counter(ItemsCount::new(PACKETS))
        .with_inputs(|| {
            let mut link = link(loss);
            (0..waiting).for_each(|_| {
                link.offer(Time::ZERO, 1500, false);
            });
            link
        })
        .bench_local_values(|mut link| {
            for n in 1..=PACKETS {
                black_box(link.offer(every.times(n), 1500, false));
            }
        });
}

#[divan::bench]
fn idle(bencher: Bencher) {
    offer(bencher, Loss::None, SLOT.times(2), 0);
}

#[divan::bench]
fn standing_queue(bencher: Bencher) {
    offer(bencher, Loss::None, SLOT, 150);
}

#[divan::bench]
fn full_queue_every_other_dropped(bencher: Bencher) {
    offer(bencher, Loss::None, Time::from_nanos(60_000), 167);
}

#[divan::bench]
fn bernoulli_loss(bencher: Bencher) {
    offer(bencher, Loss::bernoulli(1e-3), SLOT.times(2), 0);
}
