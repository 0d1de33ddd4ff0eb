//! The interface for captures: observed packets, with the header fields that a host would send.

use crate::packet::{Kind, Packet, SACK_BLOCKS, Sack, flag};
use crate::sack_blocks::SackBlocks;
use anabranch_net::Time;
use anabranch_scenario::SubflowAction;
use slab::Slab;

pub use crate::packet::Kind as PacketKind;

/// Where a packet is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// At the sender's host, as it sends or receives packets.
    Sender,
    /// As it enters this link of the scenario, before the queue.
    Link(usize),
}

/// An observed packet. Numbers of segments and chunks and offsets in the stream are modulo 2³².
#[derive(Clone, Copy, Debug)]
pub struct SeenPacket {
    /// When.
    pub at: Time,
    /// Where.
    pub place: Place,
    /// The connection: the flow's index in the scenario, or a later number for the connection of a transfer.
    pub connection: usize,
    /// The path's index in the flow.
    pub path: usize,
    /// The life of the subflow, modulo 2¹⁶: each life is its own TCP connection.
    pub life: u16,
    /// Its kind.
    pub kind: PacketKind,
    /// Whether a handshake packet joins an existing connection.
    pub joins: bool,
    /// ECN-capable transport, and congestion experienced (RFC 3168).
    pub ecn: (bool, bool),
    /// The ECN echo, and the reduction of the window.
    pub echo: (bool, bool),
    /// The end of a subflow.
    pub fin: bool,
    /// The end of a burst.
    pub push: bool,
    /// Bytes at IP level in the model.
    pub wire_bytes: u16,
    /// Bytes of payload.
    pub payload_bytes: u16,
    /// An ACK's window, in units of the connection's [`window_scale`].
    pub window: u16,
    /// Data: the segment's number on its subflow. ACK: the next one expected.
    pub segment: u32,
    /// Data: the chunk's number in the connection. ACK: the next one expected.
    pub chunk: u32,
    /// Data: the payload's offset in the connection's stream. ACK: bytes of the stream received in order.
    pub offset: u32,
    /// SACK blocks as ranges of segments, relative to the cumulative ACK; empty ones are unused.
    pub sack: [(i32, u32); SACK_BLOCKS],
    /// When its host sent it; whole milliseconds for the receiver's packets.
    pub sent: Time,
    /// The timestamp that it echoes, if any.
    pub returns: Option<Time>,
}

/// A receiver of observed packets.
pub trait Tap: Send {
    /// Whether to report packets that enter links, too.
    fn wants_links(&self) -> bool;

    /// A packet, in the order of time.
    fn packet(&mut self, seen: &SeenPacket);

    /// The same of a hosted flow's datagram, with its content.
    fn datagram(&mut self, seen: &SeenPacket, content: &[u8]);

    /// Secrets of a hosted flow's later packets, as lines of TLS's key log.
    fn secrets(&mut self, lines: &str);

    /// Connection `connection` is about to open for a transfer of flow `flow`, with its subflows in this life. Connections of
    /// the flows themselves are not reported.
    fn connection_opens(&mut self, at: Time, connection: usize, flow: usize, life: u16);

    /// The scenario changes a subflow.
    fn change(&mut self, at: Time, flow: usize, path: usize, action: SubflowAction);
}

/// The window scale of a receiver with this buffer (RFC 7323 §2.3).
pub fn window_scale(receive_buffer: u64) -> u32 {
    (64 - (receive_buffer >> 16).leading_zeros()).min(14)
}

/// Observed packets that were not passed to the tap.
#[derive(Clone)]
pub(crate) struct Observations {
    /// Whether those that enter links are among them.
    pub(crate) links: bool,
    pub(crate) seen: Vec<Observation>,
}

/// What packets carry beside their fields: SACK blocks, and datagrams' content.
type Carried<'a> = (&'a SackBlocks, &'a Slab<Vec<u8>>);

/// A packet at the place of its observation.
#[derive(Clone)]
pub(crate) struct Observation {
    at: Time,
    place: Place,
    pub(crate) packet: Packet,
    sack: Option<Sack>,
    /// Of a datagram.
    pub(crate) content: Option<Vec<u8>>,
}

// Without a capture, each call costs one comparison.
impl Observations {
    /// A host sends a packet. The receiver's packets have no payload; that field holds the clock's milliseconds.
    #[cold]
    #[inline(never)]
    pub(crate) fn leaves(&mut self, at: Time, packet: &mut Packet, with: Carried<'_>) {
        if packet.is_forward() {
            self.note(at, Place::Sender, packet, with);
        } else {
            packet.len = milliseconds(at) as u16;
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn enters(&mut self, at: Time, link: usize, packet: &Packet, with: Carried<'_>) {
        if self.links {
            self.note(at, Place::Link(link), packet, with);
        }
    }

    /// The sender's host receives a packet.
    #[cold]
    #[inline(never)]
    pub(crate) fn arrives(&mut self, at: Time, packet: &Packet, with: Carried<'_>) {
        if !packet.is_forward() {
            self.note(at, Place::Sender, packet, with);
        }
    }

    fn note(&mut self, at: Time, place: Place, packet: &Packet, (sacks, datagrams): Carried<'_>) {
        let is_datagram = matches!(packet.kind, Kind::Datagram | Kind::DatagramBack);
        let content = is_datagram.then(|| datagrams[packet.offset as usize].clone());
        self.seen.push(Observation { at, place, packet: *packet, sack: sacks.of(packet), content });
    }
}

fn milliseconds(at: Time) -> u64 {
    at.as_nanos() / 1_000_000
}

impl SeenPacket {
    pub(crate) fn new(owner: (u32, u32), observation: &Observation) -> SeenPacket {
        let &Observation { at, place, ref packet, sack, .. } = observation;
        let echoes = matches!(packet.kind, Kind::SynAck | Kind::Ack);
        let now = milliseconds(at);
        let since = (now as u16).wrapping_sub(packet.len);
        let sent = match packet.is_forward() {
            true => packet.stamp,
            false => Time::from_millis(now - u64::from(since)),
        };
        SeenPacket {
            at,
            place,
            connection: owner.0 as usize,
            path: owner.1 as usize,
            life: packet.life,
            kind: packet.kind,
            joins: packet.has(flag::JOIN),
            ecn: (packet.has(flag::ECT), packet.has(flag::CE)),
            echo: (packet.has(flag::ECE), packet.has(flag::CWR)),
            fin: packet.has(flag::FIN),
            push: packet.has(flag::PSH),
            wire_bytes: packet.wire,
            payload_bytes: if packet.kind == Kind::Data { packet.len } else { 0 },
            window: packet.window,
            segment: packet.seq,
            chunk: packet.data,
            offset: packet.offset,
            sack: sack.unwrap_or_default().map(|block| (block.start, block.len)),
            sent,
            returns: echoes.then_some(packet.stamp),
        }
    }
}
