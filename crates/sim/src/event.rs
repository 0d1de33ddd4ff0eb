//! The event queue.
//!
//! Events are totally ordered, so that a run does not depend on how the heap breaks ties. A small number, the *target*, identifies the
//! effect of an event. At one instant, timers come first, in the order in which they were scheduled. Then packets leave pipes, in the
//! order of the pipes. Of the packets in a pipe only the first has an event, and when that was scheduled depends on what else is in the
//! pipe, so it must not decide.

use anabranch_net::Time;

/// Bits of the target in an entry's second word; the rest is a timer's sequence number, or, with the highest bit, says that it is a pipe's.
const TARGET_BITS: u32 = 24;
const TARGETS: usize = 1 << TARGET_BITS;
const PIPE: u64 = 1 << 63;

/// Events at vacant places are later than any other.
const VACANT: u128 = u128::MAX;

/// The events of a simulation, ordered by time. Public for its benchmark.
///
/// Two heaps: packets move in a few pipes, but often; timers are many, and wait. So a packet's event passes no timers.
#[derive(Clone, Default)]
pub struct EventQueue {
    packets: Heap<2>,
    timers: Heap<4>,
    /// Targets below this are pipes.
    pipes: u32,
    /// Whether the head is in `packets`.
    moves: bool,
    sequence: u64,
    now: u64,
}

impl EventQueue {
    pub(crate) const MAX_TARGETS: usize = TARGETS;

    /// The targets below `pipes` are pipes, in which packets move; set before they have events.
    pub fn set_pipes(&mut self, pipes: u32) {
        self.pipes = pipes;
    }

    /// The time of the last event.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.now)
    }

    #[inline]
    fn entry(&self, at: Time, order: u64) -> u128 {
        assert!(at.as_nanos() >= self.now, "an event in the past: {at} at {}", self.now());
        u128::from(at.as_nanos()) << 64 | u128::from(order)
    }

    #[inline]
    fn pipe_entry(&self, at: Time, target: u32) -> u128 {
        self.entry(at, PIPE | u64::from(target))
    }

    #[inline]
    fn timer_entry(&mut self, at: Time, target: u32) -> u128 {
        self.sequence += 1;
        self.entry(at, self.sequence << TARGET_BITS | u64::from(target))
    }

    /// Schedules an event for `target` at `at`, which must not be in the past.
    #[inline]
    pub fn schedule(&mut self, at: Time, target: u32) {
        if target < self.pipes {
            self.packets.push(self.pipe_entry(at, target));
        } else {
            let entry = self.timer_entry(at, target);
            self.timers.push(entry);
        }
    }

    /// Schedules an event for `target` at `at`, if that is before its valid one, which is due at `armed`;
    /// that is then `at`.
    #[inline]
    pub(crate) fn arm(&mut self, armed: &mut Time, at: Time, target: u32) {
        if at < *armed {
            *armed = at;
            self.schedule(at, target);
        }
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<(Time, u32)> {
        let entry = self.packets.head.min(self.timers.head);
        (entry != VACANT)
            .then(|| (Time::from_nanos((entry >> 64) as u64), entry as u32 & (TARGETS as u32 - 1)))
    }

    /// Advances to the next event. It stays at the head of the queue until
    /// [`EventQueue::finish`] or [`EventQueue::repeat_pipe`] is called; until then, nothing is scheduled.
    #[inline]
    pub fn advance(&mut self) -> Option<(Time, u32)> {
        if self.packets.head >= self.timers.head {
            return self.advance_to_timer();
        }
        self.moves = true;
        Some(self.advance_to(self.packets.head))
    }

    #[inline(never)]
    fn advance_to_timer(&mut self) -> Option<(Time, u32)> {
        self.moves = false;
        (self.timers.head != VACANT).then(|| self.advance_to(self.timers.head))
    }

    #[inline]
    fn advance_to(&mut self, entry: u128) -> (Time, u32) {
        self.now = (entry >> 64) as u64;
        (self.now(), entry as u32 & (TARGETS as u32 - 1))
    }

    /// Removes the head.
    #[inline]
    pub fn finish(&mut self) {
        if self.moves { self.packets.pop() } else { self.timers.pop() }
    }

    /// Replaces the head, a pipe's event, by another for that pipe: one pass through the heap instead of two.
    #[inline]
    pub fn repeat_pipe(&mut self, at: Time, target: u32) {
        debug_assert!(self.moves && self.packets.head == self.pipe_entry(self.now(), target));
        self.packets.replace_head(self.pipe_entry(at, target));
    }
}

/// Keys of 16 bytes (time in ns, order and target from the highest bit down) in a heap in which every node has all its `ARITY`
/// children or is a leaf: four fill a cache line, and make a shallow tree; two are compared faster. The least key is apart, as it is
/// often replaced by one that is the least, too.
#[derive(Clone)]
struct Heap<const ARITY: usize> {
    head: u128,
    keys: Vec<u128>,
    /// Keys in the heap without the head; the rest of `keys` is vacant.
    len: usize,
}

impl<const ARITY: usize> Default for Heap<ARITY> {
    fn default() -> Self {
        Heap { head: VACANT, keys: vec![VACANT], len: 0 }
    }
}

impl<const ARITY: usize> Heap<ARITY> {
    #[inline]
    fn push(&mut self, key: u128) {
        let key = if key < self.head { std::mem::replace(&mut self.head, key) } else { key };
        if key == VACANT {
            return; // there was no head
        }
        let mut i = self.len;
        self.len += 1;
        if self.keys.len() < self.len {
            self.grow();
        }
        while i > 0 {
            let parent = (i - 1) / ARITY;
            if self.keys[parent] <= key {
                break;
            }
            self.keys[i] = self.keys[parent];
            i = parent;
        }
        self.keys[i] = key;
    }

    /// Makes room for the children of a node; of memory, for an eighth more.
    #[cold]
    fn grow(&mut self) {
        if self.keys.capacity() < self.keys.len() + ARITY {
            self.keys.reserve_exact(self.keys.len() / 8 + ARITY);
        }
        self.keys.extend([VACANT; ARITY]);
    }

    #[inline]
    fn pop(&mut self) {
        self.head = self.keys[0];
        if self.len > 0 {
            self.len -= 1;
            let last = std::mem::replace(&mut self.keys[self.len], VACANT);
            if self.len > 0 {
                self.replace_least(last);
            }
        }
    }

    /// Puts `key` in the place of the head.
    #[inline]
    fn replace_head(&mut self, key: u128) {
        let next = self.keys[0];
        if key < next {
            self.head = key;
        } else {
            self.head = next;
            self.replace_least(key);
        }
    }

    /// Puts `key` in the place of the least of the others.
    #[inline]
    fn replace_least(&mut self, key: u128) {
        let mut i = 0;
        while let Some(children) = self.keys.get(ARITY * i + 1..ARITY * i + 1 + ARITY) {
            let (mut least, mut child) = (children[0], 1);
            for (c, other) in children.iter().enumerate().skip(1) {
                if *other < least {
                    (least, child) = (*other, c + 1);
                }
            }
            if least > key {
                break;
            }
            self.keys[i] = least;
            i = ARITY * i + child;
        }
        self.keys[i] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn timers_come_before_pipes(times in prop::collection::vec(0u64..50, 1..300), pipes in 0u32..300) {
            let mut queue = EventQueue::default();
            queue.set_pipes(pipes);
            for (target, t) in times.iter().enumerate() {
                queue.schedule(Time::from_nanos(*t), target as u32);
            }
            let mut want: Vec<_> = times.iter().enumerate().map(|(i, t)| (*t, (i as u32) < pipes, i as u32)).collect();
            want.sort();
            for (t, _, target) in want {
                prop_assert_eq!(queue.advance(), Some((Time::from_nanos(t), target)));
                queue.finish();
            }
            prop_assert!(queue.advance().is_none());
        }

        /// Steps with a delay: schedule an event, remove the head, or repeat it if it is a pipe's.
        #[test]
        fn agrees_with_a_sorted_list(steps in prop::collection::vec((0u8..4, 0u64..30), 0..300), pipes in 0u32..8) {
            let mut queue = EventQueue::default();
            queue.set_pipes(pipes);
            let mut list = Vec::new();
            let order = |sequence, target| if target < pipes { (true, 0) } else { (false, sequence) };
            for (sequence, (step, delay)) in steps.into_iter().enumerate() {
                let (at, target) = (queue.now() + Time::from_nanos(delay), delay as u32 % 8);
                if step < 2 {
                    list.push((at, order(sequence, target), target));
                    queue.schedule(at, target);
                    continue;
                }
                list.sort();
                let head = (!list.is_empty()).then(|| list.remove(0));
                prop_assert_eq!(queue.advance(), head.map(|(now, _, target)| (now, target)));
                match head {
                    Some((now, _, target)) if step == 3 && target < pipes => {
                        let at = now + Time::from_nanos(delay);
                        list.push((at, order(sequence, target), target));
                        queue.repeat_pipe(at, target);
                    }
                    Some(_) => queue.finish(),
                    None => (),
                }
            }
        }
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
