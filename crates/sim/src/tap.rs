//! What a capture sees of a run: packets where it listens, with what a host would put into their headers.

use crate::packet::{Kind, Packet, SACK_BLOCKS, Sack, flag};
use crate::sack_blocks::SackBlocks;
use anabranch_net::Time;
use anabranch_scenario::SubflowAction;

pub use crate::packet::Kind as PacketKind;

/// Where a packet is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// At the sender's host: what it sends as it sends it, what it receives as it arrives.
    Sender,
    /// As it enters this link of the scenario, before the queue.
    Link(usize),
}

/// A packet that is seen. Numbers of segments and chunks and places in the stream are modulo 2³².
#[derive(Clone, Copy, Debug)]
pub struct SeenPacket {
    /// When.
    pub at: Time,
    /// Where.
    pub place: Place,
    /// The connection: the flow's index in the scenario, or a number behind those for a transfer's own.
    pub connection: usize,
    /// The path's index in the flow.
    pub path: usize,
    /// How often the subflow had been removed before, modulo 2¹⁶: another life is another TCP connection.
    pub life: u16,
    /// What it is.
    pub kind: PacketKind,
    /// Whether a packet of a handshake joins a connection that there is.
    pub joins: bool,
    /// ECN-capable transport, and whether congestion was experienced (RFC 3168).
    pub ecn: (bool, bool),
    /// The ECN echo, and the reduction of the window.
    pub echo: (bool, bool),
    /// The end of a subflow.
    pub fin: bool,
    /// The end of a burst.
    pub push: bool,
    /// Bytes at IP level that the model charges.
    pub wire_bytes: u16,
    /// Bytes of payload.
    pub payload_bytes: u16,
    /// An ACK's window, in units of the connection's [`window_scale`].
    pub window: u16,
    /// Data: the segment's number on its subflow. ACK: the next one expected.
    pub segment: u32,
    /// Data: the chunk's number in the connection. ACK: the next one expected.
    pub chunk: u32,
    /// Data: where the payload is in the connection's stream. ACK: how much of it was received in order, both in bytes.
    pub offset: u32,
    /// SACK blocks as ranges of segments, from the one acknowledged on; empty ones mean nothing.
    pub sack: [(i32, u32); SACK_BLOCKS],
    /// When its host sent it; of what the receiver sends in whole milliseconds.
    pub sent: Time,
    /// The timestamp that it returns, if any.
    pub returns: Option<Time>,
}

/// Who is told of packets.
pub trait Tap {
    /// Whether it wants to see what enters links, too.
    fn wants_links(&self) -> bool;

    /// A packet, in the order of time.
    fn packet(&mut self, seen: &SeenPacket);

    /// Connection `connection` is about to be opened, for a transfer of flow `flow`, its subflows in this life. Those of the flows
    /// themselves, which have their numbers, are not told.
    fn connection_opens(&mut self, at: Time, connection: usize, flow: usize, life: u16);

    /// The scenario changes a subflow.
    fn change(&mut self, at: Time, flow: usize, path: usize, action: SubflowAction);
}

/// Shift of the windows that a receiver with this buffer offers (RFC 7323 §2.3).
pub fn window_scale(receive_buffer: u64) -> u32 {
    (64 - (receive_buffer >> 16).leading_zeros()).min(14)
}

/// What was seen, until the tap is told.
pub(crate) struct Observations {
    links: bool,
    pub(crate) seen: Vec<Observation>,
}

/// A packet, as it was where it was seen.
pub(crate) struct Observation {
    at: Time,
    place: Place,
    pub(crate) packet: Packet,
    sack: Option<Sack>,
}

// What runs without a capture do is one comparison where each of these is called.
impl Observations {
    pub(crate) fn new(links: bool) -> Box<Observations> {
        Box::new(Observations { links, seen: Vec::new() })
    }

    /// A host sends a packet. What the receiver sends has no payload: the clock's milliseconds stand in its place.
    #[cold]
    #[inline(never)]
    pub(crate) fn leaves(&mut self, at: Time, packet: &mut Packet, sacks: &SackBlocks) {
        if packet.is_forward() {
            self.note(at, Place::Sender, packet, sacks);
        } else {
            packet.len = milliseconds(at) as u16;
        }
    }

    /// A packet enters a link.
    #[cold]
    #[inline(never)]
    pub(crate) fn enters(&mut self, at: Time, link: usize, packet: &Packet, sacks: &SackBlocks) {
        if self.links {
            self.note(at, Place::Link(link), packet, sacks);
        }
    }

    /// The sender's host receives a packet.
    #[cold]
    #[inline(never)]
    pub(crate) fn arrives(&mut self, at: Time, packet: &Packet, sacks: &SackBlocks) {
        if !packet.is_forward() {
            self.note(at, Place::Sender, packet, sacks);
        }
    }

    fn note(&mut self, at: Time, place: Place, packet: &Packet, sacks: &SackBlocks) {
        self.seen.push(Observation { at, place, packet: *packet, sack: sacks.of(packet) });
    }
}

fn milliseconds(at: Time) -> u64 {
    at.as_nanos() / 1_000_000
}

impl SeenPacket {
    pub(crate) fn new(owner: (u32, u32), observation: &Observation) -> SeenPacket {
        let &Observation { at, place, ref packet, sack } = observation;
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
