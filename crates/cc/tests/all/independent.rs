//! One path only: which one, and that it is the single-path algorithm there.

use crate::common::{ack, group};
use multipath_cc::registry::ParamValue;
use multipath_cc::{Congestion, Group, Signal};

fn independent(path: f64) -> Group {
    group("independent", &[("path", ParamValue::Number(path)), ("over", ParamValue::Word("cubic".into()))])
}

/// The rows that may carry data.
fn used(group: &Group) -> Vec<usize> {
    (0..group.paths().len()).filter(|r| group.path(*r).active && !group.path(*r).barred).collect()
}

#[test]
fn one_path_carries_data_and_the_next_takes_over() {
    let mut group = independent(1.0);
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
    let mut group = independent(2.0);
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

#[test]
fn the_path_runs_the_algorithm_alone() {
    let mut ours = independent(2.0);
    let mut alone = group("cubic", &[]);
    ours.add_path(0.1, 50.0);
    ours.add_path(0.1, 50.0);
    alone.add_path(0.1, 50.0);
    for i in 0..5000 {
        let now = f64::from(i) * 0.002;
        for (group, r) in [(&mut ours, 1), (&mut alone, 0)] {
            match i % 1000 {
                500 => group.on_congestion(r, &Congestion { now, signal: Signal::Loss }),
                _ => group.on_ack(r, &ack(now, 0.1)),
            }
        }
    }
    assert_eq!(ours.path(1), alone.path(0));
    assert_eq!(ours.path(0).cwnd, 50.0);
}
