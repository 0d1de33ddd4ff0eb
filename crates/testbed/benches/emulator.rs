//! The emulator's effect on traffic, and its cost, as root: `cargo bench -p anabranch-testbed -- [rtt|rate|share|paths] [--quantum
//! MICROSECONDS]`.
//!
//! `rtt`: the round-trip time of single packets on an idle path. `rate`: the most that passes one link. `share`: the
//! share of a processor at 600 Mbit/s. `paths`: one MPTCP connection over 500 Mbit/s × 100 ms and 100 Mbit/s × 20 ms.

use anabranch_net::{LinkSpec, QueueLimit, Time};
use anabranch_scenario::{Path, Tcp};
use anabranch_test_support::host::kernel;
use anabranch_test_support::mptcp::{count, flood};
use anabranch_test_support::namespace::{listener, stream_socket};
use anabranch_testbed::clock::Clock;
use anabranch_testbed::device::dropped_packets;
use anabranch_testbed::emulator::{Emulator, EmulatorOptions, Report, SendingBehaviour};
use anabranch_testbed::netlink::{Endpoint, PathManager, Routes};
use anabranch_testbed::pair::{Pair, RECEIVER, device_name, sender_address};
use rustix::net::sockopt::set_tcp_congestion;
use rustix::net::{AddressFamily, SocketType, bind, connect, ipproto, socket};
use std::net::{Shutdown, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// Data of the packet of 1500 bytes: IP and TCP headers, the timestamp option, and MPTCP's with a mapping (RFC 8684 §3.3).
const PLAIN: f64 = 1500.0 - 52.0;
const MULTIPATH: f64 = PLAIN - 20.0;
/// From when on, and how long, rates are measured.
const WARMUP: Duration = Duration::from_secs(5);
const MEASURED: Duration = Duration::from_secs(10);
/// No call waits longer for a packet.
const LIMIT: Duration = Duration::from_secs(10);

fn main() {
    let mut chosen: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let mut options = EmulatorOptions::default();
    if let Some(at) = chosen.iter().position(|arg| arg == "--quantum") {
        let said = chosen.drain(at..chosen.len().min(at + 2)).nth(1);
        let micros: u64 =
            said.and_then(|number| number.parse().ok()).expect("--quantum wants a number of microseconds");
        options.quantum = Time::from_nanos(micros * 1000);
    }
    let wanted = |part: &str| chosen.is_empty() || chosen.iter().any(|c| c == part);
    if wanted("rtt") {
        [20, 100].into_iter().for_each(|ms| rtt(ms, &options));
    }
    if wanted("rate") {
        bulk("one link of 100 Gbit/s × 1 ms", &[(100e9, 1)], &options);
        for gigabit in [1, 2, 3] {
            bulk(&format!("one link of {gigabit} Gbit/s × 2 ms"), &[(f64::from(gigabit) * 1e9, 2)], &options);
        }
    }
    if wanted("share") {
        bulk("one link of 600 Mbit/s × 20 ms", &[(600e6, 20)], &options);
    }
    if wanted("paths") {
        bulk("MPTCP over 500 Mbit/s × 100 ms and 100 Mbit/s × 20 ms", &[(500e6, 100), (100e6, 20)], &options);
    }
}

/// A link that is half of a round-trip time, with a queue of its product with the rate, at least 1000 packets.
fn link(rate_bps: f64, rtt_ms: u64) -> LinkSpec {
    let bdp = rate_bps * rtt_ms as f64 / 1e3 / 12e3;
    LinkSpec::new(rate_bps, Time::from_nanos(rtt_ms * 500_000), QueueLimit::Packets(bdp.max(1000.0) as u64))
}

/// Hosts with a path over each link, and the emulator between them; `None` if the machine cannot have them.
fn emulated(links: &[LinkSpec], options: &EmulatorOptions) -> Option<(Pair, Emulator)> {
    kernel(&[])?;
    let path = |i| Path { links: vec![i], return_links: Vec::new(), backup: false };
    let paths: Vec<_> = (0..links.len()).map(path).collect();
    let (hosts, ends) = Pair::new(&paths, &Tcp::default()).unwrap();
    let emulator = Emulator::start(links, 1, ends, Clock::starting_in(Duration::ZERO), options).unwrap();
    Some((hosts, emulator))
}

/// A connection: the sender's end, the receiver's, and what further subflows need to join it.
fn connection(hosts: &Pair, paths: usize) -> (TcpStream, TcpStream, TcpListener) {
    let protocol = if paths > 1 { ipproto::MPTCP } else { ipproto::TCP };
    let connected = || {
        for path in 1..paths {
            let device = Routes::open().unwrap().device(&device_name(path)).unwrap();
            let (id, address) = (path as u8 + 1, sender_address(path));
            PathManager::open().unwrap().add(&Endpoint { id, address, device, backup: false }).unwrap();
        }
        let sender = stream_socket(protocol);
        set_tcp_congestion(&sender, "cubic").unwrap();
        bind(&sender, &SocketAddrV4::new(sender_address(0), 0)).unwrap();
        connect(&sender, &RECEIVER).unwrap();
        TcpStream::from(sender)
    };
    let listener = hosts.receiver.run(|| listener(protocol, RECEIVER)).unwrap();
    let sender = hosts.sender.run(connected).unwrap();
    let (receiver, _) = listener.accept().unwrap();
    sender.set_write_timeout(Some(LIMIT)).unwrap();
    receiver.set_read_timeout(Some(LIMIT)).unwrap();
    (sender, receiver, listener)
}

/// How much longer than the model's the round-trip times of ICMP's echoes are, which the receiver's kernel answers.
fn rtt(ms: u64, options: &EmulatorOptions) {
    let Some((hosts, emulator)) = emulated(&[link(1e9, ms)], options) else { return };
    hosts.sender.set("ipv4/ping_group_range", "0 0").unwrap();
    let icmp = || socket(AddressFamily::INET, SocketType::DGRAM, Some(ipproto::ICMP)).unwrap();
    let socket = UdpSocket::from(hosts.sender.run(icmp).unwrap());
    socket.connect((*RECEIVER.ip(), 0)).unwrap();
    let ping = |_| {
        let sent = Instant::now();
        // Type 8; the kernel writes the checksum and the identifier.
        socket.send(&[8, 0, 0, 0, 0, 0, 0, 1]).unwrap();
        socket.recv(&mut [0; 100]).unwrap();
        sent.elapsed().as_secs_f64() * 1e6 - ms as f64 * 1e3
    };
    let mut late: Vec<f64> = (0..400).map(ping).collect();
    late.sort_by(f64::total_cmp);
    let [median, p99, all] = [0.5, 0.99, 1.0].map(|q| late[(q * 399.0) as usize]);
    println!("RTT {ms} ms, idle: longer by {median:.0} µs (p50), {p99:.0} (p99), {all:.0} (all)");
    describe(&emulator.stop().unwrap());
}

/// One connection over all links, and what it attains.
fn bulk(name: &str, links: &[(f64, u64)], options: &EmulatorOptions) {
    let specs: Vec<_> = links.iter().map(|(rate, rtt)| link(*rate, *rtt)).collect();
    let Some((hosts, emulator)) = emulated(&specs, options) else { return };
    for host in [&hosts.sender, &hosts.receiver] {
        for buffer in ["ipv4/tcp_rmem", "ipv4/tcp_wmem"] {
            host.set(buffer, "4096 131072 268435456").unwrap();
        }
    }
    let (sender, receiver, _listener) = connection(&hosts, links.len());
    let received = AtomicU64::new(0);
    let (rate, before) = scope(|scope| {
        scope.spawn(|| flood(&sender));
        scope.spawn(|| count(receiver, &received));
        sleep(WARMUP);
        let before = emulator.snapshot().unwrap();
        let (begin, bytes) = (Instant::now(), received.load(Ordering::Relaxed));
        sleep(MEASURED);
        let bytes = received.load(Ordering::Relaxed) - bytes;
        let rate = bytes as f64 * 8.0 / begin.elapsed().as_secs_f64();
        let _ = sender.shutdown(Shutdown::Both);
        (rate, before)
    });
    let lost: u64 =
        [&hosts.sender, &hosts.receiver].iter().map(|host| host.run(dropped_packets).unwrap().unwrap()).sum();
    let report = emulator.stop().unwrap();
    let payload = if links.len() > 1 { MULTIPATH } else { PLAIN };
    let capacity: f64 = links.iter().map(|(rate, _)| rate * payload / 1500.0).sum();
    println!("{name}: {:.1} Mbit/s, {:.2} % of the payload's rate", rate / 1e6, rate / capacity * 100.0);
    let drops: u64 = before.links.iter().map(|(totals, _)| totals.drops).sum();
    println!("    dropped by links {drops} before, by devices {lost}");
    describe(&report);
}

fn describe(Report { health, manners, end, packets: _ }: &Report) {
    let [median, p99] = [0.5, 0.99].map(|q| health.lateness.quantile(q).unwrap_or(0.0) * 1e6);
    let (share, latest) = (health.cpu_share() * 100.0, health.latest.as_nanos() / 1000);
    println!(
        "    processor {share:.0} %, real-time {}; late by {median:.0} µs (p50), {p99:.0} (p99), {latest} (all); \
         {} refused",
        health.realtime, health.refused,
    );
    for (SendingBehaviour { segments_per_burst, segments_per_ack }, counts) in manners.iter().zip(&end.paths)
    {
        let [burst, ack] = [segments_per_burst, segments_per_ack].map(|tally| tally.mean().unwrap_or(0.0));
        println!("    {} segments, {burst:.1} in a burst, {ack:.1} for an acknowledgement", counts.segments);
    }
}
