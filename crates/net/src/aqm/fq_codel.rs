//! FQ-CoDel (RFC 8290 §4): flow queues under CoDel, served by deficit round robin, new flows first.
//!
//! The defaults are those of §5.2. Its quantum of 1514 bytes counts an Ethernet header; links count at IP level.

use super::codel::{CoDel, Controlled};
use super::longest::Longest;
use super::{Departure, DequeueRule, DisciplineParams, FULL_PACKET};
use crate::model_spec::{POSITIVE, model_spec};
use crate::random::mix;
use crate::store::Store;
use crate::{Arrival, Random, Time};
use std::collections::VecDeque;

model_spec! {
    /// Controlled delay for each of many flow queues, served in turn (RFC 8290).
    "fq-codel" "FQ-CoDel" FqCoDel {
        /// Number of flow queues, to which subflows are hashed. Default: 1024.
        queues: u32 as Count(1, 65_536) => 1024,
        /// The amount that a queue may send per turn, from 64 B to 1 MB. Default: 1500 B.
        quantum: u32 as Bytes(64, 1_000_000) => FULL_PACKET,
        /// The acceptable standing delay of a flow queue. Default: 5 ms.
        target: Time as Time => Time::from_millis(5),
        /// How long the delay must exceed the target before packets are dropped. Default: 100 ms.
        interval: Time as TimeFrom(POSITIVE) => Time::from_millis(100),
        /// Mark packets of ECN-capable flows instead of dropping them. Default: false.
        ecn: bool as Flag => false,
    }
}

/// Seed of the hash.
const FAIR_SEED: u64 = 0x6661_6972_2071_7565;

impl DisciplineParams for FqCoDel {
    type State = FairQueue;

    fn start(self, seed: u64, stream: u64) -> FairQueue {
        FairQueue::new(self, Random::new(seed ^ FAIR_SEED, stream))
    }

    fn target(&self) -> Option<Time> {
        Some(self.target)
    }

    fn flow_queues(&self) -> u32 {
        self.queues
    }
}

#[derive(Clone, Debug, Default)]
struct FlowQueue {
    packets: Controlled,
    /// Bytes that it may still send this turn.
    credit: i64,
    listed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct FairQueue {
    quantum: i64,
    law: CoDel,
    /// Makes the hash differ between links and seeds.
    perturbation: u64,
    queues: Vec<FlowQueue>,
    /// Queues that have just become non-empty, and the other non-empty queues.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    longest: Longest,
}

impl FairQueue {
    fn new(spec: FqCoDel, mut random: Random) -> FairQueue {
        let FqCoDel { target, interval, ecn, .. } = spec;
        let (quantum, law) = (i64::from(spec.quantum), CoDel { target, interval, ecn });
        let queues = vec![FlowQueue::default(); spec.queues.max(1) as usize];
        let longest = Longest::new(queues.len());
        let (new, old) = (VecDeque::new(), VecDeque::new());
        FairQueue { quantum, law, perturbation: random.bits(), queues, new, old, longest }
    }

    fn queue_of(&self, flow: u64) -> u32 {
        (mix(flow ^ self.perturbation) % self.queues.len() as u64) as u32
    }
}

impl DequeueRule for FairQueue {
    const TAIL_DROP: bool = false;

    /// §4.1.
    fn push(&mut self, store: &mut Store, now: Time, packet: Arrival) -> u32 {
        let Arrival { flow, wire_bytes: size, ecn_capable } = packet;
        let index = self.queue_of(flow);
        let queue = &mut self.queues[index as usize];
        let ticket = store.push(&mut queue.packets.fifo, now, size, ecn_capable);
        self.longest.set(index, queue.packets.fifo.waiting.bytes);
        if !queue.listed {
            queue.listed = true;
            queue.credit = self.quantum;
            self.new.push_back(index);
        }
        ticket
    }

    /// The head of the longest queue, by bytes (§4.1).
    fn evict(&mut self, store: &mut Store, now: Time) -> Option<(u32, u32)> {
        let longest = self.longest.find()?;
        let fifo = &mut self.queues[longest as usize].packets.fifo;
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
            let departure = queue.packets.dequeue(&self.law, store, now);
            self.longest.set(index, queue.packets.fifo.waiting.bytes);
            if let Some(departure) = departure {
                queue.credit -= i64::from(departure.size);
                return Some(departure);
            }
            // Empty. A new queue moves to the old list first; if not, a flow could stay new at will (§4.2).
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
