//! Sockets that end without a call of `release`, as on a kernel that leaves out calls.

use crate::common::{Kernel, namespace::Namespace, until};
use crate::programs::{pin, registrations, without_link};
use anabranch_cc_kernel::registry::{self, KernelEntry};
use anabranch_kernel::{Instance, Load, Pins, build, instances, load, object, unload};
use libbpf_rs::{MapType, ObjectBuilder};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

fn reno() -> &'static KernelEntry {
    registry::find_kernel("ab_reno").unwrap()
}

fn instance() -> Instance {
    instances().unwrap().into_iter().find(|i| i.entry.kernel_name == "ab_reno").unwrap()
}

/// How many rows are taken.
fn rows() -> u64 {
    instance().occupancy().unwrap().subflows
}

/// Loads this build's programs, but nobody calls `release`: the last of the functions that `bpf/kernel.h` lists.
fn load_without_release() {
    let registration = registrations().last().copied().unwrap();
    let mut builder = ObjectBuilder::default();
    let mut open = builder.name(build(reno())).unwrap().open_memory(object(reno())).unwrap();
    if registration == anabranch_kernel::Registration::Map {
        without_link(&mut open);
    }
    {
        let mut ops = open.maps_mut().find(|map| map.map_type() == MapType::StructOps).unwrap();
        let functions = ops.initial_value_mut().unwrap();
        let release = functions.len() - 8;
        functions[release..].fill(0);
    }
    let mut object = open.load().unwrap();
    let directory = Pins::open().unwrap().directory("ab_reno");
    fs::create_dir(&directory).unwrap();
    pin(&mut object, registration, &directory, 4);
}

fn exchange((a, b): &mut (TcpStream, TcpStream)) {
    let mut byte = [0];
    for _ in 0..4 {
        a.write_all(&byte).unwrap();
        b.read_exact(&mut byte).unwrap();
        b.write_all(&byte).unwrap();
        a.read_exact(&mut byte).unwrap();
    }
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
    assert_eq!(instance().ghosts().unwrap(), Some(0));
    drop(gone);
    until(|| instance().ghosts().unwrap() == Some(10), "the rows of both ends of five are found");
    assert_eq!(rows(), 12);
    assert_eq!(load(reno()).unwrap(), Load::Freed(10));
    assert_eq!(
        (rows(), instance().ghosts().unwrap(), instance().counters().unwrap().sockets),
        (2, Some(0), 2)
    );
    // Those that live keep theirs.
    exchange(&mut alive);
    assert_eq!((rows(), instance().counters().unwrap().owners), (2, 12));
    assert_eq!(load(reno()).unwrap(), Load::Already);
    drop(alive);
    until(|| load(reno()).unwrap() == Load::Freed(2) || rows() == 0, "the last ones are freed");
    namespace.choose("reno");
    unload(reno()).unwrap();
}
