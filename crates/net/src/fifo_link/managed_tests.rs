//! RED and PIE in a link. A packet of 1500 bytes takes 120 µs at 100 Mbit/s.

use super::tests::fifo;
use crate::{Discipline, DropReason, FifoLink, LinkSpec, Outcome, Pie, QueueLimit, Red, Time, Totals};

fn link(discipline: Discipline) -> FifoLink {
    let drop_tail = LinkSpec::new(100e6, Time::ZERO, QueueLimit::Packets(100_000));
    let spec = LinkSpec { discipline, ..drop_tail };
    fifo(&spec, 1, 1)
}

/// Offers packets of 1500 bytes, `every_ns` apart, in a span of milliseconds; how many were dropped.
fn offer(link: &mut FifoLink, ms: std::ops::Range<u64>, every_ns: u64, ecn_capable: bool) -> u64 {
    let times = (ms.start * 1_000_000..ms.end * 1_000_000).step_by(every_ns as usize);
    let outcomes = times.map(|t| link.offer(Time::from_nanos(t), 1500, ecn_capable));
    outcomes.filter(|outcome| *outcome == Outcome::Dropped(DropReason::Early)).count() as u64
}

/// What a link with an excess of 5 % sums up in 100 s, from that time on.
fn settled(discipline: Discipline, from_ms: u64) -> Totals {
    let (mut link, to_ms) = (link(discipline), from_ms + 100_000);
    offer(&mut link, 0..from_ms, 114_286, false);
    let before = link.totals(Time::from_millis(from_ms));
    offer(&mut link, from_ms..to_ms, 114_286, false);
    link.totals(Time::from_millis(to_ms)).since(&before)
}

/// An excess of 5 % must be dropped: 1/21 of the packets, which gaps uniform from 1 to 1/p give for (1/p + 1)/2 = 21,
/// p = 1/41, an average of 7.44 packets. That is what arrivals find; each then is there until, on average, half a gap
/// later one leaves, so over time it is half a packet more.
#[test]
fn red_settles_where_its_probability_is_the_excess() {
    let settled = settled(Discipline::Red(Red::default()), 20_000);
    let mean = settled.queue_byte_seconds / 100.0 / 1500.0;
    assert!((mean / 7.94 - 1.0).abs() < 0.03, "{mean} packets wait");
    let rate = settled.early_drops as f64 / settled.offered as f64;
    assert!((rate * 21.0 - 1.0).abs() < 0.01, "{rate} dropped");
}

/// With a clock of 100 ms, packets that arrive every millisecond wait for the next tick, so each finds one more than the one
/// before, although nothing is transmitted most of the time. The average lags behind by (1 − w)/w = 9 packets: it is 20 and
/// 21 at the 31st and 32nd packet. If the average shrank in the gaps, it would stay below 17.
#[test]
fn red_is_not_idle_while_packets_wait_for_a_tick() {
    let red = Red { min: 20.0, max: 21.0, weight: 0.1, gentle: false, ..Red::default() };
    let spec = LinkSpec::new(100e6, Time::ZERO, QueueLimit::Packets(100));
    let spec = LinkSpec { tick: Time::from_millis(100), discipline: Discipline::Red(red), ..spec };
    let mut link = fifo(&spec, 1, 1);
    let dropped: Vec<u64> =
        (1..101).filter(|ms| offer(&mut link, *ms..ms + 1, 1_000_000, false) > 0).collect();
    assert!((30..=34).contains(&dropped[0]), "{dropped:?}");
    // The tick that empties the queue ends no idle time.
    assert_eq!(dropped.last(), Some(&100));
}

/// The same excess under PIE: the queue settles at the target, the only delay at which the probability rests.
#[test]
fn pie_settles_at_its_target() {
    for target_ms in [15, 30] {
        let pie = Pie { target: Time::from_millis(target_ms), ..Pie::default() };
        let delay = settled(Discipline::Pie(pie), 60_000).queue_byte_seconds * 8.0 / 100e6 / 100.0;
        assert!((delay * 1e3 / target_ms as f64 - 1.0).abs() < 0.1, "{delay} s for {target_ms} ms");
    }
}

#[test]
fn pie_lets_a_burst_pass() {
    let mut link = link(Discipline::Pie(Pie::default()));
    // Twice the rate: 60 ms of delay after 120 ms, far above the target. The tenth update is at 150 ms.
    assert_eq!(offer(&mut link, 0..150, 60_000, false), 0);
    assert!(offer(&mut link, 150..1000, 60_000, false) > 0);
}

/// Whether and when somebody looks has no influence.
#[test]
fn looking_changes_nothing() {
    for aqm in [Discipline::Red(Red::default()), Discipline::Pie(Pie::default())] {
        let (mut watched, mut alone) = (link(aqm), link(aqm));
        for n in 0..20_000u64 {
            let now = Time::from_nanos(n * 100_000 + n % 7 * 9000);
            watched.waiting(now);
            assert_eq!(watched.offer(now, 1500, false), alone.offer(now, 1500, false));
            watched.totals(now + Time::from_nanos(n % 5 * 9000));
        }
        assert_eq!(watched.totals(Time::from_secs_f64(9.0)), alone.totals(Time::from_secs_f64(9.0)));
    }
}

#[test]
fn marks_in_place_of_drops() {
    for aqm in [
        Discipline::Red(Red { ecn: true, ..Red::default() }),
        Discipline::Pie(Pie { ecn: true, ..Pie::default() }),
    ] {
        let mut marking = link(aqm);
        let dropped = offer(&mut marking, 0..3000, 100_000, true);
        let totals = marking.totals(Time::from_millis(3000));
        assert!(totals.marked > 10 && dropped == totals.early_drops, "{totals:?}");
        let mut dropping = link(aqm);
        assert!(offer(&mut dropping, 0..3000, 100_000, false) > 10);
        assert_eq!(dropping.totals(Time::from_millis(3000)).marked, 0);
    }
}

/// An hour without packets costs nothing, and no update is lost count of.
#[test]
fn pie_rests() {
    let mut link = link(Discipline::Pie(Pie { update: Time::from_nanos(100_000), ..Pie::default() }));
    offer(&mut link, 0..300, 60_000, false);
    assert!(link.totals(Time::from_secs_f64(1e9)).queue_byte_seconds > 0.0);
    assert!(matches!(link.offer(Time::NEVER, 1500, false), Outcome::Delivered { .. }));
}

/// A packet of 1500 bytes takes 1500 s at 8 bit/s, 15 million updates. Thousand of them wait: one by one the updates would take
/// minutes.
#[test]
fn pie_passes_over_what_waits_long() {
    let pie = Pie { update: Time::from_nanos(100_000), ..Pie::default() };
    let spec = LinkSpec::new(8.0, Time::ZERO, QueueLimit::Packets(2000));
    let mut link = fifo(&LinkSpec { discipline: Discipline::Pie(pie), ..spec }, 1, 1);
    (0..1000).for_each(|_| assert!(matches!(link.offer(Time::ZERO, 1500, false), Outcome::Delivered { .. })));
    let waiting = link.waiting(Time::from_secs_f64(1500.0 * 990.5));
    assert_eq!(waiting.packets, 9);
    assert_eq!(
        link.offer(Time::from_secs_f64(1500.0 * 990.5), 1500, false),
        Outcome::Dropped(DropReason::Early)
    );
}
