//! The connections that have used the same subflows one after the other.

use crate::connection::Connection;
use anabranch_net::Time;
use anabranch_sim::tap::SeenPacket;
use std::collections::VecDeque;
use std::mem;

/// How long a packet of a connection that is over may be on its way: RFC 9293's maximum segment lifetime.
const LIFETIME: Time = Time::from_millis(120_000);
/// Earlier connections that can be told apart: lives are modulo 2¹⁶, and half of them are earlier ones.
const MOST: usize = 1 << 15;

pub(crate) struct Slot {
    pub(crate) present: Connection,
    /// Those before it of which there may be packets on the way, and when each was replaced.
    past: VecDeque<(Time, Connection)>,
}

impl Slot {
    pub(crate) fn new(first: Connection) -> Slot {
        Slot { present: first, past: VecDeque::new() }
    }

    /// Another connection takes the place of the present one.
    pub(crate) fn renew(&mut self, at: Time, new: Connection) {
        while self.past.front().is_some_and(|(replaced, _)| *replaced + LIFETIME < at)
            || self.past.len() == MOST
        {
            self.past.pop_front();
        }
        self.past.push_back((at, mem::replace(&mut self.present, new)));
    }

    /// The connection that a packet belongs to, if it is known, and which of its lives.
    #[inline]
    pub(crate) fn of(&mut self, seen: &SeenPacket) -> Option<(&mut Connection, usize)> {
        if let Some(life) = self.present.life(seen) {
            return Some((&mut self.present, life));
        }
        self.past.iter_mut().rev().find_map(|(_, past)| past.life(seen).map(|life| (past, life)))
    }
}
