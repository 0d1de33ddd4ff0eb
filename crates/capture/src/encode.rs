//! Frames: Ethernet, IPv4 and TCP headers around options.

use crate::addresses::Ends;
use crate::options::Options;

/// Bytes of the longest headers: Ethernet 14, IPv4 20, TCP 60.
pub(crate) const HEADERS: usize = 94;
const ETHERNET: usize = 14;
const IP: usize = 20;
/// TCP's header without options.
const TCP: usize = 20;
const PROTOCOL_TCP: u8 = 6;

/// TCP's flags.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) syn: bool,
    pub(crate) ack: bool,
    pub(crate) fin: bool,
    pub(crate) rst: bool,
    pub(crate) psh: bool,
    pub(crate) ece: bool,
    pub(crate) cwr: bool,
}

/// A segment, before it is bytes.
pub(crate) struct Segment {
    pub(crate) ends: Ends,
    /// From the sender to the receiver?
    pub(crate) forward: bool,
    pub(crate) sequence: u32,
    pub(crate) acknowledged: u32,
    pub(crate) flags: Flags,
    pub(crate) window: u16,
    /// ECN-capable transport, and congestion experienced.
    pub(crate) ecn: (bool, bool),
    pub(crate) options: Options,
    pub(crate) payload: u16,
}

/// Its headers as bytes, and how much payload follows them.
pub(crate) struct Frame {
    bytes: [u8; HEADERS],
    len: usize,
    pub(crate) payload: u16,
}

impl Frame {
    pub(crate) fn headers(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Segment {
    /// Written byte by byte, since a run has millions: the library that reads captures took longer than the simulation.
    #[inline]
    pub(crate) fn frame(&self) -> Frame {
        let (from, to) = match self.forward {
            true => (self.ends.sender, self.ends.receiver),
            false => (self.ends.receiver, self.ends.sender),
        };
        let options = self.options.as_slice();
        let len = ETHERNET + IP + TCP + options.len();
        let mut bytes = [0; HEADERS];
        let (ethernet, rest) = bytes.split_at_mut(ETHERNET);
        let (ip, tcp) = rest.split_at_mut(IP);
        let tcp = &mut tcp[..TCP + options.len()];

        ethernet[..6].copy_from_slice(&hardware(to.0));
        ethernet[6..12].copy_from_slice(&hardware(from.0));
        ethernet[12..].copy_from_slice(&[0x08, 0x00]); // IPv4

        ip[0] = 0x45; // version 4, five words
        ip[1] = match self.ecn {
            (_, true) => 0b11,
            (true, false) => 0b10,
            (false, false) => 0b00,
        };
        ip[2..4].copy_from_slice(&((IP + tcp.len()) as u16 + self.payload).to_be_bytes());
        ip[6] = 0x40; // do not fragment
        ip[8..10].copy_from_slice(&[64, PROTOCOL_TCP]); // after the time to live
        ip[12..16].copy_from_slice(&from.0);
        ip[16..].copy_from_slice(&to.0);
        let checksum = complement(sum(ip));
        ip[10..12].copy_from_slice(&checksum);

        let Flags { syn, ack, fin, rst, psh, ece, cwr } = self.flags;
        let flags = [fin, syn, rst, psh, ack, false, ece, cwr];
        tcp[..2].copy_from_slice(&from.1.to_be_bytes());
        tcp[2..4].copy_from_slice(&to.1.to_be_bytes());
        tcp[4..8].copy_from_slice(&self.sequence.to_be_bytes());
        tcp[8..12].copy_from_slice(&self.acknowledged.to_be_bytes());
        tcp[12] = (tcp.len() as u8 / 4) << 4;
        tcp[13] = flags.iter().enumerate().map(|(i, &set)| u8::from(set) << i).sum();
        tcp[14..16].copy_from_slice(&self.window.to_be_bytes());
        tcp[TCP..].copy_from_slice(options);
        // The pseudo-header (RFC 9293 §3.1). Payload is zeros, which add nothing.
        let length = tcp.len() as u64 + u64::from(self.payload);
        let checksum = complement(sum(&ip[12..]) + u64::from(PROTOCOL_TCP) + length + sum(tcp));
        tcp[16..18].copy_from_slice(&checksum);
        Frame { bytes, len, payload: self.payload }
    }
}

/// The sum of whole words of 32 bits; folded, it is that of their halves (RFC 1071 §2).
fn sum(words: &[u8]) -> u64 {
    words.chunks_exact(4).map(|word| u64::from(u32::from_be_bytes(word.try_into().expect("4 bytes")))).sum()
}

/// The Internet checksum of words with that sum.
fn complement(mut sum: u64) -> [u8; 2] {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    (!(sum as u16)).to_be_bytes()
}

/// A locally administered address (IEEE 802).
fn hardware([a, b, c, d]: [u8; 4]) -> [u8; 6] {
    [0x02, 0, a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{NetSlice, SlicedPacket, TransportSlice};
    use proptest::prelude::*;

    proptest! {
        /// Another implementation reads what was written, and finds its checksums right.
        #[test]
        fn etherparse_reads_it(
            (forward, sequence, acknowledged) in any::<(bool, u32, u32)>(),
            flags in any::<[bool; 7]>(), window in any::<u16>(), ecn in any::<(bool, bool)>(),
            stamps in any::<(u32, u32)>(), payload in 0..9000_u16, flow in 0..60_000_usize, sacks in 0..3_usize,
        ) {
            let [syn, ack, fin, rst, psh, ece, cwr] = flags;
            let segment = Segment {
                ends: Ends::of(flow, 1, 2),
                forward, sequence, acknowledged, window, ecn, payload,
                flags: Flags { syn, ack, fin, rst, psh, ece, cwr },
                options: Options::of_segment(stamps).sack((0..sacks as u32).map(|i| (i * 7, i * 7 + 3))),
            };
            let frame = segment.frame();
            let whole = [frame.headers(), &vec![0; usize::from(payload)][..]].concat();
            let packet = SlicedPacket::from_ethernet(&whole).unwrap();
            let (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Tcp(tcp))) = (packet.net, packet.transport) else { panic!() };
            let ip = ip.header();
            prop_assert_eq!(ip.header_checksum(), ip.to_header().calc_header_checksum());
            prop_assert_eq!(tcp.checksum(), tcp.calc_checksum_ipv4(ip.source(), ip.destination()).unwrap());
            let (from, to) = if forward { (segment.ends.sender, segment.ends.receiver) } else { (segment.ends.receiver, segment.ends.sender) };
            prop_assert_eq!((ip.source(), tcp.source_port(), ip.destination(), tcp.destination_port()), (from.0, from.1, to.0, to.1));
            prop_assert_eq!([tcp.syn(), tcp.ack(), tcp.fin(), tcp.rst(), tcp.psh(), tcp.ece(), tcp.cwr()], flags);
            prop_assert_eq!((tcp.sequence_number(), tcp.acknowledgment_number(), tcp.window_size()), (sequence, acknowledged, window));
            prop_assert_eq!(tcp.options(), segment.options.as_slice());
            prop_assert_eq!(tcp.payload().len(), usize::from(payload));
            prop_assert_eq!((ip.ecn().value(), ip.dont_fragment(), ip.ttl()), (if ecn.1 { 3 } else if ecn.0 { 2 } else { 0 }, true, 64));
        }
    }
}
