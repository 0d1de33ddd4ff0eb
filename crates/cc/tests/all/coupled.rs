//! Fully coupled control: the sum of the windows behaves as one Reno window, on the least congested path.

use crate::group;
use anabranch_cc_model::{Model, added, assert_close, left, periodic, settled};
use multipath_cc::response;

/// By hand: windows 20, 30 and 50 add up to 100, so that each segment adds 1/100 and a loss takes 50,
/// which the first two have not got.
#[test]
fn increase_and_decrease_are_the_sums() {
    let paths = [(0.1, 20.0), (0.02, 30.0), (0.3, 50.5)];
    let total = 100.5;
    for (r, (_, w)) in paths.iter().enumerate() {
        assert_eq!(settled(group("coupled"), &paths).see(r, "total"), total);
        assert_close(w + added(group("coupled"), &paths, r, 1.0), w + 1.0 / total, 1e-12);
        assert_eq!(left(group("coupled"), &paths, r), 2.0, "at least two segments");
    }
    assert_eq!(left(group("coupled"), &[(0.1, 20.0), (0.1, 80.0)], 1), 30.0);
}

/// With p the smallest loss rate, Σw = √(2/p) is where 1/Σw = p Σw/2. Periodic losses make that √(1.5/p),
/// as Reno's. Each loss takes the other paths to two segments, and until the next the 1/p acknowledgements
/// add G = (1/p) · mean 1/Σw, where the mean over a sawtooth from S/2 to S is 2 ln 2/S and S is 4/3 of its
/// mean. Linear in acknowledgements is exponential in time: the mean is G/ln(1 + G/2).
#[test]
fn the_least_congested_path_has_the_window_of_one_reno_flow() {
    let connections: [&[(f64, f64)]; 4] = [
        &[(0.1, 1e-3), (0.1, 4e-3)],
        &[(0.1, 2.5e-4), (0.02, 4e-3)],
        &[(0.1, 5e-4), (0.1, 1e-3), (0.05, 2e-3)],
        &[1e-4, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 7e-3].map(|p| (0.1, p)),
    ];
    for paths in connections {
        let windows = Model::lossy(group("coupled"), paths, periodic).means(50, 200);
        let total: f64 = windows.iter().sum();
        println!("{paths:?}: {windows:.2?}, {total:.2} of {:.2}", response::reno(paths[0].1));
        assert_close(total, response::reno(paths[0].1), 0.10);
        for (w, (_, p)) in windows.iter().zip(paths.iter()).skip(1) {
            let gain = 1.5 * 2.0_f64.ln() / response::reno(paths[0].1) / p;
            assert_close(*w, gain / (gain / 2.0).ln_1p(), 0.10);
        }
    }
}
