//! A link with a clock, against Dummynet's rule: Rizzo, ACM CCR 1997; `serve_sched` in FreeBSD's `ip_dn_io.c`. At
//! 100 Mbit/s a packet of 1500 bytes takes 120 µs: 8 ⅓ of them fit a tick of 1 ms.

use super::tests::fifo;
use super::*;
use crate::{Arrival, Change, CoDel, Discipline, Link, QueueLimit};

const US: fn(u64) -> Time = |us| Time::from_nanos(us * 1000);
const MS: fn(u64) -> Time = Time::from_millis;

fn clocked(queue: QueueLimit) -> LinkSpec {
    LinkSpec { tick: MS(1), ..LinkSpec::new(100e6, Time::ZERO, queue) }
}

fn link(queue: QueueLimit) -> FifoLink {
    fifo(&clocked(queue), 1, 1)
}

/// When packets leave, in milliseconds; 0 for those that are dropped.
fn leave(link: &mut FifoLink, arrivals: impl IntoIterator<Item = Time>) -> Vec<f64> {
    let leave = |now| match link.offer(now, 1500, false) {
        Outcome::Delivered { at, .. } => at.as_secs_f64() * 1e3,
        Outcome::Dropped(_) => 0.0,
    };
    arrivals.into_iter().map(leave).collect()
}

/// Dummynet's own arithmetic for packets of one size that all wait from tick 0 on, in ticks: credit in bits × ticks per
/// second, packets leave while it is not negative, the one that makes it negative leaves when it no longer is.
fn dummynet(packets: usize, rate_bps: i64, hz: i64, size: i64) -> Vec<i64> {
    let (mut credit, mut now, mut before) = (0, 0, 0);
    let mut out = Vec::new();
    while out.len() < packets {
        credit += (now - before) * rate_bps;
        before = now;
        while credit >= 0 && out.len() < packets {
            credit -= hz * size * 8;
            out.push(now + if credit < 0 { (rate_bps - 1 - credit) / rate_bps } else { 0 });
        }
        now += (rate_bps - 1 - credit) / rate_bps;
    }
    out
}

#[test]
fn departures_are_dummynets() {
    for (rate, hz, size) in [(100_000_000, 1000, 1500), (10_000_000, 1000, 1500), (500_000_000, 250, 700)] {
        let endless = LinkSpec::new(rate as f64, Time::ZERO, QueueLimit::Packets(u64::MAX));
        let tick_ns = 1_000_000_000 / hz;
        let mut link = fifo(&LinkSpec { tick: Time::from_nanos(tick_ns as u64), ..endless }, 1, 1);
        for (i, tick) in dummynet(2000, rate, hz, size).into_iter().enumerate() {
            let at = Time::from_nanos((tick * tick_ns) as u64);
            let outcome = link.offer(Time::ZERO, size as u32, false);
            assert_eq!(
                outcome,
                Outcome::Delivered { at, marked: false },
                "packet {i}, {rate} bit/s at {hz} Hz"
            );
        }
    }
}

/// 8 packets are out by the first tick, 16 by the second, 25 by the third.
#[test]
fn what_would_have_ended_within_a_tick_leaves_together() {
    let out = leave(&mut link(QueueLimit::Packets(100)), [Time::ZERO; 25]);
    let by = |tick: usize| out.iter().filter(|at| **at == tick as f64).count();
    assert_eq!([by(1), by(2), by(3)], [8, 8, 9]);
}

/// A link that is kept busy carries its rate: what could have been transmitted by the last tick has left.
#[test]
fn the_rate_is_exact() {
    for tick in [US(300), MS(1), MS(4), US(3333)] {
        let spec = LinkSpec { tick, ..clocked(QueueLimit::Packets(200)) };
        let mut link = fifo(&spec, 1, 1);
        let (mut now, mut by_the_end, end) = (Time::ZERO, 0u64, Time::from_secs_f64(99.9995));
        let mut last = Time::ZERO;
        while now < end {
            match link.offer(now, 1500, false) {
                Outcome::Delivered { at, .. } => {
                    assert_eq!(at.ceil(tick), at, "not on a tick of {tick}");
                    assert!(at >= last, "overtaken");
                    last = at;
                    by_the_end += u64::from(at <= end);
                }
                Outcome::Dropped(_) => now += US(100),
            }
        }
        let ideal = end.floor(tick).as_secs_f64() * 100e6 / 12_000.0;
        assert_eq!(by_the_end, (ideal + 1e-6).floor() as u64, "tick {tick}");
        let totals = link.totals(end);
        assert!((totals.transmitted_bits / totals.capacity_bits - 1.0).abs() < 1e-9);
    }
}

/// Room is made only on ticks: 1 in transmission and 4 that wait; the first tick takes these, too, as it could carry
/// more.
#[test]
fn room_is_made_on_ticks() {
    let mut link = link(QueueLimit::Packets(4));
    assert_eq!(leave(&mut link, [Time::ZERO; 6]), [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!(link.waiting(US(999)), Waiting { packets: 4, bytes: 6000 });
    assert_eq!(leave(&mut link, [US(700), US(999)]), [0.0, 0.0], "without a clock there were room");
    assert_eq!(link.waiting(MS(1)), Waiting::default());
    // 5 packets took 600 µs: the tick of 1 ms has 400 µs left, of which a packet that comes within it has the use.
    assert_eq!(leave(&mut link, [US(1500); 5]), [2.0, 2.0, 2.0, 2.0, 2.0]);
    // Four begin by 960 µs, the fifth has to wait for the tick: 1500 bytes for 0.5 ms, beside 4 · 1500 for 1 ms.
    assert_eq!(link.waiting(US(1999)).packets, 1);
    let totals = link.totals(MS(5));
    assert!((totals.queue_byte_seconds - 6.75).abs() < 1e-9, "{}", totals.queue_byte_seconds);
    assert_eq!((totals.delivered, totals.drops, totals.transmitted_bits), (10, 3, 120_000.0));
}

/// A packet that finds the link idle begins with the tick in which it arrives.
#[test]
fn an_idle_link_begins_with_the_tick() {
    let mut link = link(QueueLimit::Packets(9));
    assert_eq!(leave(&mut link, [US(10_999)]), [11.0]);
    // At 20.9 ms 8 of them still fit the tick that began at 20 ms: what an emulator cannot see it allows.
    let out = leave(&mut link, [US(20_900); 9]);
    assert_eq!(out, [21.0, 21.0, 21.0, 21.0, 21.0, 21.0, 21.0, 21.0, 22.0]);
}

/// Down at 2.5 ms: the packets of the tick at 2 ms have left by 3 ms, and those that wait for the tick at 3 ms are lost. Up again
/// at 2.7 ms, in the same tick.
#[test]
fn going_down_loses_what_waits_for_the_next_tick() {
    let up = |at, up| Change { at, up: Some(up), ..Change::default() };
    let spec = LinkSpec {
        changes: vec![up(US(2500), false), up(US(2700), true)],
        ..clocked(QueueLimit::Packets(100))
    };
    let mut link = fifo(&spec, 1, 1);
    let out = leave(&mut link, [Time::ZERO; 30]);
    // 16 end by 2 ms; of the 17th, which begins by then, the end is at 2.04 ms.
    let by = |tick: usize| out.iter().filter(|at| **at == tick as f64).count();
    assert_eq!([by(1), by(2), by(3), by(0)], [8, 8, 1, 13]);
    assert_eq!(link.waiting(US(2499)).packets, 13);
    assert_eq!(link.waiting(US(2500)).packets, 0);
    assert_eq!(link.totals(US(2600)).losses, 13);
    assert_eq!(leave(&mut link, [US(2800); 2]), [3.0, 3.0]);
}

/// A queue that decides at departure has the same clock.
#[test]
fn a_link_that_holds_packets_leaves_on_the_same_ticks() {
    let spec = clocked(QueueLimit::Packets(20));
    let never_early = Discipline::CoDel(CoDel { target: Time::NEVER, ..CoDel::default() });
    let mut plain = fifo(&spec, 1, 1);
    let mut holding = Link::new(&LinkSpec { discipline: never_early, ..spec }, 1, 1).dequeue().unwrap();
    let (mut outcomes, mut tickets) = (Vec::new(), Vec::new());
    let mut random = Random::new(3, 3);
    let mut now = Time::ZERO;
    let mut reported = Vec::new();
    for i in 0..5000 {
        now += US(random.below(if i % 500 < 250 { 120 } else { 400 }));
        outcomes.push(plain.offer(now, 1500, false));
        let packet = Arrival { wire_bytes: 1500, ecn_capable: false, flow: 0 };
        match holding.offer(now, packet) {
            Ok(ticket) => tickets.push((ticket, i)),
            Err(why) => reported.push((i, Outcome::Dropped(why))),
        }
        while let Some((ticket, outcome)) = holding.next_outcome(now) {
            let place = tickets.iter().position(|(t, _)| *t == ticket).unwrap();
            reported.push((tickets.remove(place).1, outcome));
        }
        assert_eq!(plain.waiting(now), holding.waiting(now));
    }
    reported.sort_by_key(|(i, _)| *i);
    assert!(reported.len() > 4900 && outcomes.contains(&Outcome::Dropped(DropReason::Queue)));
    reported.iter().for_each(|(i, outcome)| assert_eq!(*outcome, outcomes[*i], "packet {i}"));
}
