//! Sockets that end without a call of `release`, as on a kernel that leaves out calls.

use anabranch_mptcp_bpf::{Load, Pins, build, load, unload};
use anabranch_test_support::namespace::{Namespace, exchange};
use anabranch_test_support::programs::{opened, pin, registration};
use anabranch_test_support::{Kernel, reno, reno_instance, until};
use libbpf_rs::{MapCore, MapFlags, MapType};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// How many rows are taken.
fn rows() -> u64 {
    reno_instance().occupancy().unwrap().subflows
}

/// Loads this build's programs, but nobody calls `release`: the last of the functions that `bpf/kernel.h` lists.
fn load_without_release() {
    let mut open = opened(reno(), build(reno()), registration());
    {
        let mut ops = open.maps_mut().find(|map| map.map_type() == MapType::StructOps).unwrap();
        let functions = ops.initial_value_mut().unwrap();
        let release = functions.len() - 8;
        functions[release..].fill(0);
    }
    let mut object = open.load().unwrap();
    let directory = Pins::open().unwrap().directory("ab_reno");
    fs::create_dir(&directory).unwrap();
    pin(&mut object, registration(), &directory, 4);
}

#[test]
fn rows_without_a_socket_are_found_and_freed() {
    let Some(_kernel) = Kernel::lock() else { return };
    load_without_release();
    let namespace = Namespace::new();
    namespace.choose("ab_reno");
    let mut gone: Vec<_> = (0..5).map(|_| namespace.connect()).collect();
    gone.iter_mut().for_each(exchange);
    let mut alive = namespace.connect();
    exchange(&mut alive);
    until(|| rows() == 12, "both ends of each have a row");
    assert_eq!(reno_instance().ghosts().unwrap(), Some(0));
    drop(gone);
    until(|| reno_instance().ghosts().unwrap() == Some(10), "the rows of both ends of five are found");
    assert_eq!(rows(), 12);
    assert_eq!(load(reno()).unwrap(), Load::Freed(10));
    let instance = reno_instance();
    assert_eq!((rows(), instance.ghosts().unwrap(), instance.counters().unwrap().sockets), (2, Some(0), 2));
    // Those that live keep theirs.
    exchange(&mut alive);
    assert_eq!((rows(), instance.counters().unwrap().owners), (2, 12));
    assert_eq!(load(reno()).unwrap(), Load::Already);
    drop(alive);
    until(|| load(reno()).unwrap() == Load::Freed(2) || rows() == 0, "the last ones are freed");
    namespace.choose("reno");
    unload(reno()).unwrap();
}

/// How long connections come and go, how many of them at a time, and how many stay.
const CHURN: Duration = Duration::from_secs(4);
const AT_ONCE: usize = 4;
const STAY: usize = 5;

/// The owners of the rows that are taken, of which no two are the same.
fn owners() -> BTreeSet<u64> {
    let (table, group) = (reno_instance().connections().unwrap(), reno().group_size());
    let values = table.keys().filter_map(|key| table.lookup(&key, MapFlags::ANY).unwrap());
    let of_value = |value: Vec<u8>| reno().rows(&value[..group], 0).unwrap().into_iter().map(|row| row.owner);
    values.flat_map(of_value).collect()
}

/// A TCP or MPTCP connection of both of whose ends acknowledgements come for some milliseconds.
fn open(namespace: &Namespace, number: usize) -> (TcpStream, TcpStream) {
    let mut pair = if number.is_multiple_of(2) { namespace.connect() } else { namespace.connect_mptcp() };
    for _ in 0..1 + number % 8 {
        exchange(&mut pair);
        sleep(Duration::from_millis(1));
    }
    pair
}

/// The rows that `load` freed while connections came and went.
struct Freed {
    /// Rows, altogether.
    rows: usize,
    /// Of how many connections' ends.
    ends: usize,
}

/// Loads what is loaded over and over while connections come and go. No row may be freed whose socket lives: it would
/// ask for another one, and each asks once.
fn free_under_churn() -> Freed {
    let namespace = Namespace::new();
    namespace.choose("ab_reno");
    namespace.set("mptcp/enabled", "1");
    let mut stay: Vec<_> = (0..STAY).map(|number| open(&namespace, number)).collect();
    until(|| owners().len() == 2 * STAY, "both ends of those that stay have a row");
    let before = owners();
    let (number, start) = (AtomicUsize::new(STAY), Instant::now());
    let continues = || start.elapsed() < CHURN;
    let rows = Cell::new(0);
    let free = || match load(reno()).unwrap() {
        Load::Freed(freed) => rows.set(rows.get() + freed as usize),
        done => assert_eq!(done, Load::Already),
    };
    scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while continues() {
                    drop(open(&namespace, number.fetch_add(1, Relaxed)));
                }
            });
        }
        while continues() {
            free();
            stay.iter_mut().for_each(exchange);
        }
    });
    let ends = 2 * number.into_inner();
    let counters = reno_instance().counters().unwrap();
    assert!(owners().is_superset(&before), "a socket that lives has lost its row");
    assert!(counters.owners as usize <= ends, "a socket has asked for a second row");
    assert_eq!(counters.refused, 0);
    let left = || {
        free();
        owners()
    };
    until(|| left() == before, "all other rows are free");
    println!("{ends} ends of connections, {} rows freed; {counters:?}", rows.get());
    drop(stay);
    until(|| left().is_empty(), "no row is left");
    namespace.choose("reno");
    unload(reno()).unwrap();
    Freed { rows: rows.get(), ends: counters.owners as usize }
}

/// Every row is freed, and once: those of sockets that live are not.
#[test]
fn rows_are_freed_while_connections_come_and_go() {
    let Some(_kernel) = Kernel::lock() else { return };
    load_without_release();
    let Freed { rows, ends } = free_under_churn();
    assert_eq!(rows, ends);
}

/// Where sockets give back their rows themselves, at the same time.
#[test]
fn rows_are_given_back_while_others_are_looked_for() {
    let Some(_kernel) = Kernel::lock() else { return };
    load(reno()).unwrap();
    let Freed { rows, ends } = free_under_churn();
    // Where the kernel leaves out calls there are a few.
    assert!(rows < ends / 10, "{rows} of {ends}");
}
