//! wVegas against its rules, evaluated by hand.

use crate::group;
use anabranch_cc_model::{Tested, assert_close, congestion, lose, quiet, round};
use multipath_cc::Signal;

/// A round of path `r` in which `queued` segments of the window were in the queue.
fn round_with(group: &mut Tested, r: usize, queued: f64) {
    let path = group.path(r);
    let rtt = path.min_rtt * path.cwnd / (path.cwnd - queued);
    round(group, r, rtt);
    assert_close(group.see(r, "diff") + 1.0, queued + 1.0, 1e-9);
}

/// One path has all the weight: it is Vegas with 10 for α and β, once it has reached the 2 of a new path.
#[test]
fn one_path_is_vegas_with_its_own_threshold() {
    for (queued, step) in [(1.9, 1.0), (2.1, 1.0), (9.9, 1.0), (10.1, -1.0), (30.0, -1.0)] {
        let mut wvegas = quiet(group("wvegas"), &[(0.1, 100.0)]);
        assert_eq!(wvegas.see(0, "alpha_r"), 2.0);
        let w = wvegas.path(0).cwnd;
        round_with(&mut wvegas, 0, queued);
        assert_close(wvegas.path(0).cwnd, w + step, 1e-12);
        assert_eq!(wvegas.see(0, "alpha_r"), if queued < 2.0 { 2.0 } else { 10.0 });
    }
}

/// Step by step the same windows as Vegas with α = β = 10 and its mean RTT, while no queue doubles.
#[test]
fn one_path_runs_as_vegas_does() {
    let mut both = ["wvegas", "vegas alpha=10 beta=10 rtt=mean"].map(|a| quiet(group(a), &[(0.1, 60.0)]));
    for _ in 0..200 {
        for group in &mut both {
            let w = group.path(0).cwnd; // 100 segments fill the path
            round(group, 0, 0.1 * f64::max(1.0, w / 100.0));
        }
        assert_eq!(both[0].path(0).cwnd, both[1].path(0).cwnd);
    }
    assert!((109.0..=111.0).contains(&both[0].path(0).cwnd));
}

/// Two paths, by hand. Path 0: 50 segments, 5 queued: x = 50/(0.1 · 50/45) = 450 per second. Path 1: 80
/// segments, 8 queued: x = 80/(0.2 · 80/72) = 360. Weights 5/9 and 4/9.
#[test]
fn weights_are_shares_of_the_rate() {
    let mut wvegas = quiet(group("wvegas"), &[(0.1, 47.0), (0.2, 77.0)]);
    assert_eq!((wvegas.path(0).cwnd, wvegas.path(1).cwnd), (50.0, 80.0));
    round_with(&mut wvegas, 0, 5.0);
    assert_eq!((wvegas.see(0, "weight"), wvegas.see(0, "alpha_r")), (1.0, 10.0));
    assert_close(wvegas.see(0, "queue_delay"), 0.1 * 50.0 / 45.0 - 0.1, 1e-9);
    round_with(&mut wvegas, 1, 8.0);
    assert_close(wvegas.see(1, "weight"), 4.0 / 9.0, 1e-9);
    assert_close(wvegas.see(1, "alpha_r"), 40.0 / 9.0, 1e-9);
    assert_eq!((wvegas.path(0).cwnd, wvegas.path(1).cwnd), (51.0, 79.0));
    // Path 0 is below its α of 10 and keeps it; at 11 queued its share is renewed by its new rate.
    round_with(&mut wvegas, 0, 9.0);
    assert_eq!(wvegas.see(0, "alpha_r"), 10.0);
    round_with(&mut wvegas, 0, 11.0);
    let x = (52.0 - 11.0) / 0.1;
    assert_close(wvegas.see(0, "alpha_r"), 10.0 * x / (x + 360.0), 1e-9);
}

/// n equal paths share 10, and each has at least 2.
#[test]
fn alike_paths_share_total_alpha() {
    for n in [2, 3, 8] {
        let mut wvegas = quiet(group("wvegas"), &vec![(0.1, 97.0); n]);
        for _ in 0..3 {
            (0..n).for_each(|r| {
                let w = wvegas.path(r).cwnd;
                round(&mut wvegas, r, 0.1 * w / 80.0);
            });
        }
        for r in 0..n {
            assert_close(wvegas.see(r, "alpha_r"), f64::max(10.0 / n as f64, 2.0), 0.01);
        }
    }
}

#[test]
fn removed_and_silent_paths_do_not_count() {
    let mut wvegas = quiet(group("wvegas"), &[(0.1, 47.0), (0.2, 77.0)]);
    wvegas.add_path(0.0, 10.0);
    round_with(&mut wvegas, 1, 8.0);
    round_with(&mut wvegas, 0, 5.0);
    assert_close(wvegas.see(0, "weight"), 5.0 / 9.0, 1e-9);
    wvegas.remove_path(1);
    round_with(&mut wvegas, 0, 6.0);
    assert_eq!(wvegas.see(0, "weight"), 1.0);
    // The row is used again, without the memory of the path that left.
    assert_eq!(wvegas.add_path(0.2, 80.0), 1);
    assert_eq!((wvegas.see(1, "weight"), wvegas.see(1, "alpha_r")), (1.0, 2.0));
    assert!(wvegas.see(1, "diff").is_nan());
    round_with(&mut wvegas, 0, 20.0);
    assert_eq!(wvegas.see(0, "weight"), 1.0);
}

/// A timed-out path's rate is forgotten.
#[test]
fn timeout_forgets_the_rate() {
    let mut wvegas = quiet(group("wvegas"), &[(0.1, 47.0), (0.2, 77.0)]);
    round_with(&mut wvegas, 1, 8.0);
    congestion(&mut wvegas, 1, Signal::Timeout);
    round_with(&mut wvegas, 0, 5.0);
    assert_eq!(wvegas.see(0, "weight"), 1.0);
}

/// 11 of 100 segments queued, then 25: the queueing delay has doubled, and the window goes to
/// w base/(2 RTT), after the step of the same round. By then the smallest is forgotten.
#[test]
fn doubled_queueing_delay_drains_the_queue() {
    let mut wvegas = quiet(group("wvegas"), &[(0.1, 97.0)]);
    round_with(&mut wvegas, 0, 11.0);
    let w = wvegas.path(0).cwnd;
    round_with(&mut wvegas, 0, 25.0);
    assert_close(wvegas.path(0).cwnd, (w - 1.0) * (w - 25.0) / w / 2.0, 1e-9);
    let w = wvegas.path(0).cwnd;
    round_with(&mut wvegas, 0, 15.0);
    assert_close(wvegas.path(0).cwnd, w - 1.0, 1e-9);

    let mut never = quiet(group("wvegas drain=never"), &[(0.1, 97.0)]);
    round_with(&mut never, 0, 11.0);
    let w = never.path(0).cwnd;
    round_with(&mut never, 0, 25.0);
    assert_eq!(never.path(0).cwnd, w - 1.0);
}

/// As the kernel module does it: the first segment in an empty queue is the smallest delay, and the second
/// one halves the window.
#[test]
fn drained_always_no_path_reaches_its_share() {
    let mut wvegas = quiet(group("wvegas drain=always"), &[(0.1, 97.0)]);
    round_with(&mut wvegas, 0, 1.0);
    let w = wvegas.path(0).cwnd;
    round_with(&mut wvegas, 0, 2.0);
    assert_close(wvegas.path(0).cwnd, (w + 1.0) * (w - 2.0) / w / 2.0, 1e-9);
}

#[test]
fn loss_halves_and_the_share_stays() {
    let mut wvegas = quiet(group("wvegas"), &[(0.1, 97.0), (0.1, 97.0)]);
    round_with(&mut wvegas, 0, 5.0);
    let (w, alpha) = (wvegas.path(0).cwnd, wvegas.see(0, "alpha_r"));
    lose(&mut wvegas, 0);
    assert_eq!((wvegas.path(0).cwnd, wvegas.see(0, "alpha_r")), (w / 2.0, alpha));
}
