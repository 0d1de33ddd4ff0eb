//! tshark's view of a capture, beside the simulator's record of the run.

use super::{SCENARIO, captured, scenario};
use anabranch_capture::Options;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::Command;

/// The fields of each packet that the filter lets through; nothing where there is no tshark.
fn fields(file: &[u8], filter: &str, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut capture = tempfile::NamedTempFile::new().unwrap();
    capture.write_all(file).unwrap();
    let mut tshark = Command::new("tshark");
    tshark.args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]);
    tshark.args(["-T", "fields", "-Y", filter]);
    fields.iter().for_each(|field| _ = tshark.args(["-e", field]));
    let output = match tshark.arg("-r").arg(capture.path()).output() {
        Ok(output) => output,
        Err(error) => {
            // `make test` installs it where it requires the kernel.
            let required = std::env::var("ANABRANCH_REQUIRE_KERNEL").is_ok_and(|value| value == "1");
            assert!(!required, "tshark does not start ({error}), and must be there");
            eprintln!("skipped: tshark does not start ({error})");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

fn whole() -> Options {
    Options { snap: 262_144, ..Options::default() }
}

/// No malformed packet, no bad checksum; each subflow belongs to the connection that it joined, which takes the token.
#[test]
fn it_finds_nothing_wrong() {
    let (_, file) = captured(&scenario(SCENARIO), &whole());
    let wrong = "_ws.malformed || tcp.checksum.status != 1 || ip.checksum.status != 1 || tcp.analysis.ack_lost_segment";
    let Some(found) = fields(&file, wrong, &["frame.number", "_ws.expert.message"]) else { return };
    assert!(found.is_empty(), "{found:?}");

    let streams = fields(&file, "tcp.len > 0", &["tcp.stream", "mptcp.stream", "ip.src"]).unwrap();
    let streams: BTreeSet<_> = streams.into_iter().collect();
    let seen: Vec<_> = streams.iter().map(|s| s.iter().map(String::as_str).collect::<Vec<_>>()).collect();
    // The first subflow, the single-path flow, and two lives of the second subflow.
    assert_eq!(seen.iter().filter(|s| s[1] == "0").count(), 3, "{seen:?}");
    assert_eq!(seen.iter().filter(|s| s[1].is_empty()).count(), 1, "{seen:?}");
}

/// The first segment is lost, so the ACKs of those behind it echo the SYN (RFC 7323 §4.3), sent 3.5 s after the capture's origin.
#[test]
fn it_sees_the_syn_echoed_before_data() {
    let (_, file) = captured(&scenario(FIRST_IS_LOST), &whole());
    let filter = "tcp.srcport == 5001 && tcp.flags.syn == 0 && tcp.ack == 1";
    let Some(echoes) = fields(&file, filter, &["tcp.options.timestamp.tsecr"]) else { return };
    let sent = ((1 << 20) + 3500).to_string();
    assert!(!echoes.is_empty() && echoes.iter().all(|echo| *echo == [sent.as_str()]), "{echoes:?}");
}

const FIRST_IS_LOST: &str = r#"
name = "first segment lost"
duration = "5 s"
variation = { start_offset = "0 s" }
links.a = { rate = "10 Mbit/s", delay = "10 ms", loss = { model = "listed", packets = [1] } }
flows = [{ name = "f", cc = "reno", start = "3.5 s", paths = [["a"]] }]
"#;

/// Segments, retransmissions and bytes by addresses, counted by their sequence numbers.
#[test]
fn it_counts_what_the_record_counts() {
    let (summary, file) = captured(&scenario(SCENARIO), &whole());
    let wanted = ["ip.src", "tcp.srcport", "tcp.seq_raw", "tcp.len", "tcp.flags.fin"];
    let Some(packets) =
        fields(&file, "tcp.dstport == 5001 && tcp.flags.syn == 0 && tcp.flags.reset == 0", &wanted)
    else {
        return;
    };
    let mut sent: BTreeMap<String, (u64, u64, u64)> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for packet in packets {
        let [source, port, sequence, length, fin] = &packet[..] else { panic!("{packet:?}") };
        let length: u64 = length.parse().unwrap();
        if length > 0 {
            let (segments, again, bytes) = sent.entry(source.clone()).or_default();
            *segments += 1;
            let first = known.insert((source.clone(), port.clone(), sequence.clone(), length, fin.clone()));
            *again += u64::from(!first);
            *bytes += if first { length } else { 0 };
        }
    }
    let subflows = summary.flows.iter().flat_map(|flow| &flow.subflows);
    let expected: Vec<(u64, u64)> = subflows.map(|s| (s.sent_segments, s.retransmitted_segments)).collect();
    let found: Vec<(u64, u64)> = ["10.1.0.1", "10.2.0.1", "10.1.0.2"]
        .iter()
        .map(|source| (sent[*source].0, sent[*source].1))
        .collect();
    assert_eq!(found, expected);
    // The single-path flow's bytes are its megabyte. The connection sent on another path what the removed one had not delivered.
    assert_eq!(sent["10.1.0.2"].2, 1_000_000);
    let connection = sent["10.1.0.1"].2 + sent["10.2.0.1"].2;
    let again = summary.flows[0].reinjected_segments * 1500;
    assert!((6_000_000..=6_000_000 + again).contains(&connection), "{connection}");
}

/// Data is acknowledged in the connection to its last byte and the DATA_FIN behind it.
#[test]
fn the_stream_is_acknowledged_to_its_end() {
    let (_, file) = captured(&scenario(SCENARIO), &Options::default());
    let Some(acks) = fields(&file, "mptcp.stream == 0 && tcp.srcport == 5001", &["mptcp.ack"]) else {
        return;
    };
    let highest = acks.iter().filter_map(|ack| ack[0].parse::<u64>().ok()).max();
    assert_eq!(highest, Some(1 + 6_000_000 + 1));
}

/// The options that hosts exchange at the scenario's changes.
#[test]
fn it_sees_priority_addresses_and_resets() {
    let (_, file) = captured(&scenario(SCENARIO), &Options::default());
    let wanted = ["tcp.options.mptcp.subtype", "ip.src", "frame.comment"];
    let Some(said) = fields(&file, "tcp.options.mptcp.subtype in {3, 4, 5, 8}", &wanted) else { return };
    let said: Vec<(&str, &str, bool)> =
        said.iter().map(|s| (&*s[0], &*s[1], s[2].contains("applies it at once"))).collect();
    let expected = [
        ("5", "10.2.0.1", true),
        ("5", "10.2.0.1", true),
        ("4", "10.1.0.1", true),
        ("8", "10.2.0.1", true),
        ("3", "10.1.0.1", true),
    ];
    assert_eq!(said, expected);
}

/// Transfers that open connections of their own: each has ports and keys of its own, though their places are used again.
#[test]
fn each_transfer_is_a_connection() {
    let transfers = r#"
name = "transfers"
duration = "20 s"
links.a = { rate = "50 Mbit/s", delay = "2 ms" }
links.b = { rate = "30 Mbit/s", delay = "40 ms" }
flows = [{ name = "web", cc = "lia", paths = [["a"], ["b"]],
  application = { kind = "arrivals", size = "60 kB", interval = "50 ms", count = 100 } }]
"#;
    let (summary, file) = captured(&scenario(transfers), &whole());
    assert_eq!(summary.flows[0].completion.as_ref().map(|c| c.count), Some(100));
    let wrong = "_ws.malformed || tcp.checksum.status != 1 || tcp.analysis.ack_lost_segment || tcp.analysis.reused_ports";
    let Some(found) = fields(&file, wrong, &["frame.number", "_ws.expert.message"]) else { return };
    assert!(found.is_empty(), "{found:?}");
    let opened =
        fields(&file, "tcp.flags.syn == 1 && tcp.flags.ack == 1", &["tcp.dstport", "ip.dst"]).unwrap();
    let first: BTreeSet<_> = opened.iter().filter(|s| s[1].starts_with("10.1.")).collect();
    assert_eq!((first.len(), opened.iter().filter(|s| s[1].starts_with("10.1.")).count()), (100, 100));
    let data = fields(&file, "tcp.len > 0", &["mptcp.stream", "tcp.len"]).unwrap();
    let mut bytes: BTreeMap<&str, u64> = BTreeMap::new();
    for row in &data {
        *bytes.entry(&row[0]).or_default() += row[1].parse::<u64>().unwrap();
    }
    // Nothing is lost here: what the streams carry is what was sent, once.
    assert_eq!(bytes.len(), 100);
    assert!(bytes.values().all(|bytes| *bytes == 60_000), "{bytes:?}");
}

/// What a request acknowledges is what the subflow had delivered when it arrived: at the hosts, numbers never go back where nothing overtakes.
#[test]
fn requests_acknowledge_what_came() {
    let requests = r#"
name = "requests"
duration = "3 s"
links.a = { rate = "10 Mbit/s", delay = "10 ms" }
flows = [{ name = "web", cc = "reno", paths = [["a"]],
  application = { kind = "request-response", size = "15 kB", think = "150 ms" } }]
"#;
    let (_, file) = captured(&scenario(requests), &Options::default());
    let from_server = "tcp.srcport == 5001 && tcp.flags.syn == 0";
    let Some(acks) = fields(&file, from_server, &["tcp.ack", "tcp.flags"]) else { return };
    assert!(acks.iter().filter(|ack| ack[1] == "0x0018").count() > 10, "requests");
    assert!(acks.iter().map(|ack| ack[0].parse::<u64>().unwrap()).is_sorted());
}
