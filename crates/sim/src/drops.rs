//! How many segments with payload of each subflow the network dropped.

use crate::packet::{Kind, Packet};
use anabranch_net::Time;

/// The counts of every subflow.
#[derive(Default)]
pub(crate) struct Drops {
    of: Vec<Dropped>,
}

/// Those of a subflow.
#[derive(Clone, Copy, Debug, Default)]
struct Dropped {
    /// From the beginning: for the conservation check.
    #[cfg(test)]
    all: u64,
    /// Of those sent at this instant or later.
    measured: u64,
    from: Time,
}

impl Drops {
    /// Adds a subflow.
    pub(crate) fn add(&mut self) {
        self.of.push(Dropped::default());
    }

    /// Counts a packet that a link dropped.
    pub(crate) fn note(&mut self, packet: &Packet) {
        if packet.kind == Kind::Data && packet.len > 0 {
            let dropped = &mut self.of[packet.subflow as usize];
            dropped.measured += u64::from(packet.stamp >= dropped.from);
            #[cfg(test)]
            (dropped.all += 1);
        }
    }

    /// Measures those segments of `subflow` that are sent from `now` on.
    pub(crate) fn measure(&mut self, subflow: u32, now: Time) {
        let dropped = &mut self.of[subflow as usize];
        (dropped.measured, dropped.from) = (0, now);
    }

    /// Segments with payload of `subflow` dropped since [`Drops::measure`], of those sent since then.
    pub(crate) fn measured(&self, subflow: u32) -> u64 {
        self.of[subflow as usize].measured
    }

    /// Those dropped so far.
    #[cfg(test)]
    pub(crate) fn all(&self, subflow: u32) -> u64 {
        self.of[subflow as usize].all
    }
}
