//! A link of either kind, as its specification wants it.

use crate::aqm::{Average, Controller};
use crate::fifo::{AtArrival, FifoLink};
use crate::holding::HoldingLink;
use crate::{Discipline, LinkSpec, Random, trace};

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
        let begun = spec.trace.as_ref().map(|trace| trace::begin(spec, trace, seed, stream));
        let spec = begun.as_ref().unwrap_or(spec);
        let random = || Random::new(seed ^ QUEUE_SEED, stream);
        let fifo = |decides| Link::Fifo(Box::new(FifoLink::new(spec, decides, seed, stream)));
        let holding = |decides| Link::Holding(Box::new(HoldingLink::new(spec, decides, seed, stream)));
        match spec.discipline {
            Discipline::DropTail { ecn_threshold_bytes } => {
                fifo(ecn_threshold_bytes.map(AtArrival::Threshold))
            }
            Discipline::Red(red) => fifo(Some(AtArrival::Red(Average::new(red, random())))),
            Discipline::Pie(pie) => fifo(Some(AtArrival::Pie(Controller::new(pie, random())))),
            Discipline::CoDel(codel) => holding(HoldingLink::single(codel)),
            Discipline::FqCoDel(fq) => holding(HoldingLink::fair(fq, seed, stream)),
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
