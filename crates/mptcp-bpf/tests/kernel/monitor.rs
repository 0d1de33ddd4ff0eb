//! The monitor's view of sockets while they live.

use anabranch_mptcp_bpf::{Connection, Key, Monitor, Namespaces, Snapshot, Subflow, load, unload};
use anabranch_test_support::{Kernel, namespace::Namespace, reno, until};
use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// The rows once `holds`.
fn seen(monitor: &mut Monitor, holds: impl Fn(&[Connection]) -> bool, what: &str) -> Snapshot {
    let mut seen = None;
    until(|| holds(&seen.insert(monitor.sample()).connections), what);
    seen.unwrap()
}

fn send((from, to): &mut (TcpStream, TcpStream), bytes: usize) {
    from.write_all(&vec![7; bytes]).unwrap();
    to.read_exact(&mut vec![0; bytes]).unwrap();
}

fn of_client(connections: &[Connection], client: SocketAddr) -> Option<&Subflow> {
    connections.iter().flat_map(|c| &c.subflows).find(|s| s.local == client)
}

#[test]
fn a_socket_from_its_first_byte_to_its_end() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = Namespace::with_reno();
    let mut monitor = Monitor::open().unwrap();
    let before = monitor.sample().at_us;
    let mut streams = namespace.connect();
    send(&mut streams, 100_000);
    let client = streams.0.local_addr().unwrap();
    // The kernel counts the SYN among the acknowledged bytes.
    let all_acked = |s: &Subflow| (100_000..=100_001).contains(&s.acked_bytes) && s.in_flight_segments == 0;
    let is_acked = |c: &[Connection]| of_client(c, client).is_some_and(all_acked);
    let Snapshot { at_us, connections } = seen(&mut monitor, is_acked, "all is acknowledged");
    let ours = connections.iter().find(|c| c.subflows.iter().any(|s| s.local == client)).unwrap();
    assert!(matches!(ours.key, Key::Single(_)) && ours.entry.kernel_name == "ab_reno", "{ours:?}");
    let s = of_client(&connections, client).unwrap();
    assert_eq!(s.remote, streams.0.peer_addr().unwrap());
    assert_eq!(Namespaces::current().name(s.netns), namespace.name);
    assert!(s.sent_bytes == 100_000 && s.mss > 1000 && s.sent_segments >= 2, "{s:?}");
    assert!(0.0 < s.min_rtt_s.unwrap() && s.min_rtt_s <= s.srtt_s, "{s:?}");
    let last = s.acked_at_us.unwrap();
    assert!(before <= last && last <= at_us, "{before} {last} {at_us}");
    drop(streams);
    seen(&mut monitor, |c| of_client(c, client).is_none(), "the socket is gone");
}

/// Where nothing is lost. A machine that stops for a while may let a timer expire, though; then the next
/// socket will do.
#[test]
fn a_socket_without_congestion() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = Namespace::with_reno();
    let mut monitor = Monitor::open().unwrap();
    let mut is_undisturbed = || {
        let mut streams = namespace.connect();
        send(&mut streams, 100_000);
        let client = streams.0.local_addr().unwrap();
        let sample = monitor.sample();
        of_client(&sample.connections, client).is_some_and(|s| {
            let events = [s.lost_segments, s.retransmitted_segments, s.recoveries, s.timeouts, s.spurious];
            events == [0; 5] && s.cwnd >= 10.0 && s.ssthresh == f64::INFINITY
        })
    };
    until(&mut is_undisturbed, "a socket has slow start's window");
}

/// More than one read has room for; each once. An algorithm that is unloaded is watched to its end.
#[test]
fn many_sockets_and_an_algorithm_that_is_unloaded() {
    let Some(kernel) = Kernel::lock() else { return };
    let namespace = Namespace::with_reno();
    let mut monitor = Monitor::open().unwrap();
    let mut streams: Vec<_> = (0..200).map(|_| namespace.connect()).collect();
    streams.iter_mut().for_each(|pair| send(pair, 1000));
    let clients: HashSet<_> = streams.iter().map(|(client, _)| client.local_addr().unwrap()).collect();
    let count = |all: &[Connection]| {
        all.iter().flat_map(|c| &c.subflows).filter(|s| clients.contains(&s.local)).count()
    };
    unload(reno()).unwrap();
    monitor.update().unwrap();
    let all = seen(&mut monitor, |all| count(all) >= 200, "all are there");
    assert_eq!(count(&all.connections), 200);
    drop(streams);
    seen(&mut monitor, |all| count(all) == 0, "all are gone");
    drop(namespace);
    let mut is_forgotten = || {
        monitor.update().unwrap();
        monitor.algorithms().iter().all(|entry| kernel.has_forgotten(entry))
    };
    until(&mut is_forgotten, "the algorithm is gone");
}

/// An unloaded algorithm's sockets stay beside those of the next load. They differ by their numbers in a monitor.
#[test]
fn sockets_of_two_loads_have_different_numbers() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = Namespace::with_reno();
    let mut first = namespace.connect();
    send(&mut first, 1000);
    unload(reno()).unwrap();
    load(reno()).unwrap();
    namespace.choose("ab_reno");
    let mut second = namespace.connect();
    send(&mut second, 1000);
    let clients = [&first, &second].map(|(client, _)| client.local_addr().unwrap());
    let mut monitor = Monitor::open().unwrap();
    let both = |c: &[Connection]| clients.iter().all(|client| of_client(c, *client).is_some());
    let seen = seen(&mut monitor, both, "both loads have a socket");
    let owners = clients.map(|client| of_client(&seen.connections, client).unwrap().owner);
    assert!(owners[0] >> 32 < owners[1] >> 32, "{owners:?}");
    drop((first, second));
}
