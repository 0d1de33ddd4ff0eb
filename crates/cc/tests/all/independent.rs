//! One path only: which one.

use crate::group;
use multipath_cc::Group;

/// The rows that may carry data.
fn used(group: &Group) -> Vec<usize> {
    (0..group.paths().len()).filter(|r| group.path(*r).active && !group.path(*r).barred).collect()
}

#[test]
fn one_path_carries_data_and_the_next_takes_over() {
    let mut group = group("independent path=1 over=cubic");
    for _ in 0..3 {
        group.add_path(0.1, 10.0);
        assert_eq!(used(&group), [0]);
    }
    group.remove_path(0);
    assert_eq!(used(&group), [1]);
    group.remove_path(1);
    assert_eq!(used(&group), [2]);
    assert_eq!(group.add_path(0.1, 10.0), 0, "the wanted path is back");
    assert_eq!(used(&group), [0]);
}

#[test]
fn the_wanted_path_is_used_once_it_is_there() {
    let mut group = group("independent path=2 over=cubic");
    group.add_path(0.1, 10.0);
    assert_eq!(used(&group), [0]);
    group.add_path(0.1, 10.0);
    group.add_path(0.1, 10.0);
    assert_eq!(used(&group), [1]);
    group.remove_path(1);
    assert_eq!(used(&group), [0]);
    group.remove_path(0);
    assert_eq!(used(&group), [2]);
    group.remove_path(2);
    assert_eq!(used(&group), [0; 0]);
}
