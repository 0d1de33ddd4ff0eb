//! The control law, packet by packet: one dequeue per millisecond.

use super::*;
use crate::Outcome;

const MS: u64 = 1_000_000;

/// A queue that is filled anew before each dequeue, so that every packet has waited as long as the test wants.
struct Line {
    spec: CoDel,
    queue: Controlled,
    store: Store,
    ecn_capable: bool,
}

impl Line {
    fn new(spec: CoDel, ecn_capable: bool) -> Line {
        Line { spec, queue: Controlled::default(), store: Store::new(), ecn_capable }
    }

    /// Dequeues at `now_ms` from a queue of `packets`, which all have waited `waited_us`: packets dropped and whether
    /// the one to be transmitted is marked.
    fn dequeue(&mut self, now_ms: u64, waited_us: u64, packets: usize) -> (usize, bool) {
        let now = Time::from_nanos(now_ms * MS);
        let arrival = Time::from_nanos(now_ms * MS - waited_us * 1000);
        for _ in 0..packets {
            self.store.push(&mut self.queue.fifo, arrival, 1500, self.ecn_capable);
        }
        let departure = self.queue.dequeue(&self.spec, &mut self.store, now);
        let mut dropped = 0;
        while let Some((_, outcome)) = self.store.pop_outcome() {
            dropped += usize::from(outcome == Outcome::Dropped(crate::DropReason::Early));
        }
        // Leftover packets are reported as dropped, too, to free their places.
        while let Some((ticket, _)) = self.store.pop(&mut self.queue.fifo, now) {
            self.store.decide(ticket, Outcome::Dropped(crate::DropReason::Queue));
        }
        (dropped, departure.is_some_and(|d| d.marked))
    }

    /// The instants in `from..to` at which something is dropped while packets wait 20 ms.
    fn congested(&mut self, from: u64, to: u64) -> Vec<u64> {
        (from..to).filter(|&ms| self.dequeue(ms, 20_000, 9).0 > 0).collect()
    }
}

/// Drops follow after interval/√1, interval/√2, … from the first on; a dequeue happens at the next
/// whole millisecond.
fn law(first_ms: u64, starts_with: u64, until_ms: u64) -> Vec<u64> {
    let mut at = first_ms as f64;
    let mut drops = vec![first_ms];
    for n in starts_with.. {
        at += 100.0 / (n as f64).sqrt();
        if at > (until_ms - 1) as f64 {
            break;
        }
        drops.push(at.ceil() as u64);
    }
    drops
}

#[test]
fn drops_accelerate_with_the_square_root_of_their_number() {
    let mut line = Line::new(CoDel::default(), false);
    // Above the target from 100 ms on; that counts after an interval.
    let drops = line.congested(100, 3000);
    assert_eq!(drops[..4], [200, 300, 371, 429], "by hand: 0, 100, 170.7, 228.4 after the first");
    assert_eq!(drops, law(200, 1, 3000));
}

#[test]
fn nothing_is_dropped_below_the_target() {
    let mut line = Line::new(CoDel::default(), false);
    assert!((100..10_000).all(|ms| line.dequeue(ms, 4999, 100) == (0, false)));
}

/// 99 ms above, one packet below, and so on: never for a whole interval.
#[test]
fn nothing_is_dropped_before_an_interval_has_passed() {
    let mut line = Line::new(CoDel::default(), false);
    for ms in 100..10_000 {
        let waited = if ms % 100 == 0 { 4000 } else { 50_000 };
        assert_eq!(line.dequeue(ms, waited, 100), (0, false), "at {ms}");
    }
}

/// However long packets have waited, at most one stays behind.
#[test]
fn the_last_packet_but_one_is_never_dropped() {
    let mut line = Line::new(CoDel::default(), false);
    assert!((1000..5000).all(|ms| line.dequeue(ms, 900_000, 2) == (0, false)));
    let mut line = Line::new(CoDel::default(), false);
    assert!((1000..5000).any(|ms| line.dequeue(ms, 900_000, 3).0 > 0));
}

#[test]
fn dropping_ends_below_the_target_at_once() {
    let mut line = Line::new(CoDel::default(), false);
    assert!(!line.congested(100, 1000).is_empty());
    assert!((1000..2000).all(|ms| line.dequeue(ms, 4999, 9) == (0, false)));
}

/// Within 16 intervals of the last due drop, the rate found then resumes: the number of drops less the number at the beginning.
/// Later it starts at one.
#[test]
fn dropping_resumes_where_it_ended() {
    let again = |pause_ms: u64| {
        let mut line = Line::new(CoDel::default(), false);
        let n = line.congested(100, 1000).len() as u64;
        assert_eq!(n, law(200, 1, 1000).len() as u64);
        line.dequeue(1000, 1000, 9);
        let from = 1000 + pause_ms;
        let drops = line.congested(from, from + 600);
        assert_eq!(drops[0], from + 100);
        (n, from + 100, drops)
    };
    // Of the n drops the first came with the count of 1 that it began with.
    let (n, first, drops) = again(10);
    assert_eq!(drops, law(first, n - 1, first + 500));
    let (_, first, drops) = again(1700);
    assert_eq!(drops, law(first, 1, first + 500));
}

/// In a gap between dequeues several drops fall due, and happen at once.
#[test]
fn missed_drops_are_caught_up() {
    let mut line = Line::new(CoDel::default(), false);
    line.congested(100, 301); // drops at 200 and 300; the next ones are due at 370.7, 428.4 and 478.4
    assert_eq!(line.dequeue(450, 20_000, 9).0, 2);
    assert_eq!(line.dequeue(478, 20_000, 9).0, 0);
    assert_eq!(line.dequeue(479, 20_000, 9).0, 1);
}

/// ECN-capable packets are marked when others would be dropped, one for one.
#[test]
fn marks_in_place_of_drops() {
    let spec = CoDel { ecn: true, ..CoDel::default() };
    let mut line = Line::new(spec, true);
    let outcomes: Vec<_> = (100..3000).map(|ms| (ms, line.dequeue(ms, 20_000, 9))).collect();
    assert!(outcomes.iter().all(|(_, (dropped, _))| *dropped == 0));
    let marks: Vec<u64> = outcomes.iter().filter(|(_, (_, marked))| *marked).map(|(ms, _)| *ms).collect();
    assert_eq!(marks, law(200, 1, 3000));
    assert_eq!(Line::new(spec, false).congested(100, 3000), marks, "others are dropped");
}
