//! The two lists, credits and hashing.

use super::*;
use crate::Outcome;

fn fair(queues: u32, stream: u64) -> (FairQueue, Store) {
    let spec = FqCoDel { queues, ..FqCoDel::default() };
    (FairQueue::new(spec, Random::new(1, stream)), Store::new())
}

fn packet(flow: u64, wire_bytes: u32) -> Arrival {
    Arrival { flow, wire_bytes, ecn_capable: false }
}

/// Flows that have queues of their own.
fn apart(fair: &FairQueue, n: usize) -> Vec<u64> {
    let mut flows: Vec<u64> = Vec::new();
    for flow in 0.. {
        if flows.iter().all(|other| fair.queue_of(*other) != fair.queue_of(flow)) {
            flows.push(flow);
        }
        if flows.len() == n {
            break;
        }
    }
    flows
}

/// The packets of flows with queues of their own, by name, `names[ticket]`.
struct Named {
    fair: FairQueue,
    store: Store,
    flows: Vec<u64>,
    names: String,
}

impl Named {
    fn new(flows: usize) -> Named {
        let (fair, store) = fair(1024, 0);
        Named { flows: apart(&fair, flows), fair, store, names: String::new() }
    }

    /// Lets `n` packets of a flow arrive.
    fn arrive(&mut self, name: char, n: usize, size: u32) {
        for _ in 0..n {
            let flow = self.flows[name as usize - 'a' as usize];
            let ticket = self.fair.push(&mut self.store, Time::ZERO, packet(flow, size));
            assert_eq!(ticket as usize, self.names.len());
            self.names.push(name);
        }
    }

    /// Which flows the next packets to leave belong to.
    fn leave(&mut self, n: usize) -> String {
        let ticket = |_| self.fair.dequeue(&mut self.store, Time::ZERO).map(|d| d.ticket as usize);
        (0..n).map_while(ticket).map(|t| &self.names[t..=t]).collect()
    }
}

/// Quantum 1500. Packets of 1500 alternate; a queue of packets of 500 sends three per turn. A packet larger than the credit is
/// sent, and paid for by missing turns.
#[test]
fn turns_are_of_equal_bytes() {
    for (a, b, order) in [((9, 500), (3, 1500), "aaabaaabaaab"), ((3, 4500), (9, 1500), "abbbabbbabbb")] {
        let mut queues = Named::new(2);
        queues.arrive('a', a.0, a.1);
        queues.arrive('b', b.0, b.1);
        assert_eq!(queues.leave(99), order);
    }
}

/// New before old; a new queue that runs empty goes through the old list, so that its next packet is not new again.
#[test]
fn new_queues_go_first_and_once() {
    let mut queues = Named::new(3);
    queues.arrive('a', 5, 1500);
    queues.arrive('b', 5, 1500);
    queues.arrive('c', 1, 1500);
    assert_eq!(queues.leave(3), "abc", "all are new");
    assert_eq!(queues.leave(2), "ab", "then old");
    // c was new, sent its quantum and was found empty: it is in the old list, behind a and b or about to leave it.
    assert_eq!(queues.leave(1), "a");
    assert!(queues.fair.new.is_empty());
}

/// A queue that sends less than its share stays ahead of those that do not.
#[test]
fn a_sparse_flow_is_new_each_time() {
    let Named { mut fair, mut store, flows, .. } = Named::new(2);
    for _ in 0..300 {
        fair.push(&mut store, Time::ZERO, packet(flows[0], 1500));
    }
    fair.dequeue(&mut store, Time::ZERO);
    for _ in 0..50 {
        let sparse = fair.push(&mut store, Time::ZERO, packet(flows[1], 100));
        assert_eq!(fair.dequeue(&mut store, Time::ZERO).unwrap().ticket, sparse);
        // Two packets of the other, during which the empty queue leaves the lists.
        assert_ne!(fair.dequeue(&mut store, Time::ZERO).unwrap().ticket, sparse);
        assert_ne!(fair.dequeue(&mut store, Time::ZERO).unwrap().ticket, sparse);
    }
}

#[test]
fn the_longest_queue_gives_way() {
    let Named { mut fair, mut store, flows, .. } = Named::new(2);
    let small = fair.push(&mut store, Time::ZERO, packet(flows[0], 100));
    let first = fair.push(&mut store, Time::ZERO, packet(flows[1], 1500));
    fair.push(&mut store, Time::ZERO, packet(flows[1], 1500));
    assert_eq!(fair.evict(&mut store, Time::ZERO), Some((first, 1500)), "from its head");
    assert_eq!(fair.dequeue(&mut store, Time::ZERO).unwrap().ticket, small);
}

/// Every flow keeps its queue; two perturbations agree on about one flow in 64.
#[test]
fn hashing_spreads_flows_and_differs_between_links() {
    let ((one, _), (two, _)) = (fair(64, 1), fair(64, 2));
    let mut hits = [0u32; 64];
    let mut same = 0;
    for flow in 0..64_000 {
        hits[one.queue_of(flow) as usize] += 1;
        same += u32::from(one.queue_of(flow) == two.queue_of(flow));
        assert_eq!(one.queue_of(flow), one.queue_of(flow));
    }
    // Binomial: 1000 ± 5 · 31.
    assert!(hits.iter().chain([&same]).all(|n| (840..1160).contains(n)), "{hits:?} {same}");
}

/// Each queue has its own control law: the one that stands is cut, the other is not.
#[test]
fn only_the_standing_queue_is_dropped_from() {
    let Named { mut fair, mut store, flows, .. } = Named::new(2);
    for _ in 0..3000 {
        fair.push(&mut store, Time::ZERO, packet(flows[0], 1500));
    }
    let (mut early, mut sparse) = (0, Vec::new());
    for ms in 1..1500 {
        let now = Time::from_millis(ms);
        if ms % 10 == 0 {
            sparse.push(fair.push(&mut store, now, packet(flows[1], 100)));
        }
        if let Some(departure) = fair.dequeue(&mut store, now) {
            store.decide(departure.ticket, Outcome::Delivered { at: now, marked: false });
        }
        while let Some((ticket, outcome)) = store.pop_outcome() {
            if outcome == Outcome::Dropped(crate::DropReason::Early) {
                early += 1;
                assert!(!sparse.contains(&ticket) || ticket < 3000);
            }
        }
    }
    assert!(early > 10, "{early}");
    assert_eq!(fair.queues[fair.queue_of(flows[1]) as usize].packets.drops(), 0);
}

/// With 1024 flows that wait, making room looks at the ten levels of a tree, not at every queue.
#[test]
fn making_room_does_not_look_at_every_queue() {
    let (mut fair, mut store) = fair(1024, 0);
    for flow in 0..20_000 {
        fair.push(&mut store, Time::ZERO, packet(flow, 1500));
    }
    let (before, packets) = (fair.longest.steps, store.waiting.packets);
    while fair.evict(&mut store, Time::ZERO).is_some() {}
    assert_eq!(packets, 20_000);
    assert!(fair.longest.steps - before <= 10 * packets, "{} steps", fair.longest.steps - before);
    assert_eq!(store.waiting.packets, 0);
}
