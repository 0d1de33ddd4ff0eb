//! Packets: plain data of 40 bytes, copied from pipe to pipe.
//!
//! Sequence numbers count segments, not bytes: segments are retransmitted unchanged. The connection numbers
//! data in *chunks*, the payload of one segment; a chunk that is reinjected keeps its number.

use anabranch_net::Time;

/// IP and TCP headers with the timestamp option: 20 + 20 + 12.
pub(crate) const HEADER: u16 = 52;
/// A SYN's packet with its usual options.
pub(crate) const SYN_BYTES: u16 = 60;
/// Bytes of a SACK option with `blocks` blocks, including two of padding (RFC 2018 §3).
pub(crate) const fn sack_option_bytes(blocks: u16) -> u16 {
    if blocks == 0 { 0 } else { 4 + 8 * blocks }
}
/// SACK blocks that fit with the timestamp option.
pub(crate) const SACK_BLOCKS: usize = 3;

/// The kind of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// SYN of the sender: MP_CAPABLE on the first subflow, MP_JOIN on others.
    Syn,
    /// The receiver's answer.
    SynAck,
    /// The third packet of the handshake, without data.
    HandshakeAck,
    /// The receiver's confirmation of a join, after which the sender may use the subflow (RFC 8684 §3.2).
    JoinAck,
    /// A segment, possibly a FIN.
    Data,
    /// An acknowledgement.
    Ack,
    /// The receiver's application requests the next response.
    Request,
    /// A datagram of a hosted flow's sender.
    Datagram,
    /// A datagram of a hosted flow's receiver.
    DatagramBack,
}

/// Bits of [`Packet::flags`].
pub(crate) mod flag {
    /// ECN-capable transport (RFC 3168 §5).
    pub(crate) const ECT: u8 = 1;
    /// Congestion experienced: set by a link.
    pub(crate) const CE: u8 = 2;
    /// The receiver echoes a CE mark.
    pub(crate) const ECE: u8 = 4;
    /// The sender has reduced its window.
    pub(crate) const CWR: u8 = 8;
    /// Last segment of a subflow.
    pub(crate) const FIN: u8 = 16;
    /// The first SACK block reports a duplicate (RFC 2883).
    pub(crate) const DSACK: u8 = 32;
    /// Joins an existing connection.
    pub(crate) const JOIN: u8 = 64;
    /// Last segment of a burst.
    pub(crate) const PSH: u8 = 128;
}

/// The blocks of a SACK option; unused ones are empty.
pub(crate) type Sack = [Block; SACK_BLOCKS];

/// A SACK block, relative to the cumulative acknowledgement: `start` may lie before it (DSACK).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) start: i32,
    pub(crate) len: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// The subflow's number in the simulation.
    pub(crate) subflow: u32,
    /// The number of hops that it has not entered yet.
    pub(crate) hops_left: u16,
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
    /// The life of the subflow: each addition after a removal begins another.
    pub(crate) life: u16,
    /// Size at IP level, in bytes.
    pub(crate) wire: u16,
    /// Payload, in bytes. In the receiver's packets it has another use with a capture: see [`crate::tap`].
    pub(crate) len: u16,
    /// Advertised window of an ACK, in units of the window scale (RFC 7323 §2).
    pub(crate) window: u16,
    /// Data: the segment's number. ACK: the next one expected. This and the following numbers are modulo 2³².
    pub(crate) seq: u32,
    /// Data: the chunk's number. ACK: the next one expected (DATA_ACK). Request: its number. An ACK of a stream that segments
    /// join late has a time here and in `offset`: see [`crate::connection::ahead`].
    pub(crate) data: u32,
    /// The offset of this chunk in the byte stream. In data, the receiver checks it. Datagram: the key of its content.
    pub(crate) offset: u32,
    /// ACK: the key of its SACK blocks; 0 without SACK blocks.
    pub(crate) sack: u32,
    /// Timestamp option: data carries the time of sending, an ACK its echo.
    pub(crate) stamp: Time,
}

impl Packet {
    #[inline]
    pub(crate) fn new(kind: Kind, subflow: u32, life: u16, wire: u16, now: Time) -> Packet {
        Packet {
            subflow,
            hops_left: 0,
            kind,
            flags: 0,
            life,
            wire,
            len: 0,
            window: 0,
            seq: 0,
            data: 0,
            offset: 0,
            sack: 0,
            stamp: now,
        }
    }

    #[inline]
    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether the sender sent it.
    #[inline]
    pub(crate) fn is_forward(&self) -> bool {
        matches!(self.kind, Kind::Syn | Kind::HandshakeAck | Kind::Data | Kind::Datagram)
    }
}

/// Payload of one segment, as the connection numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Offset in the byte stream, modulo 2³².
    pub(crate) offset: u32,
    /// Bytes; 0 for the DATA_FIN.
    pub(crate) len: u16,
}

impl Chunk {
    /// What a segment carries.
    #[inline]
    pub(crate) fn of(packet: &Packet) -> Chunk {
        Chunk { offset: packet.offset, len: packet.len }
    }
}

/// The number closest to `near` that is `low` modulo 2³².
#[inline]
pub(crate) fn widen(near: u64, low: u32) -> u64 {
    near.wrapping_add_signed(i64::from(low.wrapping_sub(near as u32) as i32))
}

const _: () = assert!(size_of::<Packet>() == 40);

#[cfg(test)]
mod tests {
    use super::widen;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_ordered_within_a_gigapacket(number in 0u64..1 << 40, distance in -(1i64 << 30)..1 << 30) {
            let near = number.saturating_add_signed(distance);
            prop_assert_eq!(widen(near, number as u32), number);
        }
    }
}
