//! LIA against RFC 6356: its increase, its goals, and its fixed point.

use crate::group;
use anabranch_cc_model::{CONNECTIONS, Model, ack, added, alpha, assert_close, bernoulli, best_of_reno};
use anabranch_cc_model::{halved, periodic, settled};
use multipath_cc::{Ack, response};

#[test]
fn increase_is_the_rfcs() {
    for paths in CONNECTIONS {
        let alpha = alpha(paths);
        let total: f64 = paths.iter().map(|(_, w)| w).sum();
        for (r, (rtt, w)) in paths.iter().enumerate() {
            let mut lia = halved(group("lia"), paths);
            assert_close(lia.see(0, "alpha"), alpha, 1e-12);
            lia.on_ack(r, &ack(1.0, *rtt));
            assert_close(lia.path(r).cwnd, w + (alpha / total).min(1.0 / w), 1e-12);
            assert!(lia.path(r).cwnd <= w + 1.0 / w, "never more than Reno");
        }
    }
}

#[test]
fn paths_without_a_round_trip_time_and_removed_ones_do_not_count() {
    let pair = [(0.1, 50.0), (0.02, 20.0)];
    let mut lia = halved(group("lia"), &pair);
    lia.add_path(0.0, 10.0); // has not measured anything
    assert_close(lia.see(0, "alpha"), alpha(&pair), 1e-12);
    let gone = lia.add_path(0.001, 1000.0);
    lia.remove_path(gone);
    assert_close(lia.see(0, "alpha"), alpha(&pair), 1e-12);
    lia.remove_path(1);
    assert_close(lia.see(0, "alpha"), 1.0, 1e-12);
    lia.on_ack(1, &ack(1.0, 0.02)); // a late one
    assert_eq!(lia.path(1).cwnd, 20.0);
    let again = lia.add_path(0.02, 40.0);
    assert_eq!(again, 1, "the row is used again");
    assert_close(lia.see(0, "alpha"), 1.0, 1e-12); // nothing of it was acknowledged yet
    lia.on_ack(1, &Ack { acked: 0.0, ..ack(1.0, 0.02) });
    assert_close(lia.see(0, "alpha"), alpha(&[(0.1, 50.0), (0.02, 40.0)]), 1e-12);
}

/// The fixed point in closed form, for the Reno windows W of each path alone: w ∝ W² (from
/// w Σw = α W²), scaled so that Σ w/T = max W/T.
fn fixed_point(paths: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let best = paths.iter().map(|(t, reno)| reno / t).fold(0.0, f64::max);
    let rate: f64 = paths.iter().map(|(t, reno)| reno * reno / t).sum();
    paths.iter().map(|(t, reno)| (*t, best / rate * reno * reno)).collect()
}

/// Kato et al. (4)-(8): at the fixed point one loss, which halves, undoes the increase of the 1/p
/// acknowledgements before it; p = 2/W² is where Reno alone has the window W. α, measured, satisfies
/// both sides of (8).
#[test]
fn increase_and_decrease_balance_at_the_fixed_point() {
    let connections: [&[(f64, f64)]; 5] = [
        &[(0.1, 40.0), (0.1, 40.0)],
        &[(0.1, 40.0), (0.1, 20.0)],
        &[(0.02, 40.0), (0.1, 300.0)],
        &[(0.1, 40.0), (0.05, 30.0), (0.2, 60.0)],
        &[(0.1, 100.0), (0.12, 90.0), (0.2, 150.0), (0.05, 40.0)],
    ];
    for alone in connections {
        let paths = fixed_point(alone);
        for (r, ((_, w), (_, reno))) in paths.iter().zip(alone).enumerate() {
            assert!(w <= reno, "the bound 1/w plays no part here");
            let alpha = settled(group("lia"), &paths).see(0, "alpha");
            let rate: f64 = paths.iter().map(|(t, w)| w / t).sum();
            let total: f64 = paths.iter().map(|(_, w)| w).sum();
            let best = paths.iter().map(|(t, w)| total * w / (t * t)).fold(0.0, f64::max);
            assert_close(alpha * rate * rate, best, 1e-9); // (8)
            assert_close(w * total, alpha * reno * reno, 1e-9); // (7)
            assert_close(added(group("lia"), &paths, r, 1.0), 2.0 / (reno * reno) * w / 2.0, 1e-9); // (4')
        }
    }
}

/// n equal paths with simultaneous losses stay equal, with α = n w (w/T²)/(n w/T)² = 1/n: each has exactly 1/n of Reno's window.
#[test]
fn equal_paths_with_periodic_losses_share_renos_window() {
    let p = 1e-3;
    for n in [1, 2, 3, 4, 8] {
        for window in Model::lossy(group("lia"), &vec![(0.1, p); n], periodic).means(20, 40) {
            // One segment of discretisation in Reno's mean window of 38.7/n.
            assert_close(window, response::reno(p) / n as f64, 0.01 * n as f64);
        }
    }
}

/// Mean windows under independent losses: path by path (round-trip time, loss rate).
fn means(paths: &[(f64, f64)], losses: u64) -> Vec<f64> {
    Model::lossy(group("lia"), paths, bernoulli).means(losses / 10, losses)
}

/// RFC 6356's goals 1 and 2 under independent losses: the connection gets about what Reno gets on
/// its best path. The fixed point puts means for windows; windows fluctuate, and the largest w/T² of
/// n alike paths is above its mean, so that α is too: the more, the more alike paths there are.
#[test]
fn connection_gets_about_what_reno_gets_on_its_best_path() {
    let connections: [(&[(f64, f64)], f64); 6] = [
        (&[(0.1, 1e-3), (0.1, 1e-3)], 0.10),
        (&[(0.1, 1e-3), (0.1, 4e-3)], 0.10),
        (&[(0.02, 1e-3), (0.1, 1e-3)], 0.10),
        (&[(0.02, 4e-3), (0.1, 2.5e-4)], 0.10),
        (&[(0.1, 1e-3), (0.1, 1e-3), (0.1, 1e-3)], 0.20),
        (&[(0.05, 1e-3), (0.1, 1e-3), (0.1, 5e-4), (0.2, 1e-3)], 0.20),
    ];
    for (paths, tolerance) in connections {
        let total = means(paths, 5_000).iter().zip(paths).map(|(w, (rtt, _))| w / rtt).sum();
        assert_close(total, best_of_reno(paths), tolerance);
    }
}

/// Goal 3: windows are inverse to the loss rates, w ∝ W² = 1.5/p. Tolerance as above.
#[test]
fn traffic_leaves_the_congested_path() {
    let windows = means(&[(0.1, 1e-3), (0.1, 4e-3)], 10_000);
    assert_close(windows[0] / windows[1], 4.0, 0.10);
}
