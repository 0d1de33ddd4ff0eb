//! Lengths of queues.

use crate::leaf::Length;
use anabranch_net::QueueLimit;

/// A full packet: the default MSS and its 52 bytes of headers.
pub(super) const FULL_PACKET: u64 = 1500;

/// BDPs become bytes, rounded to the nearest, at least one full packet.
pub(super) fn queue(length: Length, bdp_bytes: f64) -> QueueLimit {
    match length {
        Length::Packets(packets) => QueueLimit::Packets(packets),
        Length::Bytes(bytes) => QueueLimit::Bytes(bytes),
        Length::Bdp(n) => QueueLimit::Bytes(((n * bdp_bytes).round() as u64).max(FULL_PACKET)),
    }
}
