//! Linked CUBIC against its derivation: shares from loss rates, and mean windows under them.

mod common;

use anabranch_cc::response::reno;
use common::{Loss, Model, Random, ack, assert_close, group, observed};

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

/// At the windows that the loss rates call for, it finds the shares and the single flows' windows again
/// without knowing a loss rate.
#[test]
fn the_windows_tell_the_shares() {
    for paths in PATHS {
        let mut group = group("linked-cubic", &[]);
        for ((rtt, _), (w, _)) in paths.iter().zip(wanted(paths)) {
            group.add_path(*rtt, w);
        }
        for (r, ((rtt, p), (_, share))) in paths.iter().zip(wanted(paths)).enumerate() {
            assert!(share <= 1.0 + 1e-12);
            assert_close(observed(&group, "linked-cubic", r, "share"), share, 1e-3);
            assert_close(observed(&group, "linked-cubic", r, "single"), single(*p, *rtt), 1e-3);
        }
    }
}

#[test]
fn alike_paths_divide_one_flow() {
    for n in [1, 2, 4, 8] {
        let mut group = group("linked-cubic", &[]);
        (0..n).for_each(|_| {
            group.add_path(0.1, 500.0);
        });
        assert_close(observed(&group, "linked-cubic", 0, "share"), 1.0 / f64::from(n), 1e-12);
    }
}

#[test]
fn one_path_is_cubic() {
    for p in [1e-2, 1e-4, 1e-6] {
        let model = |name| Model::new(group(name, &[])).path(0.1, Loss::Bernoulli(p, Random(3)), 100.0);
        let (mut ours, mut cubic) = (model("linked-cubic"), model("cubic"));
        for _ in 0..20_000 {
            ours.step();
            cubic.step();
            assert_eq!(ours.group.path(0).cwnd, cubic.group.path(0).cwnd);
        }
    }
}

/// The goal: over any paths, together what a CUBIC flow has on the best of them. The mean is over random
/// losses, so the yardstick is CUBIC under the same.
#[test]
fn together_as_fast_as_cubic_on_the_best_path() {
    for paths in PATHS {
        let run = |name: &str, paths: &[(f64, f64)]| {
            let mut model = Model::new(group(name, &[]));
            for (i, (rtt, p)) in paths.iter().enumerate() {
                model = model.path(*rtt, Loss::Bernoulli(*p, Random(11 + i as u64)), single(*p, *rtt));
            }
            model.mean_over(100);
            let means = model.mean_over(1500);
            means.iter().zip(paths).map(|(w, (rtt, _))| w / rtt).sum::<f64>()
        };
        let best = paths.iter().map(|path| run("cubic", &[*path])).fold(0.0, f64::max);
        let ratio = run("linked-cubic", paths) / best;
        println!("{paths:?}: {ratio:.3} of the best single flow");
        assert!((0.9..1.1).contains(&ratio), "{paths:?}: {ratio:.3}");
    }
}

/// When the other path goes, the window grows on from where it is, as fast as a single flow's.
#[test]
fn a_path_left_alone_goes_on_as_cubic() {
    let start = |paths: &[f64]| {
        let mut group = group("linked-cubic", &[]);
        for rtt in paths {
            let r = group.add_path(*rtt, 1000.0);
            let loss = anabranch_cc::Congestion { now: 0.0, signal: anabranch_cc::Signal::Loss };
            group.on_congestion(r, &loss);
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
    assert_eq!(observed(&two, "linked-cubic", 0, "share"), 1.0);
}
