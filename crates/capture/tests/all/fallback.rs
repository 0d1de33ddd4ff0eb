//! Connections of Linux 6.18 that fell back to TCP, as `tests/fallbacks/make.py` captured them: 30,000 bytes each, in three pieces.
//! Segments that this kernel does not send are made packet by packet.

use crate::packets::{Packet, Pcap, ack, data_ack, data_packet, mapping};
use crate::read_back;
use anabranch_capture::ReadError;
use anabranch_record::{Fallback, FallbackSign, Summary};
use std::fs;
use std::path::PathBuf;

/// The data that the script's client sends and its server reads.
const BYTES: u64 = 30_000;

fn read_fixture(name: &str, tcp: bool) -> Result<Summary, ReadError> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fallbacks/{name}.pcap"));
    let file = fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read_back(file, tcp)
}

/// MPTCP is what both SYNs have (RFC 8684 §3.1).
#[test]
fn an_answer_without_mptcp_makes_a_tcp_connection() {
    for name in ["listener-without-mptcp", "stripped-on-syn", "stripped-on-syn-ack-client"] {
        let why = read_fixture(name, false);
        assert!(matches!(why, Err(ReadError::NoMptcp { tcp: 1, refused: 1, .. })), "{name}: {why:?}");
        let summary = read_fixture(name, true).unwrap();
        let [flow] = &summary.flows[..] else { panic!("{name}: {:?}", summary.flows) };
        assert!(flow.name.starts_with("tcp-"), "{name}: {}", flow.name);
        assert_eq!(flow.delivered_bytes, BYTES, "{name}");
        let read = summary.capture.unwrap();
        assert_eq!((read.refused, read.fallbacks.len()), (1, 0), "{name}");
    }
}

/// Options that are lost behind the handshake, as either host sees it (RFC 8684 §3.7).
#[test]
fn a_fallback_behind_the_handshake_counts_all_bytes_and_is_named() {
    for (name, sign) in [
        ("stripped-on-syn-ack-server", FallbackSign::NoOptions),
        ("stripped-on-data-client", FallbackSign::NoOptions),
        ("stripped-on-data-server", FallbackSign::NoOptions),
        ("changed-payload-client", FallbackSign::Fail),
        ("changed-payload-server", FallbackSign::Fail),
    ] {
        let summary = read_fixture(name, false).unwrap();
        let [flow] = &summary.flows[..] else { panic!("{name}: {:?}", summary.flows) };
        assert!(flow.name.starts_with("mptcp-"), "{name}: {}", flow.name);
        assert_eq!((flow.delivered_bytes, flow.reinjected_segments), (BYTES, 0), "{name}");
        assert!(flow.goodput_bps.unwrap() > 0.0, "{name}");
        let fallbacks = &summary.capture.unwrap().fallbacks;
        let [fallback] = &fallbacks[..] else { panic!("{name}: {fallbacks:?}") };
        assert_eq!((&fallback.flow, fallback.sign), (&flow.name, sign), "{name}");
        // The first piece of the data shows it; with changed payload the second piece, 0.2 s later.
        let begins = if sign == FallbackSign::Fail { 0.2 } else { 0.0 };
        assert!((begins..begins + 0.2).contains(&fallback.at_s), "{name}: {} s", fallback.at_s);
    }
}

#[test]
fn without_a_fallback_there_is_none() {
    let summary = read_fixture("no-fallback", true).unwrap();
    assert_eq!(summary.flows[0].delivered_bytes, BYTES);
    let read = summary.capture.unwrap();
    assert_eq!((read.refused, read.fallbacks), (0, vec![]));
}

fn read_packets(pcap: &Pcap) -> Summary {
    read_back(&*pcap.bytes, false).unwrap()
}

/// The bytes delivered, and time and sign of each fallback.
fn found(pcap: &Pcap) -> (u64, Vec<(f64, FallbackSign)>) {
    let summary = read_packets(pcap);
    let fallbacks = summary.capture.unwrap().fallbacks;
    (
        summary.flows[0].delivered_bytes,
        fallbacks.iter().map(|Fallback { at_s, sign, .. }| (*at_s, *sign)).collect(),
    )
}

/// 3000 bytes of a connection with MPTCP; the next packet is its sixth, 5 ms after the first.
fn connected() -> Pcap {
    let mut pcap = Pcap::connected();
    pcap.mapped(0, 0, 0, 3000);
    pcap
}

/// A reset, a fast close and MP_TCPRST have no DSS (RFC 8684 §3.5, §3.6), and acknowledge what came before them.
#[test]
fn a_reset_that_acknowledges_is_no_fallback() {
    let fast_close = [&[0x70, 0][..], &[1; 8]].concat();
    for (rst, mptcp) in
        [(true, vec![]), (true, vec![0x80, 0]), (true, fast_close.clone()), (false, fast_close)]
    {
        let mut pcap = connected();
        pcap.add(&data_packet(0, 3000, 3000, 1000));
        pcap.add(&Packet { rst, mptcp: mptcp.clone(), ..ack(0, 4000) });
        assert_eq!(found(&pcap), (3000, vec![]), "{rst}, {mptcp:?}");
    }
    let mut pcap = connected();
    pcap.add(&data_packet(0, 3000, 3000, 1000));
    pcap.add(&ack(0, 4000));
    assert_eq!(found(&pcap), (4000, vec![(0.006, FallbackSign::NoOptions)]));
}

/// Segments in flight when the receiver sent MP_FAIL still have mappings.
#[test]
fn mappings_in_flight_do_not_deny_mp_fail() {
    let mut pcap = connected();
    pcap.add(&data_packet(0, 3000, 3000, 1000));
    let fail = [&[0x60, 0][..], &[0; 8]].concat();
    pcap.add(&Packet { mptcp: fail, ..ack(0, 3000) });
    pcap.add(&data_packet(0, 4000, 4000, 1000));
    pcap.add(&Packet { mptcp: data_ack(3000), ..ack(0, 4000) });
    pcap.add(&Packet { mptcp: vec![], ..data_packet(0, 5000, 5000, 1000) });
    pcap.add(&ack(0, 6000));
    assert_eq!(found(&pcap), (6000, vec![(0.006, FallbackSign::Fail)]));
}

/// A mapping of length 0 (RFC 8684 §3.7), and the last DATA_ACKs of the other host behind it.
#[test]
fn an_infinite_mapping_is_named() {
    let mut pcap = connected();
    pcap.add(&Packet { mptcp: mapping(3000, 3000, 0), ..data_packet(0, 3000, 3000, 1000) });
    pcap.add(&Packet { mptcp: data_ack(3000), ..ack(0, 4000) });
    pcap.add(&Packet { mptcp: vec![], ..data_packet(0, 4000, 4000, 1000) });
    pcap.add(&ack(0, 5000));
    assert_eq!(found(&pcap), (5000, vec![(0.005, FallbackSign::InfiniteMapping)]));
}

/// With another subflow MP_FAIL resets its own (RFC 8684 §3.7).
#[test]
fn mp_fail_on_one_of_two_subflows_is_no_fallback() {
    let mut pcap = connected();
    pcap.join(1);
    pcap.mapped(1, 0, 3000, 1000);
    pcap.add(&Packet { mptcp: [&[0x60, 0][..], &[0; 8]].concat(), ..ack(1, 1000) });
    pcap.add(&Packet { rst: true, ..ack(1, 1000) });
    pcap.mapped(0, 3000, 4000, 1000);
    let summary = read_packets(&pcap);
    assert_eq!(summary.flows[0].subflows.len(), 2);
    assert_eq!(found(&pcap), (5000, vec![]));
}

/// The second subflow dies with 1000 bytes under way; the first sends these again, and falls back: each byte counts once.
#[test]
fn a_fallback_after_another_subflow_died_counts_each_byte_once() {
    let mut pcap = connected();
    pcap.join(1);
    pcap.mapped(1, 0, 3000, 500);
    pcap.add(&data_packet(1, 500, 3500, 1000));
    pcap.mapped(0, 3000, 3500, 1000);
    pcap.add(&Packet { mptcp: mapping(4500, 4000, 0), ..data_packet(0, 4000, 4500, 700) });
    pcap.add(&ack(0, 4700));
    let (delivered, fallbacks) = found(&pcap);
    assert_eq!((delivered, fallbacks.len(), fallbacks[0].1), (5200, 1, FallbackSign::InfiniteMapping));
    assert_eq!(read_packets(&pcap).flows[0].reinjected_segments, 1);
}
