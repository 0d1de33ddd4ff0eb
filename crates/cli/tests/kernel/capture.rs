//! `anabranch capture`, of what tcpdump captures of real MPTCP.

use crate::cli::anabranch;
use crate::common::Kernel;
use crate::support::lab::{Bottleneck, Lab, SERVER};
use crate::support::{TOOLS, until};
use anabranch_record::Summary;

const PATHS: [Bottleneck; 2] =
    [Bottleneck { mbit_s: 20.0, queue: 30 }, Bottleneck { mbit_s: 10.0, queue: 20 }];

/// iperf3 sends that much, behind a cookie of 37 bytes.
const BYTES: u64 = 8 << 20;
const COOKIE: u64 = 37;

/// A counter of a namespace's TCP, as its `/proc/net/snmp` has it.
fn tcp_counter(lab: &Lab, name: &str) -> u64 {
    let all = lab.client.command("cat /proc/net/snmp");
    let mut lines = all.lines().filter(|line| line.starts_with("Tcp:")).map(str::split_whitespace);
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    let found = names.zip(values).find(|(n, _)| *n == name);
    found.unwrap_or_else(|| panic!("no {name} in {all}")).1.parse().unwrap()
}

#[test]
fn the_record_is_what_the_hosts_counted() {
    let tools: Vec<&str> = TOOLS.iter().copied().chain(["tcpdump", "timeout"]).collect();
    let Some(_kernel) = Kernel::lock_with(&tools) else { return };
    let lab = Lab::two_paths(PATHS);
    lab.set_congestion_control("reno");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.pcap");
    let tcpdump = format!("timeout 9 tcpdump -Z root -U -i any -s 128 -w {} tcp", file.display());
    let tcpdump = lab.client.start(&tcpdump);
    until(|| file.metadata().is_ok_and(|file| file.len() >= 24), "tcpdump listens");
    let server = lab.server.start("mptcpize run iperf3 -s -1 -p 5201");
    until(|| !lab.server.command("ss -Htln sport = 5201").is_empty(), "iperf3 listens");
    lab.client.command(&format!("mptcpize run iperf3 -c {SERVER} -p 5201 -n {BYTES}"));
    server.end().unwrap();
    // It ends by the signal of `timeout`, with another status.
    let _ = tcpdump.end();
    let sent_again = tcp_counter(&lab, "RetransSegs");

    let out = folder.path().join("record");
    let said = anabranch(["capture", file.to_str().unwrap(), "--json", "--out", out.to_str().unwrap()]);
    let summary = Summary::from_json(&said.ok()).unwrap();
    assert_eq!(Summary::read(&out.join("summary.json")).unwrap(), summary);
    // The control connection, and the one with data.
    assert_eq!(summary.flows.len(), 2);
    let data = summary.flows.iter().max_by_key(|flow| flow.delivered_bytes).unwrap();
    assert_eq!(data.delivered_bytes, BYTES + COOKIE);
    assert_eq!(data.subflows.len(), 2, "{data:?}");
    let counted: u64 = summary.flows.iter().map(|flow| flow.retransmitted_segments).sum();
    assert!(sent_again > 0);
    assert_eq!(counted, sent_again);

    // A path holds a queue at most, and what a queue holds takes that long.
    for (subflow, path) in data.subflows.iter().zip(PATHS) {
        let longest = f64::from(path.queue + 12) * 1514.0 * 8.0 / (path.mbit_s * 1e6);
        let rtt = subflow.mean_rtt_s.unwrap();
        assert!(longest / 5.0 < rtt && rtt < longest, "{rtt} s, at most {longest}");
        // Goodput is of the whole connection, its handshake and end included.
        let rate = subflow.goodput_bps.unwrap() / (path.mbit_s * 1e6);
        assert!((0.6..1.0).contains(&rate), "{rate} of the path's rate");
    }
    let acks = &summary.capture.unwrap().paths;
    assert!(
        acks.iter().any(|path| path.mean_segments_per_ack.is_some_and(|n| (1.0..4.0).contains(&n))),
        "{acks:?}"
    );
}
