//! The kernel's arithmetic by hand, where a tie or a twin must be met exactly.

use crate::{group, step_by_step};
use anabranch_cc::{Ack, Group, Signal};
use anabranch_cc_model::{Tested, added, assert_close, congestion, left, lose, settled};

/// x = 1600 and 400. On the second path alpha = 4, the increase 400/(0.1 2000^2) 5/2 8/5, and a loss takes
/// 3/4. On the first alpha = 1: 1600/(0.1 2000^2), and half.
#[test]
fn balia() {
    let (balia, paths) = ("balia@kernel together=false", [(0.1, 160.0), (0.1, 40.0)]);
    assert_eq!(settled(step_by_step("balia@kernel"), &paths).see(1, "alpha"), 4.0);
    for (r, increase, remainder) in [(0, 0.004, 80.0), (1, 0.004, 10.0)] {
        assert_close(added(group(balia), &paths, r, 1.0), increase, 1e-6);
        assert_close(left(group(balia), &paths, r), remainder, 1e-6);
    }
}

/// Samples between 100 ms and 100 ms + D that leave the smoothed time.
fn fluctuate(group: &mut Group, r: usize, spread: f64) {
    for rtt in [0.1 + spread, 0.1] {
        group.on_ack(r, &Ack::of(0.0, 0.0, rtt));
    }
}

fn fluctuating(spreads: [f64; 2]) -> Tested {
    let mut adw = settled(step_by_step("adw-balia@kernel"), &[(0.1, 40.0); 2]);
    (0..2).for_each(|r| fluctuate(&mut adw, r, spreads[r]));
    adw
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
            assert_close(adw.path(0).cwnd, left, 1e-6);
            assert_close(adw.see(1, "dissimilarity"), off, 1e-6);
        }
    }
}

/// A new path in the row of one that left has no D.
#[test]
fn adw_row_that_is_used_again() {
    let mut adw = fluctuating([0.023, 0.017]);
    lose(&mut adw, 0);
    adw.remove_path(0);
    assert_eq!(adw.add_path(0.0, 10.0), 0);
    assert_close(adw.see(1, "mean_spread"), 0.023, 1e-6);
    assert!(adw.see(0, "spread").is_nan(), "the new path has not lost");
}

/// One round of path `r` without a queue: an acknowledgement with a sample, and then those of a window without one.
fn round(group: &mut Group, r: usize, rtt: f64) {
    let path = group.path(r);
    let (n, segments) = (path.round + 1, path.cwnd.round() as u64);
    let ack = |rtt| Ack { round: n, rtt, srtt: 0.1, in_flight: 1.0, ..Ack::of(0.0, 1.0, 0.1) };
    group.on_ack(r, &ack(Some(rtt)));
    (0..segments).for_each(|_| group.on_ack(r, &ack(None)));
}

/// Without queues wCompound is Compound on each path, step by step, in the same integers.
#[test]
fn wcompound_without_queues_is_compound() {
    let paths = [(0.1, 300.0), (0.04, 90.0), (0.2, 10.0)];
    let mut both = ["wcompound@kernel", "compound@kernel"].map(step_by_step);
    let mut most: f64 = 0.0;
    for group in &mut both {
        paths.iter().for_each(|(rtt, cwnd)| assert!(group.add_path(*rtt, 2.0 * cwnd) < paths.len()));
        (0..paths.len()).for_each(|r| lose(group, r));
    }
    for i in 0..600 {
        let r = i % 3;
        for group in &mut both {
            round(group, r, paths[r].0);
            if i % 90 > 86 {
                congestion(group, r, if i > 400 { Signal::Timeout } else { Signal::Loss });
            }
        }
        assert_eq!(both[0].path(r).cwnd, both[1].path(r).cwnd);
        most = most.max(both[0].see(r, "dwnd"));
    }
    assert!(most > 100.0, "{most}");
}
