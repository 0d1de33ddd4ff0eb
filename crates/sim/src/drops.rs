//! Counts of dropped segments with payload, per subflow.

use crate::packet::{Kind, Packet};
use anabranch_net::Time;

#[derive(Clone, Default)]
pub(crate) struct DropCounts {
    of: Vec<SubflowDrops>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SubflowDrops {
    /// Since the start, for the conservation check.
    #[cfg(test)]
    all: u64,
    /// Start of the measurement, by send time.
    measured: u64,
    from: Time,
}

impl DropCounts {
    pub(crate) fn add(&mut self) {
        self.of.push(SubflowDrops::default());
    }

    /// Counts a packet that a link dropped.
    pub(crate) fn note(&mut self, packet: &Packet) {
        if packet.kind == Kind::Data && packet.len > 0 || packet.kind == Kind::Datagram {
            let dropped = &mut self.of[packet.subflow as usize];
            dropped.measured += u64::from(packet.stamp >= dropped.from);
            #[cfg(test)]
            (dropped.all += 1);
        }
    }

    /// Starts the measurement of segments of `subflow` sent from `now` on.
    pub(crate) fn measure(&mut self, subflow: u32, now: Time) {
        let dropped = &mut self.of[subflow as usize];
        (dropped.measured, dropped.from) = (0, now);
    }

    /// Drops among the segments of `subflow` sent since [`DropCounts::measure`].
    pub(crate) fn measured(&self, subflow: u32) -> u64 {
        self.of[subflow as usize].measured
    }

    /// All drops so far.
    #[cfg(test)]
    pub(crate) fn all(&self, subflow: u32) -> u64 {
        self.of[subflow as usize].all
    }
}
