//! Linked CUBIC against its derivation: shares from loss rates, and mean windows under them.

use crate::group;
use anabranch_cc_model::{Loss, Model, Random, ack, assert_close};
use multipath_cc::response::reno;
use multipath_cc::{Ack, Congestion, Group, Signal};

/// CUBIC's mean window at loss rate `p`, with K = 1.0538 for C = 0.4 and 0.7 kept.
fn single(p: f64, rtt: f64) -> f64 {
    reno(p).max(1.0538 * (rtt / p).powf(0.75))
}

/// Paths as round-trip time and loss rate: alike, at unequal loss rates, at unequal round-trip times, with
/// CUBIC in its Reno region on all of them or on some.
const PATHS: &[&[(f64, f64)]] = &[
    &[(0.1, 1e-5)],
    &[(0.1, 1e-5); 2],
    &[(0.1, 1e-5); 4],
    &[(0.1, 1e-6), (0.1, 1e-4)],
    &[(0.02, 1e-5), (0.2, 1e-5)],
    &[(0.02, 1e-2); 3],
    &[(0.2, 1e-6), (0.02, 1e-3), (0.05, 1e-4)],
    &[(0.1, 1e-5); 8],
];

/// s = η V with η from Σ w/T = max U/T, w = s U: the windows that the loss rates call for, in segments, and s.
fn wanted(paths: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let best = paths.iter().map(|&(t, p)| single(p, t) / t).fold(0.0, f64::max);
    let eta = best / paths.iter().map(|&(t, p)| reno(p) * single(p, t) / t).sum::<f64>();
    paths.iter().map(|&(t, p)| (eta * reno(p) * single(p, t), eta * reno(p))).collect()
}

/// A path with this window that sends.
fn join(group: &mut Group, rtt: f64, window: f64) {
    let r = group.add_path(rtt, window);
    group.on_ack(r, &Ack { acked: 0.0, ..ack(0.0, rtt) });
}

/// At the windows that the loss rates call for, it finds the shares and the single flows' windows again
/// without knowing a loss rate.
#[test]
fn the_windows_tell_the_shares() {
    for paths in PATHS {
        let mut group = group("linked-cubic");
        for ((rtt, _), (w, _)) in paths.iter().zip(wanted(paths)) {
            join(&mut group, *rtt, w);
        }
        for (r, ((rtt, p), (_, share))) in paths.iter().zip(wanted(paths)).enumerate() {
            assert!(share <= 1.0 + 1e-12);
            assert_close(group.see(r, "share"), share, 1e-3);
            assert_close(group.see(r, "single"), single(*p, *rtt), 1e-3);
        }
    }
}

#[test]
fn one_path_is_cubic() {
    for p in [1e-2, 1e-4, 1e-6] {
        let model = |name| Model::new(group(name)).path(0.1, Loss::Bernoulli(p, Random(3)), 100.0);
        let (mut ours, mut cubic) = (model("linked-cubic"), model("cubic"));
        for _ in 0..20_000 {
            ours.step();
            cubic.step();
            assert_eq!(ours.group.path(0).cwnd, cubic.group.path(0).cwnd);
        }
    }
}

/// The goal: together what a CUBIC flow has on the best of the paths. Under random losses the yardstick is CUBIC
/// under the same. Alike paths have more: the best of several means of noisy windows is above the mean.
#[test]
fn together_as_fast_as_cubic_on_the_best_path() {
    for (paths, losses, most) in [
        (&[(0.1, 1e-4), (0.1, 1e-4)][..], 1500, 1.15),
        (&[(0.1, 1e-6), (0.1, 1e-4)], 300, 1.05),
        (&[(0.2, 1e-6), (0.02, 1e-3), (0.05, 1e-4)], 300, 1.05),
    ] {
        let rate = |name: &str, paths: &[(f64, f64)]| {
            let mut model = Model::new(group(name));
            model.acks_per_rtt = 10.0;
            for (i, (rtt, p)) in paths.iter().enumerate() {
                let seed = Random(11 + i as u64);
                model = model.path(*rtt, Loss::Bernoulli(*p, seed), single(*p, *rtt));
            }
            model.means(50, losses).iter().zip(paths).map(|(w, (rtt, _))| w / rtt).sum::<f64>()
        };
        let best = paths.iter().map(|path| rate("cubic", &[*path])).fold(0.0, f64::max);
        let ratio = rate("linked-cubic", paths) / best;
        assert!((0.95..most).contains(&ratio), "{paths:?}: {ratio:.3} of the best single flow");
    }
}

/// By hand: 2 s at 10 segments, which a loss makes weigh as 1 s, and 1 s at the 7 that it leaves: 8.5.
#[test]
fn means_are_over_time() {
    let mut group = group("linked-cubic hystart=false");
    let r = group.add_path(100.0, 10.0 / 0.7);
    let loss = |group: &mut Group, now, signal| group.on_congestion(r, &Congestion { now, signal });
    let wait = |group: &mut Group, now| group.on_ack(r, &Ack { acked: 1e-9, ..ack(now, 100.0) });
    loss(&mut group, 0.0, Signal::Loss);
    wait(&mut group, 1.0);
    wait(&mut group, 3.0);
    assert_close(group.see(r, "mean"), 10.0, 1e-6);
    loss(&mut group, 3.0, Signal::Loss);
    wait(&mut group, 4.0);
    assert_close(group.see(r, "mean"), 8.5, 1e-6);
    loss(&mut group, 4.0, Signal::Timeout);
    assert!(group.see(r, "mean").is_nan(), "a path that timed out does not count");
    group.on_spurious(r);
    assert_close(group.see(r, "mean"), 8.5, 1e-6);
}

/// When the other path goes, the window grows on from where it is, as fast as a single flow's.
#[test]
fn a_path_left_alone_continues_as_cubic() {
    let start = |paths: &[f64]| {
        let mut group = group("linked-cubic");
        for rtt in paths {
            let r = group.add_path(*rtt, 1000.0);
            group.on_congestion(r, &Congestion { now: 0.0, signal: Signal::Loss });
        }
        group
    };
    let mut two = start(&[0.1, 0.1]);
    for i in 1..=1000 {
        two.on_ack(0, &ack(f64::from(i) / 1e3, 0.1));
    }
    let before = two.path(0).cwnd;
    two.remove_path(1);
    two.on_ack(0, &ack(1.001, 0.1));
    let step = two.path(0).cwnd - before;
    assert!((0.0..=0.5).contains(&step), "{step}");
    assert_eq!(two.see(0, "share"), 1.0);
}
