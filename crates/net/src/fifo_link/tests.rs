//! Each rule, with values computed by hand. A byte takes 8 ns at 1 Gbit/s.

use super::*;
use crate::{Change, Discipline, Jitter, Loss, QueueLimit};
use proptest::prelude::*;

fn gigabit(queue: QueueLimit) -> LinkSpec {
    LinkSpec::new(1e9, ns(5000), queue)
}

/// The link that such a specification wants.
pub(super) fn fifo(spec: &LinkSpec, seed: u64, stream: u64) -> FifoLink {
    crate::Link::new(spec, seed, stream).fifo().unwrap()
}

fn ns(ns: u64) -> Time {
    Time::from_nanos(ns)
}

fn delivered(ns: u64) -> Outcome {
    Outcome::Delivered { at: Time::from_nanos(ns), marked: false }
}

/// Equal but for rounding.
fn near(got: f64, expected: f64) {
    assert!((got - expected).abs() <= 1e-12 * expected.abs(), "{got} is not {expected}");
}

/// The outcomes of packets of 1000 bytes (8000 ns at 1 Gbit/s) that arrive at these instants.
fn offer(link: &mut FifoLink, arrivals: &[u64]) -> Vec<Outcome> {
    arrivals.iter().map(|&t| link.offer(ns(t), 1000, false)).collect()
}

#[test]
fn a_packet_takes_its_transmission_time_and_the_delay() {
    let mut link = fifo(&gigabit(QueueLimit::Packets(10)), 1, 1);
    assert_eq!(link.offer(ns(100), 1500, false), delivered(100 + 12_000 + 5000));
    assert_eq!(link.offer(ns(100), 500, false), delivered(100 + 16_000 + 5000));
    assert_eq!(link.offer(ns(20_000), 1, false), delivered(20_000 + 8 + 5000));
}

#[test]
fn full_queue_drops_and_one_more_is_in_transmission() {
    let mut link = fifo(&gigabit(QueueLimit::Packets(2)), 1, 1);
    let outcomes = offer(&mut link, &[0, 0, 0, 0, 7999, 8000, 8000]);
    let full = Outcome::Dropped(DropReason::Queue);
    assert_eq!(
        outcomes,
        [delivered(13_000), delivered(21_000), delivered(29_000), full, full, delivered(37_000), full]
    );
    assert_eq!(link.waiting(ns(8000)), Waiting { packets: 2, bytes: 2000 });
    assert_eq!(link.waiting(ns(23_999)), Waiting { packets: 1, bytes: 1000 });
    assert_eq!(link.waiting(ns(24_000)), Waiting::default());
    let totals = link.totals(ns(24_000));
    assert_eq!((totals.offered, totals.delivered, totals.drops, totals.losses), (7, 4, 3, 0));
    assert_eq!((totals.offered_bytes, totals.delivered_bytes, totals.dropped_bytes), (7000, 4000, 3000));
}

#[test]
fn byte_limit_does_not_count_the_packet_in_transmission() {
    let mut link = fifo(&gigabit(QueueLimit::Bytes(999)), 1, 1);
    assert_eq!(
        offer(&mut link, &[0, 0, 8000]),
        [delivered(13_000), Outcome::Dropped(DropReason::Queue), delivered(21_000)]
    );
    assert_eq!(link.offer(ns(8000), 999, false), delivered(16_000 + 7992 + 5000));
    assert_eq!(link.offer(ns(8000), 1, false), Outcome::Dropped(DropReason::Queue));
}

#[test]
fn no_queue_at_all_takes_one_at_a_time() {
    let mut link = fifo(&gigabit(QueueLimit::Packets(0)), 1, 1);
    assert_eq!(
        offer(&mut link, &[0, 7999, 8000]),
        [delivered(13_000), Outcome::Dropped(DropReason::Queue), delivered(21_000)]
    );
}

#[test]
fn marks_capable_packets_that_find_the_threshold_waiting() {
    let discipline = Discipline::DropTail { ecn_threshold_bytes: Some(1500) };
    let spec = LinkSpec { discipline, ..gigabit(QueueLimit::Packets(9)) };
    let mut link = fifo(&spec, 1, 1);
    let mut marked =
        |capable| matches!(link.offer(ns(0), 500, capable), Outcome::Delivered { marked: true, .. });
    // In transmission, then 0, 500, 1000, 1500, 2000 bytes waiting.
    let marks = [true, true, true, true, true, false].map(&mut marked);
    assert_eq!(marks, [false, false, false, false, true, false]);
    assert_eq!(link.totals(ns(0)).marked, 1);
}

#[test]
fn loss_is_on_entry_and_takes_no_room() {
    let spec = LinkSpec { loss: Loss::every_nth(2), ..gigabit(QueueLimit::Packets(1)) };
    let mut link = fifo(&spec, 1, 1);
    let lost = Outcome::Dropped(DropReason::Loss);
    assert_eq!(
        offer(&mut link, &[0, 0, 0, 0, 0]),
        [delivered(13_000), lost, delivered(21_000), lost, Outcome::Dropped(DropReason::Queue)]
    );
    let totals = link.totals(ns(0));
    assert_eq!((totals.drops, totals.losses, totals.lost_bytes), (1, 2, 2000));
}

/// Uniform between 0 and 20 µs, mean 10, beside 8 µs of transmission and 5 of delay; a packet's delay does not depend on
/// how many come.
#[test]
fn jitter_is_uniform_and_keeps_order() {
    for gap in [8000, 3_000_000] {
        let jitter = Jitter::bounded(ns(20_000));
        let mut link = fifo(&LinkSpec { jitter, ..gigabit(QueueLimit::Packets(9)) }, 1, 1);
        let (n, mut previous, mut sum, mut quarters) = (200_000, 0, 0.0, [0u32; 4]);
        for i in 0..n {
            let sent = i * gap;
            let Outcome::Delivered { at, .. } = link.offer(ns(sent), 1000, false) else { panic!("dropped") };
            assert!(at.as_nanos() >= previous, "overtaken");
            previous = at.as_nanos();
            let delay = previous - sent - 13_000;
            sum += delay as f64;
            quarters[(delay / 5001) as usize] += 1;
        }
        // The mean over 1.6 s of a delay with a correlation time of 25 µs: a standard error of 33 ns, 13 where all are
        // independent. A quarter's share is known as well: 0.43 ÷ √31 000.
        let mean = sum / n as f64;
        assert!((mean - 10_000.0).abs() < 165.0, "a mean of {mean} ns, a packet each {gap}");
        for share in quarters.map(|count| f64::from(count) / n as f64) {
            assert!((share - 0.25).abs() < 0.0125, "{quarters:?}, a packet each {gap} ns");
        }
    }
}

#[test]
fn a_held_back_packet_is_overtaken() {
    let jitter = Jitter { reorder_rate: 0.25, reorder_delay: ns(50_000), ..Jitter::default() };
    let mut link = fifo(&LinkSpec { jitter, ..gigabit(QueueLimit::Packets(9)) }, 1, 1);
    let mut held_back = 0;
    for i in 0..10_000 {
        let outcome = link.offer(ns(i * 8000), 1000, false);
        if outcome == delivered(i * 8000 + 63_000) {
            held_back += 1;
        } else {
            assert_eq!(outcome, delivered(i * 8000 + 13_000));
        }
    }
    // Binomial: 2500 ± 5 · 43.
    assert!((2285..2715).contains(&held_back), "{held_back} of 10000");
}

fn changing(changes: Vec<Change>) -> FifoLink {
    fifo(&LinkSpec { changes, ..gigabit(QueueLimit::Packets(3)) }, 1, 1)
}

#[test]
fn a_transmission_continues_at_the_new_rate() {
    let rate = |at, rate_bps| Change { at: ns(at), rate_bps: Some(rate_bps), ..Change::default() };
    // 250 of 1000 bytes by 2000 ns, 500 more at 4 ns each by 4000 ns, the last 250 at 16 ns each.
    let mut link = changing(vec![rate(2000, 2e9), rate(4000, 5e8)]);
    assert_eq!(offer(&mut link, &[0, 0]), [delivered(13_000), delivered(29_000)]);
    let totals = link.totals(ns(3000));
    near(totals.transmitted_bits, 2000.0 + 2000.0);
    near(totals.capacity_bits, 4000.0);
    near(link.totals(ns(5000)).transmitted_bits, 2000.0 + 4000.0 + 500.0);
    assert_eq!(offer(&mut link, &[9000]), [delivered(45_000)]);
}

#[test]
fn the_delay_is_that_of_the_end_of_transmission_and_order_stays() {
    let delay = |at, delay| Change { at: ns(at), delay: Some(ns(delay)), ..Change::default() };
    let mut link = changing(vec![delay(8000, 7000), delay(20_000, 100)]);
    // Ends of transmission: 8000 (before the change at that instant), 16 000, 24 000, 32 000.
    let outcomes = offer(&mut link, &[0, 0, 0, 20_000]);
    assert_eq!(outcomes, [delivered(13_000), delivered(23_000), delivered(24_100), delivered(32_100)]);
    let mut link = changing(vec![delay(8000, 100)]);
    assert_eq!(link.offer(ns(0), 1000, false), delivered(13_000));
    assert_eq!(link.offer(ns(8000), 100, false), delivered(13_000), "does not overtake");
}

#[test]
fn a_change_of_loss_holds_from_its_instant() {
    let change = Change { at: ns(100), loss: Some(Loss::every_nth(1)), ..Change::default() };
    let back = Change { at: ns(200), loss: Some(Loss::None), ..Change::default() };
    // Given out of order: sorted.
    let mut link = changing(vec![back, change]);
    let lost = Outcome::Dropped(DropReason::Loss);
    assert_eq!(offer(&mut link, &[99, 100, 199, 200]), [delivered(13_099), lost, lost, delivered(21_099)]);
}

#[test]
fn going_down_loses_what_waits() {
    let up = |at, up| Change { at: ns(at), up: Some(up), ..Change::default() };
    let mut link = changing(vec![up(12_000, false), up(30_000, true)]);
    let down = Outcome::Dropped(DropReason::Down);
    // The first is out at 8000, the second cut in half, the third and fourth wait until 12 000.
    assert_eq!(offer(&mut link, &[0, 0, 0, 0]), [delivered(13_000), down, down, down]);
    assert_eq!(
        link.offer(ns(0), 1, false),
        Outcome::Dropped(DropReason::Queue),
        "what will be lost takes room"
    );
    assert_eq!(link.waiting(ns(11_999)), Waiting { packets: 2, bytes: 2000 });
    assert_eq!(link.waiting(ns(12_000)), Waiting::default());
    assert_eq!(offer(&mut link, &[12_000, 29_999]), [down, down]);
    let totals = link.totals(ns(29_999));
    near(totals.transmitted_bits, 12_000.0);
    near(totals.capacity_bits, 12_000.0);
    near(totals.queue_byte_seconds, (8000.0 + 2.0 * 12_000.0) * 1e-6);
    assert_eq!((totals.losses, totals.drops), (5, 1));
    assert_eq!(offer(&mut link, &[30_000]), [delivered(43_000)]);
    near(link.totals(ns(40_000)).capacity_bits, 22_000.0);
}

#[test]
fn a_transmission_that_ends_as_the_link_goes_down_is_complete() {
    let mut link = changing(vec![Change { at: ns(8000), up: Some(false), ..Change::default() }]);
    assert_eq!(offer(&mut link, &[0, 0]), [delivered(13_000), Outcome::Dropped(DropReason::Down)]);
}

#[test]
fn integrals_are_exact_within_a_packet() {
    let mut link = fifo(&gigabit(QueueLimit::Packets(9)), 1, 1);
    offer(&mut link, &[1000, 1000, 1000]);
    // At 11 000 ns: one out, the second at its 2000th ns, the third waits. Waited: 8000 + 10 000 ns.
    let totals = link.totals(ns(11_000));
    near(totals.transmitted_bits, 10_000.0);
    near(totals.capacity_bits, 11_000.0);
    near(totals.queue_byte_seconds, 18_000.0 * 1e-6);
    let totals = link.totals(ns(100_000));
    near(totals.transmitted_bits, 24_000.0);
    near(totals.queue_byte_seconds, 24_000.0 * 1e-6);
}

/// At 300 Mbit/s a packet of 1000 bytes takes 26 666 ⅔ ns: exactly 37 500 000 in 1000 s.
#[test]
fn long_runs_do_not_drift() {
    let spec = LinkSpec { rate_bps: 300e6, delay: Time::ZERO, ..gigabit(QueueLimit::Packets(1)) };
    let mut link = fifo(&spec, 1, 1);
    let end = Time::from_secs_f64(1000.0);
    let (mut now, mut count) = (Time::ZERO, 0u64);
    loop {
        match link.offer(now, 1000, false) {
            Outcome::Delivered { at, .. } if at <= end => count += 1,
            Outcome::Delivered { .. } => break,
            // Full until the packet in transmission is out: come back then.
            Outcome::Dropped(_) => now = ns((80_000 * (count - 1)).div_ceil(3)),
        }
    }
    assert_eq!(count, 37_500_000);
}

#[test]
fn senseless_numbers_do_not_panic() {
    for rate_bps in [f64::NAN, -1.0, 0.0, f64::INFINITY, f64::MIN_POSITIVE] {
        let changes = vec![
            Change { at: Time::ZERO, rate_bps: Some(rate_bps), ..Change::default() },
            Change { at: ns(5), rate_bps: Some(1e9), ..Change::default() },
            Change { at: ns(5), rate_bps: Some(rate_bps), up: Some(false), ..Change::default() },
            Change { at: ns(5), delay: Some(Time::NEVER), up: Some(true), ..Change::default() },
            Change { at: Time::NEVER, up: Some(false), ..Change::default() },
        ];
        let jitter = Jitter {
            up_to: Time::NEVER,
            correlation: Time::ZERO,
            reorder_rate: f64::NAN,
            reorder_delay: Time::NEVER,
        };
        let mut link = fifo(&LinkSpec { rate_bps, jitter, changes, ..gigabit(QueueLimit::Bytes(0)) }, 0, 0);
        for now in [Time::ZERO, ns(4), ns(5), ns(6), Time::NEVER] {
            link.offer(now, u32::MAX, true);
            link.offer(now, 0, true);
            let totals = link.totals(now);
            assert!(totals.transmitted_bits.is_finite() && totals.capacity_bits.is_finite());
        }
    }
}

/// Behind the transmitter a lost packet has taken its time: three of 8 µs each keep the link busy for 24 µs.
#[test]
fn loss_on_exit_takes_capacity() {
    let spec = |loss_at| LinkSpec { loss: Loss::every_nth(2), loss_at, ..gigabit(QueueLimit::Packets(9)) };
    let lost = Outcome::Dropped(DropReason::Loss);
    let mut entry = fifo(&spec(LossAt::Entry), 1, 1);
    assert_eq!(offer(&mut entry, &[0, 0, 0]), [delivered(13_000), lost, delivered(21_000)]);
    let mut exit = fifo(&spec(LossAt::Exit), 1, 1);
    assert_eq!(offer(&mut exit, &[0, 0, 0]), [delivered(13_000), lost, delivered(29_000)]);
    assert_eq!(exit.waiting(ns(0)), Waiting { packets: 2, bytes: 2000 });
    let (before, after) = (entry.totals(ns(50_000)), exit.totals(ns(50_000)));
    near(before.transmitted_bits, 16_000.0);
    near(after.transmitted_bits, 24_000.0);
    assert_eq!((after.delivered, after.losses, after.lost_bytes), (2, 1, 1000));
}

proptest! {
    /// [`FifoLink::take_plain`] beside [`FifoLink::take`].
    #[test]
    fn a_plain_link_does_what_the_general_rules_say(
        megabits in 100..=1000u32,
        bytes in 0..20_000u64,
        arrivals in prop::collection::vec((0..20_000u64, 1..1500u32), 1..200),
    ) {
        let spec = LinkSpec::new(f64::from(megabits) * 1e6, ns(5000), QueueLimit::Bytes(bytes));
        let [mut plain, mut general] = [1, 1].map(|seed| fifo(&spec, seed, 1));
        assert!(std::mem::take(&mut general.plain) && plain.plain);
        let mut now = 0;
        for (gap, wire_bytes) in arrivals {
            now += gap;
            prop_assert_eq!(plain.offer(ns(now), wire_bytes, false), general.offer(ns(now), wire_bytes, false));
            prop_assert_eq!(plain.waiting(ns(now)), general.waiting(ns(now)));
        }
        prop_assert_eq!(plain.totals(ns(now)), general.totals(ns(now)));
    }
}
