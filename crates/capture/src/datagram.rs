//! Frames of datagrams: Ethernet, IPv4 and UDP around their content.

use crate::addresses::Ends;
use crate::encode::{code_point, hardware};
use etherparse::{IpHeaders, Ipv4Header, PacketBuilder};

/// The receivers' port, which is the usual one of QUIC.
const PORT: u16 = 443;

/// A datagram between the ends of a flow's path.
pub(crate) fn frame(flow: usize, path: usize, forward: bool, ecn: (bool, bool), content: &[u8]) -> Vec<u8> {
    let Ends { sender, receiver: (receiver, _) } = Ends::of(flow, path, 0);
    let (from, to) = if forward { (sender, (receiver, PORT)) } else { ((receiver, PORT), sender) };
    let ip = Ipv4Header {
        ecn: code_point(ecn),
        dont_fragment: true,
        time_to_live: 64,
        source: from.0,
        destination: to.0,
        ..Ipv4Header::default()
    };
    let mut bytes = vec![];
    PacketBuilder::ethernet2(hardware(from.0), hardware(to.0))
        .ip(IpHeaders::Ipv4(ip, Default::default()))
        .udp(from.1, to.1)
        .write(&mut bytes, content)
        .expect("a datagram is shorter than 64 kB");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{NetSlice, SlicedPacket, TransportSlice};

    #[test]
    fn headers_name_the_ends_and_congestion() {
        let cases = [(true, (false, false), 0), (true, (true, false), 2), (false, (true, true), 3)];
        for (forward, ecn, code) in cases {
            let whole = frame(7, 1, forward, ecn, b"content");
            let packet = SlicedPacket::from_ethernet(&whole).unwrap();
            let (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Udp(udp))) = (packet.net, packet.transport)
            else {
                panic!("not UDP over IPv4")
            };
            let ports = if forward { (40_000, 443) } else { (443, 40_000) };
            assert_eq!((udp.source_port(), udp.destination_port()), ports);
            assert_eq!((ip.header().ecn().value(), udp.payload()), (code, &b"content"[..]));
        }
    }
}
