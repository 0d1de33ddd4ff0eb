//! FQ-CoDel (RFC 8290 §4): flow queues under CoDel, served by deficit round robin, new flows first.
//!
//! The defaults are those of §5.2. Its quantum of 1514 bytes counts an Ethernet header; links count at IP level.

use std::collections::VecDeque;

use super::codel::{CoDel, Control};
use super::longest::Longest;
use super::{Departs, Departure, FULL_PACKET, Rule};
use crate::law::{POSITIVE, law};
use crate::random::mix;
use crate::store::{Fifo, Store};
use crate::{Arrival, Random, Time};

law! {
    /// Controlled delay for each of many flow queues, served in turn (RFC 8290).
    "fq-codel" "FQ-CoDel" FqCoDel {
        /// Flow queues, to which subflows are hashed. Default: 1024.
        queues: u32 as Count(1, 65_536) => 1024,
        /// The amount that a queue may send in its turn, from 64 B to 1 MB. Default: 1500 B.
        quantum: u32 as Bytes(64, 1_000_000) => FULL_PACKET,
        /// The standing delay that is acceptable in a flow queue. Default: 5 ms.
        target: Time as Time => Time::from_millis(5),
        /// How long the delay must exceed the target before it counts. Default: 100 ms.
        interval: Time as TimeFrom(POSITIVE) => Time::from_millis(100),
        /// Mark packets of ECN-capable flows instead of dropping them. Default: false.
        ecn: bool as Flag => false,
    }
}

/// The random numbers of its hash have a seed of their own.
const FAIR_SEED: u64 = 0x6661_6972_2071_7565;

impl Rule for FqCoDel {
    type AtWork = Fair;

    fn start(self, seed: u64, stream: u64) -> Fair {
        Fair::new(self, Random::new(seed ^ FAIR_SEED, stream))
    }

    fn target(&self) -> Option<Time> {
        Some(self.target)
    }

    fn flow_queues(&self) -> u32 {
        self.queues
    }
}

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
    quantum: i64,
    law: CoDel,
    /// Makes the hash another one for each link and seed.
    perturbation: u64,
    queues: Vec<FlowQueue>,
    /// Queues that were empty until a moment ago, then the others that are not.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    longest: Longest,
}

impl Fair {
    fn new(spec: FqCoDel, mut random: Random) -> Fair {
        let FqCoDel { target, interval, ecn, .. } = spec;
        let (quantum, law) = (i64::from(spec.quantum), CoDel { target, interval, ecn });
        let queues = vec![FlowQueue::default(); spec.queues.max(1) as usize];
        let longest = Longest::new(queues.len());
        let (new, old) = (VecDeque::new(), VecDeque::new());
        Fair { quantum, law, perturbation: random.bits(), queues, new, old, longest }
    }

    /// Which queue a flow has.
    fn queue_of(&self, flow: u64) -> u32 {
        (mix(flow ^ self.perturbation) % self.queues.len() as u64) as u32
    }
}

impl Departs for Fair {
    const TAIL_DROP: bool = false;

    /// §4.1.
    fn push(&mut self, store: &mut Store, now: Time, packet: Arrival) -> u32 {
        let Arrival { flow, wire_bytes: size, ecn_capable } = packet;
        let index = self.queue_of(flow);
        let queue = &mut self.queues[index as usize];
        let ticket = store.push(&mut queue.fifo, now, size, ecn_capable);
        self.longest.set(index, queue.fifo.waiting.bytes);
        if !queue.listed {
            queue.listed = true;
            queue.credit = self.quantum;
            self.new.push_back(index);
        }
        ticket
    }

    /// The head of the longest queue, by bytes (§4.1).
    fn take(&mut self, store: &mut Store, now: Time) -> Option<(u32, u32)> {
        let longest = self.longest.find()?;
        let fifo = &mut self.queues[longest as usize].fifo;
        let (ticket, held) = store.pop(fifo, now)?;
        self.longest.set(longest, fifo.waiting.bytes);
        Some((ticket, held.size))
    }

    /// §4.2.
    fn dequeue(&mut self, store: &mut Store, now: Time) -> Option<Departure> {
        loop {
            let (index, is_new) = match self.new.front() {
                Some(index) => (*index, true),
                None => (*self.old.front()?, false),
            };
            let list = if is_new { &mut self.new } else { &mut self.old };
            let queue = &mut self.queues[index as usize];
            if queue.credit <= 0 {
                queue.credit += self.quantum;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let departure = queue.control.dequeue(&self.law, &mut queue.fifo, store, now);
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
