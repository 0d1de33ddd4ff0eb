//! FQ-CoDel at work (RFC 8290 §4): flow queues, and whose turn it is.

use std::collections::VecDeque;

use super::longest::Longest;
use super::{Control, Departure, FqCoDel};
use crate::random::mix;
use crate::store::{Fifo, Store};
use crate::{Random, Time};

/// One of the queues.
#[derive(Clone, Debug, Default)]
struct FlowQueue {
    fifo: Fifo,
    control: Control,
    /// Bytes that it may still send in this turn.
    credit: i64,
    /// Whether it is in a list.
    listed: bool,
}

/// The queues and the two lists.
#[derive(Clone, Debug)]
pub(crate) struct Fair {
    spec: FqCoDel,
    /// Makes the hash another one for each link and seed.
    perturbation: u64,
    queues: Vec<FlowQueue>,
    /// Queues that were empty until a moment ago, then the others that are not.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    longest: Longest,
}

impl Fair {
    pub fn new(spec: FqCoDel, mut random: Random) -> Fair {
        let queues = vec![FlowQueue::default(); spec.queues.max(1) as usize];
        let longest = Longest::new(queues.len());
        let (new, old) = (VecDeque::new(), VecDeque::new());
        Fair { spec, perturbation: random.bits(), queues, new, old, longest }
    }

    /// Which queue a flow has.
    fn queue_of(&self, flow: u64) -> u32 {
        (mix(flow ^ self.perturbation) % self.queues.len() as u64) as u32
    }

    /// A packet of `flow` waits from now on; its ticket (§4.1).
    pub fn push(&mut self, store: &mut Store, flow: u64, now: Time, size: u32, ecn_capable: bool) -> u32 {
        let index = self.queue_of(flow);
        let queue = &mut self.queues[index as usize];
        let ticket = store.push(&mut queue.fifo, now, size, ecn_capable);
        self.longest.set(index, queue.fifo.waiting.bytes);
        if !queue.listed {
            queue.listed = true;
            queue.credit = i64::from(self.spec.quantum);
            self.new.push_back(index);
        }
        ticket
    }

    /// Takes the head of the longest queue, by bytes, as is done to make room (§4.1): ticket and size.
    pub fn take_from_longest(&mut self, store: &mut Store, now: Time) -> Option<(u32, u32)> {
        let longest = self.longest.find()?;
        let fifo = &mut self.queues[longest as usize].fifo;
        let (ticket, held) = store.pop(fifo, now)?;
        self.longest.set(longest, fifo.waiting.bytes);
        Some((ticket, held.size))
    }

    /// Takes the next packet to transmit (§4.2); `None`: nothing waits.
    pub fn dequeue(&mut self, store: &mut Store, now: Time) -> Option<Departure> {
        loop {
            let (index, is_new) = match self.new.front() {
                Some(index) => (*index, true),
                None => (*self.old.front()?, false),
            };
            let list = if is_new { &mut self.new } else { &mut self.old };
            let queue = &mut self.queues[index as usize];
            if queue.credit <= 0 {
                queue.credit += i64::from(self.spec.quantum);
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let departure = queue.control.dequeue(&self.spec.codel, &mut queue.fifo, store, now);
            self.longest.set(index, queue.fifo.waiting.bytes);
            if let Some(departure) = departure {
                queue.credit -= i64::from(departure.size);
                return Some(departure);
            }
            // Empty. A new queue first passes through the old list, else a flow could be new at will (§4.2).
            list.pop_front();
            if is_new {
                self.old.push_back(index);
            } else {
                queue.listed = false;
            }
        }
    }
}

#[cfg(test)]
mod tests;
