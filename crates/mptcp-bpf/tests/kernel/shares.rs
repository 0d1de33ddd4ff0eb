//! Nobody takes the table from the others.

use anabranch_cc_fixed::shared::Sockets;
use anabranch_test_support::namespace::{Namespace, exchange};
use anabranch_test_support::programs::{map, opened, refused, register, registration};
use anabranch_test_support::{Kernel, reno, skipped, until};
use libbpf_rs::{MapCore, MapFlags, MapHandle, Object};
use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use zerocopy::FromBytes;

/// Rows of the whole table.
const CAPACITY: u32 = 60;

/// By the rule of `bpf/share.h`: of sockets without MPTCP one user has a fifth, and two have a sixth each. Of subflows
/// one user has a half.
const FIFTH: usize = CAPACITY as usize / 5;
const HALF: usize = CAPACITY as usize / 2;

/// The programs with a table of so few rows, verified.
fn small() -> Object {
    let mut open = opened(reno(), "small", registration());
    {
        let mut constants =
            open.maps_mut().find(|map| map.name().to_string_lossy().ends_with(".rodata")).unwrap();
        let value = constants.initial_value_mut().unwrap();
        let capacity = 65536u32.to_ne_bytes();
        let mut places = value.chunks_exact_mut(4).filter(|word| **word == capacity);
        places.next().expect("the capacity is a constant").copy_from_slice(&CAPACITY.to_ne_bytes());
        assert!(places.next().is_none(), "and no other constant is the same");
    }
    open.load().unwrap()
}

/// How many rows there are of each network namespace, by its inode.
fn rows(table: &MapHandle, namespace: u32) -> usize {
    let group = reno().group_size();
    let of_value = |value: Vec<u8>| {
        let rows = reno().rows(&value[..group], 0).unwrap();
        let sockets = Sockets::read_from_bytes(&value[group..]).unwrap();
        rows.iter().filter(|row| sockets.subflow[row.index].netns == namespace).count()
    };
    let values = table.keys().filter_map(|key| table.lookup(&key, MapFlags::ANY).unwrap());
    values.map(of_value).sum()
}

/// Opens this number of connections, one after the other, so that two never ask at once.
fn open(
    namespace: &Namespace,
    connections: usize,
    connect: impl Fn(&Namespace) -> (TcpStream, TcpStream),
) -> Vec<(TcpStream, TcpStream)> {
    let mut pairs: Vec<_> = (0..connections).map(|_| connect(namespace)).collect();
    pairs.iter_mut().for_each(exchange);
    pairs
}

#[test]
fn one_namespace_leaves_room_for_another() {
    let Some(_kernel) = Kernel::lock() else { return };
    let mut object = small();
    let table = map(&object, "connections");
    let link = register(&mut object);
    let [greedy, other] = [(); 2].map(|()| Namespace::new());
    for namespace in [&greedy, &other] {
        namespace.choose("ab_reno");
        namespace.set("mptcp/enabled", "1");
    }
    let held = |namespace: &Namespace| rows(&table, namespace.inode());

    // Far more than there are rows.
    let plain = open(&greedy, CAPACITY as usize, Namespace::connect);
    assert_eq!(held(&greedy), FIFTH);
    let coupled = open(&greedy, CAPACITY as usize, Namespace::connect_mptcp);
    assert_eq!(held(&greedy), HALF);
    let others = open(&other, 5, Namespace::connect_mptcp);
    assert_eq!(held(&other), 10, "each end of another's connections has a row");
    drop((plain, coupled));
    until(|| held(&greedy) == 0, "the rows are given back");
    let again = open(&greedy, 3, Namespace::connect);
    assert_eq!(held(&greedy), 6, "and to be had again");
    drop((others, again));
    until(|| table.keys().count() == 0, "no row is left");
    drop((greedy, other, link));
}

/// Senders of one unprivileged network namespace. Each socket sends and is acknowledged, so that it asks for a row.
const SENDERS: usize = 8;
const SCRIPT: &str = r#"
import socket, subprocess, time
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
listener = socket.create_server(("127.0.0.1", 0))
pairs = []
for _ in range(8):
    sender = socket.socket()
    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"ab_reno")
    sender.connect(listener.getsockname())
    receiver = listener.accept()[0]
    for _ in range(4):
        sender.sendall(b"x")
        receiver.sendall(receiver.recv(1))
        sender.recv(1)
    pairs.append((sender, receiver))
time.sleep(600)
"#;

/// An unprivileged user who creates many network namespaces has one share for all of them.
#[test]
fn many_namespaces_of_one_user_are_one() {
    let Some(_kernel) = Kernel::lock_with(&["ip", "python3", "setpriv", "unshare"]) else { return };
    let as_nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups unshare --user --map-root-user --net";
    let outer = Namespace::new();
    if outer.start(&format!("{as_nobody} true")).end().is_err() {
        return skipped("users may not make namespaces");
    }
    let mut object = small();
    let (table, counters) = (map(&object, "connections"), map(&object, ".bss"));
    let link = register(&mut object);
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let script = directory.path().join("senders");
    fs::write(&script, SCRIPT).unwrap();
    // With the first of them all end.
    let senders = format!("{as_nobody} --pid --fork --kill-child python3 {}", script.display());
    let many: Vec<_> = (0..4).map(|_| outer.start(&senders)).collect();
    let refused = || refused(&counters) as usize;
    let rows = || table.keys().count();
    until(|| rows() + refused() >= many.len() * SENDERS, "all have asked");
    // Two processors may have asked at once.
    assert!((FIFTH..FIFTH + 2).contains(&rows()), "{} rows", rows());
    drop(many);
    until(|| rows() == 0, "no row is left");
    drop((outer, link));
}
