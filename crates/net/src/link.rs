//! A link of either kind, as its specification wants it.

use crate::aqm::{Average, Controller};
use crate::fifo::{Discipline, FifoLink};
use crate::holding::HoldingLink;
use crate::{Aqm, LinkSpec, Random};

/// The random processes of queues have a seed of their own.
const QUEUE_SEED: u64 = 0x7175_6575_6520_7072;

/// One directed link at work. The queue discipline chooses the kind: a packet's fate is decided at its arrival or when it
/// leaves the queue.
#[derive(Clone, Debug)]
pub enum Link {
    /// Drop-tail, a marking threshold, RED, PIE: the fate is known at arrival.
    Fifo(Box<FifoLink>),
    /// CoDel, FQ-CoDel: the fate is known when the packet leaves the queue.
    Holding(Box<HoldingLink>),
}

impl Link {
    /// A link at time 0. `seed` and `stream` choose its random numbers: links of one run have one seed and a stream
    /// each.
    pub fn new(spec: &LinkSpec, seed: u64, stream: u64) -> Link {
        let random = || Random::new(seed ^ QUEUE_SEED, stream);
        let fifo = |discipline| Link::Fifo(Box::new(FifoLink::new(spec, discipline, seed, stream)));
        let holding = |discipline| Link::Holding(Box::new(HoldingLink::new(spec, discipline, seed, stream)));
        match spec.aqm {
            None => fifo(spec.ecn_threshold_bytes.map(Discipline::Threshold)),
            Some(Aqm::Red(red)) => fifo(Some(Discipline::Red(Average::new(red, random())))),
            Some(Aqm::Pie(pie)) => fifo(Some(Discipline::Pie(Controller::new(pie, random())))),
            Some(Aqm::CoDel(codel)) => holding(HoldingLink::single(codel)),
            Some(Aqm::FqCoDel(fq)) => holding(HoldingLink::fair(fq, seed, stream)),
        }
    }

    /// The link, where it decides at arrival.
    pub fn fifo(self) -> Option<FifoLink> {
        match self {
            Link::Fifo(link) => Some(*link),
            Link::Holding(_) => None,
        }
    }

    /// The link, where it decides at departure.
    pub fn holding(self) -> Option<HoldingLink> {
        match self {
            Link::Fifo(_) => None,
            Link::Holding(link) => Some(*link),
        }
    }
}
