//! BALIA against its definition (Peng et al., §VI) and its fixed point.

use crate::group;
use anabranch_cc_model::{CONNECTIONS, Model, added, assert_close, bernoulli, best_of_reno, left, settled};

#[test]
fn increase_and_decrease_are_the_papers() {
    for paths in CONNECTIONS {
        let x: Vec<f64> = paths.iter().map(|(rtt, w)| w / rtt).collect();
        let total: f64 = x.iter().sum();
        let max = x.iter().copied().fold(0.0, f64::max);
        for (r, (rtt, w)) in paths.iter().enumerate() {
            let alpha = max / x[r];
            assert_close(settled(group("balia"), paths).see(r, "alpha"), alpha, 1e-12);
            let increase = x[r] / (rtt * total * total) * ((1.0 + alpha) / 2.0) * ((4.0 + alpha) / 5.0);
            let added = added(group("balia"), paths, r, 1.0);
            assert_close(w + added, w + increase, 1e-12);
            assert!(added <= 1.0 / w + 1e-12, "never more than Reno");
            assert_close(left(group("balia"), paths, r), (w - w / 2.0 * alpha.min(1.5)).max(2.0), 1e-12);
        }
    }
}

/// α of a path whose p T² is q times the best path's, q ≥ 1: where increase and decrease balance,
/// (1 + α)(4 + α)/10 = q min(α, 3/2). With α ≥ 3/2, where the left side over the right one increases:
/// by bisection.
fn alpha(q: f64) -> f64 {
    let (mut low, mut high) = (1.5, 100.0);
    for _ in 0..100 {
        let alpha = f64::midpoint(low, high);
        let excess = (1.0 + alpha) * (4.0 + alpha) / 10.0 - q * alpha.min(1.5);
        if excess < 0.0 { low = alpha } else { high = alpha }
    }
    low
}

/// Rates at the fixed point: on the best path α = 1, which makes Σx Reno's rate there, √(2/p)/T.
fn fixed_point(paths: &[(f64, f64)]) -> Vec<f64> {
    let q = |(rtt, p): &(f64, f64)| p * rtt * rtt;
    let best = paths.iter().map(q).fold(f64::INFINITY, f64::min);
    let shares: Vec<f64> =
        paths.iter().map(|path| if q(path) == best { 1.0 } else { 1.0 / alpha(q(path) / best) }).collect();
    let scale = (2.0 / best).sqrt() / shares.iter().sum::<f64>();
    shares.iter().map(|s| s * scale).collect()
}

/// Round-trip time and loss rate.
const LOSSY: [&[(f64, f64)]; 5] = [
    &[(0.1, 1e-3), (0.1, 4e-3)],
    &[(0.02, 4e-3), (0.1, 2.5e-4)],
    &[(0.1, 1e-3), (0.1, 2e-3)],
    &[(0.1, 1e-3), (0.1, 3e-3), (0.05, 8e-3)],
    &[(0.1, 1e-4), (0.1, 2e-4), (0.1, 3e-4), (0.1, 4e-4), (0.1, 5e-4), (0.1, 6e-4), (0.1, 7e-4), (0.1, 8e-4)],
];

/// One loss undoes the increase of the 1/p acknowledgements before it, on every path. Loss rates are a
/// hundredth here, so that no window is near the smallest.
#[test]
fn increase_and_decrease_balance_at_the_fixed_point() {
    for lossy in LOSSY {
        let lossy: Vec<_> = lossy.iter().map(|(rtt, p)| (*rtt, p / 100.0)).collect();
        let paths: Vec<_> =
            fixed_point(&lossy).iter().zip(&lossy).map(|(x, (rtt, _))| (*rtt, x * rtt)).collect();
        for (r, ((_, w), (_, p))) in paths.iter().zip(&lossy).enumerate() {
            assert_close(
                added(group("balia"), &paths, r, 1.0),
                p * (w - left(group("balia"), &paths, r)),
                1e-6,
            );
        }
    }
}

/// Under independent losses the connection gets about what Reno gets on its best path, and the best path has the largest rate. Windows
/// fluctuate where the fixed point has means; the bounds are those of LIA's test.
#[test]
fn connection_gets_about_what_reno_gets_on_its_best_path() {
    for (paths, tolerance) in LOSSY.iter().zip([0.10, 0.10, 0.10, 0.20, 0.20]) {
        let windows = Model::lossy(group("balia"), paths, bernoulli).means(200, 2_000);
        let rates: Vec<f64> = windows.iter().zip(*paths).map(|(w, (rtt, _))| w / rtt).collect();
        println!("{paths:?}: {rates:.1?}; fixed point {:.1?}", fixed_point(paths));
        assert_close(rates.iter().sum(), best_of_reno(paths), tolerance);
        assert!(rates[1..].iter().all(|x| *x < rates[0]), "{paths:?}: {rates:?}");
    }
}
