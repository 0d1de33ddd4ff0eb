//! The cost of one packet in a link with a managed queue, at 5 % more than its capacity, so that the management has work to do.

use anabranch_net::{Arrival, CoDel, Discipline, FqCoDel, Link, LinkSpec, Pie, QueueLimit, Red, Time};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

const PACKETS: u64 = 10_000;
/// Between two packets of 1500 bytes at 105 Mbit/s.
const GAP: Time = Time::from_nanos(114_286);
/// Flows that take turns.
const FLOWS: u64 = 10;

fn main() {
    divan::main();
}

/// 100 Mbit/s, and ten BDP of a path of 20 ms.
fn spec(discipline: Discipline) -> LinkSpec {
    LinkSpec { discipline, ..LinkSpec::new(100e6, Time::from_millis(10), QueueLimit::Packets(1670)) }
}

/// Links that decide when a packet arrives.
#[divan::bench(args = ["drop-tail", "red", "pie"])]
fn at_arrival(bencher: Bencher, kind: &str) {
    let discipline = match kind {
        "red" => Discipline::Red(Red::default()),
        "pie" => Discipline::Pie(Pie::default()),
        _ => Discipline::default(),
    };
    bencher
        .counter(ItemsCount::new(PACKETS))
        .with_inputs(|| Link::new(&spec(discipline), 1, 0).fifo().expect("it decides at arrival"))
        .bench_local_values(|mut link| {
            for n in 1..=PACKETS {
                black_box(link.offer(GAP.times(n), 1500, false));
            }
        });
}

/// Links that decide when a packet leaves; each packet is offered, and its fate is reported.
#[divan::bench(args = ["drop-tail", "codel", "fq-codel"])]
fn at_departure(bencher: Bencher, kind: &str) {
    let discipline = match kind {
        "codel" => Discipline::CoDel(CoDel::default()),
        "fq-codel" => Discipline::FqCoDel(FqCoDel::default()),
        // CoDel that never drops.
        _ => Discipline::CoDel(CoDel { target: Time::NEVER, ..CoDel::default() }),
    };
    bencher
        .counter(ItemsCount::new(PACKETS))
        .with_inputs(|| Link::new(&spec(discipline), 1, 0).dequeue().expect("it decides at departure"))
        .bench_local_values(|mut link| {
            for n in 1..=PACKETS {
                let (now, flow) = (GAP.times(n), n % FLOWS);
                let _ = black_box(link.offer(now, Arrival { wire_bytes: 1500, ecn_capable: false, flow }));
                while let Some(fate) = link.next_outcome(now) {
                    black_box(fate);
                }
            }
        });
}
