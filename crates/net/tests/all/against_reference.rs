//! The link against a reference that serves bit by bit, over random specifications and arrivals.

use crate::properties::{change, time};
use crate::reference::{Arrival, Reference};
use anabranch_net::{DropReason, Link, LinkSpec, Loss, Outcome, QueueLimit, Time};
use proptest::prelude::*;

/// 0.1 to 1 Gbit/s: 8 to 80 ns per byte, mostly fractions.
fn rate() -> impl Strategy<Value = f64> {
    (1..=10u32).prop_map(|n| f64::from(n) * 1e8)
}

fn loss() -> impl Strategy<Value = Loss> {
    prop_oneof![Just(Loss::None), (1..6u64).prop_map(Loss::every_nth)]
}

fn spec() -> impl Strategy<Value = LinkSpec> {
    let queue = prop_oneof![
        (0..12u64).prop_map(QueueLimit::Packets),
        (0..600u64).prop_map(QueueLimit::Bytes),
        Just(QueueLimit::Packets(u64::MAX)),
    ];
    let changes = proptest::collection::vec(change(40, rate(), 5, loss()), 0..8);
    (rate(), time(5), queue, loss(), changes).prop_map(|(rate_bps, delay, queue, loss, mut changes)| {
        changes.sort_by_key(|change| change.at);
        LinkSpec { loss, changes, ..LinkSpec::new(rate_bps, delay, queue) }
    })
}

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    // Bursts and pauses.
    let gap = prop_oneof![Just(0), 0..200u64, 0..3000u64];
    proptest::collection::vec((gap, 1..120u32), 1..80).prop_map(|packets| {
        let mut at = 0;
        packets
            .into_iter()
            .map(|(gap, size)| {
                at += gap;
                Arrival { at, size }
            })
            .collect()
    })
}

/// Equal but for rounding; of numbers that are 1 or larger where they matter.
fn near(got: f64, expected: f64) -> bool {
    (got - expected).abs() <= 1e-7 * (1.0 + expected.abs())
}

proptest! {
    #[test]
    fn fates_queue_and_integrals_agree(spec in spec(), arrivals in arrivals()) {
        let mut slow = Reference::new(&spec);
        let mut fast = Link::new(&spec, 0, 0).fifo().unwrap();
        let mut outcomes = Vec::new();
        for (i, &packet) in arrivals.iter().enumerate() {
            let now = Time::from_nanos(packet.at);
            slow.arrive(packet);
            outcomes.push(Some(fast.offer(now, packet.size, true)));
            // Not always, so that what accrues lazily does so over several packets too.
            if i % 3 == 0 {
                prop_assert_eq!(fast.waiting(now), slow.waiting());
            }
            if i % 5 == 0 {
                let (got, expected) = (fast.totals(now), slow.integrals());
                prop_assert!(near(got.queue_byte_seconds * 1e9, expected.queue_byte_seconds * 1e9), "queue {got:?} {expected:?}");
                prop_assert!(near(got.transmitted_bits, expected.transmitted_bits), "sent {got:?} {expected:?}");
                prop_assert!(near(got.capacity_bits, expected.capacity_bits), "capacity {got:?} {expected:?}");
            }
        }
        slow.finish();
        prop_assert_eq!(&outcomes, &slow.outcomes);

        // Nothing is under way after a second: every byte has had one outcome.
        let totals = fast.totals(Time::from_secs_f64(1.0));
        let bytes = |chosen: &dyn Fn(&Outcome) -> bool| -> u64 {
            let chosen = outcomes.iter().flatten().zip(&arrivals).filter(|(outcome, _)| chosen(outcome));
            chosen.map(|(_, packet)| u64::from(packet.size)).sum()
        };
        prop_assert_eq!(totals.offered, arrivals.len() as u64);
        prop_assert_eq!(totals.offered, totals.delivered + totals.drops + totals.losses);
        prop_assert_eq!(totals.offered_bytes, bytes(&|_| true));
        prop_assert_eq!(totals.delivered_bytes, bytes(&|outcome| matches!(outcome, Outcome::Delivered { .. })));
        prop_assert_eq!(totals.dropped_bytes, bytes(&|outcome| *outcome == Outcome::Dropped(DropReason::Queue)));
        prop_assert_eq!(
            totals.lost_bytes,
            bytes(&|outcome| matches!(outcome, Outcome::Dropped(DropReason::Loss | DropReason::Down)))
        );
        prop_assert!(near(totals.queue_byte_seconds * 1e9, slow.integrals().queue_byte_seconds * 1e9));
        prop_assert!(near(totals.transmitted_bits, slow.integrals().transmitted_bits));
    }
}
