//! The event queue: who acts next.
//!
//! Events are totally ordered by `(time, sequence)`, so that a run does not depend on how the heap
//! breaks ties. What happens at an event is a small number, the *target*; a packet in flight is not an
//! event of its own, only the head of each link's pipe is.

use anabranch_net::Time;

/// Bits of a heap entry's second word that name the target; the rest is the sequence number.
const TARGET_BITS: u32 = 24;
const TARGETS: usize = 1 << TARGET_BITS;

/// A 4-ary heap: shallower than a binary one, and four keys fill a cache line.
#[derive(Default)]
pub(crate) struct EventQueue {
    /// Time in ns, sequence and target from the highest bit down: one comparison orders two events.
    heap: Vec<u128>,
    sequence: u64,
    now: u64,
}

impl EventQueue {
    /// Largest number of targets that can be told apart.
    pub(crate) const MAX_TARGETS: usize = TARGETS;

    /// The time of the event taken last.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.now)
    }

    #[inline]
    fn entry(&mut self, at: Time, target: u32) -> u128 {
        assert!(at.as_nanos() >= self.now, "an event in the past: {at} at {}", self.now());
        self.sequence += 1;
        u128::from(at.as_nanos()) << 64 | u128::from(self.sequence << TARGET_BITS | u64::from(target))
    }

    /// Lets `target` act at `at`, which must not be in the past.
    #[inline]
    pub(crate) fn schedule(&mut self, at: Time, target: u32) {
        let entry = self.entry(at, target);
        self.heap.push(entry);
        self.sift_up(self.heap.len() - 1);
    }

    /// The next event.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(Time, u32)> {
        let entry = *self.heap.first()?;
        Some((Time::from_nanos((entry >> 64) as u64), entry as u32 & (TARGETS as u32 - 1)))
    }

    /// The next event, which becomes the present. It stays at the head of the queue until
    /// [`EventQueue::finish`] or [`EventQueue::repeat`] is called.
    #[inline]
    pub(crate) fn advance(&mut self) -> Option<(Time, u32)> {
        let next = self.peek()?;
        self.now = next.0.as_nanos();
        Some(next)
    }

    /// Removes the head.
    #[inline]
    pub(crate) fn finish(&mut self) {
        self.heap.swap_remove(0);
        if !self.heap.is_empty() {
            self.sift_down();
        }
    }

    /// Lets the head's target act again at `at`: one pass through the heap instead of two.
    #[inline]
    pub(crate) fn repeat(&mut self, at: Time, target: u32) {
        self.heap[0] = self.entry(at, target);
        self.sift_down();
    }

    #[inline]
    fn sift_up(&mut self, mut i: usize) {
        let entry = self.heap[i];
        while i > 0 {
            let parent = (i - 1) / 4;
            if self.heap[parent] <= entry {
                break;
            }
            self.heap[i] = self.heap[parent];
            i = parent;
        }
        self.heap[i] = entry;
    }

    #[inline]
    fn sift_down(&mut self) {
        let heap = &mut self.heap[..];
        let entry = heap[0];
        let mut i = 0;
        loop {
            let first = 4 * i + 1;
            let last = (first + 4).min(heap.len());
            let Some(children) = heap.get(first..last) else { break };
            let (mut least, mut smallest) = (first, entry);
            for (k, child) in children.iter().enumerate() {
                if *child < smallest {
                    (least, smallest) = (first + k, *child);
                }
            }
            if smallest == entry {
                break;
            }
            heap[i] = smallest;
            i = least;
        }
        heap[i] = entry;
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
