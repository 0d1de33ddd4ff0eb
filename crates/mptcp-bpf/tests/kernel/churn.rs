//! Many connections, subflows that come and go, and namespaces that vanish: every socket takes its row
//! along.

use anabranch_cc_fixed::registry;
use anabranch_test_support::algorithm::Algorithm;
use anabranch_test_support::iperf::{Iperf, Options};
use anabranch_test_support::lab::{Bottleneck, Lab};
use anabranch_test_support::{Kernel, TOOLS, becomes, counter, mptcp, ss, until};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

const PORT: u16 = 4000;
/// At either end; there are two processors.
const THREADS: usize = 4;

/// Of connections that were opened and closed.
struct Churn {
    /// When each was closed, since the beginning.
    closed: Vec<Duration>,
    /// Subflows beyond the first.
    joined: u64,
}

impl Churn {
    /// How much longer the last tenth took than the first.
    fn slowdown(&self) -> f64 {
        let (n, tenth) = (self.closed.len(), self.closed.len() / 10);
        (self.closed[n - 1] - self.closed[n - tenth]).as_secs_f64() / self.closed[tenth - 1].as_secs_f64()
    }
}

/// Connection `i` of the client: some are over before their second subflow is there, some last until one has
/// come since they began.
fn use_connection(i: usize) {
    let before = joins();
    let mut stream = mptcp::connection(PORT).unwrap();
    let bytes = vec![i as u8; [100, 3_000, 40_000, 200_000][i % 4]];
    stream.write_all(&bytes).unwrap();
    let mut sent = bytes.len();
    if i % 8 < 4 {
        until(|| joins() > before, "a subflow joins");
        stream.write_all(&bytes).unwrap();
        sent *= 2;
    }
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = vec![];
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.len() == sent && answer.iter().all(|byte| *byte == i as u8), "connection {i}");
}

/// The server sends back what it got, of this many connections.
fn serve(listener: &TcpListener, connections: usize, accepted: &AtomicUsize) {
    while accepted.fetch_add(1, Relaxed) < connections {
        let (mut stream, _) = listener.accept().unwrap();
        let mut bytes = vec![];
        stream.read_to_end(&mut bytes).unwrap();
        stream.write_all(&bytes).unwrap();
    }
}

/// Opens, uses and closes this number of connections, on both processors, while other tests do the same.
fn churn(lab: &Lab, connections: usize) -> Churn {
    let listener = mptcp::listener(&lab.server, PORT);
    let (opened, accepted) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let closed = Mutex::new(Vec::with_capacity(connections));
    let start = Instant::now();
    let client = || {
        loop {
            let i = opened.fetch_add(1, Relaxed);
            if i >= connections {
                return;
            }
            use_connection(i);
            closed.lock().unwrap().push(start.elapsed());
        }
    };
    let joined = lab.client.run(|| {
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| serve(&listener, connections, &accepted));
                scope.spawn(client);
            }
        });
        joins()
    });
    Churn { closed: closed.into_inner().unwrap(), joined }
}

/// Subflows that were added in the namespace of the calling thread, by the kernel's own count.
fn joins() -> u64 {
    counter("netstat", "MPJoinSynAckRx").unwrap()
}

fn opened_and_closed(name: &str, connections: usize) {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let algorithm = Algorithm::load(name);
    let lab = Lab::direct(2);
    lab.set_congestion_control(name);
    let load = Iperf::start(&lab, &Options::endless(5201));
    let churn = churn(&lab, connections);
    drop(load);
    until(|| algorithm.is_clean(), "no rows are left");
    let counters = algorithm.counters();
    println!(
        "{name}: {connections} connections and {} joined subflows in {:.1} s; the last tenth took {:.2} of the first's time; {counters:?}",
        churn.joined,
        churn.closed[connections - 1].as_secs_f64(),
        churn.slowdown(),
    );
    assert_eq!(churn.closed.len(), connections);
    assert_eq!(counters.refused, 0);
    // Half of them wait for one, and one is what all that are open may have waited for.
    assert!(churn.joined as usize >= connections / 2 / THREADS);
    // A socket that lost its row would have asked for another. Four are iperf3's; the only ones to ask twice
    // are those that came when their connection's last one left.
    let sockets = 2 * (connections + churn.joined as usize) + 4;
    assert!((2 * connections..=sockets + connections / 100).contains(&(counters.owners as u32 as usize)));
}

#[test]
fn a_thousand_connections_leave_nothing() {
    opened_and_closed("ab_lia", 1_000);
}

/// `make kernel-proof`
#[test]
#[ignore = "takes a minute"]
fn ten_thousand_connections_leave_nothing() {
    opened_and_closed("ab_lia", 10_000);
}

/// `make kernel-proof`
#[test]
#[ignore = "takes a minute"]
fn a_thousand_connections_leave_nothing_under_each_algorithm() {
    registry::all().iter().for_each(|entry| opened_and_closed(entry.kernel_name, 1_000));
}

/// Subflows come and go while their connection sends.
#[test]
fn subflows_come_and_go() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let algorithm = Algorithm::load("ab_lia");
    let lab = Lab::two_paths([Bottleneck { mbit_s: 50.0, queue: 100 }; 2]);
    lab.set_congestion_control("ab_lia");
    let start = || Iperf::start(&lab, &Options::endless(5201));
    let mut iperf = Some(start());
    let rows = || algorithm.connections();
    let soon = Duration::from_secs(1);
    let mut times = 0;
    let come_and_go = || {
        let two = becomes(soon, || rows().contains(&2));
        lab.remove_subflow(2);
        let one = becomes(soon, || rows().iter().all(|rows| *rows == 1));
        lab.add_subflow(2);
        if two && one {
            times += 1;
        } else {
            // The kernel may let a subflow that joins and one that leaves get in each other's way, and keep neither, or
            // the socket of one that has left until its connection ends.
            drop(iperf.take());
            iperf = Some(start());
        }
        times == 8
    };
    until(come_and_go, "a second subflow has come and gone eight times");
    let before = ss::carried(&lab, 5201)[0];
    until(|| ss::carried(&lab, 5201)[0] > before, "the connection sends");
    drop(iperf);
    until(|| algorithm.is_clean(), "no rows are left");
}

/// Namespaces vanish first, then the processes in them. With `reachable`, the sockets that are left still
/// reach each other; without, nobody.
fn namespaces_vanish(reachable: bool) {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let algorithm = Algorithm::load("ab_lia");
    let mut lab = Lab::two_paths([Bottleneck { mbit_s: 50.0, queue: 100 }; 2]);
    lab.set_congestion_control("ab_lia");
    let iperf = Iperf::start_on_both_paths(&lab, 5201, 10_000);
    let sockets = ss::sockets(&lab.client, "dport = 5201");
    // iperf3 has a connection for control, and it is MPTCP as well.
    assert!(sockets.iter().all(|s| s.mptcp && s.algorithm == "ab_lia"), "{sockets:?}");
    // Both at the same place in the table: that is how they know of each other.
    assert!(algorithm.connections().contains(&2));
    let routers = if reachable { std::mem::take(&mut lab.routers) } else { vec![] };
    lab.patience = Duration::ZERO;
    drop(lab);
    drop(iperf);
    let start = Instant::now();
    until(|| algorithm.is_clean(), "no rows are left");
    println!("no rows are left {:.1} s after the end of the processes", start.elapsed().as_secs_f64());
    drop(routers);
}

#[test]
fn namespaces_vanish_under_open_sockets() {
    namespaces_vanish(true);
}

/// The kernel gives up MPTCP's orphans after 60 s and TCP's after about 100 s: their rows go with them.
#[test]
#[ignore = "takes two minutes"]
fn namespaces_and_paths_vanish_under_open_sockets() {
    namespaces_vanish(false);
}
