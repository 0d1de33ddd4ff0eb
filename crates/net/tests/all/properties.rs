//! Properties of every link, random processes included.

use anabranch_net::{
    Change, Discipline, DropReason, GilbertElliott, GilbertElliottTime, Jitter, Link, LinkSpec, Loss, LossAt,
    Outcome, QueueLimit, Random, Time,
};
use proptest::option::of;
use proptest::prelude::*;

fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.0..=1.0, Just(1.0)]
}

fn loss() -> impl Strategy<Value = Loss> {
    prop_oneof![
        Just(Loss::None),
        probability().prop_map(Loss::bernoulli),
        (1..50u64).prop_map(Loss::every_nth),
        proptest::collection::btree_set(1..60u32, 1..16)
            .prop_map(|numbers| Loss::listed(&numbers.into_iter().collect::<Vec<_>>()).unwrap()),
        (probability(), probability(), probability(), probability()).prop_map(
            |(good_to_bad, bad_to_good, loss_good, loss_bad)| {
                Loss::GilbertElliott(GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad })
            }
        ),
        ((1..10_000u64), (1..10_000u64), probability(), probability()).prop_map(
            |(good, bad, loss_good, loss_bad)| {
                let (good, bad) = (Time::from_nanos(1000 * good), Time::from_nanos(1000 * bad));
                Loss::GilbertElliottTime(GilbertElliottTime { good, bad, loss_good, loss_bad })
            }
        ),
    ]
}

pub fn time(most_us: u64) -> impl Strategy<Value = Time> {
    (0..=most_us * 1000).prop_map(Time::from_nanos)
}

/// A change in the first `within_us`, of these rates, and of delays up to `delay_us`.
pub fn change(
    within_us: u64,
    rates: impl Strategy<Value = f64>,
    delay_us: u64,
    loss: impl Strategy<Value = Loss>,
) -> impl Strategy<Value = Change> {
    (time(within_us), of(rates), of(time(delay_us)), of(loss), of(any::<bool>()))
        .prop_map(|(at, rate_bps, delay, loss, up)| Change { at, rate_bps, delay, loss, up })
}

pub fn queue() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![(0..40u64).prop_map(QueueLimit::Packets), (0..60_000u64).prop_map(QueueLimit::Bytes)]
}

const RATES: std::ops::Range<f64> = 1e6..1e10;

prop_compose! {
    fn spec()(
        rate_bps in RATES,
        delay in time(500),
        tick in prop_oneof![Just(Time::ZERO), (1..200_000u64).prop_map(Time::from_nanos)],
        queue in queue(),
        ecn_threshold_bytes in of(0..30_000u64),
        loss in loss(),
        up_to in prop_oneof![Just(Time::ZERO), time(300)],
        correlation in time(3000),
        loss_at in prop_oneof![Just(LossAt::Entry), Just(LossAt::Exit)],
        reorder in of((probability(), time(1000))),
        changes in proptest::collection::vec(change(5000, RATES, 500, loss()), 0..10),
    ) -> LinkSpec {
        let (reorder_rate, reorder_delay) = reorder.unwrap_or_default();
        let jitter = Jitter { up_to, correlation, reorder_rate, reorder_delay };
        let discipline = Discipline::DropTail { ecn_threshold_bytes };
        LinkSpec { tick, discipline, loss, loss_at, jitter, changes, ..LinkSpec::new(rate_bps, delay, queue) }
    }
}

/// Gaps in nanoseconds and sizes in bytes.
fn packets() -> impl Strategy<Value = Vec<(u64, u32)>> {
    proptest::collection::vec((prop_oneof![Just(0), 0..100_000u64], 1..9000u32), 1..200)
}

proptest! {
    #[test]
    fn rules_of_every_link(spec in spec(), packets in packets(), seed: u64, stream: u64) {
        let mut link = Link::new(&spec, seed, stream).fifo().unwrap();
        let mut twin = Link::new(&spec, seed, stream).fifo().unwrap();
        let rates = || spec.changes.iter().filter_map(|c| c.rate_bps).chain([spec.rate_bps]);
        let fastest = rates().fold(0.0, f64::max);
        let shortest = spec.changes.iter().filter_map(|c| c.delay).chain([spec.delay]).min().unwrap();
        let (mut now, mut last) = (Time::ZERO, Time::ZERO);
        let mut before = link.totals(now);
        for &(gap, size) in &packets {
            now += Time::from_nanos(gap);
            let outcome = link.offer(now, size, true);
            prop_assert_eq!(outcome, twin.offer(now, size, true), "the same seed, the same outcome");
            match outcome {
                Outcome::Delivered { at, marked } => {
                    // With a clock a transmission may begin as the tick does, or before it where that was left unused.
                    let transmission = Time::from_nanos((f64::from(size) * 8e9 / fastest) as u64);
                    let soonest = now + shortest + transmission.since(spec.tick.times(2));
                    prop_assert!(at >= soonest, "{at} is before {soonest}");
                    prop_assert!(!marked || spec.discipline != Discipline::default());
                    if spec.jitter.reorder_rate == 0.0 {
                        prop_assert!(at >= last, "overtaken without reordering");
                        last = at;
                    }
                }
                Outcome::Dropped(DropReason::Down) => prop_assert!(spec.changes.iter().any(|c| c.up == Some(false))),
                Outcome::Dropped(_) => {}
            }
            let waiting = link.waiting(now);
            match spec.queue {
                QueueLimit::Packets(most) => prop_assert!(waiting.packets <= most),
                QueueLimit::Bytes(most) => prop_assert!(waiting.bytes <= most),
            }
            let totals = link.totals(now);
            let rounding = 1e-9 * (totals.capacity_bits + 1.0) + 1e-9 * totals.offered_bytes as f64;
            let sent = totals.transmitted_bits - before.transmitted_bits;
            let possible = totals.capacity_bits - before.capacity_bits;
            let ahead = spec.tick.times(2).as_secs_f64() * fastest;
            prop_assert!(-rounding <= sent && sent <= possible + ahead + rounding, "{sent} of {possible} bits");
            before = totals;
        }
        let totals = link.totals(now + Time::from_secs_f64(3600.0));
        prop_assert_eq!(totals.offered, packets.len() as u64);
        prop_assert_eq!(totals.offered, totals.delivered + totals.drops + totals.losses);
        prop_assert_eq!(totals.offered_bytes, totals.delivered_bytes + totals.dropped_bytes + totals.lost_bytes);
        // All that is delivered has been sent, and less than what goes down with the link beside it.
        let sent = totals.transmitted_bits / 8.0;
        prop_assert!(sent >= totals.delivered_bytes as f64 - 1e-3);
        prop_assert!(sent <= (totals.delivered_bytes + totals.lost_bytes) as f64 + 1e-3);
    }
}

/// Poisson arrivals, constant service: the mean wait is ρ/(2(1 − ρ)) services (Pollaczek–Khinchine),
/// the mean number waiting that times ρ (Little).
#[test]
fn mean_queue_of_m_d_1() {
    let spec = LinkSpec::new(300e6, Time::from_millis(1), QueueLimit::Packets(u64::MAX));
    for load in [0.3, 0.7, 0.9] {
        let mut link = Link::new(&spec, 1, 1).fifo().unwrap();
        let mut random = Random::new(5, 5);
        let service = 1500.0 * 8.0 / 300e6;
        let mut arrival = 0.0;
        for _ in 0..2_000_000 {
            arrival += random.exponential(service / load);
            link.offer(Time::from_secs_f64(arrival), 1500, false);
        }
        let totals = link.totals(Time::from_secs_f64(arrival));
        let waiting = totals.queue_byte_seconds / arrival / 1500.0;
        let expected = load * load / (2.0 * (1.0 - load));
        assert!((waiting / expected - 1.0).abs() < 0.03, "{waiting} wait at {load}, expected {expected}");
        let utilisation = totals.transmitted_bits / totals.capacity_bits;
        assert!((utilisation / load - 1.0).abs() < 0.005, "{utilisation} at {load}");
    }
}

/// Streams of one seed, and seeds, lose different packets.
#[test]
fn streams_are_independent() {
    let endless = LinkSpec::new(1e9, Time::ZERO, QueueLimit::Packets(u64::MAX));
    let spec = LinkSpec { loss: Loss::bernoulli(0.5), ..endless };
    let losses = |seed, stream| {
        let mut link = Link::new(&spec, seed, stream).fifo().unwrap();
        (0..64).fold(0u64, |bits, _| {
            let lost = link.offer(Time::ZERO, 1, false) == Outcome::Dropped(DropReason::Loss);
            bits << 1 | u64::from(lost)
        })
    };
    for (a, b) in [((1, 1), (1, 2)), ((1, 1), (2, 1)), ((1, 2), (2, 1))] {
        let agreeing = (losses(a.0, a.1) ^ losses(b.0, b.1)).count_zeros();
        // Binomial: 32 ± 5 · 4.
        assert!((12..=52).contains(&agreeing), "{a:?} and {b:?} agree on {agreeing} of 64");
    }
}
