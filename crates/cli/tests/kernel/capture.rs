//! `anabranch capture`, of what tcpdump captures of real MPTCP.

use anabranch_record::Summary;
use anabranch_test_support::command::{anabranch, has, scratch};
use anabranch_test_support::lab::{Bottleneck, Lab};
use anabranch_test_support::mptcp::{connection, listener};
use anabranch_test_support::{Kernel, TOOLS, until};
use std::io::{Read, Write, copy, sink};
use std::net::Shutdown;
use std::thread::scope;
use std::time::{Duration, Instant};

const PATHS: [Bottleneck; 2] =
    [Bottleneck { mbit_s: 20.0, queue: 30 }, Bottleneck { mbit_s: 10.0, queue: 20 }];

/// The client sends as much.
const BYTES: u64 = 8 << 20;

/// Sends them, and waits until the server has read all and closed: how long that took.
fn transfer(lab: &Lab) -> Duration {
    let listener = listener(&lab.server, 5201);
    scope(|scope| {
        let server = scope.spawn(|| copy(&mut listener.accept().unwrap().0, &mut sink()).unwrap());
        let start = Instant::now();
        let mut stream = lab.client.run(|| connection(5201).unwrap());
        stream.write_all(&vec![0; BYTES as usize]).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
        assert_eq!(server.join().unwrap(), BYTES);
        start.elapsed()
    })
}

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
    let tools: Vec<&str> = TOOLS.iter().copied().chain(["tcpdump"]).collect();
    let Some(_kernel) = Kernel::lock_with(&tools) else { return };
    let lab = Lab::two_paths(PATHS);
    lab.set_congestion_control("reno");
    let (folder, file) = scratch("run.pcap");
    // A buffer for all of it, so that a busy machine loses no packet.
    let tcpdump =
        format!("tcpdump --immediate-mode -B 32768 -Z root -U -i any -s 128 -w {} tcp", file.display());
    let tcpdump = lab.client.start(&tcpdump);
    until(|| file.metadata().is_ok_and(|file| file.len() >= 24), "tcpdump listens");
    let elapsed = transfer(&lab);
    until(|| !lab.is_connected(), "the connections are over");
    let said = tcpdump.interrupt();
    has(&said, ["\n0 packets dropped by kernel"]);
    let sent_again = tcp_counter(&lab, "RetransSegs");

    let out = folder.path().join("record");
    let said = anabranch(["capture", file.to_str().unwrap(), "--json", "--out", out.to_str().unwrap()]);
    let summary = Summary::from_json(&said.ok()).unwrap();
    assert_eq!(Summary::read(&out.join("summary.json")).unwrap(), summary);
    let [data] = &summary.flows[..] else { panic!("{:?}", summary.flows) };
    assert_eq!(data.delivered_bytes, BYTES);
    assert_eq!(data.subflows.len(), 2, "{data:?}");
    assert!(sent_again > 0);
    assert_eq!(data.retransmitted_segments, sent_again);

    for (subflow, path) in data.subflows.iter().zip(PATHS) {
        // A path holds a queue at most, and what a queue holds takes that long; on a busy machine longer.
        let longest = f64::from(path.queue + 12) * 1514.0 * 8.0 / (path.mbit_s * 1e6);
        let rtt = subflow.mean_rtt_s.unwrap();
        assert!(longest / 5.0 < rtt && rtt < longest * 3.0, "{rtt} s, at most {longest}");
        let rate = subflow.goodput_bps.unwrap() / (path.mbit_s * 1e6);
        assert!((0.1..1.0).contains(&rate), "{rate} of the path's rate");
    }
    // The packets came while the client waited, but for the last ones, and a busy machine wakes it late.
    let rate = BYTES as f64 * 8.0 / elapsed.as_secs_f64();
    let goodput = data.goodput_bps.unwrap();
    assert!((0.7..2.0).contains(&(goodput / rate)), "{goodput} and {rate} bit/s");
    let acks = &summary.capture.unwrap().paths;
    assert!(
        acks.iter().any(|path| path.mean_segments_per_ack.is_some_and(|n| (1.0..4.0).contains(&n))),
        "{acks:?}"
    );
}
