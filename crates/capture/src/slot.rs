//! Connections that use the same subflows one after the other.

use crate::connection::Connection;
use anabranch_net::Time;
use anabranch_sim::tap::SeenPacket;
use std::collections::VecDeque;
use std::mem;

/// How long a packet of a closed connection may be in flight: RFC 9293's maximum segment lifetime.
const LIFETIME: Time = Time::from_millis(120_000);
/// The most earlier connections: lives are modulo 2¹⁶, and half of them are earlier ones.
const MOST: usize = 1 << 15;

pub(crate) struct ConnectionSlot {
    pub(crate) present: Connection,
    /// Earlier connections that may have packets in flight, and when each was replaced.
    past: VecDeque<(Time, Connection)>,
}

impl ConnectionSlot {
    pub(crate) fn new(first: Connection) -> ConnectionSlot {
        ConnectionSlot { present: first, past: VecDeque::new() }
    }

    pub(crate) fn replace(&mut self, at: Time, new: Connection) {
        while self.past.front().is_some_and(|(replaced, _)| *replaced + LIFETIME < at)
            || self.past.len() == MOST
        {
            self.past.pop_front();
        }
        self.past.push_back((at, mem::replace(&mut self.present, new)));
    }

    /// The connection of a packet, if known, and the life of its subflow.
    #[inline]
    pub(crate) fn find(&mut self, seen: &SeenPacket) -> Option<(&mut Connection, usize)> {
        if let Some(life) = self.present.life(seen) {
            return Some((&mut self.present, life));
        }
        self.past.iter_mut().rev().find_map(|(_, past)| past.life(seen).map(|life| (past, life)))
    }
}
