//! Real packets through emulated links.

use crate::traffic::{Running, scenario, start};
use anabranch_net::{Discipline, LinkSpec, QueueLimit, Time};
use anabranch_scenario::{Path, Scenario, Tcp};
use anabranch_test_support::host::kernel;
use anabranch_test_support::witness::{held, within};
use anabranch_testbed::clock::Clock;
use anabranch_testbed::counter;
use anabranch_testbed::emulator::{Emulator, EmulatorOptions};
use anabranch_testbed::pair::{Pair, RECEIVER};
use std::net::UdpSocket;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// No test waits longer for a packet.
const LIMIT: Duration = Duration::from_secs(10);

fn link(rate_bps: f64, delay_ms: u64, queue: u64) -> LinkSpec {
    LinkSpec::new(rate_bps, Time::from_millis(delay_ms), QueueLimit::Packets(queue))
}

/// Hosts with a path over each of these lists of links, and the emulator between them.
fn emulated(links: &[LinkSpec], paths: &[&[usize]]) -> (Pair, Emulator) {
    let path = |links: &&[usize]| Path { links: links.to_vec(), return_links: Vec::new(), backup: false };
    let (hosts, ends) = Pair::new(&paths.iter().map(path).collect::<Vec<_>>(), &Tcp::default()).unwrap();
    let (clock, options) = (Clock::starting_in(Duration::ZERO), EmulatorOptions::default());
    (hosts, Emulator::start(links, 1, ends, clock, &options).unwrap())
}

#[test]
fn a_packet_takes_the_delay_there_and_back() {
    let Some(()) = kernel(&[]) else { return };
    // Two links forward, whose delays the way back has together.
    let (hosts, emulator) = emulated(&[link(1e9, 4, 10), link(1e9, 6, 10)], &[&[0, 1]]);
    let echo = hosts.receiver.run(|| UdpSocket::bind(RECEIVER).unwrap()).unwrap();
    let socket = hosts.sender.run(|| UdpSocket::bind("10.77.1.1:0").unwrap()).unwrap();
    echo.set_read_timeout(Some(LIMIT)).unwrap();
    socket.set_read_timeout(Some(LIMIT)).unwrap();
    socket.connect(RECEIVER).unwrap();
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
    let report = emulator.stop().unwrap();
    assert_eq!(report.health.foreign, 1);
    assert_eq!(report.health.lateness.count(), 100);
    assert_eq!(report.end.links.iter().map(|(totals, _)| totals.delivered).collect::<Vec<_>>(), [50, 50]);
    assert_eq!(report.end.paths[0].segments, 0, "UDP has none");
}

/// A flow over a link.
fn flow_over(link: LinkSpec) -> Scenario {
    let mut scenario = scenario(1, "");
    scenario.links[0].spec = link;
    scenario
}

/// The rate at which data arrives in the last two of `seconds`, as a share of what such a link carries.
fn share(running: &Running, seconds: u64) -> f64 {
    let received_at = |seconds: u64| {
        sleep(running.clock.until(Time::from_millis(seconds * 1000)));
        (running.clock.now(), running.connection.received())
    };
    let [(begin, before), (end, after)] = [seconds - 2, seconds].map(received_at);
    running.connection.check().unwrap();
    (after - before) as f64 * 8.0 / end.since(begin).as_secs_f64() / (50e6 * 1448.0 / 1500.0)
}

#[test]
fn tcp_fills_a_link_with_its_data() {
    let Some(()) = kernel(&[]) else { return };
    held(|| {
        let running = start(&flow_over(link(50e6, 10, 90)), Time::NEVER);
        let share = share(&running, 3);
        let now = running.emulator.snapshot().unwrap();
        let ((totals, _), counts) = (now.links[0], now.paths[0]);
        // All but the handshake and acknowledgements of the sender's is data, and each has its outcome.
        assert!(totals.offered - counts.segments < 10, "{totals:?} {counts:?}");
        assert_eq!(totals.drops, counts.dropped_segments);
        let report = running.finish();
        assert_eq!(report.health.refused, 0);
        let segments_per_ack = report.manners[0].segments_per_ack.mean().unwrap();
        within("segments of an acknowledgement", segments_per_ack, 1.2..4.0)?;
        within("the payload's rate", share, 0.98..1.005)
    });
}

#[test]
fn a_link_marks_in_place_of_dropping() {
    let Some(()) = kernel(&[]) else { return };
    let discipline = Discipline::DropTail { ecn_threshold_bytes: Some(60_000) };
    let mut scenario = flow_over(LinkSpec { discipline, ..link(50e6, 10, 1000) });
    scenario.flows[0].tcp.ecn = true;
    held(|| {
        let running = start(&scenario, Time::NEVER);
        let share = share(&running, 4);
        let bad = running.hosts.receiver.run(|| counter("snmp", "InHdrErrors")).unwrap().unwrap();
        let (totals, _) = running.finish().end.links[0];
        assert_eq!((totals.drops, totals.marked > 0), (0, true), "{totals:?}");
        assert_eq!(bad, 0, "packets with a wrong checksum of IP");
        within("the payload's rate", share, 0.9..1.005)
    });
}

#[test]
fn two_emulators_do_not_meet() {
    let Some(()) = kernel(&[]) else { return };
    let (hosts, one) = emulated(&[link(1e8, 5, 10)], &[&[0], &[0]]);
    let (_others, other) = emulated(&[link(1e8, 5, 10)], &[&[0]]);
    let socket = hosts.sender.run(|| UdpSocket::bind("10.77.2.1:0").unwrap()).unwrap();
    socket.send_to(&[0; 10], RECEIVER).unwrap();
    sleep(Duration::from_millis(50));
    let seen = |emulator: &Emulator| emulator.snapshot().unwrap().links[0].0.delivered;
    assert_eq!((seen(&one), seen(&other)), (1, 0));
}
