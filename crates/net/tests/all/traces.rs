//! Links that follow traces: beside links that change by hand, beside mahimahi's rule, and by hand.

use anabranch_net::{
    Arrival, Change, CoDel, Discipline, DropReason, Link, LinkSpec, Loss, Outcome, QueueLimit, Time, Totals,
    Trace, TraceData,
};
use proptest::option::of;
use proptest::prelude::*;
use std::collections::VecDeque;

fn ms(ms: u64) -> Time {
    Time::from_millis(ms)
}

fn opportunities(at_ms: &[u64], start: Time) -> Trace {
    let at: Vec<Time> = at_ms.iter().map(|&at| ms(at)).collect();
    let period = *at.last().unwrap();
    Trace { data: TraceData::Opportunities(at.into()), period, start: Some(start) }
}

/// A trace of these changes that a run follows from its beginning.
fn steps_of(steps: &[Change], period: Time) -> Trace {
    Trace { data: TraceData::Steps(steps.into()), period, start: Some(Time::ZERO) }
}

/// Rates from these times on, in ms.
fn rates(of: &[(u64, f64)]) -> Vec<Change> {
    of.iter().map(|(at, rate)| Change { at: ms(*at), rate_bps: Some(*rate), ..Change::default() }).collect()
}

fn follows(trace: Trace, delay: Time, queue: QueueLimit) -> LinkSpec {
    LinkSpec { trace: Some(trace), ..LinkSpec::new(1e6, delay, queue) }
}

/// Delivery times of packets with these sizes and these arrivals, in ms; `None` if dropped.
fn delivered(spec: &LinkSpec, packets: &[(u64, u32)]) -> Vec<Option<u64>> {
    let mut link = Link::new(spec, 1, 1).fifo().unwrap();
    let outcome = |&(at, size): &(u64, u32)| match link.offer(ms(at), size, false) {
        Outcome::Delivered { at, .. } => Some(at.as_nanos() / 1_000_000),
        Outcome::Dropped(_) => None,
    };
    packets.iter().map(outcome).collect()
}

/// Opportunities at 2, 5, 5 and 10 ms, then at 12, 15, 15, 20, …
#[test]
fn opportunities_by_hand() {
    let spec = follows(opportunities(&[2, 5, 5, 10], Time::ZERO), ms(100), QueueLimit::Packets(9));
    // One of its instant is gone when a packet arrives.
    let full = |at: [u64; 4]| delivered(&spec, &at.map(|at| (at, 1500)));
    assert_eq!(full([0, 2, 5, 10]), [102, 105, 110, 112].map(Some));
    // Two leave at 5 ms, and the trace begins again after 10 ms.
    assert_eq!(full([3; 4]), [105, 105, 110, 112].map(Some));
    // The rest of an opportunity serves packets that wait already: 1000 + 500, then 500 of the next.
    assert_eq!(
        delivered(&spec, &[(0, 1000), (0, 1000), (0, 1000), (3, 1500)]),
        [102, 105, 105, 105].map(Some)
    );
    // And nobody else: the rest at 2 ms is lost.
    assert_eq!(delivered(&spec, &[(0, 1000), (3, 2000), (3, 1000)]), [102, 105, 105].map(Some));
    // From 4 ms of the trace on.
    let later = follows(opportunities(&[2, 5, 5, 10], ms(4)), ms(0), QueueLimit::Packets(9));
    assert_eq!(delivered(&later, &[(0, 1500), (0, 1500), (0, 1500), (0, 1500)]), [1, 1, 6, 8].map(Some));
}

/// A packet waits until an opportunity takes its first byte, and one that is begun waits no longer.
#[test]
fn the_queue_holds_what_is_not_begun() {
    let spec = follows(opportunities(&[2, 5, 10], Time::ZERO), ms(0), QueueLimit::Packets(1));
    assert_eq!(delivered(&spec, &[(0, 1500), (1, 1500), (3, 1500)]), [Some(2), None, Some(5)]);
    // Begun at 2 ms and ended at 5 ms: the second finds room at 3 ms, and continues with the rest.
    assert_eq!(delivered(&spec, &[(0, 2000), (3, 1000), (4, 1)]), [Some(5), Some(5), None]);
}

/// A flow that always has something to send gets every byte of every opportunity.
#[test]
fn a_saturating_flow_gets_all_opportunities() {
    let at = [0, 1, 1, 1, 4, 9, 9, 12, 17];
    let spec = follows(opportunities(&at, ms(3)), ms(7), QueueLimit::Packets(u64::MAX));
    let mut link = Link::new(&spec, 1, 1).fifo().unwrap();
    let count = |instant: u64| {
        (0..50u64)
            .flat_map(|round| at.map(|at| at + 17 * round))
            .filter(|&at| 3 < at && at <= instant + 3)
            .count()
    };
    for _ in 0..1000 {
        link.offer(Time::ZERO, 1400, false);
    }
    for instant in (0..300).step_by(7) {
        let Totals { transmitted_bits, capacity_bits, .. } = link.totals(ms(instant));
        let all = count(instant) as f64 * 12_000.0;
        assert_eq!((transmitted_bits, capacity_bits), (all, all), "{instant} ms");
    }
}

/// mahimahi's rule (`link_queue.cc`): at each opportunity a budget of a packet's bytes goes to who waits, and the rest is lost.
struct Mahimahi {
    schedule: Vec<u64>,
    next: usize,
    queue: VecDeque<(usize, u32)>,
    in_transit: Option<(usize, u32)>,
    outcomes: Vec<Option<u64>>,
}

impl Mahimahi {
    fn until(&mut self, now: u64) {
        while self.schedule[self.next] <= now {
            let mut budget = 1500;
            while budget > 0 {
                let Some((id, left)) = self.in_transit.take().or_else(|| self.queue.pop_front()) else {
                    break;
                };
                let sent = left.min(budget);
                budget -= sent;
                if left > sent {
                    self.in_transit = Some((id, left - sent));
                } else {
                    self.outcomes[id] = Some(self.schedule[self.next]);
                }
            }
            self.next += 1;
        }
    }
}

fn trace_ms() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(0..30u64, 1..12).prop_filter_map("no length", |mut at| {
        at.sort_unstable();
        (*at.last()? > 0).then_some(at)
    })
}

proptest! {
    #[test]
    fn opportunities_are_mahimahis(
        at in trace_ms(),
        start in 0..30u64,
        room in 0..6usize,
        packets in proptest::collection::vec((0..20u64, 1..4000u32), 1..60),
    ) {
        let period = *at.last().unwrap();
        let start = start % period;
        let rounds = (0..20_000u64).flat_map(|round| at.iter().map(move |at| at + round * period));
        let schedule: Vec<u64> = rounds.filter(|&at| at > start).map(|at| at - start).collect();
        let mut theirs = Mahimahi { schedule, next: 0, queue: VecDeque::new(), in_transit: None, outcomes: vec![None; packets.len()] };
        let spec = follows(opportunities(&at, ms(start)), Time::ZERO, QueueLimit::Packets(room as u64));
        let mut ours = Link::new(&spec, 1, 1).fifo().unwrap();
        let (mut now, mut outcomes, mut offered) = (0, vec![], 0.0);
        for (id, &(gap, size)) in packets.iter().enumerate() {
            now += gap;
            theirs.until(now);
            prop_assert_eq!(ours.waiting(ms(now)).packets, theirs.queue.len() as u64);
            if theirs.queue.len() < room {
                theirs.queue.push_back((id, size));
                offered += f64::from(size) * 8.0;
            }
            outcomes.push(match ours.offer(ms(now), size, false) {
                Outcome::Delivered { at, .. } => Some(at.as_nanos() / 1_000_000),
                Outcome::Dropped(why) => {
                    prop_assert_eq!(why, DropReason::Queue);
                    None
                }
            });
            let left: u32 = theirs.queue.iter().chain(&theirs.in_transit).map(|(_, size)| size).sum();
            prop_assert_eq!(ours.totals(ms(now)).transmitted_bits, offered - f64::from(left) * 8.0);
        }
        theirs.until(now + 12_000);
        prop_assert_eq!(outcomes, theirs.outcomes);
    }
}

const PERIOD: u64 = 1000;

fn step() -> impl Strategy<Value = (u64, f64, u64, f64)> {
    (0..PERIOD, 2e6..1e9, 0..5000u64, 0.0..1.0)
}

fn steps(given: Vec<(u64, f64, u64, f64)>, delays: bool, losses: bool) -> Vec<Change> {
    let mut steps: Vec<Change> = given
        .into_iter()
        .map(|(at, rate, delay, loss)| Change {
            at: Time::from_nanos(1000 * at),
            rate_bps: Some(rate),
            delay: delays.then(|| Time::from_nanos(delay)),
            loss: losses.then_some(Loss::bernoulli(loss)),
            up: None,
        })
        .collect();
    steps.sort_by_key(|step| step.at);
    steps.dedup_by_key(|step| step.at);
    steps[0].at = Time::ZERO;
    steps
}

/// The same changes by hand, over many rounds, where the run begins at the first step.
fn by_hand(steps: &[Change], rounds: u64) -> LinkSpec {
    let first = &steps[0];
    let all = (0..rounds).flat_map(|round| {
        let shifted = move |step: &Change| Change {
            at: step.at + Time::from_nanos(1000 * PERIOD * round),
            ..step.clone()
        };
        steps.iter().map(shifted)
    });
    LinkSpec {
        changes: all.skip(1).collect(),
        loss: first.loss.unwrap_or(Loss::None),
        ..LinkSpec::new(first.rate_bps.unwrap(), first.delay.unwrap_or(ms(1)), QueueLimit::Packets(20))
    }
}

proptest! {
    /// Fates, and sums but for the rounding of capacities, whichever kind of queue it is.
    #[test]
    fn steps_are_changes_by_hand(
        given in proptest::collection::vec(step(), 1..40),
        (delays, losses, holding) in any::<(bool, bool, bool)>(),
        tick in of(1..50_000u64),
        packets in proptest::collection::vec((0..400_000u64, 1..3000u32), 1..120),
        seed: u64,
    ) {
        let steps = steps(given, delays, losses);
        let trace = steps_of(&steps, Time::from_nanos(1000 * PERIOD));
        let mut hand = by_hand(&steps, 400);
        hand.tick = Time::from_nanos(tick.unwrap_or_default());
        if holding {
            hand.discipline = Discipline::CoDel(CoDel::default());
        }
        // The trace's values count, not those beside it.
        let traced = LinkSpec { changes: vec![], trace: Some(trace), rate_bps: 1.0, loss: Loss::None, ..hand.clone() };
        let mut links = [Link::new(&hand, seed, 3), Link::new(&traced, seed, 3)];
        let mut now = Time::ZERO;
        for (flow, &(gap, wire_bytes)) in packets.iter().enumerate() {
            now += Time::from_nanos(gap);
            let told = links.each_mut().map(|link| match link {
                Link::Fifo(link) => (vec![(0, link.offer(now, wire_bytes, false))], link.totals(now)),
                Link::Dequeue(link) => {
                    let packet = Arrival { wire_bytes, ecn_capable: false, flow: flow as u64 };
                    let at_once = link.offer(now, packet).err().map(|why| (u32::MAX, Outcome::Dropped(why)));
                    let settled = std::iter::from_fn(|| link.next_outcome(now)).chain(at_once).collect();
                    (settled, link.totals(now))
                }
            });
            let [(ours, sums), (theirs, others)] = told;
            prop_assert_eq!(ours, theirs);
            prop_assert!((sums.capacity_bits - others.capacity_bits).abs() <= 1e-9 * sums.capacity_bits + 1e-3);
            prop_assert!((sums.transmitted_bits - others.transmitted_bits).abs() <= 1e-9 * sums.capacity_bits + 1e-3);
        }
    }
}

/// One that begins in the middle of a trace equals one that has run from its beginning, without a packet.
#[test]
fn a_start_is_a_place_in_the_trace() {
    let steps = steps(vec![(0, 3e6, 10, 0.0), (250, 1e8, 2000, 0.0), (700, 2e7, 500, 0.0)], true, false);
    let mut spec = by_hand(&steps, 1);
    spec.changes.clear();
    spec.trace = Some(steps_of(&steps, Time::from_nanos(1000 * PERIOD)));
    let mut from_start = Link::new(&spec, 1, 1).fifo().unwrap();
    for start in [0, 100, 250, 699, 700, 999].map(|at| Time::from_nanos(1000 * at)) {
        spec.trace.as_mut().unwrap().start = Some(start);
        let mut later = Link::new(&spec, 1, 1).fifo().unwrap();
        let mut early = from_start.clone();
        for n in 0..300 {
            let now = Time::from_nanos(37_000 * n);
            let (a, b) = (later.offer(now, 1500, false), early.offer(now + start, 1500, false));
            match (a, b) {
                (Outcome::Delivered { at: a, .. }, Outcome::Delivered { at: b, .. }) => {
                    assert_eq!(a + start, b)
                }
                _ => assert_eq!(a, b),
            }
        }
    }
    // Without a start each seed and each link has its own.
    spec.trace.as_mut().unwrap().start = None;
    let first = |seed, stream| Link::new(&spec, seed, stream).fifo().unwrap().offer(Time::ZERO, 1500, false);
    assert_eq!(first(1, 1), first(1, 1));
    let all: std::collections::HashSet<_> = (0..20).map(|seed| format!("{:?}", first(seed, 1))).collect();
    assert!(all.len() >= 3, "{all:?}");
    from_start.totals(ms(1));
}

#[test]
fn a_constant_trace_is_a_plain_link() {
    let plain = LinkSpec::new(7e6, ms(3), QueueLimit::Packets(50));
    let steps: Vec<_> = (0..10).map(|i| (13 * i, 7e6)).collect();
    let trace = Trace { start: None, ..steps_of(&rates(&steps), ms(130)) };
    let traced = LinkSpec { trace: Some(trace), ..plain.clone() };
    let [mut plain, mut traced] = [&plain, &traced].map(|spec| Link::new(spec, 1, 1).fifo().unwrap());
    for n in 0..20_000 {
        let now = Time::from_nanos(1_500_000 * n);
        match (plain.offer(now, 1500, false), traced.offer(now, 1500, false)) {
            // Where a transmission continues in the next step its end is rounded.
            (Outcome::Delivered { at: a, .. }, Outcome::Delivered { at: b, .. }) => {
                assert!(b.since(a) <= Time::from_nanos(n))
            }
            (a, b) => assert_eq!(a, b, "{n}"),
        }
    }
}

/// At rate 0 packets wait, and a transmission continues afterwards.
#[test]
fn a_pause_keeps_the_queue() {
    let trace = steps_of(&rates(&[(0, 12e6), (10, 0.0)]), ms(20));
    let spec = follows(trace, ms(100), QueueLimit::Packets(9));
    let packets = [(9, 1400), (9, 1500), (15, 1500)];
    assert_eq!(delivered(&spec, &packets), [109, 120, 121].map(Some));
}

#[test]
fn rates_of_traces() {
    let steps = steps_of(&rates(&[(0, 1e6), (30, 5e6), (40, 0.0)]), ms(100));
    assert_eq!((steps.mean_rate_bps(), steps.max_rate_bps()), (0.8e6, 5e6));
    // 4 in 10 ms; 3 of them within less than 10 ms.
    let trace = opportunities(&[1, 4, 4, 11], Time::ZERO);
    assert!((trace.mean_rate_bps() / (4.0 * 12_000.0 / 11e-3) - 1.0).abs() < 1e-12);
    assert_eq!(trace.max_rate_bps(), 3.0 * 12_000.0 / 10e-3);
}
