//! Links that hold packets: without a discipline they are drop-tail links; and what holds for each discipline.

use crate::properties::{change, queue, time};
use anabranch_net::{
    Arrival, CoDel, DequeueLink, Discipline, DropReason, FqCoDel, Jitter, Link, LinkSpec, Loss, Outcome, Time,
};
use proptest::option::of;
use proptest::prelude::*;
use std::collections::HashMap;

const RATES: std::ops::Range<f64> = 1e6..1e9;

fn lost() -> impl Strategy<Value = Loss> {
    (2..9u64).prop_map(Loss::every_nth)
}

prop_compose! {
    fn spec()(
        rate_bps in RATES,
        delay in time(500),
        queue in queue(),
        loss in prop_oneof![Just(Loss::None), lost()],
        up_to in prop_oneof![Just(Time::ZERO), time(300)],
        changes in proptest::collection::vec(change(5000, RATES, 500, lost()), 0..8),
    ) -> LinkSpec {
        let jitter = Jitter::bounded(up_to);
        LinkSpec { loss, jitter, changes, ..LinkSpec::new(rate_bps, delay, queue) }
    }
}

fn discipline() -> impl Strategy<Value = Discipline> {
    (time(400), 1..2000u64, any::<bool>(), of((1..9u32, 1..4000u32))).prop_map(|(target, us, ecn, fair)| {
        let interval = Time::from_nanos(us * 1000);
        match fair {
            Some((queues, quantum)) => {
                Discipline::FqCoDel(FqCoDel { queues, quantum, target, interval, ecn })
            }
            None => Discipline::CoDel(CoDel { target, interval, ecn }),
        }
    })
}

/// Gaps in nanoseconds, sizes in bytes, flows.
fn packets() -> impl Strategy<Value = Vec<(u64, u32, u64)>> {
    proptest::collection::vec((prop_oneof![Just(0), 0..100_000u64], 1..9000u32, 0..5u64), 1..200)
}

/// The link whose discipline decides at departure.
fn held(spec: &LinkSpec, seed: u64) -> DequeueLink {
    Link::new(spec, seed, 1).dequeue().unwrap()
}

/// The outcomes of all packets, each reported once, and at the latest after an hour.
fn outcomes(link: &mut DequeueLink, packets: &[(u64, u32, u64)]) -> Vec<Outcome> {
    let mut outcomes = vec![None; packets.len()];
    let mut held = HashMap::new();
    let mut now = Time::ZERO;
    let next_outcome =
        |link: &mut DequeueLink, held: &mut HashMap<u32, usize>, outcomes: &mut [Option<Outcome>], now| {
            while let Some((ticket, outcome)) = link.next_outcome(now) {
                let packet = held.remove(&ticket).expect("a ticket that was given");
                assert!(outcomes[packet].replace(outcome).is_none());
            }
        };
    for (i, &(gap, wire_bytes, flow)) in packets.iter().enumerate() {
        now += Time::from_nanos(gap);
        match link.offer(now, Arrival { wire_bytes, ecn_capable: i % 2 == 0, flow }) {
            Ok(ticket) => assert!(held.insert(ticket, i).is_none(), "a ticket given twice"),
            Err(why) => outcomes[i] = Some(Outcome::Dropped(why)),
        }
        // Sometimes late.
        if i % 3 == 0 {
            next_outcome(link, &mut held, &mut outcomes, now);
        }
    }
    next_outcome(link, &mut held, &mut outcomes, now + Time::from_secs_f64(3600.0));
    assert!(held.is_empty());
    outcomes.into_iter().map(|outcome| outcome.expect("every packet has an outcome")).collect()
}

proptest! {
    /// Two programs for one thing: outcomes at arrival, and outcomes at departure.
    #[test]
    fn without_a_discipline_it_is_a_drop_tail_link(spec in spec(), packets in packets(), seed: u64) {
        let mut deciding = Link::new(&spec, seed, 1).fifo().unwrap();
        let never_early = Discipline::CoDel(CoDel { target: Time::NEVER, ..CoDel::default() });
        let mut holding = held(&LinkSpec { discipline: never_early, ..spec }, seed);
        let mut now = Time::ZERO;
        let expected: Vec<Outcome> = packets.iter().map(|(gap, size, _)| {
            now += Time::from_nanos(*gap);
            deciding.offer(now, *size, false)
        }).collect();
        // Jitter is drawn in order of delivery here and of arrival there: the same for packets that are delivered.
        prop_assert_eq!(outcomes(&mut holding, &packets), expected);
        let end = now + Time::from_secs_f64(3600.0);
        let (a, b) = (deciding.totals(end), holding.totals(end));
        prop_assert_eq!((a.offered, a.delivered, a.drops, a.losses), (b.offered, b.delivered, b.drops, b.losses));
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs());
        prop_assert!(near(a.transmitted_bits, b.transmitted_bits) && near(a.capacity_bits, b.capacity_bits));
        // Packets leave the queue at whole nanoseconds here.
        prop_assert!((a.queue_byte_seconds - b.queue_byte_seconds).abs() < 200.0 * 9000.0 * 1e-9);
    }

    #[test]
    fn rules_of_every_discipline(spec in spec(), discipline in discipline(), packets in packets(), seed: u64) {
        let spec = LinkSpec { discipline, ..spec };
        let mut link = held(&spec, seed);
        let all = outcomes(&mut link, &packets);
        prop_assert_eq!(&all, &outcomes(&mut held(&spec, seed), &packets), "the same seed, the same outcomes");
        let end = Time::from_secs_f64(7200.0);
        prop_assert_eq!(link.waiting(end).packets, 0);
        let totals = link.totals(end);
        let count = |chosen: &dyn Fn(&Outcome) -> bool| all.iter().filter(|outcome| chosen(outcome)).count() as u64;
        prop_assert_eq!(totals.offered, packets.len() as u64);
        prop_assert_eq!(totals.delivered, count(&|f| matches!(f, Outcome::Delivered { .. })));
        prop_assert_eq!(totals.marked, count(&|f| matches!(f, Outcome::Delivered { marked: true, .. })));
        prop_assert_eq!(totals.early_drops, count(&|f| *f == Outcome::Dropped(DropReason::Early)));
        prop_assert_eq!(totals.drops - totals.early_drops, count(&|f| *f == Outcome::Dropped(DropReason::Queue)));
        prop_assert_eq!(totals.losses, count(&|f| matches!(f, Outcome::Dropped(DropReason::Loss | DropReason::Down))));
        prop_assert_eq!(totals.offered_bytes, totals.delivered_bytes + totals.dropped_bytes + totals.lost_bytes);
        for (i, outcome) in all.iter().enumerate() {
            if let Outcome::Delivered { marked: true, .. } = outcome {
                prop_assert!(i % 2 == 0, "marked but not ECN-capable");
            }
        }
    }
}
