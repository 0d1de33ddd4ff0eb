//! The event queue.
//!
//! Events are totally ordered by `(time, sequence)`, so that a run does not depend on how the heap
//! breaks ties. A small number, the *target*, identifies the effect of an event. Of the packets in a
//! pipe, only the first has an event.

use anabranch_net::Time;

/// Bits of the target in a heap entry's second word; the rest is the sequence number.
const TARGET_BITS: u32 = 24;
const TARGETS: usize = 1 << TARGET_BITS;

/// Children of a node. Four keys of 16 bytes fill a cache line, and the tree is shallow.
const ARITY: usize = 4;

/// The events of a simulation, ordered by time. Public for its benchmark.
///
/// A heap in which every node has all its children or is a leaf: vacant places hold `VACANT`, which is later than any event.
#[derive(Clone)]
pub struct EventQueue {
    /// Time in ns, sequence and target from the highest bit down: one comparison orders two events.
    heap: Vec<u128>,
    /// Events in the heap; the rest of it is vacant.
    len: usize,
    sequence: u64,
    now: u64,
}

/// A place without an event.
const VACANT: u128 = u128::MAX;

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue { heap: vec![VACANT], len: 0, sequence: 0, now: 0 }
    }
}

impl EventQueue {
    /// The most targets.
    pub(crate) const MAX_TARGETS: usize = TARGETS;

    /// The time of the last event.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.now)
    }

    /// The next sequence number.
    #[inline]
    pub(crate) fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    #[inline]
    fn entry(&self, at: Time, sequence: u64, target: u32) -> u128 {
        assert!(at.as_nanos() >= self.now, "an event in the past: {at} at {}", self.now());
        u128::from(at.as_nanos()) << 64 | u128::from(sequence << TARGET_BITS | u64::from(target))
    }

    /// Schedules an event for `target` at `at`, which must not be in the past.
    #[inline]
    pub fn schedule(&mut self, at: Time, target: u32) {
        let sequence = self.next_sequence();
        self.schedule_as(at, sequence, target);
    }

    /// The same with a sequence number from [`EventQueue::next_sequence`].
    #[inline]
    pub(crate) fn schedule_as(&mut self, at: Time, sequence: u64, target: u32) {
        let entry = self.entry(at, sequence, target);
        let mut i = self.len;
        self.len += 1;
        if self.heap.len() < self.len {
            self.heap.extend([VACANT; ARITY]);
        }
        while i > 0 {
            let parent = (i - 1) / ARITY;
            if self.heap[parent] <= entry {
                break;
            }
            self.heap[i] = self.heap[parent];
            i = parent;
        }
        self.heap[i] = entry;
    }

    /// The next event.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(Time, u32)> {
        let entry = self.heap[0];
        (entry != VACANT)
            .then(|| (Time::from_nanos((entry >> 64) as u64), entry as u32 & (TARGETS as u32 - 1)))
    }

    /// Advances to the next event. It stays at the head of the queue until
    /// [`EventQueue::finish`] or [`EventQueue::repeat`] is called.
    #[inline]
    pub fn advance(&mut self) -> Option<(Time, u32)> {
        let next = self.peek()?;
        self.now = next.0.as_nanos();
        Some(next)
    }

    /// Removes the head.
    #[inline]
    pub fn finish(&mut self) {
        self.len -= 1;
        let last = std::mem::replace(&mut self.heap[self.len], VACANT);
        if self.len > 0 {
            self.sift_down(last);
        }
    }

    /// Replaces the head by an event for `target` at `at`: one pass through the heap instead of two.
    #[inline]
    pub fn repeat(&mut self, at: Time, target: u32) {
        let sequence = self.next_sequence();
        self.repeat_as(at, sequence, target);
    }

    /// The same with a sequence number from [`EventQueue::next_sequence`].
    #[inline]
    pub(crate) fn repeat_as(&mut self, at: Time, sequence: u64, target: u32) {
        let entry = self.entry(at, sequence, target);
        self.sift_down(entry);
    }

    /// The sequence number of the head.
    #[inline]
    pub(crate) fn head_sequence(&self) -> u64 {
        self.heap[0] as u64 >> TARGET_BITS
    }

    /// Puts `entry` in the place of the head.
    #[inline]
    fn sift_down(&mut self, entry: u128) {
        let mut i = 0;
        while let Some([a, b, c, d]) = self.heap.get(ARITY * i + 1..ARITY * i + 1 + ARITY) {
            // The smallest of four in two rounds of pairs: independent comparisons.
            let (left, l) = if b < a { (b, 2) } else { (a, 1) };
            let (right, r) = if d < c { (d, 4) } else { (c, 3) };
            let (least, child) = if right < left { (right, r) } else { (left, l) };
            if *least > entry {
                break;
            }
            self.heap[i] = *least;
            i = ARITY * i + child;
        }
        self.heap[i] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn order_is_time_then_sequence(times in prop::collection::vec(0u64..50, 1..300)) {
            let mut queue = EventQueue::default();
            for (target, t) in times.iter().enumerate() {
                queue.schedule(Time::from_nanos(*t), target as u32);
            }
            let mut want: Vec<_> = times.iter().enumerate().map(|(i, t)| (*t, i as u32)).collect();
            want.sort();
            for (t, target) in want {
                prop_assert_eq!(queue.advance(), Some((Time::from_nanos(t), target)));
                queue.finish();
            }
            prop_assert!(queue.advance().is_none());
        }
    }

    #[test]
    fn a_repeated_event_goes_behind_its_equals() {
        let mut queue = EventQueue::default();
        queue.schedule(Time::from_nanos(1), 7);
        queue.schedule(Time::from_nanos(5), 8);
        queue.advance();
        queue.repeat(Time::from_nanos(5), 7);
        assert_eq!(queue.advance(), Some((Time::from_nanos(5), 8)));
        queue.finish();
        assert_eq!(queue.advance(), Some((Time::from_nanos(5), 7)));
    }

    #[test]
    #[should_panic(expected = "in the past")]
    fn time_does_not_go_back() {
        let mut queue = EventQueue::default();
        queue.schedule(Time::from_nanos(5), 0);
        queue.advance();
        queue.schedule(Time::from_nanos(4), 0);
    }
}
