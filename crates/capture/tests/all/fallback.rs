//! Connections of Linux 6.18 that fell back to TCP, as `tests/fallbacks/make.py` captured them: 30,000 bytes each, in three parts.

use anabranch_capture::{ReadError, ReadOptions, read};
use anabranch_record::{FallbackSign, NoSamples, Summary};
use std::fs;
use std::path::PathBuf;

/// What the script's client sends, and its server reads.
const BYTES: u64 = 30_000;

fn read_fixture(name: &str, tcp: bool) -> Result<Summary, ReadError> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fallbacks/{name}.pcap"));
    let file = fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let options = ReadOptions { name: name.into(), interval: 100_000_000, tcp };
    read(file, &options, &mut NoSamples, &mut |_| true)
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
        // The first part of the data shows it; of changed payload the second, 0.2 s later.
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
