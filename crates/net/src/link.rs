//! A link of either kind, as its discipline requires.

use crate::aqm::ActiveDiscipline;
use crate::dequeue_link::DequeueLink;
use crate::fifo_link::FifoLink;
use crate::{LinkSpec, trace};

/// One running directed link. Its discipline decides the outcome of a packet at arrival, or when the packet leaves the queue.
#[derive(Clone, Debug)]
pub enum Link {
    /// Drop-tail, a marking threshold, RED, PIE: the outcome is known at arrival.
    Fifo(Box<FifoLink>),
    /// CoDel, FQ-CoDel: the outcome is known when the packet leaves the queue.
    Dequeue(Box<DequeueLink>),
}

impl Link {
    /// A link at time 0. `seed` and `stream` select its random numbers: the links of a run share a seed and have a stream each.
    pub fn new(spec: &LinkSpec, seed: u64, stream: u64) -> Link {
        let begun = spec.trace.as_ref().map(|trace| trace::at_run_start(spec, trace, seed, stream));
        let spec = begun.as_ref().unwrap_or(spec);
        match spec.discipline.start(seed, stream) {
            ActiveDiscipline::Enqueue(rule) => Link::Fifo(Box::new(FifoLink::new(spec, rule, seed, stream))),
            ActiveDiscipline::Dequeue(rule) => {
                Link::Dequeue(Box::new(DequeueLink::new(spec, rule, seed, stream)))
            }
        }
    }

    /// The link, if it decides at arrival.
    pub fn fifo(self) -> Option<FifoLink> {
        match self {
            Link::Fifo(link) => Some(*link),
            Link::Dequeue(_) => None,
        }
    }

    /// The link, if it decides at departure.
    pub fn dequeue(self) -> Option<DequeueLink> {
        match self {
            Link::Fifo(_) => None,
            Link::Dequeue(link) => Some(*link),
        }
    }
}
