//! A stage of a route, and the packets in flight after it.

use crate::event::EventQueue;
use crate::packet::Packet;
use anabranch_net::{DequeueLink, Fifo, FifoLink, Time};

/// One stage of a route.
#[derive(Clone)]
pub(crate) enum Stage {
    /// A link that flows may share.
    Link(Box<FifoLink>),
    /// A link whose discipline decides when packets leave the queue. This hop's event is that the transmitter falls
    /// idle. Its own pipe stays empty: transmitted packets are in the pipe of another hop.
    Dequeue(Box<DequeueStage>),
    /// Only a pipe.
    Pipe,
}

/// Such a link, and the packets that wait in it.
#[derive(Clone)]
pub(crate) struct DequeueStage {
    pub(crate) link: DequeueLink,
    /// By ticket.
    pub(crate) packets: Vec<Option<Packet>>,
    /// The hop with the pipe.
    pub(crate) pipe: u32,
    /// When the event of its hop is due.
    pub(crate) wakes_at: Time,
}

/// A stage and the packets in flight after it, in the order of departure. Only the first has an event.
#[derive(Clone)]
pub(crate) struct Hop {
    pub(crate) stage: Stage,
    pub(crate) pipe: Fifo<(Time, Packet)>,
    /// When the valid event is due; events at other times are void.
    pub(crate) armed: Time,
}

impl Hop {
    /// Puts a packet into the pipe of this hop, with event target `target`; it leaves at `at`.
    #[inline(always)]
    pub(crate) fn put(&mut self, packet: &Packet, at: Time, target: u32, events: &mut EventQueue) {
        self.pipe.insert((at, *packet), |(later, _)| *later > at);
        events.arm(&mut self.armed, at, target);
    }
}
