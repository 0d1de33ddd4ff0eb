//! The content of the file, by another reader of the format.

use super::{SCENARIO, captured, scenario};
use anabranch_capture::{Capture, Options};
use anabranch_net::Time;
use anabranch_sim::tap::{PacketKind, Place, SeenPacket, Tap};
use etherparse::{NetHeaders, PacketHeaders, TransportHeader};
use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{Block, PcapBlockOwned, PcapError, PcapNGReader};
use std::collections::{BTreeMap, BTreeSet};

struct Packet {
    interface: u32,
    nanoseconds: u64,
    bytes: Vec<u8>,
    length: u32,
}

fn packets(file: &[u8]) -> (Vec<String>, Vec<Packet>) {
    let mut reader = PcapNGReader::new(1 << 16, file).unwrap();
    let (mut names, mut packets) = (vec![], vec![]);
    loop {
        match reader.next() {
            Ok((offset, PcapBlockOwned::NG(block))) => {
                match block {
                    Block::InterfaceDescription(interface) => {
                        assert_eq!(interface.if_tsresol, 9);
                        names.push(interface.if_name().unwrap().unwrap().to_owned());
                    }
                    Block::EnhancedPacket(packet) => packets.push(Packet {
                        interface: packet.if_id,
                        nanoseconds: u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low),
                        bytes: packet.packet_data().to_vec(),
                        length: packet.origlen,
                    }),
                    Block::SectionHeader(_) => (),
                    other => panic!("{other:?}"),
                }
                reader.consume(offset);
            }
            Ok(_) => panic!("an old format"),
            Err(PcapError::Incomplete(_)) => reader.refill().unwrap(),
            Err(PcapError::Eof) => return (names, packets),
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// Time does not go back; a packet is cut to the requested length; its stated length is IPv4's.
#[test]
fn packets_are_as_long_as_they_say() {
    let scenario = scenario(SCENARIO);
    for snap in [60, Options::default().snap, 262_144] {
        let (_, file) = captured(&scenario, &Options { snap, ..Options::default() });
        let (names, packets) = packets(&file);
        assert_eq!(names, ["mp.1", "mp.2", "single.1"]);
        assert!(packets.is_sorted_by_key(|p| p.nanoseconds));
        for packet in &packets {
            assert_eq!(packet.bytes.len() as u32, packet.length.min(snap));
            let total = u32::from(u16::from_be_bytes([packet.bytes[16], packet.bytes[17]]));
            assert_eq!(packet.length, 14 + total);
        }
    }
}

/// By hand: 8 Mbit/s for 12 s are 12 MB, 8000 packets of 1500 bytes. Each takes a block of 32 bytes and what is kept of it
/// (pcapng §4.3), as does its ACK at a host. Two flows over one link share it.
#[test]
fn a_file_becomes_about_as_large_as_it_is_said() {
    let text = r#"
name = "full"
duration = "12 s"
links.wide = { rate = "1 Gbit/s", delay = "5 ms" }
links.narrow = { rate = "8 Mbit/s", delay = "10 ms" }
flows = [{ name = "a", cc = "reno", paths = [["wide", "narrow"]], count = 2 }]
"#;
    let scenario = scenario(text);
    let headers = Options::default();
    let whole = Options { links: vec![1], snap: 262_144 };
    assert_eq!(headers.most_bytes(&scenario), 8000.0 * f64::from(2 * (32 + 96)));
    assert_eq!(whole.most_bytes(&scenario), 8000.0 * f64::from(32 + 1516));
    for options in [headers, whole] {
        let size = captured(&scenario, &options).1.len() as f64;
        let part = size / options.most_bytes(&scenario);
        assert!((0.6..=1.05).contains(&part), "{part}");
    }
}

/// The model charges a data segment's and an acknowledgement's bytes as the capture has them: only handshakes, and the first
/// segment of a connection, are longer.
#[test]
fn lengths_are_those_of_the_model() {
    let scenario = scenario(SCENARIO);
    let (summary, file) = captured(&scenario, &Options { links: vec![0, 1], snap: 262_144 });
    let (names, packets) = packets(&file);
    assert_eq!(names, ["a", "b"]);
    let mut bytes: BTreeMap<u32, Vec<u16>> = BTreeMap::new();
    for packet in &packets {
        let PacketHeaders {
            net: Some(NetHeaders::Ipv4(ip, _)),
            transport: Some(TransportHeader::Tcp(tcp)),
            ..
        } = PacketHeaders::from_ethernet_slice(&packet.bytes).unwrap_or_else(|why| panic!("{why}"))
        else {
            panic!("not TCP over IPv4")
        };
        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        if !tcp.syn && ip.total_len > 100 {
            bytes.entry(packet.interface).or_default().push(ip.total_len);
        }
    }
    // A full segment: 1448 bytes of payload and 52 of headers, of which MPTCP's option takes 20 from the payload.
    for lengths in bytes.values() {
        assert!(lengths.iter().filter(|l| **l == 1500).count() > lengths.len() * 9 / 10);
        assert!(lengths.iter().all(|l| *l <= 1504));
    }
    let sent: u64 = summary.flows.iter().flat_map(|f| &f.subflows).map(|s| s.sent_segments).sum();
    let captured: usize = bytes.values().map(Vec::len).sum();
    // The ends of subflows and of the data have no payload.
    assert!((sent as usize - captured) <= 8, "{sent} sent, {captured} captured");
}

/// Transfers whose second path is long: most of its packets are of connections that were over when they were on the way.
const SHORT_AND_LONG: &str = r#"
name = "short and long"
duration = "20 s"
links.a = { rate = "50 Mbit/s", delay = "500 us" }
links.b = { rate = "30 Mbit/s", delay = "500 ms" }
links.c = { rate = "30 Mbit/s", delay = "1 ms" }
[[flows]]
name = "web"
cc = "lia"
paths = [["a"], ["b", "c"]]
application = { kind = "arrivals", size = "1 B", interval = "1 ms", count = 1000 }
"#;

/// All packets that the host sends on a path without loss enter its last link.
#[test]
fn packets_of_connections_that_are_over_are_seen_at_links() {
    let scenario = scenario(SHORT_AND_LONG);
    let (_, at_hosts) = captured(&scenario, &Options::default());
    let (_, at_link) = captured(&scenario, &Options { links: vec![2], ..Options::default() });
    let packets_of = |file: &[u8]| -> Vec<Vec<u8>> {
        // From the address of the sender's second path.
        let sent = packets(file).1.into_iter().map(|packet| packet.bytes);
        sent.filter(|bytes| bytes[26..30] == [10, 2, 0, 1]).collect()
    };
    let (sent, entered) = (packets_of(&at_hosts), packets_of(&at_link));
    assert!(sent.len() >= 1000, "{}", sent.len());
    assert!(sent == entered, "{} sent, {} entered the link", sent.len(), entered.len());
}

/// Lives are modulo 2¹⁶.
#[test]
fn a_slot_can_be_used_more_often_than_lives_count() {
    let scenario = scenario(SHORT_AND_LONG);
    let options = Options { links: vec![2], ..Options::default() };
    let mut capture = Capture::new(&scenario, 1, &options, Vec::new()).unwrap();
    let see = |capture: &mut Capture<Vec<u8>>, at: u64, place: Place, life: u16| {
        let at = Time::from_millis(at);
        if place == Place::Sender {
            capture.connection_opens(at, 1, 0, life);
        }
        capture.packet(&SeenPacket {
            at,
            place,
            connection: 1,
            path: 1,
            life,
            kind: PacketKind::Syn,
            joins: false,
            ecn: (false, false),
            echo: (false, false),
            fin: false,
            push: false,
            wire_bytes: 60,
            payload_bytes: 0,
            window: 0,
            segment: 0,
            chunk: 0,
            offset: 0,
            sack: Default::default(),
            sent: at,
            returns: None,
        });
    };
    for (at, life) in [(1, 65_534), (2, 65_535), (3, 0), (4, 1)] {
        see(&mut capture, at, Place::Sender, life);
    }
    // The third is of a connection that nobody has opened.
    for (at, life) in [(5, 65_535), (6, 0), (7, 65_533), (8, 1), (9, 2)] {
        see(&mut capture, at, Place::Link(2), life);
    }
    let (_, found) = packets(&capture.finish().unwrap());
    let times: Vec<u64> = found.iter().map(|packet| packet.nanoseconds / 1_000_000).collect();
    assert_eq!(times, [5, 6, 8]);
    let ports: BTreeSet<&[u8]> = found.iter().map(|packet| &packet.bytes[34..36]).collect();
    assert_eq!(ports.len(), 3);
}
