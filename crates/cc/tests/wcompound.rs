//! wCompound against Eq. 6-12 and 35-43 of its paper, evaluated by hand.

mod common;

use anabranch_cc::registry::Given;
use anabranch_cc::{Ack, Congestion, Group, Signal};
use common::{Loss, Model, ack, assert_close, group, observed, quiet, round};

fn see(group: &Group, r: usize, name: &str) -> f64 {
    observed(group, "wcompound", r, name)
}

/// A path as the equations see it.
struct Seen {
    win: f64,
    win_max: f64,
    base: f64,
    rtt: f64,
    alpha: f64,
}

fn seen(group: &Group, r: usize) -> Seen {
    let path = group.path(r);
    let (win, win_max) = (path.cwnd, path.largest_cwnd);
    Seen { win, win_max, base: path.min_rtt, rtt: path.round_rtt, alpha: see(group, r, "alpha_r") }
}

/// As the paper prints them, with γ = 1/8, k = 3/4, ξ = 1: Eq. 8, 13 and 14.
fn diff_p_e(s: &Seen) -> (f64, f64, f64) {
    let diff = (s.win / s.base - s.win / s.rtt) * s.base;
    let p = f64::min(1.0, s.alpha * s.rtt / ((s.rtt - s.base) * s.win_max));
    (diff, p, 0.125 * s.win.powf(0.75) * p - diff * (1.0 - p))
}

/// Eq. 39 and 43 with β = 1/2: `α_s`, and path r's part of it.
fn alphas(paths: &[Seen]) -> (f64, Vec<f64>) {
    let e: f64 = paths.iter().map(|s| diff_p_e(s).2).sum();
    let y: f64 = paths.iter().map(|s| s.win / s.rtt).sum();
    let alpha_s = if e > 0.0 { e * y / (e + 0.5 * y) } else { 0.0 };
    (alpha_s, paths.iter().map(|s| f64::max(s.win / s.rtt / y * alpha_s, 1.0)).collect())
}

/// Ends a round of path `r` at this round-trip time and checks all that it determines.
fn check_round(group: &mut Group, r: usize, rtt: f64) {
    let before: Vec<Seen> = (0..group.paths().len())
        .map(|i| Seen { rtt: if i == r { rtt } else { group.path(i).round_rtt }, ..seen(group, i) })
        .collect();
    let (diff, ..) = diff_p_e(&before[r]);
    let alpha = alphas(&before).1[r];
    round(group, r, rtt);
    assert_close(see(group, r, "alpha_r"), alpha, 1e-9);
    assert_close(see(group, r, "diff") + 1.0, diff + 1.0, 1e-9);
    let after: Vec<Seen> = (0..group.paths().len()).map(|i| seen(group, i)).collect();
    let e: f64 = after.iter().map(|s| diff_p_e(s).2).sum();
    assert_close(see(group, r, "e") + 1e3, e + 1e3, 1e-9);
    assert_close(see(group, r, "y"), after.iter().map(|s| s.win / s.rtt).sum(), 1e-9);
    assert_close(see(group, r, "alpha_s") + 1.0, alphas(&after).0 + 1.0, 1e-9);
    assert_close(see(group, r, "p"), diff_p_e(&after[r]).1, 1e-9);
    assert_close(see(group, r, "e_r") + 1e3, diff_p_e(&after[r]).2 + 1e3, 1e-9);
}

/// 1000 segments at 100 ms without a queue: E = 0.125 · 1000^0.75 = 22.23 segments per round, y = 10 000
/// per second, `α_s` = 22.23 · 10 000/(22.23 + 5000) = 44.26.
#[test]
fn one_path_by_hand() {
    let mut one = group("wcompound", &[]);
    one.add_path(0.1, 2000.0);
    round(&mut one, 0, 0.1);
    one.on_congestion(0, &Congestion { now: 0.0, signal: Signal::Loss });
    assert_eq!((one.path(0).cwnd, see(&one, 0, "alpha_r")), (1000.5, 6.0));
    round(&mut one, 0, 0.1);
    assert_close(see(&one, 0, "alpha_r"), 44.26, 1e-3);
}

/// Two alike paths of 500 segments: each has E = 0.125 · 500^0.75 = 13.22, together 26.43 and `α_s` = 52.59,
/// a half for each.
#[test]
fn two_paths_by_hand() {
    let two = quiet(group("wcompound", &[]), &[(0.1, 500.0), (0.1, 500.0)]);
    // `quiet` leaves windows a little above 500, by up to three rounds' growth of one acknowledgement.
    assert_close(see(&two, 1, "alpha_s"), 52.59, 2e-3);
    assert_close(see(&two, 1, "alpha_r"), 26.29, 2e-3);
}

/// Unequal paths, queues below and above the thresholds, E of either sign.
#[test]
fn every_round_follows_the_equations() {
    let connections: [&[(f64, f64)]; 5] = [
        &[(0.1, 400.0)],
        &[(0.1, 400.0), (0.02, 60.0)],
        &[(0.08, 1000.0), (0.08, 100.0)],
        &[(0.1, 300.0), (0.03, 300.0), (0.2, 3000.0)],
        &[
            (0.1, 50.0),
            (0.2, 50.0),
            (0.3, 50.0),
            (0.1, 500.0),
            (0.1, 10.0),
            (0.02, 80.0),
            (0.5, 900.0),
            (0.1, 99.0),
        ],
    ];
    for paths in connections {
        let mut group = quiet(group("wcompound", &[]), paths);
        for stretch in [1.0, 1.002, 1.01, 1.03, 1.1, 1.01, 1.0, 2.0, 1.0] {
            for (r, (base, _)) in paths.iter().enumerate() {
                check_round(&mut group, r, base * (stretch + 0.001 * r as f64));
            }
        }
    }
}

/// The segments of a window, acknowledged one by one within the present round, without samples.
fn window_acked(group: &mut Group, r: usize) {
    let round = group.path(r).round;
    for _ in 0..group.path(r).cwnd.round() as u64 {
        group.on_ack(r, &Ack { round, rtt: None, ..ack(99.0, 0.1) });
    }
}

/// Eq. 9 and 12: γ win^k per round without a queue; dwnd − ξ diff above the threshold; at a loss cwnd
/// halves and dwnd fills up to (1 − β) win.
#[test]
fn window_follows_equation_12() {
    let mut two = quiet(group("wcompound", &[]), &[(0.1, 400.0), (0.1, 400.0)]);
    for _ in 0..10 {
        let w = two.path(0).cwnd;
        round(&mut two, 0, 0.1);
        window_acked(&mut two, 0);
        assert_close(two.path(0).cwnd - w, 0.125 * w.powf(0.75), 0.05);
    }
    let (w, dwnd) = (two.path(0).cwnd, see(&two, 0, "dwnd"));
    let rtt = 0.1 * w / (w - 60.0);
    round(&mut two, 0, rtt);
    assert!(see(&two, 0, "alpha_r") < 60.0);
    assert_close(see(&two, 0, "dwnd"), dwnd - 60.0, 1e-9);
    assert_close(two.path(0).cwnd, w - 60.0 + 1.0 / (w - 60.0), 1e-9);

    let (w, dwnd, alpha) = (two.path(0).cwnd, see(&two, 0, "dwnd"), see(&two, 0, "alpha_r"));
    two.on_congestion(0, &Congestion { now: 0.0, signal: Signal::Loss });
    assert_close(two.path(0).cwnd, w / 2.0, 1e-9);
    assert_close(see(&two, 0, "dwnd"), w / 2.0 - (w - dwnd) / 2.0, 1e-9);
    assert_eq!(see(&two, 0, "alpha_r"), alpha);
    two.on_spurious(0);
    assert_eq!((two.path(0).cwnd, see(&two, 0, "dwnd")), (w, dwnd));
    two.on_congestion(0, &Congestion { now: 0.0, signal: Signal::Timeout });
    assert_eq!((two.path(0).cwnd, see(&two, 0, "dwnd")), (1.0, 0.0));
}

/// Without queues wCompound is Compound on each path, loss by loss.
#[test]
fn without_queues_each_path_is_compound() {
    let model = |name, params: &[(&str, Given)]| {
        Model::new(group(name, params)).path(0.1, Loss::Every(20_000.0), 300.0).path(
            0.04,
            Loss::Every(5000.0),
            90.0,
        )
    };
    let mut both = [model("wcompound", &[]), model("compound", &[("autotune", Given::Flag(false))])];
    for _ in 0..50_000 {
        let r = both.each_mut().map(Model::step);
        assert_eq!(r[0], r[1]);
        assert_close(both[0].group.path(r[0]).cwnd, both[1].group.path(r[0]).cwnd, 1e-12);
    }
}

/// Three and eight alike paths: the same α on each, which add up to `α_s`.
#[test]
fn alike_paths_share_alike() {
    for n in [1, 2, 3, 8] {
        let many = quiet(group("wcompound", &[]), &vec![(0.1, 400.0); n]);
        let last = n - 1;
        assert_close(see(&many, last, "alpha_r") * n as f64, see(&many, last, "alpha_s"), 1e-3);
        // n E · n y/(n E + n y/2): `α_s` is n times that of one path.
        let one = quiet(group("wcompound", &[]), &[(0.1, 400.0)]);
        assert_close(see(&many, last, "alpha_r"), see(&one, 0, "alpha_r"), 1e-3);
    }
}

/// Where a queue larger than all windows' gain makes E negative, every threshold is the smallest.
#[test]
fn no_gain_gives_the_smallest_threshold() {
    let mut two = quiet(group("wcompound", &[]), &[(0.1, 400.0), (0.1, 400.0)]);
    (0..3).for_each(|_| {
        round(&mut two, 0, 0.3);
        round(&mut two, 1, 0.3);
    });
    assert!(see(&two, 0, "e") < 0.0);
    assert_eq!((see(&two, 0, "alpha_s"), see(&two, 0, "alpha_r")), (0.0, 1.0));
}

#[test]
fn removed_and_silent_paths_do_not_count() {
    let mut two = quiet(group("wcompound", &[]), &[(0.1, 400.0), (0.1, 400.0)]);
    two.add_path(0.0, 10.0);
    let y = see(&two, 0, "y");
    two.remove_path(1);
    round(&mut two, 0, 0.1);
    assert_close(see(&two, 0, "y"), y / 2.0, 1e-2);
    assert_close(see(&two, 0, "alpha_r"), see(&two, 0, "alpha_s"), 1e-3);
    assert_eq!(two.add_path(0.1, 100.0), 1);
    assert_eq!((see(&two, 1, "alpha_r"), see(&two, 1, "dwnd")), (6.0, 0.0));
    assert!(see(&two, 1, "diff").is_nan() && see(&two, 1, "p").is_nan());
}
