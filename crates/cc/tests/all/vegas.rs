//! Vegas against its rules, evaluated by hand.

use crate::group;
use anabranch_cc_model::{Tested, ack, assert_close, congestion, lose, on_path, quiet, round};
use multipath_cc::{Ack, Signal};

/// A round with `queued` of the window in the queue: w (RTT − base)/RTT = queued.
fn round_with(group: &mut Tested, base: f64, queued: f64) {
    let w = group.path(0).cwnd;
    round(group, 0, base * w / (w - queued));
    // The round is judged by the window at its end.
    assert_close(group.see(0, "diff"), queued, 1e-9);
}

#[test]
fn window_keeps_between_alpha_and_beta() {
    let usual = [(0.5, 1.0), (1.99, 1.0), (2.01, 0.0), (3.0, 0.0), (3.99, 0.0), (4.01, -1.0), (20.0, -1.0)];
    let other = [(4.5, 1.0), (5.5, 0.0), (6.5, -1.0)];
    for (algorithm, keep, steps) in
        [("vegas", 0.5, &usual[..]), ("vegas alpha=5 beta=6 keep=0.75", 0.75, &other)]
    {
        for &(queued, step) in steps {
            let mut vegas = quiet(group(algorithm), &[(0.1, 50.0)]);
            let w = vegas.path(0).cwnd;
            round_with(&mut vegas, 0.1, queued);
            assert_close(vegas.path(0).cwnd, w + step, 1e-12);
            assert!(!vegas.path(0).in_slow_start());
            lose(&mut vegas, 0);
            assert_close(vegas.path(0).cwnd, keep * (w + step), 1e-12);
        }
    }
}

/// Once per round: further acknowledgements of the same round change nothing.
#[test]
fn rule_acts_once_per_round() {
    let mut vegas = quiet(group("vegas"), &[(0.1, 50.0)]);
    round(&mut vegas, 0, 0.1);
    let (w, now) = (vegas.path(0).cwnd, vegas.path(0).round);
    for _ in 0..20 {
        vegas.on_ack(0, &Ack { round: now, ..ack(9.0, 0.1) });
    }
    assert_eq!(vegas.path(0).cwnd, w);
}

/// 10 segments, acknowledged in rounds: the window doubles in the first, is held in the second.
#[test]
fn slow_start_doubles_every_other_round() {
    let mut vegas = on_path(group("vegas"), 0.1, 10.0);
    let mut windows = Vec::new();
    for n in 0..6 {
        let w = vegas.path(0).cwnd as u64;
        for _ in 0..w {
            vegas.on_ack(0, &Ack { round: n, ..ack(n as f64, 0.1) });
        }
        windows.push(vegas.path(0).cwnd);
    }
    assert_eq!(windows, [20.0, 20.0, 40.0, 40.0, 80.0, 80.0]);
}

/// γ = 1: with 0.9 segments queued it continues; with 10 of 100 queued it ends at w base/RTT + 1 = 91.
#[test]
fn slow_start_ends_when_the_queue_builds() {
    let mut vegas = on_path(group("vegas"), 0.1, 100.0);
    round(&mut vegas, 0, 0.1);
    let w = vegas.path(0).cwnd;
    round(&mut vegas, 0, 0.1 * w / (w - 0.9));
    assert!(vegas.path(0).in_slow_start());
    let w = vegas.path(0).cwnd;
    round(&mut vegas, 0, 0.1 * w / (w - 10.0));
    assert!(!vegas.path(0).in_slow_start());
    assert_close(vegas.path(0).cwnd, w - 10.0 + 1.0, 1e-9);
}

/// The smallest of a round's samples counts, or their mean.
#[test]
fn sample_of_a_round_is_the_smallest_or_the_mean() {
    for (rtt, queued) in [("min", 0.0), ("mean", 50.0 * 0.05 / 0.15)] {
        let mut vegas = quiet(group(&format!("vegas rtt={rtt}")), &[(0.1, 47.0)]);
        assert_eq!(vegas.path(0).cwnd, 50.0);
        let now = vegas.path(0).round;
        vegas.on_ack(0, &Ack { round: now, ..ack(9.0, 0.1) });
        vegas.on_ack(0, &Ack { round: now + 1, ..ack(9.1, 0.2) });
        assert_close(vegas.see(0, "diff") + 1.0, queued + 1.0, 1e-12);
    }
}

/// Measurements from before the answer to a loss do not lower the window again.
#[test]
fn stale_delay_does_not_lower_the_window() {
    let mut vegas = quiet(group("vegas"), &[(0.1, 50.0)]);
    lose(&mut vegas, 0);
    let w = vegas.path(0).cwnd;
    round(&mut vegas, 0, 0.3);
    round(&mut vegas, 0, 0.3);
    assert_eq!(vegas.path(0).cwnd, w);
    round(&mut vegas, 0, 0.3);
    assert_eq!(vegas.path(0).cwnd, w - 1.0);
}

#[test]
fn timeout_slow_starts() {
    let mut vegas = quiet(group("vegas"), &[(0.1, 50.0)]);
    let w = vegas.path(0).cwnd;
    congestion(&mut vegas, 0, Signal::Timeout);
    assert_eq!((vegas.path(0).cwnd, vegas.path(0).ssthresh), (1.0, w / 2.0));
    round(&mut vegas, 0, 0.1);
    assert!(vegas.path(0).in_slow_start());
}

#[test]
fn window_stays_at_two_segments() {
    let mut vegas = quiet(group("vegas alpha=0 beta=0"), &[(0.1, 8.0)]);
    for _ in 0..50 {
        round(&mut vegas, 0, 10.0);
    }
    assert_eq!(vegas.path(0).cwnd, 2.0);
}
