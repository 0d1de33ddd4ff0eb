//! What is seen of sockets while they live.

mod common;

use anabranch_cc_kernel::registry::{self, KernelEntry};
use anabranch_kernel::{Connection, Key, Monitor, Namespaces, Subflow, load, unload};
use common::{Kernel, namespace::Namespace};
use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn reno() -> &'static KernelEntry {
    registry::find_kernel("ab_reno").unwrap()
}

/// A namespace whose sockets use Reno, freshly loaded.
fn namespace_with_reno() -> Namespace {
    unload(reno()).unwrap();
    load(reno()).unwrap();
    let namespace = Namespace::new();
    namespace.choose("ab_reno");
    namespace
}

/// What is seen once `holds`, within five seconds.
fn seen(monitor: &mut Monitor, holds: impl Fn(&[Connection]) -> bool) -> Vec<Connection> {
    let start = Instant::now();
    loop {
        let connections = monitor.sample().connections;
        if holds(&connections) {
            return connections;
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{connections:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn send((from, to): &mut (TcpStream, TcpStream), bytes: usize) {
    from.write_all(&vec![7; bytes]).unwrap();
    to.read_exact(&mut vec![0; bytes]).unwrap();
}

#[test]
fn a_socket_from_its_first_byte_to_its_end() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = namespace_with_reno();
    let mut monitor = Monitor::open().unwrap();
    let mut streams = namespace.connect();
    send(&mut streams, 100_000);
    let client = streams.0.local_addr().unwrap();
    let of_client = |c: &[Connection]| -> Option<Subflow> {
        let mut subflows = c.iter().flat_map(|c| &c.subflows);
        subflows.find(|s| s.local == client).cloned()
    };
    let all = seen(&mut monitor, |c| of_client(c).is_some_and(|s| s.acked_bytes >= 100_000));
    // Others may use the machine as well.
    let mut ours = all.iter().filter(|c| of_client(std::slice::from_ref(c)).is_some());
    assert!(ours.all(|c| matches!(c.key, Key::Single(_)) && c.entry.kernel_name == "ab_reno"));
    let s = of_client(&all).unwrap();
    assert_eq!(s.remote, streams.0.peer_addr().unwrap());
    assert_eq!(Namespaces::now().name(s.netns), namespace.name);
    // The kernel counts the SYN among the acknowledged bytes.
    assert!((100_000..=100_001).contains(&s.acked_bytes) && s.sent_bytes == 100_000, "{s:?}");
    assert!(s.cwnd >= 10.0 && s.mss > 1000 && s.sent_segments >= 2, "{s:?}");
    assert!(s.min_rtt_s.unwrap() > 0.0 && s.srtt_s.unwrap() < 1.0 && s.in_flight_segments == 0, "{s:?}");
    assert!(s.lost_segments == 0 && s.timeouts == 0 && s.ssthresh == f64::INFINITY, "{s:?}");
    let last = s.acked_at_us.unwrap();
    let now = monitor.sample().at_us;
    assert!(last <= now && now - last < 60_000_000, "{last} {now}");
    drop(streams);
    seen(&mut monitor, |c| of_client(c).is_none());
}

/// More than one read has room for; each once. An algorithm that is unloaded is watched to its end.
#[test]
fn many_sockets_and_an_algorithm_that_is_unloaded() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = namespace_with_reno();
    let mut monitor = Monitor::open().unwrap();
    let mut streams: Vec<_> = (0..200).map(|_| namespace.connect()).collect();
    streams.iter_mut().for_each(|pair| send(pair, 1000));
    let clients: HashSet<_> = streams.iter().map(|(client, _)| client.local_addr().unwrap()).collect();
    let count = |all: &[Connection]| {
        all.iter().flat_map(|c| &c.subflows).filter(|s| clients.contains(&s.local)).count()
    };
    unload(reno()).unwrap();
    monitor.look().unwrap();
    let all = seen(&mut monitor, |all| count(all) >= 200);
    assert_eq!(count(&all), 200);
    drop(streams);
    seen(&mut monitor, |all| count(all) == 0);
    drop(namespace);
    let start = Instant::now();
    while monitor.algorithms().iter().any(|entry| entry.kernel_name == "ab_reno") {
        assert!(start.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(10));
        monitor.look().unwrap();
    }
}
