//! A pool of waiting packets, and the linked queues in it.

use crate::queue_integral::QueueIntegral;
use crate::{DropReason, Outcome, Time, Waiting};
use std::collections::VecDeque;

/// No packet.
const NONE: u32 = u32::MAX;

/// A packet in the pool; its ticket is its index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub arrival: Time,
    pub size: u32,
    pub ecn_capable: bool,
    /// The next packet in its queue, or the next free place.
    next: u32,
}

/// The pool. A place is free again once its packet's outcome has been returned.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    places: Vec<Held>,
    free: u32,
    /// The packets in all queues.
    pub waiting: Waiting,
    integral: QueueIntegral,
    /// Outcomes that have not been returned.
    decided: VecDeque<(u32, Outcome)>,
    /// Packets and bytes that the AQM dropped.
    pub dropped: Waiting,
}

/// A first-in, first-out queue in a [`Store`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fifo {
    head: u32,
    tail: u32,
    pub waiting: Waiting,
}

impl Default for Fifo {
    fn default() -> Self {
        Fifo { head: NONE, tail: NONE, waiting: Waiting::default() }
    }
}

impl Store {
    pub fn new() -> Store {
        Store {
            places: Vec::new(),
            free: NONE,
            waiting: Waiting::default(),
            integral: QueueIntegral::default(),
            decided: VecDeque::new(),
            dropped: Waiting::default(),
        }
    }

    /// The integral of the waiting bytes over time up to `now`, in byte-seconds.
    pub fn byte_seconds(&self, now: Time) -> f64 {
        self.integral.byte_seconds(now, self.waiting.bytes)
    }

    /// Appends a packet to a queue and returns its ticket.
    pub fn push(&mut self, queue: &mut Fifo, now: Time, size: u32, ecn_capable: bool) -> u32 {
        let held = Held { arrival: now, size, ecn_capable, next: NONE };
        let ticket = match self.free {
            NONE => {
                self.places.push(held);
                self.places.len() as u32 - 1
            }
            place => {
                self.free = self.places[place as usize].next;
                self.places[place as usize] = held;
                place
            }
        };
        match queue.tail {
            NONE => queue.head = ticket,
            tail => self.places[tail as usize].next = ticket,
        }
        queue.tail = ticket;
        queue.waiting.add(size);
        self.waiting.add(size);
        self.integral.enter(now, size);
        ticket
    }

    /// Takes the packet at the head of a queue.
    pub fn pop(&mut self, queue: &mut Fifo, now: Time) -> Option<(u32, Held)> {
        let ticket = queue.head;
        let held = *self.places.get(ticket as usize)?;
        queue.head = held.next;
        if queue.head == NONE {
            queue.tail = NONE;
        }
        queue.waiting.take(held.size);
        self.waiting.take(held.size);
        self.integral.leave(now, held.size);
        Some((ticket, held))
    }

    /// Sets the outcome of a packet that was taken.
    pub fn decide(&mut self, ticket: u32, outcome: Outcome) {
        self.decided.push_back((ticket, outcome));
    }

    /// The AQM drops a packet that was taken.
    pub fn drop_early(&mut self, ticket: u32, size: u32) {
        self.dropped.add(size);
        self.decide(ticket, Outcome::Dropped(DropReason::Early));
    }

    /// The next decided outcome, in order.
    pub fn pop_outcome(&mut self) -> Option<(u32, Outcome)> {
        let (ticket, outcome) = self.decided.pop_front()?;
        self.places[ticket as usize].next = self.free;
        self.free = ticket;
        Some((ticket, outcome))
    }
}

impl Waiting {
    fn add(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    fn take(&mut self, size: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_reused_once_freed() {
        let (mut store, mut a, mut b) = (Store::new(), Fifo::default(), Fifo::default());
        let at = Time::from_nanos;
        assert_eq!(store.push(&mut a, at(0), 100, false), 0);
        assert_eq!(store.push(&mut b, at(5), 50, true), 1);
        assert_eq!(store.push(&mut a, at(10), 10, false), 2);
        assert_eq!(store.waiting, Waiting { packets: 3, bytes: 160 });
        assert_eq!(a.waiting, Waiting { packets: 2, bytes: 110 });
        let (ticket, held) = store.pop(&mut a, at(20)).unwrap();
        assert_eq!((ticket, held.size, held.arrival), (0, 100, at(0)));
        store.drop_early(ticket, 100);
        assert_eq!(store.push(&mut b, at(20), 1, false), 3, "its outcome is not returned yet");
        assert_eq!(store.pop_outcome(), Some((0, Outcome::Dropped(DropReason::Early))));
        assert_eq!(store.pop_outcome(), None);
        assert_eq!(store.push(&mut b, at(20), 1, false), 0);
        let order: Vec<u32> = std::iter::from_fn(|| store.pop(&mut b, at(30))).map(|(t, _)| t).collect();
        assert_eq!(order, [1, 3, 0]);
        assert_eq!(store.pop(&mut a, at(30)).unwrap().0, 2);
        assert!(store.pop(&mut a, at(30)).is_none());
        // 100·20 + 50·25 + 10·20 + 1·10 + 1·10 byte-nanoseconds.
        assert!((store.byte_seconds(at(99)) - 3470e-9).abs() < 1e-15);
    }
}
