//! A link that holds packets, from outside. A byte takes 8 ns at 1 Gbit/s, a packet of 1500 bytes 120 µs at 100 Mbit/s.

use super::*;
use crate::{CoDel, Discipline, FqCoDel};

fn link(discipline: Discipline, rate_bps: f64, queue: QueueLimit) -> DequeueLink {
    let spec = LinkSpec { discipline, ..LinkSpec::new(rate_bps, Time::ZERO, queue) };
    crate::Link::new(&spec, 1, 1).dequeue().unwrap()
}

/// A constant stream of packets.
#[derive(Clone, Copy)]
struct Stream {
    flow: u64,
    bytes: u32,
    every_ns: u64,
    ecn_capable: bool,
}

/// The fate of a stream.
#[derive(Clone, Copy, Debug, Default)]
struct StreamResult {
    bytes: u64,
    dropped: u64,
    marked: u64,
    longest: Time,
}

/// Lets streams meet at a link for `seconds`; by stream.
fn meet(link: &mut DequeueLink, streams: &[Stream], seconds: u64) -> Vec<StreamResult> {
    let mut results = vec![StreamResult::default(); streams.len()];
    let mut next: Vec<u64> = (0..streams.len() as u64).collect();
    let mut held: Vec<(usize, Time)> = Vec::new();
    loop {
        let (s, at) = next.iter().copied().enumerate().min_by_key(|(_, at)| *at).unwrap();
        if at > seconds * 1_000_000_000 {
            return results;
        }
        next[s] += streams[s].every_ns;
        let Stream { flow, bytes, ecn_capable, .. } = streams[s];
        let now = Time::from_nanos(at);
        match link.offer(now, Arrival { wire_bytes: bytes, ecn_capable, flow }) {
            Ok(ticket) => {
                held.resize(held.len().max(ticket as usize + 1), (0, Time::ZERO));
                held[ticket as usize] = (s, now);
            }
            Err(_) => results[s].dropped += 1,
        }
        while let Some((ticket, outcome)) = link.next_outcome(now) {
            let (s, arrival) = held[ticket as usize];
            let result = &mut results[s];
            match outcome {
                Outcome::Delivered { at, marked } => {
                    result.bytes += u64::from(streams[s].bytes);
                    result.marked += u64::from(marked);
                    result.longest = result.longest.max(at.since(arrival));
                }
                Outcome::Dropped(_) => result.dropped += 1,
            }
        }
    }
}

fn stream(flow: u64, bytes: u32, every_ns: u64) -> Stream {
    Stream { flow, bytes, every_ns, ecn_capable: false }
}

/// 100 Mbit/s; offered 300, 150 and, in small packets, 100 Mbit/s: a third each.
#[test]
fn fair_queues_give_equal_rates_to_unequal_flows() {
    let mut link = link(Discipline::FqCoDel(FqCoDel::default()), 100e6, QueueLimit::Packets(1000));
    let streams = [stream(1, 1500, 40_000), stream(2, 1500, 80_000), stream(3, 300, 24_000)];
    let results = meet(&mut link, &streams, 10);
    for result in &results {
        let rate = result.bytes as f64 * 8.0 / 10.0;
        assert!((rate / (100e6 / 3.0) - 1.0).abs() < 0.002, "{results:?}");
    }
}

/// A flow below its share loses nothing; the others divide the rest.
#[test]
fn what_a_modest_flow_leaves_is_shared() {
    let mut link = link(Discipline::FqCoDel(FqCoDel::default()), 100e6, QueueLimit::Packets(1000));
    let streams = [stream(1, 1500, 40_000), stream(2, 1500, 80_000), stream(3, 1500, 1_200_000)];
    let results = meet(&mut link, &streams, 10);
    let rate = |i: usize| results[i].bytes as f64 * 8.0 / 10.0 / 1e6;
    assert_eq!(results[2].dropped, 0);
    assert!((rate(2) - 10.0).abs() < 0.01 && (rate(0) - 45.0).abs() < 0.1 && (rate(1) - 45.0).abs() < 0.1);
}

/// A packet of a sparse flow waits at most for the one in transmission, beside a flood: 120 µs, and
/// 8 µs for its own 100 bytes. Without flow queues it waits as all do.
#[test]
fn a_sparse_flow_sees_no_queue() {
    let streams = [stream(1, 1500, 40_000), stream(2, 100, 7_777_777)];
    let mut fair = link(Discipline::FqCoDel(FqCoDel::default()), 100e6, QueueLimit::Packets(1000));
    let sparse = meet(&mut fair, &streams, 10)[1];
    assert_eq!(sparse.dropped, 0);
    assert!(sparse.longest <= Time::from_nanos(128_000), "{sparse:?}");
    let mut single = link(Discipline::CoDel(CoDel::default()), 100e6, QueueLimit::Packets(1000));
    assert!(meet(&mut single, &streams, 10)[1].longest > Time::from_millis(50));
}

/// CoDel leaves a queue alone that stays below 5 ms: 40 packets of 120 µs are 4.8 ms.
#[test]
fn codel_leaves_short_queues_alone() {
    let mut link = link(Discipline::CoDel(CoDel::default()), 100e6, QueueLimit::Packets(40));
    let result = meet(&mut link, &[stream(1, 1500, 60_000)], 10)[0];
    let totals = link.totals(Time::from_secs_f64(10.0));
    assert_eq!(totals.early_drops, 0);
    assert!(result.dropped > 0 && result.longest <= Time::from_nanos(41 * 120_000));
}

/// Against a stream that does not react the n-th drop comes at 2·√n intervals, so that the rate of dropping grows
/// with time until it equals the excess: 5 % here, 417 packets a second, reached when √n/100 ms is that.
#[test]
fn codel_controls_a_stream_that_does_not_react() {
    let mut link = link(Discipline::CoDel(CoDel::default()), 100e6, QueueLimit::Packets(100_000));
    let load = stream(1, 1500, 114_286); // 105 %
    meet(&mut link, &[load], 4);
    // After 4 s the law has dropped about (4 s − 0.2 s)²/(2 · 0.1 s)² = 361 of the 1667 in excess.
    let totals = link.totals(Time::from_secs_f64(4.0));
    assert!((330..400).contains(&totals.early_drops), "{totals:?}");
}

#[test]
fn ecn_capable_packets_are_marked_and_none_is_lost() {
    let spec = CoDel { ecn: true, ..CoDel::default() };
    let run = |ecn_capable| {
        let mut link = link(Discipline::CoDel(spec), 100e6, QueueLimit::Packets(100_000));
        meet(&mut link, &[Stream { ecn_capable, ..stream(1, 1500, 114_286) }], 2)[0]
    };
    let (marked, dropped) = (run(true), run(false));
    assert_eq!((marked.dropped, dropped.marked), (0, 0));
    assert!(marked.marked.abs_diff(dropped.dropped) <= 1 && marked.marked > 50, "{marked:?} {dropped:?}");
}

#[test]
fn the_longest_flow_queue_loses_when_the_limit_is_reached() {
    let fq = FqCoDel { target: Time::NEVER, ..FqCoDel::default() };
    let mut link = link(Discipline::FqCoDel(fq), 100e6, QueueLimit::Bytes(60_000));
    let results = meet(&mut link, &[stream(1, 1500, 40_000), stream(2, 1500, 300_000)], 5);
    assert_eq!(results[1].dropped, 0, "40 of 100 Mbit/s is below its share");
    assert!(results[0].dropped > 10_000);
    assert!(link.waiting(Time::from_secs_f64(5.0)).bytes <= 60_000);
}

/// Packets whose departure is asked for late still leave when the transmitter was free.
#[test]
fn a_late_call_changes_no_fate() {
    let mut link = link(Discipline::CoDel(CoDel::default()), 1e9, QueueLimit::Packets(10));
    let packet = Arrival { wire_bytes: 1000, ecn_capable: false, flow: 0 };
    let at = Time::from_nanos;
    assert_eq!([link.offer(at(0), packet), link.offer(at(0), packet)], [Ok(0), Ok(1)]);
    assert_eq!(link.wakes_at(), at(8000));
    let outcome = |ns| Outcome::Delivered { at: at(ns), marked: false };
    assert_eq!(link.next_outcome(at(50_000)), Some((0, outcome(8000))));
    assert_eq!(link.next_outcome(at(50_000)), Some((1, outcome(16_000))));
    assert_eq!((link.next_outcome(at(50_000)), link.wakes_at()), (None, Time::NEVER));
}
