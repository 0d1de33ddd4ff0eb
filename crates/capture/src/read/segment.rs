//! TCP segments out of packets.

use super::mptcp::{self, Mptcp};
use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TransportSlice};
use pcap_parser::Linktype;
use std::net::{IpAddr, SocketAddr};

/// MPTCP options of a segment: more than a few do not fit.
pub(super) const MOST_OPTIONS: usize = 4;

/// More do not fit.
pub(super) type SackBlocks = [Option<(u32, u32)>; 4];

/// The fields of a segment that the reader needs.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) from: SocketAddr,
    pub(super) to: SocketAddr,
    pub(super) sequence: u32,
    pub(super) acknowledged: Option<u32>,
    pub(super) syn: bool,
    pub(super) rst: bool,
    pub(super) fin: bool,
    pub(super) push: bool,
    /// ECE and CWR.
    pub(super) echo: bool,
    pub(super) reduced: bool,
    /// Bytes of payload on the wire.
    pub(super) payload: u32,
    /// Bytes of TCP's options.
    pub(super) options: u32,
    /// Of a SYN.
    pub(super) mss: Option<u32>,
    pub(super) sack: SackBlocks,
    pub(super) mptcp: [Option<Mptcp>; MOST_OPTIONS],
}

/// The TCP segment in a packet; nothing without one, or if its headers are cut off.
pub(super) fn segment(link: Linktype, bytes: &[u8], length: u32) -> Option<Segment> {
    let cut = |from: usize| bytes.get(from..);
    let kind = |at: usize| Some(EtherType(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])));
    let (packet, before) = match link.0 {
        1 => (LaxSlicedPacket::from_ethernet(bytes).ok()?, 14),
        // Linux cooked captures, of both versions.
        113 => (LaxSlicedPacket::from_ether_type(kind(14)?, cut(16)?), 16),
        276 => (LaxSlicedPacket::from_ether_type(kind(0)?, cut(20)?), 20),
        // Loopback of BSD; bare IP.
        0 | 108 => (LaxSlicedPacket::from_ip(cut(4)?).ok()?, 4),
        12 | 14 | 101 | 228 | 229 => (LaxSlicedPacket::from_ip(bytes).ok()?, 0),
        _ => return None,
    };
    let Some(TransportSlice::Tcp(tcp)) = packet.transport else { return None };
    let header = usize::from(tcp.data_offset()) * 4;
    let (source, destination, carried) = match packet.net? {
        LaxNetSlice::Ipv4(ip) => {
            let ip = ip.header();
            let total = match ip.total_len() {
                0 => (length as usize).checked_sub(before)?, // a packet longer than its field can say
                total => usize::from(total),
            };
            let carried = total.checked_sub(usize::from(ip.ihl()) * 4)?;
            (IpAddr::V4(ip.source_addr()), IpAddr::V4(ip.destination_addr()), carried)
        }
        LaxNetSlice::Ipv6(ip) => {
            let ip = ip.header();
            let carried = match ip.payload_length() {
                0 => (length as usize).checked_sub(before + 40)?,
                carried => usize::from(carried),
            };
            (IpAddr::V6(ip.source_addr()), IpAddr::V6(ip.destination_addr()), carried)
        }
        _ => return None,
    };
    let mut segment = Segment {
        from: SocketAddr::new(source, tcp.source_port()),
        to: SocketAddr::new(destination, tcp.destination_port()),
        sequence: tcp.sequence_number(),
        acknowledged: tcp.ack().then(|| tcp.acknowledgment_number()),
        syn: tcp.syn(),
        rst: tcp.rst(),
        fin: tcp.fin(),
        push: tcp.psh(),
        echo: tcp.ece(),
        reduced: tcp.cwr(),
        payload: carried.checked_sub(header)? as u32,
        options: header as u32 - 20,
        mss: None,
        sack: [None; 4],
        mptcp: [const { None }; MOST_OPTIONS],
    };
    segment.read_options(tcp.options());
    Some(segment)
}

impl Segment {
    fn read_options(&mut self, mut options: &[u8]) {
        let mut found = self.mptcp.iter_mut();
        loop {
            let next = match options {
                // No operation.
                [1, rest @ ..] => Some((&[][..], rest)),
                [2..=u8::MAX, length @ 2..=u8::MAX, ..] => options.split_at_checked(usize::from(*length)),
                // The end of the list, or an impossible length.
                _ => None,
            };
            let Some((option, rest)) = next else { return };
            match option {
                [2, 4, mss @ ..] => self.mss = mss.try_into().ok().map(|b| u16::from_be_bytes(b).into()),
                [5, _, blocks @ ..] => {
                    let word = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().expect("4 bytes"));
                    for (block, place) in blocks.chunks_exact(8).zip(&mut self.sack) {
                        *place = Some((word(&block[..4]), word(&block[4..])));
                    }
                }
                [30, _, body @ ..] => {
                    if let (Some(option), Some(place)) = (mptcp::option(body), found.next()) {
                        *place = Some(option);
                    }
                }
                _ => (),
            }
            options = rest;
        }
    }
}
