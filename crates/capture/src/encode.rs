//! Frames: Ethernet, IPv4 and TCP headers around options.

use crate::addresses::Ends;
use crate::options::Options;
use etherparse::{EtherType, Ethernet2Header, IpEcn, IpNumber, Ipv4Header, TcpHeader};

/// Bytes of the longest headers: Ethernet 14, IPv4 20, TCP 60.
pub(crate) const HEADERS: usize = 94;
/// Payload is zeros.
static PAYLOAD: [u8; u16::MAX as usize] = [0; u16::MAX as usize];

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

    fn put(&mut self, header: &[u8]) {
        self.bytes[self.len..self.len + header.len()].copy_from_slice(header);
        self.len += header.len();
    }
}

impl Segment {
    pub(crate) fn frame(&self) -> Frame {
        let (from, to) = match self.forward {
            true => (self.ends.sender, self.ends.receiver),
            false => (self.ends.receiver, self.ends.sender),
        };
        let mut tcp = TcpHeader::new(from.1, to.1, self.sequence, self.window);
        let Flags { syn, ack, fin, rst, psh, ece, cwr } = self.flags;
        (tcp.syn, tcp.ack, tcp.fin, tcp.rst, tcp.psh, tcp.ece, tcp.cwr) = (syn, ack, fin, rst, psh, ece, cwr);
        tcp.acknowledgment_number = self.acknowledged;
        tcp.set_options_raw(self.options.as_slice()).expect("at most 40 bytes");
        let payload = &PAYLOAD[..usize::from(self.payload)];
        tcp.checksum = tcp.calc_checksum_ipv4_raw(from.0, to.0, payload).expect("at most 65,535 bytes");
        let length = tcp.header_len_u16() + self.payload;
        let mut ip = Ipv4Header::new(length, 64, IpNumber::TCP, from.0, to.0).expect("at most 65,535 bytes");
        ip.dont_fragment = true;
        ip.ecn = match self.ecn {
            (_, true) => IpEcn::CongestionExperienced,
            (true, false) => IpEcn::Ect0,
            (false, false) => IpEcn::NotEct,
        };
        ip.header_checksum = ip.calc_header_checksum();
        let ethernet = Ethernet2Header {
            source: hardware(from.0),
            destination: hardware(to.0),
            ether_type: EtherType::IPV4,
        };
        let mut frame = Frame { bytes: [0; HEADERS], len: 0, payload: self.payload };
        frame.put(&ethernet.to_bytes());
        frame.put(&ip.to_bytes());
        frame.put(&tcp.to_bytes());
        frame
    }
}

/// A locally administered address (IEEE 802).
fn hardware([a, b, c, d]: [u8; 4]) -> [u8; 6] {
    [0x02, 0, a, b, c, d]
}
