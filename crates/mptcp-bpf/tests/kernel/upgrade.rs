//! Programs that another build of the library has loaded.

use anabranch_mptcp_bpf::{Instance, Load, Unload, instances, load, unload};
use anabranch_test_support::programs::{load_as_other_build, registrations};
use anabranch_test_support::{Kernel, namespace::Namespace, reno, until};

fn registered() -> Instance {
    instances().unwrap().into_iter().find(|instance| instance.registered).unwrap()
}

#[test]
fn what_nobody_uses_is_replaced() {
    let Some(_kernel) = Kernel::lock() else { return };
    for &registration in registrations() {
        load_as_other_build(reno(), registration);
        let other = registered();
        assert!(!other.is_of_this_build());
        assert_eq!(load(reno()).unwrap(), Load::Replaced);
        assert!(registered().is_of_this_build() && registered().map_id != other.map_id);
        assert_eq!(load(reno()).unwrap(), Load::Already);
        assert_eq!(unload(reno()).unwrap(), Unload::Done);
    }
}

/// It stays until nobody does, or until it is unloaded; then this build's has a place beside it.
#[test]
fn what_is_used_is_left() {
    let Some(kernel) = Kernel::lock() else { return };
    let namespace = Namespace::new();
    for &registration in registrations() {
        load_as_other_build(reno(), registration);
        let other = registered().map_id;
        namespace.choose("ab_reno");
        let connection = namespace.connect();
        // Two ends and the namespace's choice.
        until(|| load(reno()).unwrap() == Load::OtherInUse(3), "three use it");
        assert_eq!(registered().map_id, other);
        drop(connection);
        until(|| load(reno()).unwrap() == Load::OtherInUse(1), "the namespace alone uses it");
        assert_eq!(unload(reno()).unwrap(), Unload::InUse(1));
        assert_eq!(load(reno()).unwrap(), Load::Done);
        assert!(registered().is_of_this_build());
        assert_eq!(kernel.instances().len(), 2);
        namespace.choose("reno");
        assert_eq!(unload(reno()).unwrap(), Unload::Done);
    }
}
