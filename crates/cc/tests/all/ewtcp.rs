//! EWTCP: Reno at a fraction of its increase, and the square root of it.

use crate::common::{Loss, Model, ack, assert_close, group, observed, settled};
use multipath_cc::registry::ParamValue;
use multipath_cc::{Group, response};

fn ewtcp(weight: &str) -> Group {
    group("ewtcp", &[("weight", ParamValue::Word(weight.into()))])
}

/// By hand, four paths: Reno's increase times 1/2, 1/4 and 1/16.
#[test]
fn increase_is_a_fraction_of_renos() {
    for (weight, part) in [("1/sqrt(n)", 0.5), ("1/n", 0.25), ("1/n^2", 0.0625)] {
        let paths = [(0.1, 20.0), (0.02, 400.0), (0.3, 5.0), (0.1, 20.0)];
        for (r, (rtt, w)) in paths.iter().enumerate() {
            let mut group = settled(ewtcp(weight), &paths);
            assert_eq!(observed(&group, "ewtcp", r, "share"), part);
            group.on_ack(r, &ack(1.0, *rtt));
            assert_close(group.path(r).cwnd, w + part / w, 1e-12);
        }
    }
}

#[test]
fn the_weight_follows_the_number_of_paths() {
    let mut group = settled(ewtcp("1/n"), &[(0.1, 20.0), (0.1, 20.0)]);
    let share = |group: &Group| observed(group, "ewtcp", 0, "share");
    let third = group.add_path(0.0, 10.0);
    assert_eq!(share(&group), 0.5, "the third has no round-trip time yet");
    group.on_ack(third, &ack(1.0, 0.1));
    assert_close(share(&group), 1.0 / 3.0, 1e-12);
    group.remove_path(1);
    group.remove_path(2);
    assert_eq!(share(&group), 1.0);
}

/// The square-root law: an increase of a/w and a halving have √a of Reno's window. So n paths have n^¾ of
/// one Reno flow with 1/√n, √n with 1/n, and exactly one with 1/n².
#[test]
fn n_paths_take_the_power_that_the_weight_says() {
    let p = 1e-4;
    for n in [2, 3, 8] {
        for (weight, power) in [("1/sqrt(n)", 0.75), ("1/n", 0.5), ("1/n^2", 0.0)] {
            let path = |model: Model, _| model.path(0.1, Loss::Every(1.0 / p), response::reno(p));
            let mut model = (0..n).fold(Model::new(ewtcp(weight)), path);
            model.mean_over(20);
            let total: f64 = model.mean_over(40).iter().sum();
            // One segment of discretisation in each path's window.
            let flows = f64::from(n).powf(power);
            assert_close(total / response::reno(p), flows, f64::from(n) / response::reno(p) + 0.005);
        }
    }
}
