//! SACK blocks of ACKs in flight. As few ACKs have some, packets carry a key instead.

use crate::packet::{Packet, Sack};

/// The blocks by key; 0 is not a key.
#[derive(Clone, Default)]
pub(crate) struct SackBlocks {
    kept: Vec<Sack>,
    /// Free keys.
    free: Vec<u32>,
}

impl SackBlocks {
    /// Stores the blocks of an ACK; returns their key.
    pub(crate) fn keep(&mut self, sack: Sack) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.kept[number as usize - 1] = sack;
                number
            }
            None => {
                self.kept.push(sack);
                self.kept.len() as u32
            }
        }
    }

    /// The blocks of an ACK, if it has any.
    #[inline]
    pub(crate) fn of(&self, packet: &Packet) -> Option<Sack> {
        (packet.sack != 0).then(|| self.kept[packet.sack as usize - 1])
    }

    /// Releases the blocks of a packet that is gone.
    #[inline]
    pub(crate) fn release(&mut self, packet: &Packet) {
        if packet.sack != 0 {
            self.free.push(packet.sack);
        }
    }
}
