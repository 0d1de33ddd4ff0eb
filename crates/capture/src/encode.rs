//! Frames: Ethernet, IPv4 and TCP headers around options. Filled in by hand over what a direction's segments share, since a run has
//! millions: the library that reads captures took longer than the simulation.

use crate::addresses::Ends;
use crate::options::Options;
use etherparse::IpEcn;

/// Bytes of the longest headers: Ethernet 14, IPv4 20, TCP 60.
pub(crate) const HEADERS: usize = 94;
const ETHERNET: usize = 14;
const IP: usize = 20;
const PORTS: usize = 4;
/// TCP's header without options.
const TCP: usize = 20;
const PROTOCOL_TCP: u8 = 6;

pub(crate) mod flag {
    pub(crate) const FIN: u8 = 0x01;
    pub(crate) const SYN: u8 = 0x02;
    pub(crate) const RST: u8 = 0x04;
    pub(crate) const PSH: u8 = 0x08;
    pub(crate) const ACK: u8 = 0x10;
    pub(crate) const ECE: u8 = 0x40;
    pub(crate) const CWR: u8 = 0x80;
}

/// A segment, before it is bytes.
pub(crate) struct Segment {
    pub(crate) sequence: u32,
    pub(crate) acknowledged: u32,
    /// Those of [`flag`] that are set.
    pub(crate) flags: u8,
    pub(crate) window: u16,
    /// ECN-capable transport, and congestion experienced.
    pub(crate) ecn: (bool, bool),
    pub(crate) options: Options,
    pub(crate) payload: u16,
}

/// Its headers as bytes, and how much payload follows them.
pub(crate) struct Frame {
    /// The headers, and zeros to the length of the longest ones.
    pub(crate) headers: [u8; HEADERS],
    pub(crate) len: usize,
    pub(crate) payload: u16,
}

/// The common fields of the headers of a TCP connection's segments, and the sums over them.
pub(crate) struct HeaderTemplate {
    /// Up to TCP's ports.
    bytes: [u8; ETHERNET + IP + PORTS],
    ip: u64,
    tcp: u64,
}

impl HeaderTemplate {
    /// Those from the sender, and those back to it.
    pub(crate) fn of(Ends { sender, receiver }: Ends) -> [HeaderTemplate; 2] {
        [HeaderTemplate::new(sender, receiver), HeaderTemplate::new(receiver, sender)]
    }

    fn new(from: ([u8; 4], u16), to: ([u8; 4], u16)) -> HeaderTemplate {
        let mut bytes = [0; ETHERNET + IP + PORTS];
        let (ethernet, rest) = bytes.split_at_mut(ETHERNET);
        ethernet[..6].copy_from_slice(&hardware(to.0));
        ethernet[6..12].copy_from_slice(&hardware(from.0));
        ethernet[12..].copy_from_slice(&[0x08, 0x00]); // IPv4
        rest[0] = 0x45; // version 4, five words
        rest[6] = 0x40; // do not fragment
        rest[8..10].copy_from_slice(&[64, PROTOCOL_TCP]); // after the time to live
        rest[12..16].copy_from_slice(&from.0);
        rest[16..20].copy_from_slice(&to.0);
        rest[20..22].copy_from_slice(&from.1.to_be_bytes());
        rest[22..].copy_from_slice(&to.1.to_be_bytes());
        // TCP's begins with the pseudo-header (RFC 9293 §3.1).
        HeaderTemplate {
            bytes,
            ip: sum(&bytes[ETHERNET..][..IP]),
            tcp: sum(&bytes[ETHERNET + 12..]) + u64::from(PROTOCOL_TCP),
        }
    }

    /// A segment in this direction.
    #[inline]
    pub(crate) fn frame(&self, segment: &Segment) -> Frame {
        let (options, len) = segment.options.padded();
        let tcp_len = TCP + len;
        let mut bytes = [0; HEADERS];
        bytes[..self.bytes.len()].copy_from_slice(&self.bytes);

        let ip = &mut bytes[ETHERNET..];
        let ecn = code_point(segment.ecn).value();
        let length = (IP + tcp_len) as u16 + segment.payload;
        ip[1] = ecn;
        ip[2..4].copy_from_slice(&length.to_be_bytes());
        ip[10..12].copy_from_slice(&complement(self.ip + u64::from(ecn) + u64::from(length)));

        let offset_and_flags = (tcp_len as u16 / 4) << 12 | u16::from(segment.flags);
        let tcp = &mut bytes[ETHERNET + IP..];
        tcp[4..8].copy_from_slice(&segment.sequence.to_be_bytes());
        tcp[8..12].copy_from_slice(&segment.acknowledged.to_be_bytes());
        tcp[12..14].copy_from_slice(&offset_and_flags.to_be_bytes());
        tcp[14..16].copy_from_slice(&segment.window.to_be_bytes());
        tcp[TCP..].copy_from_slice(options);
        // Payload is zeros, which add nothing.
        let numbers = u64::from(segment.sequence) + u64::from(segment.acknowledged);
        let rest = u64::from(offset_and_flags)
            + u64::from(segment.window)
            + tcp_len as u64
            + u64::from(segment.payload);
        tcp[16..18].copy_from_slice(&complement(self.tcp + numbers + rest + sum(options)));
        Frame { headers: bytes, len: ETHERNET + IP + tcp_len, payload: segment.payload }
    }
}

/// Of an ECN-capable transport, and of congestion experienced (RFC 3168 §5).
pub(crate) fn code_point(ecn: (bool, bool)) -> IpEcn {
    match ecn {
        (_, true) => IpEcn::CongestionExperienced,
        (true, false) => IpEcn::Ect0,
        (false, false) => IpEcn::NotEct,
    }
}

/// The sum of whole words of 32 bits; folded, it equals the sum of their halves (RFC 1071 §2).
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
pub(crate) fn hardware([a, b, c, d]: [u8; 4]) -> [u8; 6] {
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
            flags in any::<u8>().prop_map(|flags| flags & !0x20), window in any::<u16>(), ecn in any::<(bool, bool)>(),
            stamps in any::<(u32, u32)>(), payload in 0..9000_u16, flow in 0..60_000_usize, sacks in 0..3_usize,
        ) {
            let segment = Segment {
                sequence, acknowledged, window, ecn, payload,
                flags,
                options: Options::of_segment(stamps).sack((0..sacks as u32).map(|i| (i * 7, i * 7 + 3))),
            };
            let ends = Ends::of(flow, 1, 2);
            let [there, back] = HeaderTemplate::of(ends);
            let frame = if forward { there } else { back }.frame(&segment);
            let whole = [&frame.headers[..frame.len], &vec![0; usize::from(payload)][..]].concat();
            let packet = SlicedPacket::from_ethernet(&whole).unwrap();
            let (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Tcp(tcp))) = (packet.net, packet.transport) else { panic!() };
            let ip = ip.header();
            prop_assert_eq!(ip.header_checksum(), ip.to_header().calc_header_checksum());
            prop_assert_eq!(tcp.checksum(), tcp.calc_checksum_ipv4(ip.source(), ip.destination()).unwrap());
            let (from, to) = if forward { (ends.sender, ends.receiver) } else { (ends.receiver, ends.sender) };
            prop_assert_eq!((ip.source(), tcp.source_port(), ip.destination(), tcp.destination_port()), (from.0, from.1, to.0, to.1));
            let set = [(tcp.syn(), flag::SYN), (tcp.ack(), flag::ACK), (tcp.fin(), flag::FIN), (tcp.rst(), flag::RST),
                (tcp.psh(), flag::PSH), (tcp.ece(), flag::ECE), (tcp.cwr(), flag::CWR)];
            prop_assert_eq!(set.map(|(set, flag)| u8::from(set) * flag).iter().sum::<u8>(), flags);
            prop_assert_eq!((tcp.sequence_number(), tcp.acknowledgment_number(), tcp.window_size()), (sequence, acknowledged, window));
            let (options, len) = segment.options.padded();
            prop_assert_eq!(tcp.options(), &options[..len]);
            prop_assert_eq!(tcp.payload().len(), usize::from(payload));
            prop_assert_eq!((ip.ecn().value(), ip.dont_fragment(), ip.ttl()), (if ecn.1 { 3 } else if ecn.0 { 2 } else { 0 }, true, 64));
        }
    }
}
