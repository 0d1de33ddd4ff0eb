//! Frames of datagrams: Ethernet, IPv4 and UDP around their content.

use crate::addresses::Ends;
use crate::encode::{complement, hardware, sum};

const ETHERNET: usize = 14;
const IP: usize = 20;
const UDP: usize = 8;
const PROTOCOL_UDP: u8 = 17;
/// The receivers' port, which is the usual one of QUIC.
const PORT: u16 = 443;

/// A datagram between the ends of a flow's path.
pub(crate) fn frame(flow: usize, path: usize, forward: bool, ecn: (bool, bool), content: &[u8]) -> Vec<u8> {
    let Ends { sender, receiver: (receiver, _) } = Ends::of(flow, path, 0);
    let (from, to) = if forward { (sender, (receiver, PORT)) } else { ((receiver, PORT), sender) };
    let udp_length = (UDP + content.len()) as u16;
    let mut bytes = vec![0; ETHERNET + IP + UDP];
    let (ethernet, ip) = bytes.split_at_mut(ETHERNET);
    ethernet[..6].copy_from_slice(&hardware(to.0));
    ethernet[6..12].copy_from_slice(&hardware(from.0));
    ethernet[12..].copy_from_slice(&[0x08, 0x00]); // IPv4
    ip[0] = 0x45; // version 4, five words
    ip[1] = if ecn.1 { 0b11 } else { u8::from(ecn.0) << 1 };
    ip[2..4].copy_from_slice(&(IP as u16 + udp_length).to_be_bytes());
    ip[6] = 0x40; // do not fragment
    ip[8..10].copy_from_slice(&[64, PROTOCOL_UDP]); // after the time to live
    ip[12..16].copy_from_slice(&from.0);
    ip[16..20].copy_from_slice(&to.0);
    let checksum = complement(sum(&ip[..IP]));
    ip[10..12].copy_from_slice(&checksum);
    ip[20..22].copy_from_slice(&from.1.to_be_bytes());
    ip[22..24].copy_from_slice(&to.1.to_be_bytes());
    ip[24..26].copy_from_slice(&udp_length.to_be_bytes());
    // With the pseudo-header of addresses, protocol and length; 0 would mean that there is none (RFC 768).
    let (whole, rest) = content.split_at(content.len() / 4 * 4);
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    let headers = sum(&ip[12..]) + u64::from(PROTOCOL_UDP) + u64::from(udp_length);
    let checksum = match complement(headers + sum(whole) + sum(&last)) {
        [0, 0] => [0xff, 0xff],
        checksum => checksum,
    };
    ip[26..28].copy_from_slice(&checksum);
    bytes.extend_from_slice(content);
    bytes
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
            forward in any::<bool>(), ecn in any::<(bool, bool)>(), content in prop::collection::vec(any::<u8>(), 0..1500),
        ) {
            let whole = frame(7, 1, forward, ecn, &content);
            let packet = SlicedPacket::from_ethernet(&whole).unwrap();
            let (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Udp(udp))) = (packet.net, packet.transport) else { panic!() };
            let ip = ip.header();
            prop_assert_eq!(ip.header_checksum(), ip.to_header().calc_header_checksum());
            let header = udp.to_header();
            prop_assert_eq!(header.checksum, header.calc_checksum_ipv4(&ip.to_header(), &content).unwrap());
            prop_assert_eq!(udp.payload(), &content);
            let ports = if forward { (40_000, 443) } else { (443, 40_000) };
            prop_assert_eq!((udp.source_port(), udp.destination_port()), ports);
            prop_assert_eq!(ip.ecn().value(), if ecn.1 { 3 } else if ecn.0 { 2 } else { 0 });
        }
    }
}
