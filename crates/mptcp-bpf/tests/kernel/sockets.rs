//! The entries that sockets leave in the maps.

use anabranch_mptcp_bpf::{Counters, Occupancy, Unload, unload};
use anabranch_test_support::namespace::{Namespace, exchange};
use anabranch_test_support::programs::{map, opened, refused, register, registration};
use anabranch_test_support::{Kernel, reno, reno_instance, until};
use libbpf_rs::MapCore;

/// A SYN's acknowledgement comes before init(): it must not leave a row that nobody releases.
#[test]
fn each_socket_takes_its_row_along() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = Namespace::with_reno();
    let instance = reno_instance();
    let state = || (instance.connections().unwrap().keys().count(), instance.counters().unwrap());
    let mut connections: Vec<_> = (0..20).map(|_| namespace.connect()).collect();
    connections.iter_mut().for_each(exchange);
    let counters = Counters { sockets: 40, refused: 0, owners: 40 };
    until(|| state() == (40, counters), "each socket has a row, and asked once");
    let full = Occupancy { connections: 40, subflows: 40, capacity: 65536 };
    assert_eq!(instance.occupancy(), Some(full));
    drop(connections);
    let released = Counters { sockets: 0, ..counters };
    until(|| state() == (0, released), "no row stays");
}

/// Sockets that use it keep it; when they are closed, it goes.
#[test]
fn unloads_in_use() {
    let Some(_kernel) = Kernel::lock() else { return };
    let namespace = Namespace::with_reno();
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
    let mut open = opened(reno(), "small", registration());
    open.maps_mut().find(|map| map.name() == "connections").unwrap().set_max_entries(1).unwrap();
    let mut object = open.load().unwrap();
    let (rows, counters) = (map(&object, "connections"), map(&object, ".bss"));
    let refused = || refused(&counters);
    let link = register(&mut object);

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
