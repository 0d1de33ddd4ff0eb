//! What sockets leave in the maps.

use crate::common::{Kernel, namespace::Namespace, until};
use crate::programs::{registrations, without_link};
use anabranch_cc_kernel::registry::{self, KernelEntry};
use anabranch_kernel::{
    Counters, Loaded, Occupancy, Registration, Unload, instances, load, loaded, object, unload,
};
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType, ObjectBuilder};
use std::io::{Read, Write};
use std::net::TcpStream;

fn reno() -> &'static KernelEntry {
    registry::find_kernel("ab_reno").unwrap()
}

fn loaded_reno() -> Loaded {
    loaded().unwrap().into_iter().find(|l| l.entry.kernel_name == "ab_reno").unwrap()
}

/// Both send, so that both ends have a row.
fn exchange((a, b): &mut (TcpStream, TcpStream)) {
    let mut byte = [0];
    for _ in 0..4 {
        a.write_all(&byte).unwrap();
        b.read_exact(&mut byte).unwrap();
        b.write_all(&byte).unwrap();
        a.read_exact(&mut byte).unwrap();
    }
}

/// A SYN's acknowledgement comes before init(): it must not leave a row that nobody releases.
#[test]
fn each_socket_takes_its_row_along() {
    let Some(_kernel) = Kernel::lock() else { return };
    load(reno()).unwrap();
    let loaded = loaded_reno();
    let rows = || loaded.connections().unwrap().keys().count();
    let namespace = Namespace::new();
    namespace.choose("ab_reno");
    let mut connections: Vec<_> = (0..20).map(|_| namespace.connect()).collect();
    connections.iter_mut().for_each(exchange);
    let counters = Counters { sockets: 40, refused: 0, owners: 40 };
    until(|| (rows(), loaded.counters().unwrap()) == (40, counters), "each socket has a row, and asked once");
    let instance = instances().unwrap().into_iter().find(|i| i.entry.kernel_name == "ab_reno").unwrap();
    let full = Occupancy { connections: 40, subflows: 40, capacity: 65536 };
    assert_eq!((instance.occupancy(), instance.counters()), (Some(full), Some(counters)));
    drop(connections);
    let released = Counters { sockets: 0, ..counters };
    until(|| (rows(), loaded.counters().unwrap()) == (0, released), "no row stays");
}

/// Sockets that use it keep it; when they are closed, it goes.
#[test]
fn unloads_in_use() {
    let Some(_kernel) = Kernel::lock() else { return };
    load(reno()).unwrap();
    let namespace = Namespace::new();
    namespace.choose("ab_reno");
    let mut connection = namespace.connect();
    exchange(&mut connection);
    // Two ends and the namespace's choice.
    let in_use = || unload(reno()).unwrap() == Unload::InUse(3);
    until(in_use, "three use it");
    exchange(&mut connection);
    until(in_use, "three use it still");
    drop(connection);
    namespace.choose("reno");
    until(|| unload(reno()).unwrap() == Unload::NotLoaded, "nobody uses it");
}

/// With a table of one connection: the second socket is refused, once, and works; when there is room it has
/// a row.
#[test]
fn without_room_a_socket_is_a_reno_one() {
    let Some(_kernel) = Kernel::lock() else { return };
    let mut open = ObjectBuilder::default().open_memory(object(reno())).unwrap();
    open.maps_mut().find(|map| map.name() == "connections").unwrap().set_max_entries(1).unwrap();
    if !registrations().contains(&Registration::Link) {
        without_link(&mut open);
    }
    let mut object = open.load().unwrap();
    let map = |object: &libbpf_rs::Object, end: &str| {
        let map = object.maps().find(|map| map.name().to_string_lossy().ends_with(end)).unwrap();
        MapHandle::try_from(&map).unwrap()
    };
    let (rows, counters) = (map(&object, "connections"), map(&object, ".bss"));
    let refused = || {
        let value = counters.lookup(&0u32.to_ne_bytes(), MapFlags::ANY).unwrap().unwrap();
        u64::from_ne_bytes(value[8..16].try_into().unwrap())
    };
    let mut ops = object.maps_mut().find(|map| map.map_type() == MapType::StructOps).unwrap();
    let link = ops.attach_struct_ops().unwrap();

    let namespace = Namespace::new();
    namespace.choose("ab_reno");
    let mut first = namespace.connect();
    exchange(&mut first);
    until(|| (rows.keys().count(), refused()) == (1, 1), "one has a row, the other is refused");
    exchange(&mut first);
    assert_eq!(refused(), 1);
    let owner = rows.keys().next().unwrap();
    // One of the two ends has the row; the other asks once a second.
    drop(first);
    until(|| rows.keys().count() == 0, "the row is free");
    let mut second = namespace.connect();
    exchange(&mut second);
    until(|| rows.keys().next().is_some_and(|new| new != owner), "another has it");
    drop((second, namespace, link));
}
