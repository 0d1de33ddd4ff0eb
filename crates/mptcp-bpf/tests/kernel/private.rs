//! Algorithms that a process has for itself.

use anabranch_cc_fixed::registry;
use anabranch_mptcp_bpf::{Key, Load, Private, Registration, Unload, load, pinned, unload};
use anabranch_test_support::lab::{Lab, client_address};
use anabranch_test_support::mptcp::{self, listener};
use anabranch_test_support::namespace::{Namespace, exchange};
use anabranch_test_support::programs::registrations;
use anabranch_test_support::{Kernel, becomes, is_listed, reno, reno_instance, until};
use rustix::net::sockopt::{set_tcp_congestion, tcp_congestion};
use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead, BufReader, Read, Write, stdin};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread::scope;
use std::time::Duration;

/// Both ends of a connection in the namespace that chose it, with a row each.
fn connection(namespace: &Namespace, name: &str) -> (TcpStream, TcpStream) {
    namespace.choose(name);
    let mut pair = namespace.connect();
    namespace.choose("reno");
    exchange(&mut pair);
    assert_eq!(tcp_congestion(&pair.0).unwrap(), name);
    pair
}

fn rows(private: &Private) -> usize {
    private.connections().iter().map(|connection| connection.subflows.len()).sum()
}

/// Two of one algorithm, beside that which is pinned: each has its own sockets, and goes alone.
#[test]
fn several_live_side_by_side() {
    let Some(kernel) = Kernel::lock() else { return };
    let namespace = Namespace::new();
    for &registration in registrations() {
        load(reno()).unwrap();
        let [first, second] = [(); 2].map(|()| Private::load_as(reno(), registration).unwrap());
        let names = [first.name().to_owned(), second.name().to_owned()];
        assert!(names[0] != names[1] && names.iter().all(|name| is_listed(name)));
        // The pinned one is found as if there were no others.
        assert_eq!(kernel.instances().len(), 1);
        assert_eq!(pinned().unwrap().len(), 1);
        assert_eq!(load(reno()).unwrap(), Load::Already);

        let mut of_pinned = connection(&namespace, "ab_reno");
        let mut of_first = connection(&namespace, &names[0]);
        let mut of_second = [(); 2].map(|()| connection(&namespace, &names[1]));
        until(|| rows(&first) == 2 && rows(&second) == 4, "each has the rows of its own sockets");
        until(|| reno_instance().occupancy().unwrap().subflows == 2, "and so has the pinned one");
        assert_eq!([&first, &second].map(|p| p.counters().unwrap().owners), [2, 4]);
        assert!(matches!(first.connections()[0].key, Key::Single(_)));
        let shown: Vec<_> = first.connections().iter().map(|c| c.subflows[0].local.port()).collect();
        let ports = [&of_first.0, &of_first.1].map(|end| end.local_addr().unwrap().port());
        assert!(ports.iter().all(|port| shown.contains(port)), "{shown:?} {ports:?}");

        drop(first);
        until(|| !is_listed(&names[0]), "the first is gone");
        assert!(is_listed(&names[1]) && is_listed("ab_reno"));
        // Its sockets keep it, and the others theirs.
        for pair in of_second.iter_mut().chain([&mut of_first, &mut of_pinned]) {
            exchange(pair);
        }
        assert_eq!(tcp_congestion(&of_first.0).unwrap(), names[0]);
        assert_eq!(rows(&second), 4);

        drop(of_pinned);
        until(|| unload(reno()).unwrap() == Unload::NotLoaded, "the pinned one is gone");
        assert!(is_listed(&names[1]) && !is_listed("ab_reno"));
        assert_eq!(rows(&second), 4);
        drop(second);
        until(|| !is_listed(&names[1]), "the second is gone");
    }
}

/// Sends more than the windows of two subflows hold at first, so that both carry some.
fn fill((a, b): &mut (TcpStream, TcpStream)) {
    let (sent, mut received) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    scope(|scope| {
        scope.spawn(|| a.write_all(&sent).unwrap());
        b.read_exact(&mut received).unwrap();
    });
}

/// Each algorithm's name can be changed. An MPTCP socket chooses it for all its subflows, and they are one connection.
#[test]
fn every_algorithm_couples_the_subflows_of_a_socket() {
    let Some(_kernel) = Kernel::lock_with(&["ip", "ss"]) else { return };
    let lab = Lab::direct(2);
    let listener = listener(&lab.server, 5201);
    for entry in registry::all() {
        let private = Private::load(entry).unwrap();
        let mut pair = None;
        let joined = || {
            // A busy 6.18 resets the joined subflow of about one connection in 1500, under any algorithm: the receiver finds a mapping
            // that does not fit (`DSSNotMatching` and `MPRstTx` of its MPTcpExt counters). The kernel adds a subflow only once.
            pair = None;
            let client = lab.client.run(|| mptcp::connection(5201)).unwrap();
            set_tcp_congestion(&client, private.name()).unwrap();
            let pair = pair.insert((client, listener.accept().unwrap().0));
            becomes(Duration::from_secs(5), || {
                fill(pair);
                matches!(&private.connections()[..], [one] if one.subflows.len() == 2)
            })
        };
        until(joined, "both subflows have a row");
        let connections = private.connections();
        let [connection] = &connections[..] else { panic!("{connections:?}") };
        assert!(matches!(connection.key, Key::Token(_)) && connection.entry.kernel_name == entry.kernel_name);
        let addresses: BTreeSet<_> = connection.subflows.iter().map(|s| s.local.ip().to_string()).collect();
        assert_eq!(addresses, BTreeSet::from([1, 2].map(client_address)));
        for subflow in &connection.subflows {
            assert_eq!(subflow.observables.len(), entry.entry.observables.len());
            assert!(subflow.cwnd >= 1.0, "{subflow:?}");
        }
    }
}

/// The variable by which this test, started once more by itself, knows that it must hold one, and which kind.
const HOLD: &str = "ANABRANCH_TEST_HOLD";

/// Loads one, says its name, and waits to be killed, but no longer than its parent lives.
fn hold(kind: &str) {
    let registration = if kind == "map" { Registration::Map } else { Registration::Link };
    let private = Private::load_as(reno(), registration).unwrap();
    println!("\nheld {}", private.name());
    let _ = stdin().read(&mut [0]);
}

/// A link goes with its process. A registered map stays, and the next process that loads one so removes it.
#[test]
fn a_killed_process_leaves_none() {
    if let Ok(kind) = env::var(HOLD) {
        return hold(&kind);
    }
    let Some(_kernel) = Kernel::lock() else { return };
    for &registration in registrations() {
        let kind = if registration == Registration::Map { "map" } else { "link" };
        let mut holder = Command::new(env::current_exe().unwrap())
            .args(["--exact", "private::a_killed_process_leaves_none", "--nocapture"])
            .env(HOLD, kind)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(holder.stdout.take().unwrap()).lines().map(Result::unwrap);
        let held = lines.filter_map(|line| line.strip_prefix("held ").map(str::to_owned)).next();
        let name = held.expect("the process says the name");
        assert!(is_listed(&name));
        // One whose process lives is left alone.
        drop(Private::load_as(reno(), registration).unwrap());
        assert!(is_listed(&name));
        holder.kill().unwrap();
        holder.wait().unwrap();
        if registration == Registration::Map {
            assert!(is_listed(&name));
            drop(Private::load_as(reno(), registration).unwrap());
        }
        until(|| !is_listed(&name), "it is gone");
    }
}
