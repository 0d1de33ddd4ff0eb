//! SACK blocks of ACKs in flight. As few ACKs have some, packets carry a key instead.

use crate::packet::{Packet, Sack};
use slab::Slab;

/// The blocks; a key is one more than their place, as 0 is not a key.
#[derive(Clone, Default)]
pub(crate) struct SackBlocks(Slab<Sack>);

impl SackBlocks {
    /// Stores the blocks of an ACK; returns their key.
    pub(crate) fn keep(&mut self, sack: Sack) -> u32 {
        self.0.insert(sack) as u32 + 1
    }

    /// The blocks of an ACK, if it has any.
    #[inline]
    pub(crate) fn of(&self, packet: &Packet) -> Option<Sack> {
        (packet.sack != 0).then(|| self.0[packet.sack as usize - 1])
    }

    /// Releases the blocks of a packet that is gone.
    #[inline]
    pub(crate) fn release(&mut self, packet: &Packet) {
        if packet.sack != 0 {
            self.0.remove(packet.sack as usize - 1);
        }
    }
}
