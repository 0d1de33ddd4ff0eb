//! Real packets through emulated links.

use anabranch_net::{Discipline, LinkSpec, QueueLimit, Time};
use anabranch_scenario::Path;
use anabranch_test_support::host::kernel;
use anabranch_test_support::pair::{LIMIT, Pair, RECEIVER};
use anabranch_test_support::witness::{held, within};
use anabranch_testbed::emulator::EmulatorOptions;
use std::io::{ErrorKind, Read, Write};
use std::net::UdpSocket;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

fn path(links: &[usize]) -> Path {
    Path { links: links.to_vec(), return_links: Vec::new(), backup: false }
}

fn link(rate_bps: f64, delay_ms: u64, queue: u64) -> LinkSpec {
    LinkSpec::new(rate_bps, Time::from_millis(delay_ms), QueueLimit::Packets(queue))
}

#[test]
fn a_packet_takes_the_delay_there_and_back() {
    // Two links forward, whose delays the way back has together.
    let links = [link(1e9, 4, 10), link(1e9, 6, 10)];
    let Some(pair) = Pair::new(&links, &[path(&[0, 1])], &EmulatorOptions::default()) else { return };
    let echo = pair.receiver.run(|| UdpSocket::bind((RECEIVER, 7)).unwrap()).unwrap();
    let socket = pair.sender.run(|| UdpSocket::bind("10.77.1.1:0").unwrap()).unwrap();
    echo.set_read_timeout(Some(LIMIT)).unwrap();
    socket.set_read_timeout(Some(LIMIT)).unwrap();
    socket.connect((RECEIVER, 7)).unwrap();
    let times = scope(|scope| {
        scope.spawn(|| {
            for _ in 0..50 {
                let mut buffer = [0; 100];
                let (length, from) = echo.recv_from(&mut buffer).unwrap();
                echo.send_to(&buffer[..length], from).unwrap();
            }
        });
        let ping = |i: u8| {
            let sent = Instant::now();
            socket.send(&[i; 40]).unwrap();
            let mut buffer = [0; 100];
            assert_eq!(socket.recv(&mut buffer).unwrap(), 40);
            assert_eq!(buffer[..40], [i; 40]);
            sent.elapsed().as_secs_f64() * 1e3
        };
        let mut times: Vec<f64> = (0..50).map(ping).collect();
        times.sort_by(f64::total_cmp);
        times
    });
    // Of 68 bytes at 1 Gbit/s twice, 1 µs.
    // The others waited for the hosts' threads, which have no priority here.
    assert!((20.001..20.5).contains(&times[0]), "{times:?} ms");
    // Multicast does not belong to the traffic.
    socket.connect("224.0.0.251:7").unwrap();
    socket.send(&[0; 10]).unwrap();
    sleep(Duration::from_millis(20));
    let report = pair.emulator.stop().unwrap();
    assert_eq!(report.health.foreign, 1);
    assert_eq!(report.health.lateness.count(), 100);
    assert_eq!(report.end.links.iter().map(|(totals, _)| totals.delivered).collect::<Vec<_>>(), [50, 50]);
    assert_eq!(report.end.paths[0].segments, 0, "UDP has none");
}

/// The byte at an offset of the stream: a block of a prime length, again and again, so that what is shifted shows.
fn block() -> Vec<u8> {
    (0..65_521u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// Sends for some seconds over TCP, and returns the rate at which data arrives in the last two of them, in bits per second.
fn bulk_rate_bps(pair: &Pair, seconds: f64) -> f64 {
    let (mut sender, mut receiver, _listener) = pair.connect(false);
    let (received, end) = (AtomicU64::new(0), Instant::now() + Duration::from_secs_f64(seconds));
    scope(|scope| {
        scope.spawn(move || {
            let block = block();
            while Instant::now() < end {
                match sender.write_all(&block) {
                    Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
                    written => written.unwrap(),
                }
            }
        });
        scope.spawn(|| {
            let (block, mut buffer, mut at) = (block(), vec![0; 65_536], 0);
            while let Ok(length @ 1..) = receiver.read(&mut buffer) {
                for byte in &buffer[..length] {
                    assert_eq!(*byte, block[at], "of the stream, in a block at {at}");
                    at = (at + 1) % block.len();
                }
                received.fetch_add(length as u64, Ordering::Relaxed);
            }
        });
        sleep(end.saturating_duration_since(Instant::now()).saturating_sub(Duration::from_secs(2)));
        let (begin, before) = (Instant::now(), received.load(Ordering::Relaxed));
        sleep(end.saturating_duration_since(Instant::now()));
        let bytes = received.load(Ordering::Relaxed) - before;
        bytes as f64 * 8.0 / begin.elapsed().as_secs_f64()
    })
}

#[test]
fn tcp_fills_a_link_with_its_data() {
    let Some(()) = kernel(&[]) else { return };
    held(|| {
        let pair = Pair::new(&[link(50e6, 10, 90)], &[path(&[0])], &EmulatorOptions::default()).unwrap();
        let share = bulk_rate_bps(&pair, 3.0) / (50e6 * 1448.0 / 1500.0);
        let report = pair.emulator.stop().unwrap();
        let ((totals, _), counts) = (report.end.links[0], report.end.paths[0]);
        // All but the handshake and acknowledgements of the sender's is data, and each has its outcome.
        assert!(totals.offered - counts.segments < 10, "{totals:?} {counts:?}");
        assert_eq!(totals.drops, counts.dropped_segments);
        assert!(counts.payload_bytes <= counts.segments * 1448);
        assert_eq!(report.health.refused, 0);
        within(
            "segments of an acknowledgement",
            report.manners[0].segments_per_ack.mean().unwrap(),
            1.2..4.0,
        )?;
        within("the payload's rate", share, 0.98..1.005)
    });
}

/// Packets that the host has refused for their IP headers.
fn bad_headers() -> u64 {
    let table = std::fs::read_to_string("/proc/thread-self/net/snmp").unwrap();
    let mut lines = table.lines().filter_map(|line| line.strip_prefix("Ip: "));
    let names = lines.next().unwrap().split(' ');
    let at = names.into_iter().position(|name| name == "InHdrErrors").unwrap();
    lines.next().unwrap().split(' ').nth(at).unwrap().parse().unwrap()
}

#[test]
fn a_link_marks_in_place_of_dropping() {
    let discipline = Discipline::DropTail { ecn_threshold_bytes: Some(60_000) };
    let spec = LinkSpec { discipline, ..link(50e6, 10, 1000) };
    let Some(()) = kernel(&[]) else { return };
    held(|| {
        let pair =
            Pair::new(std::slice::from_ref(&spec), &[path(&[0])], &EmulatorOptions::default()).unwrap();
        for host in [&pair.sender, &pair.receiver] {
            host.set("ipv4/tcp_ecn", "1").unwrap();
        }
        let share = bulk_rate_bps(&pair, 4.0) / (50e6 * 1448.0 / 1500.0);
        let bad = pair.receiver.run(bad_headers).unwrap();
        let (totals, _) = pair.emulator.stop().unwrap().end.links[0];
        assert_eq!((totals.drops, totals.marked > 0), (0, true), "{totals:?}");
        assert_eq!(bad, 0, "packets with a wrong checksum of IP");
        within("the payload's rate", share, 0.9..1.005)
    });
}

#[test]
fn two_emulators_do_not_meet() {
    let spec = || [link(1e8, 5, 10)];
    let Some(one) = Pair::new(&spec(), &[path(&[0]), path(&[0])], &EmulatorOptions::default()) else {
        return;
    };
    let Some(other) = Pair::new(&spec(), &[path(&[0])], &EmulatorOptions::default()) else { return };
    let socket = one.sender.run(|| UdpSocket::bind("10.77.2.1:0").unwrap()).unwrap();
    socket.send_to(&[0; 10], (RECEIVER, 9)).unwrap();
    sleep(Duration::from_millis(50));
    let seen = |pair: &Pair| pair.emulator.snapshot().unwrap().links[0].0.delivered;
    assert_eq!((seen(&one), seen(&other)), (1, 0));
}
