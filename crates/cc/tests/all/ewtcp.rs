//! EWTCP: Reno at a fraction of its increase, and the square root of it.

use crate::group;
use anabranch_cc_model::{Loss, Model, ack, added, assert_close, settled};
use multipath_cc::response;

/// By hand, four paths: Reno's increase times 1/2, 1/4 and 1/16.
#[test]
fn increase_is_a_fraction_of_renos() {
    for (weight, part) in [("1/sqrt(n)", 0.5), ("1/n", 0.25), ("1/n^2", 0.0625)] {
        let paths = [(0.1, 20.0), (0.02, 400.0), (0.3, 5.0), (0.1, 20.0)];
        let ewtcp = format!("ewtcp weight={weight}");
        for (r, (_, w)) in paths.iter().enumerate() {
            assert_eq!(settled(group(&ewtcp), &paths).see(r, "share"), part);
            assert_close(w + added(group(&ewtcp), &paths, r, 1.0), w + part / w, 1e-12);
        }
    }
}

#[test]
fn the_weight_follows_the_number_of_paths() {
    let mut group = settled(group("ewtcp weight=1/n"), &[(0.1, 20.0), (0.1, 20.0)]);
    let third = group.add_path(0.0, 10.0);
    assert_eq!(group.see(0, "share"), 0.5, "the third has no round-trip time yet");
    group.on_ack(third, &ack(1.0, 0.1));
    assert_close(group.see(0, "share"), 1.0 / 3.0, 1e-12);
    group.remove_path(1);
    group.remove_path(2);
    assert_eq!(group.see(0, "share"), 1.0);
}

/// The square-root law: an increase of a/w and a halving have √a of Reno's window. So n paths have n^¾ of
/// one Reno flow with 1/√n, √n with 1/n, and exactly one with 1/n².
#[test]
fn n_paths_take_the_power_that_the_weight_says() {
    let p = 1e-4;
    for n in [2, 3, 8] {
        for (weight, power) in [("1/sqrt(n)", 0.75), ("1/n", 0.5), ("1/n^2", 0.0)] {
            let path = |model: Model, _| model.path(0.1, Loss::Every(1.0 / p), response::reno(p));
            let ewtcp = group(&format!("ewtcp weight={weight}"));
            let total: f64 = (0..n).fold(Model::new(ewtcp), path).means(20, 40).iter().sum();
            // One segment of discretisation in each path's window.
            let flows = f64::from(n).powf(power);
            assert_close(total / response::reno(p), flows, f64::from(n) / response::reno(p) + 0.005);
        }
    }
}
