//! Loading into the running kernel.

use anabranch_cc_fixed::registry;
use anabranch_mptcp_bpf::{Counters, Load, Pins, Unload, load, load_as, pinned, unload};
use anabranch_test_support::programs::registrations;
use anabranch_test_support::{Kernel, is_listed, reno, reno_instance, until};
use libbpf_rs::{MapCore, MapHandle};

/// By a link, and as on kernels without links: it stays without its loader's descriptors, is found, can be
/// loaded twice, and goes.
#[test]
fn loads_and_unloads() {
    let Some(_kernel) = Kernel::lock() else { return };
    for &registration in registrations() {
        assert_eq!(load_as(reno(), registration).unwrap(), Load::Done);
        assert_eq!(load_as(reno(), registration).unwrap(), Load::Already);
        assert!(pinned().unwrap().iter().any(|entry| entry.kernel_name == "ab_reno"));
        let instance = reno_instance();
        for file in ["connections", "counters"] {
            let map =
                MapHandle::from_pinned_path(Pins::open().unwrap().directory("ab_reno").join(file)).unwrap();
            let id = map.info().unwrap().info.id;
            assert!(instance.programs.iter().any(|program| program.map_ids.contains(&id)), "{file}");
        }
        assert_eq!(instance.connections().unwrap().max_entries(), 65536);
        assert_eq!(instance.counters(), Some(Counters::default()));
        assert!(instance.registered && instance.programs.len() == 6);
        assert!(is_listed("ab_reno"));
        assert_eq!(unload(reno()).unwrap(), Unload::Done);
        assert_eq!(unload(reno()).unwrap(), Unload::NotLoaded);
        until(|| !is_listed("ab_reno"), "the kernel no longer lists it");
    }
}

/// The verifier takes each algorithm's programs.
#[test]
fn every_algorithm_loads() {
    let Some(kernel) = Kernel::lock() else { return };
    for entry in registry::all() {
        let loading = load(entry);
        assert!(loading.is_ok(), "{}: {}", entry.kernel_name, loading.unwrap_err());
        let unloaded = unload(entry).unwrap();
        let is_in_use = kernel.has_forgotten(entry);
        assert_eq!(unloaded == Unload::Done, !is_in_use, "{}: {unloaded:?}", entry.kernel_name);
    }
}
