//! Programs that another build of the library has loaded.

use anabranch_mptcp_bpf::{Load, Unload, load, unload};
use anabranch_test_support::programs::{load_as_other_build, registrations};
use anabranch_test_support::{Kernel, namespace::Namespace, reno, reno_instance, until};

#[test]
fn what_nobody_uses_is_replaced() {
    let Some(_kernel) = Kernel::lock() else { return };
    for &registration in registrations() {
        load_as_other_build(reno(), registration);
        let other = reno_instance();
        assert!(!other.is_of_this_build());
        assert_eq!(load(reno()).unwrap(), Load::Replaced);
        assert!(reno_instance().is_of_this_build() && reno_instance().map_id != other.map_id);
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
        let other = reno_instance().map_id;
        namespace.choose("ab_reno");
        let connection = namespace.connect();
        // Two ends and the namespace's choice.
        until(|| load(reno()).unwrap() == Load::OtherInUse(3), "three use it");
        assert_eq!(reno_instance().map_id, other);
        drop(connection);
        until(|| load(reno()).unwrap() == Load::OtherInUse(1), "the namespace alone uses it");
        assert_eq!(unload(reno()).unwrap(), Unload::InUse(1));
        assert_eq!(load(reno()).unwrap(), Load::Done);
        assert!(reno_instance().is_of_this_build());
        assert_eq!(kernel.instances().len(), 2);
        namespace.choose("reno");
        assert_eq!(unload(reno()).unwrap(), Unload::Done);
    }
}
