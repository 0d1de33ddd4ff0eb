//! The event queue: who acts next.
//!
//! Events are totally ordered by time, and at one instant by the order in which they were scheduled. What happens
//! at an event is a small number, the *target*; a packet in flight is not an event of its own, only the head of each
//! link's pipe is.
//!
//! Time never goes back, so that a radix queue serves (Ahuja et al., Journal of the ACM 37, 1990): an event waits in a
//! bucket named by the highest hexadecimal digit in which its time differs from the present, and by that digit. All the
//! events of the first bucket come before those of any other. Where it holds more than one, they move on to finer
//! buckets; a bucket is filled in the order of scheduling, which keeps equals in order.

use anabranch_net::Time;

/// Bits of a digit, digits of a time, and values of a digit.
const DIGIT_BITS: u32 = 4;
const DIGITS: usize = (u64::BITS / DIGIT_BITS) as usize;
const VALUES: usize = 1 << DIGIT_BITS;

#[derive(Clone, Copy)]
struct Event {
    /// In ns.
    at: u64,
    target: u32,
}

pub(crate) struct EventQueue {
    now: u64,
    /// Targets that act now, in order; those before `head` are done.
    present: Vec<u32>,
    head: usize,
    /// For each digit from the lowest up, a bucket for each of its values.
    buckets: Vec<Vec<Event>>,
    /// Which digits have events, and which of their values.
    digits: u16,
    values: [u16; DIGITS],
}

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue {
            now: 0,
            present: Vec::new(),
            head: 0,
            buckets: vec![Vec::new(); DIGITS * VALUES],
            digits: 0,
            values: [0; DIGITS],
        }
    }
}

impl EventQueue {
    /// Largest number of targets that can be told apart.
    pub(crate) const MAX_TARGETS: usize = u32::MAX as usize;

    /// The time of the event taken last.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.now)
    }

    /// Lets `target` act at `at`, which must not be in the past.
    #[inline]
    pub(crate) fn schedule(&mut self, at: Time, target: u32) {
        assert!(at.as_nanos() >= self.now, "an event in the past: {at} at {}", self.now());
        self.place(Event { at: at.as_nanos(), target });
    }

    #[inline]
    fn place(&mut self, event: Event) {
        let differs = event.at ^ self.now;
        if differs == 0 {
            return self.present.push(event.target);
        }
        let digit = (differs.ilog2() / DIGIT_BITS) as usize;
        let value = (event.at >> (digit as u32 * DIGIT_BITS)) as usize % VALUES;
        self.digits |= 1 << digit;
        self.values[digit] |= 1 << value;
        self.buckets[digit * VALUES + value].push(event);
    }

    /// The next event, which becomes the present. It stays at the head of the queue until
    /// [`EventQueue::finish`] or [`EventQueue::repeat`] is called.
    #[inline]
    pub(crate) fn advance(&mut self) -> Option<(Time, u32)> {
        if self.present.is_empty() {
            self.next_instant()?;
        }
        Some((self.now(), self.present[self.head]))
    }

    /// Takes the events of the next instant; none where there are none at all.
    #[inline]
    fn next_instant(&mut self) -> Option<()> {
        let digit = self.digits.trailing_zeros() as usize;
        let values = self.values.get_mut(digit)?;
        let bucket = digit * VALUES + values.trailing_zeros() as usize;
        *values &= *values - 1;
        if *values == 0 {
            self.digits &= self.digits - 1;
        }
        if let [Event { at, target }] = self.buckets[bucket][..] {
            self.buckets[bucket].clear();
            self.now = at;
            self.present.push(target);
        } else {
            self.scatter(bucket);
        }
        Some(())
    }

    /// The first of the events in a bucket become the present, the others move on to finer buckets.
    #[inline(never)]
    fn scatter(&mut self, bucket: usize) {
        let mut events = std::mem::take(&mut self.buckets[bucket]);
        self.now = events.iter().fold(u64::MAX, |first, e| first.min(e.at));
        events.drain(..).for_each(|event| self.place(event));
        self.buckets[bucket] = events;
    }

    /// Removes the head.
    #[inline]
    pub(crate) fn finish(&mut self) {
        self.head += 1;
        if self.head == self.present.len() {
            self.present.clear();
            self.head = 0;
        }
    }

    /// Lets the head's target act again at `at`.
    #[inline]
    pub(crate) fn repeat(&mut self, at: Time, target: u32) {
        self.finish();
        self.schedule(at, target);
    }

    /// The event that [`EventQueue::advance`] would give.
    #[cfg(test)]
    pub(crate) fn peek(&self) -> Option<(Time, u32)> {
        if let Some(target) = self.present.get(self.head) {
            return Some((self.now(), *target));
        }
        let digit = self.digits.trailing_zeros() as usize;
        let bucket = digit * VALUES + self.values.get(digit)?.trailing_zeros() as usize;
        let first = self.buckets[bucket].iter().min_by_key(|e| e.at)?;
        Some((Time::from_nanos(first.at), first.target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a sorted list of (time, sequence): each event taken schedules others, the first in its own place.
        #[test]
        fn order_is_time_then_sequence(
            first in prop::collection::vec(0u64..1 << 20, 1..100),
            later in prop::collection::vec((0u32..40, 0u64..1 << 40), 0..300),
        ) {
            let (mut queue, mut list, mut sequence) = (EventQueue::default(), Vec::new(), 0u32);
            let mut next = |at: u64, list: &mut Vec<(u64, u32)>| {
                sequence += 1;
                list.push((at, sequence));
                (Time::from_nanos(at), sequence)
            };
            for at in first {
                let (at, target) = next(at, &mut list);
                queue.schedule(at, target);
            }
            // Delays of every magnitude, none at all included.
            let mut delays = later.into_iter().map(|(bits, random)| random & ((1 << bits) - 1));
            while !list.is_empty() {
                list.sort_unstable();
                let (now, target) = list.remove(0);
                prop_assert_eq!(queue.peek(), Some((Time::from_nanos(now), target)));
                prop_assert_eq!(queue.advance(), Some((Time::from_nanos(now), target)));
                match delays.next() {
                    Some(delay) => {
                        let (at, target) = next(now + delay, &mut list);
                        queue.repeat(at, target);
                    }
                    None => queue.finish(),
                }
                if let Some(delay) = delays.next() {
                    let (at, target) = next(now + delay, &mut list);
                    queue.schedule(at, target);
                }
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
