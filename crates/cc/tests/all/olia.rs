//! OLIA against its definition (Khalili et al., Eq. 5-7) and its properties: only the best paths are used,
//! and together they get what Reno gets on one of them.

use crate::group;
use anabranch_cc_model::{Loss, Model, Tested, ack, assert_close, bernoulli, lose, periodic, settled};
use multipath_cc::{Ack, response};

/// Round-trip time, window, and ℓ.
type Row = (f64, f64, f64);

/// A connection in congestion avoidance that has delivered ℓ on each path.
fn connection(rows: &[Row]) -> Tested {
    let paths: Vec<_> = rows.iter().map(|(rtt, w, _)| (*rtt, *w)).collect();
    let mut group = settled(group("olia"), &paths);
    for (r, (rtt, _, l)) in rows.iter().enumerate() {
        group.on_ack(r, &Ack { acked: 0.0, delivered: *l, ..ack(0.0, *rtt) });
    }
    group
}

/// The rows for which `of` is largest.
fn largest(rows: &[Row], of: impl Fn(&Row) -> f64) -> Vec<usize> {
    let max = rows.iter().map(&of).fold(f64::NEG_INFINITY, f64::max);
    (0..rows.len()).filter(|r| of(&rows[*r]) == max).collect()
}

/// a, from the sets as the paper writes them.
fn a(rows: &[Row], r: usize) -> f64 {
    let b = largest(rows, |(rtt, _, l)| l / (rtt * rtt));
    let m = largest(rows, |(_, w, _)| w.floor());
    let collected: Vec<_> = b.iter().filter(|r| !m.contains(r)).collect();
    let n = rows.len() as f64;
    match () {
        () if collected.is_empty() => 0.0,
        () if m.contains(&r) => -1.0 / n / m.len() as f64,
        () if b.contains(&r) => 1.0 / n / collected.len() as f64,
        () => 0.0,
    }
}

#[test]
fn increase_is_the_papers() {
    let connections: [&[Row]; 9] = [
        &[(0.1, 50.0, 100.0)],
        &[(0.1, 50.0, 100.0), (0.1, 50.0, 100.0)],
        &[(0.1, 50.0, 100.0), (0.1, 60.0, 100.0)],
        &[(0.1, 50.0, 200.0), (0.1, 60.0, 100.0)],
        &[(0.02, 70.0, 100.0), (0.1, 849.0, 1000.0)],
        &[(0.1, 8.0, 300.0), (0.05, 20.0, 10.0), (0.2, 300.0, 200.0)],
        &[(0.1, 8.0, 300.0), (0.1, 9.0, 300.0), (0.2, 300.0, 200.0)],
        &[(0.1, 8.0, 300.0), (0.1, 30.0, 10.0), (0.1, 30.75, 300.0)],
        &[
            (0.1, 8.0, 300.0),
            (0.1, 30.0, 10.0),
            (0.1, 30.0, 300.0),
            (0.1, 12.0, 300.0),
            (0.3, 2.0, 2.0),
            (0.05, 12.0, 50.0),
            (0.1, 30.0, 299.0),
            (0.2, 17.0, 1.0),
        ],
    ];
    for rows in connections {
        let rate: f64 = rows.iter().map(|(rtt, w, _)| w / rtt).sum();
        for (r, (rtt, w, l)) in rows.iter().enumerate() {
            let mut olia = connection(rows);
            assert!((olia.see(r, "a") - a(rows, r)).abs() < 1e-15, "{rows:?} {r}");
            assert_eq!(olia.see(r, "l"), *l);
            olia.on_ack(r, &Ack { delivered: 0.0, ..ack(1.0, *rtt) });
            let increase = w / (rtt * rtt) / (rate * rate) + a(rows, r) / w;
            assert_close(olia.path(r).cwnd, w + increase, 1e-12);
        }
    }
}

/// By hand, at 100 ms: the better path has w = 10, the other 20. B = {1}, M = {2}, a = ±1/2.
/// 10/30² + 0.5/10 = 0.0611…, 20/30² - 0.5/20 = -0.0027…
#[test]
fn windows_move_to_the_better_path() {
    let rows = [(0.1, 10.0, 200.0), (0.1, 20.0, 100.0)];
    for (r, expected) in [(0, 10.0 + 0.55 / 9.0), (1, 20.0 - 0.025 / 9.0)] {
        let mut olia = connection(&rows);
        olia.on_ack(r, &Ack { delivered: 0.0, ..ack(1.0, 0.1) });
        assert_close(olia.path(r).cwnd, expected, 1e-12);
        let sets = |r| (olia.see(r, "in_b"), olia.see(r, "in_m"));
        assert_eq!((sets(0), sets(1)), ((1.0, 0.0), (0.0, 1.0)));
    }
}

/// Where the window sank below the threshold, slow start would bring it back with the next segment.
#[test]
fn what_is_given_away_does_not_come_back_by_slow_start() {
    let mut olia = connection(&[(0.1, 10.0, 200.0), (0.1, 20.0, 100.0)]);
    for _ in 0..100 {
        let before = olia.path(1).cwnd;
        olia.on_ack(1, &Ack { delivered: 0.0, ..ack(1.0, 0.1) });
        assert!(olia.path(1).cwnd < before && !olia.path(1).in_slow_start());
    }
}

#[test]
fn l_is_the_longer_of_the_present_and_the_last_interval() {
    let mut olia = connection(&[(0.1, 10.0, 30.0)]);
    let deliver = |olia: &mut Tested, n| olia.on_ack(0, &Ack { acked: 0.0, delivered: n, ..ack(1.0, 0.1) });
    lose(&mut olia, 0);
    assert_eq!(olia.see(0, "l"), 30.0, "the interval that ended");
    deliver(&mut olia, 20.0);
    assert_eq!(olia.see(0, "l"), 30.0);
    deliver(&mut olia, 20.0);
    assert_eq!(olia.see(0, "l"), 40.0, "the present one has become longer");
    lose(&mut olia, 0);
    deliver(&mut olia, 1.0);
    lose(&mut olia, 0);
    assert_eq!(olia.see(0, "l"), 1.0);
    olia.on_spurious(0);
    assert_eq!(olia.see(0, "l"), 40.0, "the last loss was none");
}

/// `tcp_enter_loss` calls no `ssthresh` in recovery: the interval still begins at the loss, and an undo joins it with the one before.
#[test]
fn a_timeout_behind_a_loss_ends_no_interval() {
    let mut olia = connection(&[(0.1, 10.0, 30.0)]);
    lose(&mut olia, 0);
    olia.on_ack(0, &Ack { acked: 0.0, delivered: 40.0, ..ack(1.0, 0.1) });
    olia.on_timeout_again(0, 1.5);
    olia.on_ack(0, &Ack { acked: 0.0, delivered: 0.0, ..ack(2.0, 0.1) }); // it counts again
    assert_eq!((olia.see(0, "l"), olia.path(0).delivered_between_losses), (40.0, 30.0));
    olia.on_spurious(0);
    assert_eq!((olia.see(0, "l"), olia.path(0).delivered_between_losses), (70.0, 0.0));
}

/// Mean windows over this number of losses of the first path, after a warm-up: path by path (round-trip time, loss rate).
fn means(name: &str, paths: &[(f64, f64)], loss: impl Fn(usize, f64) -> Loss, losses: u64) -> Vec<f64> {
    Model::lossy(group(name), paths, loss).means(losses, losses)
}

/// Theorem 1: at equilibrium only paths with the largest √(2/p)/T carry traffic, and in all what Reno
/// would carry on one. With periodic losses ℓ is 1/p exactly, and every other path falls until losses leave
/// it the two segments that they leave at least. Then it is below four, or a loss would leave more.
#[test]
fn only_the_best_path_is_used() {
    let connections: [&[(f64, f64)]; 4] = [
        &[(0.1, 1e-3), (0.1, 4e-3)],
        &[(0.02, 4e-3), (0.1, 2.5e-4)],
        &[(0.1, 1e-3), (0.1, 4e-3), (0.05, 8e-3)],
        &[5e-4, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 7e-3, 8e-3].map(|p| (0.1, p)),
    ];
    for paths in connections {
        let windows = means("olia", paths, periodic, 2_000);
        let reno = |(rtt, p): &(f64, f64)| response::reno(*p) / rtt;
        let best = paths.iter().map(reno).fold(0.0, f64::max);
        let total: f64 = windows.iter().zip(paths).map(|(w, (rtt, _))| w / rtt).sum();
        println!("{paths:?}: {windows:.2?}, {total:.1} of {best:.1}/s");
        assert_close(total, best, 0.10);
        for (path, w) in paths.iter().zip(&windows) {
            assert!(reno(path) == best || *w < 4.0, "{path:?} of {paths:?}: {w}");
        }
    }
}

/// n equal paths with simultaneous losses stay equal: each has exactly 1/n of Reno's window. Acknowledgements
/// alternate: see the reading of M.
#[test]
fn equal_paths_with_periodic_losses_share_renos_window() {
    for n in [2, 3, 8] {
        for window in means("olia", &vec![(0.1, 2e-4); n], periodic, 40) {
            assert_close(window, response::reno(2e-4) / n as f64, 0.01 * n as f64);
        }
    }
}

/// Where losses are independent ℓ fluctuates, and now and then the worse path looks better. It still has
/// well below what LIA leaves there, three quarters at most. LIA's windows are inverse to the loss rates:
/// 1/5 and 1/9 of the sum, within 10 %.
#[test]
fn a_more_congested_path_is_left_where_lia_stays() {
    for paths in [[(0.1, 1e-3), (0.1, 4e-3)], [(0.1, 5e-4), (0.1, 4e-3)]] {
        let share = |windows: Vec<f64>| windows[1] / (windows[0] + windows[1]);
        let olia = share(means("olia", &paths, bernoulli, 5000));
        let lia = share(means("lia", &paths, bernoulli, 5000));
        let periodic = share(means("olia", &paths, periodic, 1000));
        println!("{paths:?}: OLIA {olia:.3} (periodic losses {periodic:.3}), LIA {lia:.3}");
        assert_close(lia, paths[0].1 / (paths[0].1 + paths[1].1), 0.10);
        assert!(olia < 0.75 * lia && periodic < lia / 2.0);
    }
}
