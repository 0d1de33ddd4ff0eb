//! Captures of packets that a test makes one by one, in the format of `tcpdump -w` (pcap, bare IP).

use etherparse::PacketBuilder;

/// The server's port; clients' ports name subflows.
const PORT: u16 = 5001;
/// Keys of the client and of the server, and the token of the server's (RFC 8684 appendix A has SHA-256 make it).
pub const KEYS: [[u8; 8]; 2] = [[1; 8], [2; 8]];

/// The fields of a packet other than its ports.
#[derive(Clone, Default)]
pub struct Packet {
    pub from_server: bool,
    pub subflow: u16,
    pub sequence: u32,
    pub acknowledged: Option<u32>,
    pub syn: bool,
    pub rst: bool,
    /// MPTCP's option without kind and length.
    pub mptcp: Vec<u8>,
    pub payload: usize,
}

/// A capture, a millisecond between packets.
pub struct Pcap {
    pub bytes: Vec<u8>,
    packets: u32,
}

impl Pcap {
    /// Without packets.
    pub fn new() -> Self {
        let words = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 262_144, 101];
        Pcap { bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(), packets: 0 }
    }

    pub fn add(&mut self, packet: &Packet) {
        let (client, server) = ([10, 0, 0, 1], [10, 0, 0, 2]);
        let port = 40_000 + packet.subflow;
        let (from, to, ports) = match packet.from_server {
            false => (client, server, (port, PORT)),
            true => (server, client, (PORT, port)),
        };
        let mut options = vec![];
        if !packet.mptcp.is_empty() {
            options.extend([30, packet.mptcp.len() as u8 + 2]);
            options.extend(&packet.mptcp);
            options.resize(options.len().next_multiple_of(4), 1);
        }
        let mut tcp = PacketBuilder::ipv4(from, to, 64)
            .tcp(ports.0, ports.1, packet.sequence, 1000)
            .options_raw(&options)
            .unwrap();
        if let Some(acknowledged) = packet.acknowledged {
            tcp = tcp.ack(acknowledged);
        }
        if packet.syn {
            tcp = tcp.syn();
        }
        if packet.rst {
            tcp = tcp.rst();
        }
        let payload = vec![0; packet.payload];
        let mut bytes = vec![];
        tcp.write(&mut bytes, &payload).unwrap();
        let length = bytes.len() as u32;
        let head = [self.packets / 1000, self.packets % 1000 * 1000, length, length];
        self.bytes.extend(head.iter().flat_map(|word| word.to_le_bytes()));
        self.bytes.extend(bytes);
        self.packets += 1;
    }

    /// With the handshake of a connection, whose sequence numbers begin at 0: payload at 1.
    pub fn connected() -> Self {
        let mut pcap = Pcap::new();
        let capable = |keys: &[[u8; 8]]| [&[0x01, 0x01][..], &keys.concat()].concat();
        let syn = Packet { syn: true, mptcp: capable(&[]), ..Packet::default() };
        pcap.add(&syn);
        let answer = Packet { from_server: true, acknowledged: Some(1), mptcp: capable(&KEYS[1..]), ..syn };
        pcap.add(&answer);
        pcap.add(&Packet { sequence: 1, acknowledged: Some(1), mptcp: capable(&KEYS), ..Packet::default() });
        pcap
    }

    /// The handshake of another subflow.
    pub fn join(&mut self, subflow: u16) {
        // The server's token: the upper 32 bits of its key's hash (RFC 8684 §3.2).
        let hash = <sha2::Sha256 as sha2::Digest>::digest(KEYS[1]);
        let mptcp = [&[0x10, 2][..], &hash[..4], &[0; 4]].concat();
        self.add(&Packet { subflow, syn: true, mptcp, ..Packet::default() });
        let mptcp = [&[0x10, 2][..], &[0; 12]].concat();
        let answer =
            Packet { subflow, from_server: true, syn: true, acknowledged: Some(1), ..Packet::default() };
        self.add(&Packet { mptcp, ..answer });
        let mptcp = [&[0x10, 0][..], &[0; 20]].concat();
        self.add(&Packet { subflow, sequence: 1, acknowledged: Some(1), mptcp, ..Packet::default() });
    }

    /// Payload of the client from byte `from` of the subflow, which is byte `data` of the stream, and its ACK with a DATA_ACK.
    pub fn mapped(&mut self, subflow: u16, from: u32, data: u32, payload: usize) {
        self.add(&data_packet(subflow, from, data, payload));
        let end = data + payload as u32;
        self.add(&Packet { mptcp: data_ack(end), ..ack(subflow, from + payload as u32) });
    }
}

/// Payload with a mapping.
pub fn data_packet(subflow: u16, from: u32, data: u32, payload: usize) -> Packet {
    let mptcp = mapping(data, from, payload as u16);
    Packet { subflow, sequence: 1 + from, acknowledged: Some(1), payload, mptcp, ..Packet::default() }
}

/// A DSS that maps bytes from `from` of the subflow to `data` of the stream, numbers of 32 bits.
pub fn mapping(data: u32, from: u32, length: u16) -> Vec<u8> {
    let number = first_number().wrapping_add(data);
    [&[0x20, 0x04][..], &number.to_be_bytes(), &(1 + from).to_be_bytes(), &length.to_be_bytes()].concat()
}

/// The server acknowledges what is before byte `to` of the subflow, without options.
pub fn ack(subflow: u16, to: u32) -> Packet {
    Packet { subflow, from_server: true, sequence: 1, acknowledged: Some(1 + to), ..Packet::default() }
}

/// A DSS that acknowledges what is before byte `to` of the stream.
pub fn data_ack(to: u32) -> Vec<u8> {
    [&[0x20, 0x01][..], &first_number().wrapping_add(to).to_be_bytes()].concat()
}

/// The lower half of the data sequence number of the client's first byte: one behind the initial one (RFC 8684 §3.1).
fn first_number() -> u32 {
    let hash = <sha2::Sha256 as sha2::Digest>::digest(KEYS[0]);
    u32::from_be_bytes(hash[28..].try_into().unwrap()).wrapping_add(1)
}
