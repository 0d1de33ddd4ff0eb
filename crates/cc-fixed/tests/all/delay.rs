//! The kernel's Vegas, wVegas, Compound and wCompound against their rules, evaluated by hand.

use crate::{see, step_by_step};
use anabranch_cc::{Ack, Congestion, Group, Signal};

/// Round-trip times are whole microseconds: a queue of 1 ms, the smallest here, is off by 5e-4.
#[track_caller]
fn assert_close(ours: f64, expected: f64) {
    assert!((ours / expected - 1.0).abs() < 1e-3, "{ours} against {expected}");
}

fn ack(round: u64, rtt: Option<f64>) -> Ack {
    let srtt = rtt.unwrap_or(0.1);
    Ack { acked: 1.0, delivered: 1.0, rtt, srtt, round, in_flight: 1.0, cwnd_limited: true, ..Ack::default() }
}

/// One acknowledgement that ends a round of path `r` whose only sample is `rtt`.
fn round(group: &mut Group, r: usize, rtt: f64) {
    group.on_ack(r, &ack(group.path(r).round + 1, Some(rtt)));
}

/// The segments of one window, acknowledged one by one within the present round, without samples.
fn window_acked(group: &mut Group, r: usize) {
    for _ in 0..group.path(r).cwnd.round() as u64 {
        group.on_ack(r, &ack(group.path(r).round, None));
    }
}

fn loss(group: &mut Group, r: usize, signal: Signal) {
    group.on_congestion(r, &Congestion { now: 0.0, signal });
}

/// Paths (round-trip time without a queue, window) in congestion avoidance: a loss at twice the window, then
/// three rounds without a queue, the last one judged in full.
fn quiet(name: &str, paths: &[(f64, f64)]) -> Group {
    let mut group = step_by_step(name);
    for (r, (base, cwnd)) in paths.iter().enumerate() {
        group.add_path(*base, 2.0 * cwnd);
        round(&mut group, r, *base);
        loss(&mut group, r, Signal::Loss);
        (0..3).for_each(|_| round(&mut group, r, *base));
    }
    group
}

/// A round of path `r` in which `queued` segments of the window were in the queue.
fn round_with(group: &mut Group, r: usize, queued: f64) {
    let path = group.path(r);
    round(group, r, path.min_rtt * path.cwnd / (path.cwnd - queued));
}

#[test]
fn vegas_keeps_between_two_and_four() {
    for (queued, step) in
        [(0.5, 1.0), (1.99, 1.0), (2.01, 0.0), (3.0, 0.0), (3.99, 0.0), (4.01, -1.0), (20.0, -1.0)]
    {
        let mut vegas = quiet("vegas@kernel", &[(0.1, 50.0)]);
        let w = vegas.path(0).cwnd;
        round_with(&mut vegas, 0, queued);
        assert_close(see(&vegas, "vegas", 0, "diff"), queued);
        assert_eq!(vegas.path(0).cwnd, w + step);
        // Once per round.
        window_acked(&mut vegas, 0);
        assert_eq!(vegas.path(0).cwnd, w + step);
        loss(&mut vegas, 0, Signal::Loss);
        assert_eq!(vegas.path(0).cwnd, (w + step) / 2.0);
    }
}

/// The window doubles in the first round and is held in the second; with 10 of 100 queued slow start ends at
/// w base/RTT + 1 = 91.
#[test]
fn vegas_doubles_every_other_round_until_a_queue_builds() {
    let mut vegas = step_by_step("vegas@kernel");
    vegas.add_path(0.1, 10.0);
    let mut windows = Vec::new();
    for n in 0..4 {
        for _ in 0..vegas.path(0).cwnd as u64 {
            vegas.on_ack(0, &ack(n, Some(0.1)));
        }
        windows.push(vegas.path(0).cwnd);
    }
    assert_eq!(windows, [20.0, 20.0, 40.0, 40.0]);

    let mut vegas = step_by_step("vegas@kernel");
    vegas.add_path(0.1, 98.0);
    round(&mut vegas, 0, 0.1);
    let w = vegas.path(0).cwnd;
    round_with(&mut vegas, 0, 10.0);
    assert_close(vegas.path(0).cwnd, w - 10.0 + 1.0);
    assert!(!vegas.path(0).in_slow_start());
}

/// One path has all the weight: it is Vegas with 10 for alpha and beta, once it has reached the 2 of a new path.
#[test]
fn wvegas_on_one_path_is_vegas_with_its_own_threshold() {
    for (queued, step) in [(1.9, 1.0), (2.1, 1.0), (9.9, 1.0), (10.1, -1.0), (30.0, -1.0)] {
        let mut wvegas = quiet("wvegas@kernel", &[(0.1, 100.0)]);
        let w = wvegas.path(0).cwnd;
        round_with(&mut wvegas, 0, queued);
        assert_eq!(wvegas.path(0).cwnd, w + step);
        assert_eq!(see(&wvegas, "wvegas", 0, "weight"), 1.0);
        assert_eq!(see(&wvegas, "wvegas", 0, "alpha_r"), if queued < 2.0 { 2.0 } else { 10.0 });
    }
}

/// 50 segments with 5 queued at 100 ms: x = 45/0.1 = 450 per second; 80 with 8 queued at 200 ms: x = 72/0.2 =
/// 360. Weights 5/9 and 4/9, of 10 segments.
#[test]
fn wvegas_shares_by_the_rates() {
    let see = |group: &Group, r, name| see(group, "wvegas", r, name);
    let mut wvegas = quiet("wvegas@kernel", &[(0.1, 47.0), (0.2, 77.0)]);
    assert_eq!((wvegas.path(0).cwnd, wvegas.path(1).cwnd), (50.0, 80.0));
    round_with(&mut wvegas, 0, 5.0);
    round_with(&mut wvegas, 1, 8.0);
    assert_close(see(&wvegas, 1, "weight"), 4.0 / 9.0);
    assert_close(see(&wvegas, 1, "alpha_r"), 40.0 / 9.0);
    // A timed-out path's rate is forgotten, and an undo brings it back.
    loss(&mut wvegas, 1, Signal::Timeout);
    round_with(&mut wvegas, 0, 11.0);
    assert_eq!(see(&wvegas, 0, "weight"), 1.0);
    wvegas.on_spurious(1);
    round_with(&mut wvegas, 0, 20.0);
    let x = (50.0 - 20.0) / 0.1; // 50 + 1 - 1 segments
    assert_close(see(&wvegas, 0, "weight"), x / (x + 360.0));
    // A path that left does not count.
    wvegas.remove_path(1);
    round_with(&mut wvegas, 0, 12.0);
    assert_eq!(see(&wvegas, 0, "weight"), 1.0);
}

/// 11 of 100 segments queued, then 25: the queueing delay has doubled, and the window goes to w base/(2 RTT).
#[test]
fn wvegas_drains_a_doubled_queue() {
    let mut wvegas = quiet("wvegas@kernel", &[(0.1, 97.0)]);
    round_with(&mut wvegas, 0, 11.0);
    let w = wvegas.path(0).cwnd;
    round_with(&mut wvegas, 0, 25.0);
    assert_close(wvegas.path(0).cwnd, (w - 1.0) * (w - 25.0) / w / 2.0);
}

/// A round without a queue adds 400^(3/4)/8 = 11.18 segments to 400, one of them to the loss window; below 16
/// it adds Reno's one only. A backlog of 31 is above the 30 of a new path and is taken off.
#[test]
fn compound_grows_by_its_power_and_gives_way_to_a_queue() {
    let dwnd = |group: &Group| see(group, "compound", 0, "dwnd");
    let mut compound = quiet("compound@kernel", &[(0.1, 400.0)]);
    round(&mut compound, 0, 0.1);
    let (w, before) = (compound.path(0).cwnd, dwnd(&compound));
    window_acked(&mut compound, 0);
    let grown = compound.path(0).cwnd - w;
    assert!((grown / 11.18 - 1.0).abs() < 0.02, "{grown}"); // the window is 400 to 402
    assert!(((dwnd(&compound) - before) / 10.18 - 1.0).abs() < 0.02);
    for _ in 0..10 {
        round(&mut compound, 0, 0.1);
        window_acked(&mut compound, 0);
    }
    loss(&mut compound, 0, Signal::Loss);
    compound.on_spurious(0);
    // The loss has found that there was no queue, and this finding is undone.
    assert_eq!(see(&compound, "compound", 0, "threshold"), 30.0);
    let (w, before) = (compound.path(0).cwnd, dwnd(&compound));
    round_with(&mut compound, 0, 31.0);
    assert_close(dwnd(&compound), before - 31.0);
    assert_close(compound.path(0).cwnd, w - 31.0 + 1.0 / (w - 31.0));
    let reno = 31.0 * (w - before) / w; // the loss window's share

    let (w, before) = (compound.path(0).cwnd, dwnd(&compound));
    loss(&mut compound, 0, Signal::Loss);
    assert_close(compound.path(0).cwnd, w / 2.0);
    assert_close(dwnd(&compound), before / 2.0);
    assert_close(see(&compound, "compound", 0, "threshold"), 0.2 * 30.0 + 0.6 * reno);

    let mut small = quiet("compound@kernel", &[(0.1, 8.0)]);
    let w = small.path(0).cwnd;
    round(&mut small, 0, 0.1);
    assert_close(small.path(0).cwnd - w, 1.0 / w);
    assert_eq!(dwnd(&small), 0.0);
}

/// 1000 segments at 100 ms without a queue: E = 1000^(3/4)/8 = 22.23, y = 10 000 per second, and
/// alpha_s = 22.23 · 10 000/(22.23 + 5000) = 44.26.
#[test]
fn wcompound_on_one_path_by_hand() {
    let mut one = step_by_step("wcompound@kernel");
    one.add_path(0.1, 1999.0);
    round(&mut one, 0, 0.1);
    loss(&mut one, 0, Signal::Loss);
    assert_eq!((one.path(0).cwnd, see(&one, "wcompound", 0, "alpha_r")), (1000.0, 6.0));
    round(&mut one, 0, 0.1);
    assert_close(see(&one, "wcompound", 0, "alpha_r"), 44.26);
}

/// Two paths of 100 ms, 500 segments with 25 queued and 250 without, as the equations have it: the first
/// path's P is 6/25 · 500/w_max.
#[test]
fn wcompound_shares_by_the_rates() {
    let mut two = quiet("wcompound@kernel", &[(0.1, 500.0), (0.1, 250.0)]);
    let (w, most) = ([two.path(0).cwnd, two.path(1).cwnd], two.path(0).largest_cwnd);
    let alpha = see(&two, "wcompound", 0, "alpha_r");
    round_with(&mut two, 0, 25.0);
    let p = alpha / (25.0 * most / w[0]);
    assert!(p < 1.0);
    let e = 0.125 * w[0].powf(0.75) * p - 25.0 * (1.0 - p) + 0.125 * w[1].powf(0.75);
    let x = (w[0] - 25.0) / 0.1;
    let y = x + w[1] / 0.1;
    assert!(e > 0.0);
    assert_close(see(&two, "wcompound", 0, "alpha_r"), (x / y * e * y / (e + 0.5 * y)).max(1.0));
}

/// Without queues wCompound is Compound on each path, step by step, in the same integers.
#[test]
fn wcompound_without_queues_is_compound() {
    let paths = [(0.1, 300.0), (0.04, 90.0), (0.2, 10.0)];
    let mut both = ["wcompound@kernel", "compound@kernel"].map(|name| quiet(name, &paths));
    let mut most: f64 = 0.0;
    for i in 0..600 {
        let r = i % 3;
        for group in &mut both {
            round(group, r, paths[r].0);
            window_acked(group, r);
            if i % 90 > 86 {
                loss(group, r, if i > 400 { Signal::Timeout } else { Signal::Loss });
            }
        }
        assert_eq!(both[0].path(r).cwnd, both[1].path(r).cwnd);
        most = most.max(see(&both[0], "wcompound", r, "dwnd"));
    }
    assert!(most > 100.0, "{most}");
}
