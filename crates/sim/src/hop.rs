//! A stage of a route, and the packets in flight behind it.

use crate::event::EventQueue;
use crate::packet::Packet;
use anabranch_net::{DequeueLink, FifoLink, Time};
use std::collections::VecDeque;

/// One stage of a route.
pub(crate) enum Stage {
    /// A link that flows may share.
    Link(Box<FifoLink>),
    /// One whose queue decides when a packet leaves it. Its own pipe stays empty: the event of this hop is that the
    /// transmitter falls idle. What it transmits is in the pipe of another hop.
    Dequeue(Box<DequeueStage>),
    /// A pipe without anything before it.
    Pipe,
}

/// A link that holds packets, and those that it holds.
pub(crate) struct DequeueStage {
    pub(crate) link: DequeueLink,
    /// By ticket.
    pub(crate) packets: Vec<Option<Packet>>,
    /// The hop with the pipe.
    pub(crate) pipe: u32,
    /// When the event of its hop is due.
    pub(crate) wakes_at: Time,
}

/// A stage and the packets in flight behind it, in the order in which they will leave it. Only
/// the first has an event.
pub(crate) struct Hop {
    pub(crate) stage: Stage,
    pub(crate) pipe: VecDeque<(Time, Packet)>,
    /// When this hop's valid event is due; an event at another time is void.
    pub(crate) armed: Time,
}

impl Hop {
    /// Puts a packet into the pipe of this hop, which is `target` to the events; it leaves at `at`.
    #[inline(always)]
    pub(crate) fn put(&mut self, packet: Packet, at: Time, target: u32, events: &mut EventQueue) {
        match self.pipe.back() {
            Some((last, _)) if *last > at => {
                // Held back packets are overtaken: rare, so a search is cheap enough.
                let place = self.pipe.partition_point(|(t, _)| *t <= at);
                self.pipe.insert(place, (at, packet));
            }
            _ => {
                if self.pipe.len() == self.pipe.capacity() {
                    // By an eighth: in long pipes memory is packets.
                    self.pipe.reserve_exact(self.pipe.len() / 8 + 4);
                }
                self.pipe.push_back((at, packet));
            }
        }
        if at < self.armed {
            self.armed = at;
            events.schedule(at, target);
        }
    }
}
