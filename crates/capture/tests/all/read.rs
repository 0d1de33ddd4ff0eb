//! Captures that are read: our own beside the simulator's record, and files that are not captures.

use super::packets::{KEYS, Packet, Pcap, ack, data_ack, data_packet};
use super::{SCENARIO, captured, options_of_reading, read_back, scenario};
use anabranch_capture::{Options, ReadError};
use anabranch_record::{MemorySink, SubflowSummary, Summary, Tokens};
use sha2::Digest;
use std::io::{self, Read};

/// Bytes, retransmitted segments, reinjections, and the RTT that the sender measured.
#[test]
fn the_record_is_the_simulators() {
    let (simulated, file) = captured(&scenario(SCENARIO), &Options::default());
    let mut found = read_back(&*file, true).unwrap();
    // In a capture the first packet comes first, not the first flow of the scenario.
    found.flows.sort_by_key(|flow| flow.name.starts_with("tcp"));
    assert_eq!(found.flows.len(), 2);
    let fallbacks = &found.capture.as_ref().unwrap().fallbacks;
    assert!(fallbacks.is_empty(), "two subflows, of which one leaves and joins again: {fallbacks:?}");
    for (simulated, found) in simulated.flows.iter().zip(&found.flows) {
        assert_eq!(found.delivered_bytes, simulated.delivered_bytes);
        assert_eq!(found.retransmitted_segments, simulated.retransmitted_segments);
        assert_eq!(found.reinjected_segments, simulated.reinjected_segments);
    }
    // The second subflow has two lives, which are two TCP connections.
    let [simulated, found] = [&simulated, &found].map(|s| &s.flows[0].subflows);
    assert_eq!((simulated.len(), found.len()), (2, 3));
    let sent: u64 = found.iter().map(|s| s.sent_segments).sum();
    let expected: u64 = simulated.iter().map(|s| s.sent_segments).sum();
    // One full packet has four bytes of options more than the others, and is taken for two segments.
    assert_eq!(sent, expected + 1, "segments with payload");
    let [a, b] = [&simulated[0], &found[0]].map(|s| s.mean_rtt_s.unwrap());
    assert!((a / b - 1.0).abs() < 0.1, "{a} s, {b} s");
}

/// The first subflow retransmits data before and after its DATA_ACK. Only the 1000 bytes that another subflow repeats are reinjected.
#[test]
fn a_retransmission_is_not_a_reinjection() {
    let mut pcap = Pcap::connected();
    pcap.join(1);
    pcap.add(&data_packet(0, 0, 0, 1000));
    pcap.add(&data_packet(1, 0, 0, 1000));
    pcap.add(&data_packet(1, 0, 0, 1000));
    pcap.add(&Packet { mptcp: data_ack(1000), ..ack(1, 1000) });
    pcap.mapped(0, 0, 0, 1000);
    let flow = &read_back(&*pcap.bytes, true).unwrap().flows[0];
    assert_eq!((flow.retransmitted_segments, flow.reinjected_segments), (2, 1));
}

/// One rule for `rtt` and one for `srtt`, here and in the simulator: with ACKs that are delayed, compressed and lost, and segments
/// retransmitted. Percentiles share their buckets; those of the smoothed RTT may be two apart, since sampling instants differ.
#[test]
fn round_trip_times_are_the_simulators() {
    const QUEUE: &str = r#"
        name = "delayed"
        duration = "20 s"
        warmup = "0 s"
        links.a = { rate = "10 Mbit/s", delay = "10 ms", queue = "1 BDP", loss = { model = "bernoulli", rate = 1e-3 } }
        links.b = { rate = "5 Mbit/s", delay = "20 ms", queue = "1 BDP" }
        links.back = { rate = "10 Mbit/s", delay = "10 ms", loss = { model = "bernoulli", rate = 2e-2 } }

        [[flows]]
        name = "mp"
        cc = "lia"
        paths = [["a"], ["b"]]
        return = [[], ["back"]]

        [[flows]]
        name = "requests"
        cc = "cubic"
        paths = [["b"]]
        application = { kind = "request-response", size = "15 kB", think = "150 ms" }
    "#;
    for hosts in ["plain", "linux"] {
        let (simulated, file) =
            captured(&scenario(&format!("hosts = \"{hosts}\"\n{QUEUE}")), &Options::default());
        let mut found = read_back(&*file, true).unwrap();
        found.flows.sort_by_key(|flow| flow.name.starts_with("tcp"));
        let subflows =
            |s: &Summary| s.flows.iter().flat_map(|flow| flow.subflows.clone()).collect::<Vec<_>>();
        let pairs = subflows(&simulated).into_iter().zip(subflows(&found));
        for (i, (simulated, found)) in pairs.enumerate() {
            let near = |name: &str, tolerance: f64, of: fn(&SubflowSummary) -> Option<f64>| {
                let [a, b] = [&simulated, &found].map(|subflow| of(subflow).unwrap());
                assert!(
                    (b / a - 1.0).abs() <= tolerance,
                    "{hosts}, subflow {i}: {name} {a} s, in the capture {b} s"
                );
            };
            near("mean RTT", 0.005, |s| s.mean_rtt_s);
            near("p5", 1e-9, |s| s.rtt_p5_s);
            near("p50", 1e-9, |s| s.rtt_p50_s);
            near("p95", 1e-9, |s| s.rtt_p95_s);
            near("p99", 1e-9, |s| s.rtt_p99_s);
            near("mean SRTT", 0.02, |s| s.mean_srtt_s);
            near("SRTT p50", 0.065, |s| s.srtt_p50_s);
            near("SRTT p95", 0.065, |s| s.srtt_p95_s);
        }
    }
}

#[test]
fn samples_end_where_the_summary_does() {
    let (_, file) = captured(&scenario(SCENARIO), &Options::default());
    let mut sink = MemorySink::default();
    let options = options_of_reading(true);
    let summary = anabranch_capture::read(&*file, &options, &mut sink, &mut || true).unwrap();
    let delivered: Vec<f64> =
        sink.flows[0].subflows.iter().map(|s| *s.delivered_bytes.last().unwrap()).collect();
    let sum: f64 = delivered.iter().sum();
    assert!(sum >= summary.flows[0].delivered_bytes as f64, "{sum}");
    assert!(sink.flows[0].subflows[0].time_s.is_sorted());
}

/// Where the `n`-th block of pcapng begins, counted from 0.
fn start_of_block(file: &[u8], n: usize) -> usize {
    let length = |at: usize| u32::from_le_bytes(file[at + 4..at + 8].try_into().unwrap()) as usize;
    (0..n).fold(0, |at, _| at + length(at))
}

#[test]
fn what_cannot_be_read_is_reported() {
    let (_, file) = captured(&scenario(SCENARIO), &Options::default());
    let why = |bytes: &[u8]| read_back(bytes, true).unwrap_err().to_string();
    assert_eq!(why(b""), "the file is empty");
    assert!(why(b"duration = \"12 s\"\n").starts_with("not a capture"));
    assert!(why(&[0; 4000]).starts_with("not a capture"));
    let only_headers = read_back(&file[..28], true);
    assert!(only_headers.is_err());
    // A packet behind others; its time's upper half is 12 bytes in.
    let mut backwards = file.clone();
    backwards[start_of_block(&file, 6) + 12] = 9;
    let back = why(&backwards);
    assert!(back.contains("ms earlier than the one before it"), "{back}");
}

/// As tcpdump that is killed, or a full disk, leaves it: tshark reads the whole packets and warns, and so does this.
#[test]
fn a_last_packet_that_is_cut_off_is_left_out() {
    let (_, file) = captured(&scenario(SCENARIO), &Options::default());
    let whole = read_back(&*file, true).unwrap();
    let packets = |summary: &Summary| summary.capture.as_ref().map(|c| (c.packets, c.cut_off)).unwrap();
    assert!(!packets(&whole).1);
    for cut in [1, 5, 60] {
        let summary = read_back(&file[..file.len() - cut], true).unwrap();
        assert_eq!(packets(&summary), (packets(&whole).0 - 1, true));
        // The last packets are the ends of subflows.
        assert_eq!(summary.flows[0].delivered_bytes, whole.flows[0].delivered_bytes);
    }
    // The second packet is whole where 400 bytes are not enough for it.
    assert!(matches!(read_back(&file[..300], true), Err(ReadError::CutOff | ReadError::NoMptcp { .. })));
}

/// The same of `tcpdump -w`: a header of 24 bytes, and 16 before each packet.
#[test]
fn a_pcap_that_is_cut_off_is_read_to_the_packet_before() {
    let file = include_bytes!("../fallbacks/no-fallback.pcap");
    let count =
        |bytes: &[u8]| read_back(bytes, true).map(|s| s.capture.map(|c| (c.packets, c.cut_off)).unwrap());
    let (mut at, mut starts) = (24, vec![]);
    while at < file.len() {
        starts.push(at);
        at += 16 + u32::from_le_bytes(file[at + 8..at + 12].try_into().unwrap()) as usize;
    }
    let packets = starts.len() as u64;
    assert_eq!(count(file).unwrap(), (packets, false));
    let last = *starts.last().unwrap();
    for end in [file.len() - 1, last + 17, last + 16, last + 1] {
        assert_eq!(count(&file[..end]).unwrap(), (packets - 1, true), "{end} bytes");
    }
    assert_eq!(count(&file[..last]).unwrap(), (packets - 1, false));
    assert!(matches!(count(&file[..30]), Err(ReadError::CutOff)));
}

/// Answers each `read` with that many bytes at most, as a pipe does.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let most = self.1.min(room.len());
        self.0.read(&mut room[..most])
    }
}

/// Packets of 64 kB, longer than a pipe's answers.
#[test]
fn a_pipe_is_read_to_its_end() {
    let mut pcap = Pcap::connected();
    (0..20).for_each(|i| pcap.mapped(0, i * 65_000, i * 65_000, 65_000));
    for most in [7, 100, 4096, 65_536, 1 << 20] {
        let read = read_back(Pieces(&pcap.bytes, most), true).unwrap();
        assert_eq!(read.flows[0].delivered_bytes, 20 * 65_000, "{most} bytes at a time");
        assert_eq!(read.capture.map(|c| (c.packets, c.cut_off)), Some((43, false)), "{most} bytes at a time");
    }
}

/// A block of 3 MB between packets: pcapng's comments, names and secrets can be long. One of 64 MB is a defect, as libpcap says.
#[test]
fn a_long_block_drops_no_packet() {
    let (_, file) = captured(&scenario(SCENARIO), &Options::default());
    let packets = |file: &[u8]| read_back(file, true).map(|s| s.capture.unwrap().packets);
    let at = start_of_block(&file, 10);
    let with = |length: u32| {
        let [kind, length_] = [0x0bad_u32, length].map(u32::to_le_bytes);
        let body = vec![0; length as usize - 12];
        [&file[..at], &kind, &length_, &body, &length_, &file[at..]].concat()
    };
    assert_eq!(packets(&with(3 << 20)).unwrap(), packets(&file).unwrap());
    assert!(matches!(packets(&with(64 << 20)), Err(ReadError::Broken { packets: 6.. })));
}

#[test]
fn without_mptcp_there_is_no_record_unless_asked_for() {
    let single = SCENARIO.split("[[flows]]").enumerate().filter(|(i, _)| *i != 1).map(|(_, part)| part);
    let text = single.collect::<Vec<_>>().join("[[flows]]");
    let (_, file) = captured(&scenario(&text), &Options::default());
    let refused = read_back(&*file, false);
    assert!(
        matches!(refused, Err(ReadError::NoMptcp { tcp: 1, refused: 0, late: 0, packets: 1000.. })),
        "{refused:?}"
    );
    assert_eq!(read_back(&*file, true).unwrap().flows[0].delivered_bytes, 1_000_000);
}

/// `ss -M` at either end shows its own token: the first four bytes of its key's SHA-256 (RFC 8684 §3.2).
#[test]
fn both_tokens_are_recorded() {
    let mut pcap = Pcap::connected();
    pcap.mapped(0, 0, 0, 3000);
    let capture = read_back(&*pcap.bytes, true).unwrap().capture.unwrap();
    let [client, server] = KEYS.map(|key| {
        sha2::Sha256::digest(key)[..4].iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    });
    assert_eq!(capture.tokens, [Tokens { flow: format!("mptcp-{server}"), client, server }]);
}

/// A capture that began after the connection, and one that has nothing.
#[test]
fn what_a_capture_lacks_is_named() {
    let mut pcap = Pcap::new();
    let none = read_back(&*pcap.bytes, false);
    let help = |error: &ReadError| error.help().unwrap_or_default();
    assert!(none.is_err_and(
        |why| matches!(why, ReadError::NoMptcp { packets: 0, .. }) && help(&why).contains("port")
    ));
    pcap.mapped(0, 0, 0, 3000);
    pcap.mapped(0, 3000, 3000, 3000);
    let why = read_back(&*pcap.bytes, false).unwrap_err();
    assert!(matches!(why, ReadError::NoMptcp { late: 1, refused: 0, .. }), "{why:?}");
    assert!(
        why.to_string().contains("began before it: 1") && help(&why).contains("before the connection opens"),
        "{why}"
    );
}

proptest::proptest! {
    /// Whatever a file has, nothing panics.
    #[test]
    fn changed_bytes_are_no_defect(changes in proptest::collection::vec((0usize..60_000, 0u8..), 1..20)) {
        static FILE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let mut file = FILE.get_or_init(|| captured(&scenario(SCENARIO), &Options::default()).1[..60_000].to_vec()).clone();
        changes.into_iter().for_each(|(at, byte)| file[at] = byte);
        let _ = read_back(&*file, true);
    }
}
