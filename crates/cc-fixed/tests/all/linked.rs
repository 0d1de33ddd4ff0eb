//! The kernel's BALIA, OLIA, EWTCP, ADW-BALIA and Linked CUBIC against their formulas, evaluated by hand.

use crate::{see, step_by_step};
use anabranch_cc::{Ack, Congestion, Group, Signal};

/// A connection in congestion avoidance with these round-trip times and windows: losses at twice the windows,
/// with nothing measured, and then the round-trip times.
fn settled(name: &str, paths: &[(f64, f64)]) -> Group {
    let mut group = step_by_step(name);
    for (r, (_, cwnd)) in paths.iter().enumerate() {
        group.add_path(0.0, 2.0 * cwnd);
        lose(&mut group, r);
        assert_eq!(group.path(r).cwnd, *cwnd);
    }
    for (r, (rtt, _)) in paths.iter().enumerate() {
        acknowledge(&mut group, r, 0.0, 0.0, *rtt);
    }
    group
}

/// The smoothed time with a sample as large.
fn acknowledge(group: &mut Group, r: usize, acked: f64, delivered: f64, rtt: f64) {
    let ack = Ack { delivered, ..Ack::of(0.0, acked, rtt) };
    group.on_ack(r, &ack);
}

/// The growth by one acknowledged segment.
fn added(group: &mut Group, r: usize) -> f64 {
    let before = *group.path(r);
    acknowledge(group, r, 1.0, 0.0, before.srtt);
    group.path(r).cwnd - before.cwnd
}

fn lose(group: &mut Group, r: usize) {
    group.on_congestion(r, &Congestion { now: 0.0, signal: Signal::Loss });
}

#[track_caller]
fn assert_close(ours: f64, expected: f64) {
    assert!((ours / expected - 1.0).abs() < 1e-6, "{ours} against {expected}");
}

/// x = 1600 and 400. On the second path alpha = 4, the increase 400/(0.1 2000^2) 5/2 8/5, and a loss takes
/// 3/4. On the first alpha = 1: 1600/(0.1 2000^2), and half.
#[test]
fn balia() {
    let paths = [(0.1, 160.0), (0.1, 40.0)];
    assert_eq!(see(&settled("balia@kernel", &paths), "balia", 1, "alpha"), 4.0);
    for (r, increase, left) in [(0, 0.004, 80.0), (1, 0.004, 10.0)] {
        assert_close(added(&mut settled("balia@kernel", &paths), r), increase);
        let mut balia = settled("balia@kernel", &paths);
        lose(&mut balia, r);
        assert_close(balia.path(r).cwnd, left);
    }
}

/// M is the first path and B the second, which has delivered more: a = -1/2 and 1/2. Shares of the rate are
/// 0.8 and 0.2: increases (0.64 - 0.5)/160 and (0.04 + 0.5)/40.
#[test]
fn olia_moves_windows_to_the_best_path() {
    let mut olia = settled("olia@kernel", &[(0.1, 160.0), (0.1, 40.0)]);
    acknowledge(&mut olia, 0, 0.0, 100.0, 0.1);
    acknowledge(&mut olia, 1, 0.0, 500.0, 0.1);
    let seen = |r, name| see(&olia, "olia", r, name);
    assert_eq!(
        [0, 1].map(|r| (seen(r, "a"), seen(r, "in_b"), seen(r, "in_m"))),
        [(-0.5, 0.0, 1.0), (0.5, 1.0, 0.0)]
    );
    assert_close(added(&mut olia, 0), 0.14 / 160.0);
    assert!((added(&mut olia, 1) / (0.54 / 40.0) - 1.0).abs() < 1e-5); // the first window has moved
}

/// The first path has 160 of the 4160 segments per second and the largest window, the second is the best:
/// the first window shrinks by (1/2 - (160/4160)^2)/160, and its threshold with it.
#[test]
fn olias_threshold_follows_the_window_down() {
    let mut olia = settled("olia@kernel", &[(1.0, 160.0), (0.01, 40.0)]);
    acknowledge(&mut olia, 1, 0.0, 500.0, 0.01);
    let share: f64 = 160.0 / 4160.0;
    assert_close(-added(&mut olia, 0), (0.5 - share * share) / 160.0);
    assert_eq!(olia.path(0).ssthresh, olia.path(0).cwnd);
}

/// Each of four paths has a sixteenth of Reno's increase, and each of nine an eighty-first.
#[test]
fn ewtcp() {
    for (n, increase) in [(1, 0.1), (4, 0.1 / 16.0), (9, 0.1 / 81.0)] {
        let mut ewtcp = settled("ewtcp@kernel", &vec![(0.1, 10.0); n]);
        assert_close(added(&mut ewtcp, 0), increase);
    }
}

/// Samples between 100 ms and 100 ms + D that leave the smoothed time.
fn fluctuate(group: &mut Group, r: usize, spread: f64) {
    for rtt in [0.1 + spread, 0.1] {
        acknowledge(group, r, 0.0, 0.0, rtt);
    }
}

fn fluctuating(spreads: [f64; 2]) -> Group {
    let mut adw = settled("adw-balia@kernel", &[(0.1, 40.0); 2]);
    (0..2).for_each(|r| fluctuate(&mut adw, r, spreads[r]));
    adw
}

fn mean_spread(adw: &Group, r: usize) -> f64 {
    see(adw, "adw-balia", r, "mean_spread")
}

/// Path 1 loses with a D of a, and then path 0 with one of b: A = 3/8 a + 5/8 (a + b)/2 = (11 a + 5 b)/16 and
/// d = 11 |b - a|/(11 a + 5 b). That is 5, 10, 15, 20 and 30 %, first with b the larger and then the smaller:
/// levels 0, 0, 1, 1 and 2, decreases 1/2, 3/8 and 1/4 of 40. Both thresholds are met exactly.
#[test]
fn adw_levels() {
    for (off, left, spreads) in [
        (0.05, 20.0, [[10.75, 11.55], [11.25, 10.45]]),
        (0.1, 20.0, [[10.5, 12.1], [11.5, 9.9]]),
        (0.15, 25.0, [[10.25, 12.65], [11.75, 9.35]]),
        (0.2, 25.0, [[10.0, 13.2], [12.0, 8.8]]),
        (0.3, 30.0, [[9.5, 14.3], [12.5, 7.7]]),
    ] {
        for [a, b] in spreads {
            let mut adw = fluctuating([b / 1e3, a / 1e3]);
            lose(&mut adw, 1);
            lose(&mut adw, 0);
            assert_close(adw.path(0).cwnd, left);
            assert_close(see(&adw, "adw-balia", 1, "dissimilarity"), off);
        }
    }
}

/// Where a level is above 0 the decrease is a constant: 3/8 of a window. Its α is 4, and without a level it loses 3/4.
#[test]
fn adw_decrease_is_a_constant() {
    for (b, left) in [(12.1, 10.0), (12.65, 25.0)] {
        let mut adw = settled("adw-balia@kernel", &[(0.1, 40.0), (0.1, 320.0)]);
        fluctuate(&mut adw, 1, if b < 12.5 { 10.5 } else { 10.25 } / 1e3);
        lose(&mut adw, 1);
        fluctuate(&mut adw, 0, b / 1e3);
        lose(&mut adw, 0);
        assert_close(adw.path(0).cwnd, left);
    }
}

/// After A = 23 ms the paths' last intervals have 23 and 17 ms, whatever path 0 has measured since its loss:
/// 3/8 23 + 5/8 20. Each path knows it, and forgets it when the loss was spurious, with the path's D.
#[test]
fn adw_average_is_the_connections() {
    let mut adw = fluctuating([0.023, 0.017]);
    lose(&mut adw, 0);
    fluctuate(&mut adw, 0, 0.010);
    lose(&mut adw, 1);
    (0..2).for_each(|r| assert_close(mean_spread(&adw, r), 0.021125));
    assert_close(see(&adw, "adw-balia", 1, "spread"), 0.017);
    adw.on_spurious(1);
    (0..2).for_each(|r| assert_close(mean_spread(&adw, r), 0.023));
    assert!(see(&adw, "adw-balia", 1, "spread").is_nan());
}

/// Knowledge of a removed path stays in its row, for the connection, when another path takes that row.
#[test]
fn adw_average_and_a_row_that_is_used_again() {
    let mut adw = fluctuating([0.023, 0.017]);
    lose(&mut adw, 0);
    adw.remove_path(0);
    assert_eq!(adw.add_path(0.0, 10.0), 0);
    assert_close(mean_spread(&adw, 1), 0.023);
    assert!(see(&adw, "adw-balia", 0, "spread").is_nan(), "the new path has not lost");
}

/// n equal paths: each has 1/n of U, which is all their windows. Below the crossing, 1654 segments at 10 ms,
/// V is U, and above it, 52 at 100 ms, sqrt(1.5/T) (U/K)^(2/3) with K^4 = 37/30; s = eta V. Another path of a
/// quarter of the window, where both count as Reno's, has half the share: w = s U and s = eta U.
#[test]
fn linked_cubic() {
    let linked = |paths: &[(f64, f64)]| {
        let mut group = step_by_step("linked-cubic@kernel");
        for (r, (rtt, cwnd)) in paths.iter().enumerate() {
            group.add_path(0.0, *cwnd);
            acknowledge(&mut group, r, 0.0, 0.0, *rtt);
        }
        move |r, name| see(&group, "linked-cubic", r, name)
    };
    for n in [2, 3, 8] {
        for (rtt, cwnd, reno) in [(0.01, 60.0, None), (0.1, 1000.0, Some((1.5f64 / 0.1).sqrt()))] {
            let see = linked(&vec![(rtt, cwnd); n]);
            let single = n as f64 * cwnd;
            let v = reno.map_or(single, |v| v * (single / (37f64 / 30.0).powf(0.25)).powf(2.0 / 3.0));
            assert_close(see(n - 1, "share"), 1.0 / n as f64);
            assert_close(see(n - 1, "single"), single);
            assert_close(see(n - 1, "eta"), 1.0 / n as f64 / v);
        }
    }
    let see = linked(&[(0.01, 80.0), (0.01, 20.0)]);
    assert_close(see(0, "single"), 100.0);
    assert_close(see(0, "share"), 0.8);
    assert_close(see(1, "single"), 50.0);
    assert_close(see(1, "share"), 0.4);
    let alone = linked(&[(0.1, 1000.0)]);
    assert_eq!(alone(0, "share"), 1.0);
}
