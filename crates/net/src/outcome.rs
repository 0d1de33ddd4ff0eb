//! The fate of packets, and the sums of a link.

use crate::Time;

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It reaches the far end of the link.
    Delivered {
        /// When its last bit arrives.
        at: Time,
        /// Whether this link marked it: congestion experienced (RFC 3168).
        marked: bool,
    },
    /// It is dropped or lost.
    Dropped(DropReason),
}

/// Why a packet is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The queue was full.
    Queue,
    /// The AQM dropped it: see [`crate::Discipline`].
    Early,
    /// The loss process dropped it.
    Loss,
    /// The link was down, or goes down before the packet is transmitted.
    Down,
}

/// The packets in the queue, without the one in transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Sums since time 0; the difference of two covers the time between them.
///
/// A packet counts when its outcome is decided. A [`crate::FifoLink`] decides at arrival:
/// offered = delivered + drops + losses, in packets and in bytes. A [`crate::DequeueLink`] also has packets that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Packets that arrived.
    pub offered: u64,
    /// Packets that are or will be delivered.
    pub delivered: u64,
    /// Packets dropped by the queue, full or early.
    pub drops: u64,
    /// The subset of `drops` that the AQM dropped.
    pub early_drops: u64,
    /// Packets lost to the loss process or because the link is or goes down.
    pub losses: u64,
    /// Delivered packets that were marked.
    pub marked: u64,
    /// Bytes that arrived.
    pub offered_bytes: u64,
    /// Bytes of the packets in `delivered`.
    pub delivered_bytes: u64,
    /// Bytes of the packets in `drops`.
    pub dropped_bytes: u64,
    /// Bytes of the packets in `losses`.
    pub lost_bytes: u64,
    /// Integral of the waiting bytes over time, in byte-seconds.
    pub queue_byte_seconds: f64,
    /// Bits that have left the transmitter, including those of a packet in transmission.
    pub transmitted_bits: f64,
    /// Bits that could have left: the integral of the rate, which is 0 while the link is down.
    pub capacity_bits: f64,
}

impl Totals {
    /// A packet arrives.
    #[inline]
    pub(crate) fn offer(&mut self, wire_bytes: u32) {
        self.offered += 1;
        self.offered_bytes += u64::from(wire_bytes);
    }

    /// A packet will be delivered.
    #[inline]
    pub(crate) fn deliver(&mut self, wire_bytes: u32, marked: bool) {
        self.delivered += 1;
        self.delivered_bytes += u64::from(wire_bytes);
        self.marked += u64::from(marked);
    }

    /// A packet is dropped or lost.
    #[inline]
    pub(crate) fn drop(&mut self, why: DropReason, wire_bytes: u32) -> DropReason {
        let (count, bytes) = match why {
            DropReason::Queue | DropReason::Early => (&mut self.drops, &mut self.dropped_bytes),
            DropReason::Loss | DropReason::Down => (&mut self.losses, &mut self.lost_bytes),
        };
        *count += 1;
        *bytes += u64::from(wire_bytes);
        self.early_drops += u64::from(why == DropReason::Early);
        why
    }

    /// The increase since `before`.
    pub fn since(&self, before: &Totals) -> Totals {
        Totals {
            offered: self.offered - before.offered,
            delivered: self.delivered - before.delivered,
            drops: self.drops - before.drops,
            early_drops: self.early_drops - before.early_drops,
            losses: self.losses - before.losses,
            marked: self.marked - before.marked,
            offered_bytes: self.offered_bytes - before.offered_bytes,
            delivered_bytes: self.delivered_bytes - before.delivered_bytes,
            dropped_bytes: self.dropped_bytes - before.dropped_bytes,
            lost_bytes: self.lost_bytes - before.lost_bytes,
            queue_byte_seconds: self.queue_byte_seconds - before.queue_byte_seconds,
            transmitted_bits: self.transmitted_bits - before.transmitted_bits,
            capacity_bits: self.capacity_bits - before.capacity_bits,
        }
    }

    /// The used fraction of the capacity.
    pub fn utilisation(&self) -> f64 {
        if self.capacity_bits > 0.0 {
            (self.transmitted_bits / self.capacity_bits).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// The mean time that a byte waited, by Little's law, in seconds; `None` if no byte was delivered.
    pub fn mean_wait_s(&self) -> Option<f64> {
        (self.delivered_bytes > 0).then(|| self.queue_byte_seconds / self.delivered_bytes as f64)
    }
}
