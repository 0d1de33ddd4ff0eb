//! The SACK blocks of acknowledgements under way: few have some, so packets carry a number in their place.

use crate::packet::{Packet, Sack};

/// The blocks, each by the number that names them to their acknowledgement; 0 names none.
#[derive(Default)]
pub(crate) struct SackBlocks {
    kept: Vec<Sack>,
    /// Numbers that are free again.
    free: Vec<u32>,
}

impl SackBlocks {
    /// Keeps the blocks of an acknowledgement; the number that names them to it.
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

    /// The blocks of an acknowledgement that has some.
    #[inline]
    pub(crate) fn of(&self, packet: &Packet) -> Option<Sack> {
        (packet.sack != 0).then(|| self.kept[packet.sack as usize - 1])
    }

    /// The packet is no more.
    #[inline]
    pub(crate) fn release(&mut self, packet: &Packet) {
        if packet.sack != 0 {
            self.free.push(packet.sack);
        }
    }
}
