//! wCompound against Eq. 6-12 and 35-43 of its paper, evaluated by hand.

use crate::group;
use anabranch_cc_model::{CONNECTIONS, Loss, Model, Tested, assert_close, congestion, lose};
use anabranch_cc_model::{on_path, quiet, round, window_acked};
use multipath_cc::{Group, Signal};

/// A path as the equations see it.
struct Seen {
    win: f64,
    win_max: f64,
    base: f64,
    rtt: f64,
    alpha: f64,
}

fn seen(group: &Tested, r: usize) -> Seen {
    let path = group.path(r);
    let (win, win_max) = (path.cwnd, path.largest_cwnd);
    Seen { win, win_max, base: path.min_rtt, rtt: path.round_rtt, alpha: group.see(r, "alpha_r") }
}

/// As the paper prints them, with γ = 1/8, k = 3/4, ξ = 1: Eq. 8, 13 and 14.
fn diff_p_e(s: &Seen) -> (f64, f64, f64) {
    let diff = (s.win / s.base - s.win / s.rtt) * s.base;
    let p = f64::min(1.0, s.alpha * s.rtt / ((s.rtt - s.base) * s.win_max));
    (diff, p, 0.125 * s.win.powf(0.75) * p - diff * (1.0 - p))
}

/// Eq. 39 and 43 with β = 1/2: `α_s`, and path r's share of it.
fn alphas(paths: &[Seen]) -> (f64, Vec<f64>) {
    let e: f64 = paths.iter().map(|s| diff_p_e(s).2).sum();
    let y: f64 = paths.iter().map(|s| s.win / s.rtt).sum();
    let alpha_s = if e > 0.0 { e * y / (e + 0.5 * y) } else { 0.0 };
    (alpha_s, paths.iter().map(|s| f64::max(s.win / s.rtt / y * alpha_s, 1.0)).collect())
}

/// Ends a round of path `r` at this round-trip time and checks all that it determines.
fn check_round(group: &mut Tested, r: usize, rtt: f64) {
    let before: Vec<Seen> = (0..group.paths().len())
        .map(|i| Seen { rtt: if i == r { rtt } else { group.path(i).round_rtt }, ..seen(group, i) })
        .collect();
    let (diff, ..) = diff_p_e(&before[r]);
    let alpha = alphas(&before).1[r];
    round(group, r, rtt);
    assert_close(group.see(r, "alpha_r"), alpha, 1e-9);
    assert_close(group.see(r, "diff") + 1.0, diff + 1.0, 1e-9);
    let after: Vec<Seen> = (0..group.paths().len()).map(|i| seen(group, i)).collect();
    let e: f64 = after.iter().map(|s| diff_p_e(s).2).sum();
    assert_close(group.see(r, "e") + 1e3, e + 1e3, 1e-9);
    assert_close(group.see(r, "y"), after.iter().map(|s| s.win / s.rtt).sum(), 1e-9);
    assert_close(group.see(r, "alpha_s") + 1.0, alphas(&after).0 + 1.0, 1e-9);
    assert_close(group.see(r, "p"), diff_p_e(&after[r]).1, 1e-9);
    assert_close(group.see(r, "e_r") + 1e3, diff_p_e(&after[r]).2 + 1e3, 1e-9);
}

/// 1000 segments at 100 ms without a queue: E = 0.125 · 1000^0.75 = 22.23 segments per round, y = 10 000
/// per second, `α_s` = 22.23 · 10 000/(22.23 + 5000) = 44.26.
#[test]
fn one_path_by_hand() {
    let mut one = on_path(group("wcompound"), 0.1, 2000.0);
    round(&mut one, 0, 0.1);
    lose(&mut one, 0);
    assert_eq!((one.path(0).cwnd, one.see(0, "alpha_r")), (1000.5, 6.0));
    round(&mut one, 0, 0.1);
    assert_close(one.see(0, "alpha_r"), 44.26, 1e-3);
}

/// Unequal paths, queues below and above the thresholds, E of either sign.
#[test]
fn every_round_follows_the_equations() {
    let connections: [&[(f64, f64)]; 5] = [
        &[(0.1, 400.0)],
        &[(0.1, 400.0), (0.02, 60.0)],
        &[(0.08, 1000.0), (0.08, 100.0)],
        &[(0.1, 300.0), (0.03, 300.0), (0.2, 3000.0)],
        CONNECTIONS[6],
    ];
    for paths in connections {
        let mut group = quiet(group("wcompound"), paths);
        for stretch in [1.0, 1.002, 1.01, 1.03, 1.1, 1.01, 1.0, 2.0, 1.0] {
            for (r, (base, _)) in paths.iter().enumerate() {
                check_round(&mut group, r, base * (stretch + 0.001 * r as f64));
            }
        }
    }
}

/// Eq. 9 and 12: γ win^k per round without a queue; dwnd − ξ diff above the threshold; at a loss cwnd
/// halves and dwnd fills up to (1 − β) win.
#[test]
fn window_follows_equation_12() {
    let mut two = quiet(group("wcompound"), &[(0.1, 400.0), (0.1, 400.0)]);
    for _ in 0..10 {
        let w = two.path(0).cwnd;
        round(&mut two, 0, 0.1);
        window_acked(&mut two, 0);
        assert_close(two.path(0).cwnd - w, 0.125 * w.powf(0.75), 0.05);
    }
    let (w, dwnd) = (two.path(0).cwnd, two.see(0, "dwnd"));
    let rtt = 0.1 * w / (w - 60.0);
    round(&mut two, 0, rtt);
    assert!(two.see(0, "alpha_r") < 60.0);
    assert_close(two.see(0, "dwnd"), dwnd - 60.0, 1e-9);
    assert_close(two.path(0).cwnd, w - 60.0 + 1.0 / (w - 60.0), 1e-9);

    let (w, dwnd, alpha) = (two.path(0).cwnd, two.see(0, "dwnd"), two.see(0, "alpha_r"));
    lose(&mut two, 0);
    assert_close(two.path(0).cwnd, w / 2.0, 1e-9);
    assert_close(two.see(0, "dwnd"), w / 2.0 - (w - dwnd) / 2.0, 1e-9);
    assert_eq!(two.see(0, "alpha_r"), alpha);
    two.on_spurious(0);
    assert_eq!((two.path(0).cwnd, two.see(0, "dwnd")), (w, dwnd));
    congestion(&mut two, 0, Signal::Timeout);
    assert_eq!((two.path(0).cwnd, two.see(0, "dwnd")), (1.0, 0.0));
}

/// Without queues wCompound is Compound on each path, loss by loss.
#[test]
fn without_queues_each_path_is_compound() {
    let mut both = ["wcompound", "compound autotune=false"].map(|algorithm| {
        let model = Model::new(group(algorithm)).path(0.1, Loss::Every(20_000.0), 300.0);
        model.path(0.04, Loss::Every(5000.0), 90.0)
    });
    for _ in 0..50_000 {
        let r = both.each_mut().map(Model::step);
        assert_eq!(r[0], r[1]);
        assert_close(both[0].group.path(r[0]).cwnd, both[1].group.path(r[0]).cwnd, 1e-12);
    }
}

/// A path (round-trip time without a queue, segments that fill it) for a round: the queue is what the window
/// has beyond them.
fn fluid_round(group: &mut Group, r: usize, (base, fills): (f64, f64)) -> f64 {
    let rtt = base * f64::max(1.0, group.path(r).cwnd / fills);
    round(group, r, rtt);
    window_acked(group, r);
    rtt
}

/// On one path with a queue it is Compound with its own threshold for γ: the same windows where that is held
/// at 100 segments, above the α_s of about 2 γ w^k, 30 at most.
#[test]
fn one_path_with_a_queue_is_compound_with_its_threshold() {
    let algorithms = ["wcompound initial_alpha=100 min_alpha=100", "compound gamma=100 autotune=false"];
    let mut both = algorithms.map(|algorithm| quiet(group(algorithm), &[(0.1, 150.0)]));
    let (mut retreats, mut losses) = (0, 0);
    for _ in 0..3000 {
        let before = both[0].path(0).cwnd;
        for group in &mut both {
            fluid_round(group, 0, (0.1, 300.0));
            if group.path(0).cwnd > 600.0 {
                lose(group, 0);
            }
        }
        assert_close(both[0].path(0).cwnd, both[1].path(0).cwnd, 1e-12);
        assert_eq!(both[0].see(0, "alpha_r"), 100.0);
        let change = both[0].path(0).cwnd / before;
        losses += u32::from(change < 0.6);
        retreats += u32::from((0.6..1.0).contains(&change));
    }
    assert!(losses > 2 && retreats > 5);
}

/// The queued segments of a path in each round, and its threshold then.
type Swings = Vec<Vec<(f64, f64)>>;

/// Paths (round-trip time, segments that fill it) that start at half of what fills them, from the hundredth
/// round of each until the loss window of one alone nearly fills it. After that Compound is Reno.
fn swings(algorithm: &str, lines: &[(f64, f64)]) -> Swings {
    let start: Vec<_> = lines.iter().map(|(base, fills)| (*base, fills / 2.0)).collect();
    let mut group = quiet(group(algorithm), &start);
    let mut next = vec![0.0_f64; lines.len()];
    let mut swings = vec![Vec::new(); lines.len()];
    let room = |group: &Tested| {
        let loss_window = |r: usize| group.path(r).cwnd - group.see(r, "dwnd");
        lines.iter().enumerate().all(|(r, (_, fills))| loss_window(r) < 0.9 * fills)
    };
    while room(&group) {
        let r = (0..lines.len()).min_by(|a, b| next[*a].total_cmp(&next[*b])).unwrap();
        next[r] += fluid_round(&mut group, r, lines[r]);
        swings[r].push((group.see(r, "diff"), group.see(r, "alpha_r")));
    }
    swings.iter_mut().for_each(|path| drop(path.drain(..100)));
    swings
}

/// Eq. 35 puts `α_r` for diff at equilibrium. With the paper's constants diff goes there and back: 1000 segments
/// grow by g = 22.2 per round, `α_r` is 44.3 (as above; so it is for n alike paths), and `ξ` = 1 takes the whole
/// backlog off. So diff goes from 0 up to `α_r` and at most g beyond, with a mean from `α_r`/2 to (`α_r` + g)/2;
/// a segment more for the loss window's step. Prices are alike (Eq. 36).
#[test]
fn backlog_swings_up_to_its_threshold() {
    let (alpha, g) = (44.26, 22.23);
    for n in [1, 2, 3, 8] {
        let swings = swings("wcompound", &vec![(0.1, 1000.0); n]);
        let means: Vec<f64> =
            swings.iter().map(|s| s.iter().map(|(d, _)| d).sum::<f64>() / s.len() as f64).collect();
        for (path, mean) in swings.iter().zip(&means) {
            let crest = path.iter().map(|(diff, _)| *diff).fold(0.0, f64::max);
            assert!((alpha..alpha + g + 1.0).contains(&crest), "{n} paths: {crest}");
            assert!((alpha / 2.0..(alpha + g) / 2.0 + 1.0).contains(mean), "{n} paths: {mean}");
            assert_close(*mean, means[0], 0.05);
        }
    }
}

/// On alike paths, with g per round, `α_r` becomes ((g + `ξ` diff) `α_r`/diff − `ξ` diff)/β where it is below diff
/// (Eq. 13, 14, 39): from diff = `α_r` = g/β what it falls short grows by 1 + `ξ`/β each round. So the equilibrium
/// is not stable. Where `ξ` leaves some of the backlog, `α_r` falls to its least, and diff stays where `ξ` diff is
/// the segment per round of the loss window: 20 for `ξ` = 0.05.
#[test]
fn the_equilibrium_is_not_stable() {
    for lines in [&[(0.1, 1000.0)][..], &[(0.1, 1000.0); 3]] {
        for path in swings("wcompound beta=0.05 xi=0.05", lines) {
            let (diff, alpha) = path[path.len() - 1];
            assert_eq!(alpha, 1.0);
            assert!((diff - 20.0).abs() < 1.0, "{diff}");
        }
    }
}

/// Three and eight alike paths: the same α on each, which add up to `α_s`.
#[test]
fn alike_paths_share_alike() {
    for n in [1, 2, 3, 8] {
        let many = quiet(group("wcompound"), &vec![(0.1, 400.0); n]);
        let last = n - 1;
        assert_close(many.see(last, "alpha_r") * n as f64, many.see(last, "alpha_s"), 1e-3);
        // n E · n y/(n E + n y/2): `α_s` is n times one path's.
        let one = quiet(group("wcompound"), &[(0.1, 400.0)]);
        assert_close(many.see(last, "alpha_r"), one.see(0, "alpha_r"), 1e-3);
    }
}

/// Where a queue larger than all windows' gain makes E negative, every threshold is the smallest.
#[test]
fn no_gain_gives_the_smallest_threshold() {
    let mut two = quiet(group("wcompound"), &[(0.1, 400.0), (0.1, 400.0)]);
    (0..3).for_each(|_| {
        round(&mut two, 0, 0.3);
        round(&mut two, 1, 0.3);
    });
    assert!(two.see(0, "e") < 0.0);
    assert_eq!((two.see(0, "alpha_s"), two.see(0, "alpha_r")), (0.0, 1.0));
}

#[test]
fn removed_and_silent_paths_do_not_count() {
    let mut two = quiet(group("wcompound"), &[(0.1, 400.0), (0.1, 400.0)]);
    two.add_path(0.0, 10.0);
    let y = two.see(0, "y");
    two.remove_path(1);
    round(&mut two, 0, 0.1);
    assert_close(two.see(0, "y"), y / 2.0, 1e-2);
    assert_close(two.see(0, "alpha_r"), two.see(0, "alpha_s"), 1e-3);
    assert_eq!(two.add_path(0.1, 100.0), 1);
    assert_eq!((two.see(1, "alpha_r"), two.see(1, "dwnd")), (6.0, 0.0));
    assert!(two.see(1, "diff").is_nan() && two.see(1, "p").is_nan());
}
