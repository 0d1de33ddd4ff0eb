//! Packets that wait until somebody decides about them, in one pool; and the queues threaded through it.

use std::collections::VecDeque;

use crate::moment::Moment;
use crate::{DropReason, Fate, Time, Waiting};

/// No packet.
const NONE: u32 = u32::MAX;

/// A packet in the pool; its ticket is its place there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub arrival: Time,
    pub size: u32,
    pub ecn_capable: bool,
    /// The next one in its queue, or the next free place.
    next: u32,
}

/// The pool. A place is free again once its packet's fate has been told.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    places: Vec<Held>,
    free: u32,
    waiting: Waiting,
    moment: Moment,
    /// Fates that were decided and not yet told.
    told: VecDeque<(u32, Fate)>,
    /// Packets and bytes dropped early, by the queue's management.
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
            moment: Moment::default(),
            told: VecDeque::new(),
            dropped: Waiting::default(),
        }
    }

    /// What waits in all queues.
    pub fn waiting(&self) -> Waiting {
        self.waiting
    }

    /// The integral of the waiting bytes over time up to `now`, in byte-seconds.
    pub fn byte_seconds(&self, now: Time) -> f64 {
        self.moment.byte_seconds(now, self.waiting.bytes)
    }

    /// Puts a packet at the end of a queue; its ticket.
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
        self.moment.enter(now, size);
        ticket
    }

    /// Takes the packet at the head of a queue: its ticket and what is known of it.
    pub fn pop(&mut self, queue: &mut Fifo, now: Time) -> Option<(u32, Held)> {
        let ticket = queue.head;
        let held = *self.places.get(ticket as usize)?;
        queue.head = held.next;
        if queue.head == NONE {
            queue.tail = NONE;
        }
        queue.waiting.take(held.size);
        self.waiting.take(held.size);
        self.moment.leave(now, held.size);
        Some((ticket, held))
    }

    /// Decides about a packet that was taken.
    pub fn decide(&mut self, ticket: u32, fate: Fate) {
        self.told.push_back((ticket, fate));
    }

    /// Drops a packet that was taken, by the choice of the queue's management.
    pub fn drop_early(&mut self, ticket: u32, size: u32) {
        self.dropped.add(size);
        self.decide(ticket, Fate::Dropped(DropReason::Early));
    }

    /// The next fate decided, in the order of decisions.
    pub fn tell(&mut self) -> Option<(u32, Fate)> {
        let (ticket, fate) = self.told.pop_front()?;
        self.places[ticket as usize].next = self.free;
        self.free = ticket;
        Some((ticket, fate))
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
    fn places_are_used_again_once_told() {
        let (mut store, mut a, mut b) = (Store::new(), Fifo::default(), Fifo::default());
        let at = Time::from_nanos;
        assert_eq!(store.push(&mut a, at(0), 100, false), 0);
        assert_eq!(store.push(&mut b, at(5), 50, true), 1);
        assert_eq!(store.push(&mut a, at(10), 10, false), 2);
        assert_eq!(store.waiting(), Waiting { packets: 3, bytes: 160 });
        assert_eq!(a.waiting, Waiting { packets: 2, bytes: 110 });
        let (ticket, held) = store.pop(&mut a, at(20)).unwrap();
        assert_eq!((ticket, held.size, held.arrival), (0, 100, at(0)));
        store.drop_early(ticket, 100);
        assert_eq!(store.push(&mut b, at(20), 1, false), 3, "its fate is not told yet");
        assert_eq!(store.tell(), Some((0, Fate::Dropped(DropReason::Early))));
        assert_eq!(store.tell(), None);
        assert_eq!(store.push(&mut b, at(20), 1, false), 0);
        let order: Vec<u32> = std::iter::from_fn(|| store.pop(&mut b, at(30))).map(|(t, _)| t).collect();
        assert_eq!(order, [1, 3, 0]);
        assert_eq!(store.pop(&mut a, at(30)).unwrap().0, 2);
        assert!(store.pop(&mut a, at(30)).is_none());
        // 100·20 + 50·25 + 10·20 + 1·10 + 1·10 byte-nanoseconds.
        assert!((store.byte_seconds(at(99)) - 3470e-9).abs() < 1e-15);
    }
}
