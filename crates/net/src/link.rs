//! A link of either kind, as its specification wants it.

use crate::aqm::AtWork;
use crate::fifo::FifoLink;
use crate::holding::HoldingLink;
use crate::{LinkSpec, trace};

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
        match spec.discipline.start(seed, stream) {
            AtWork::Arrival(rule) => Link::Fifo(Box::new(FifoLink::new(spec, rule, seed, stream))),
            AtWork::Departure(rule) => Link::Holding(Box::new(HoldingLink::new(spec, rule, seed, stream))),
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
