//! Compound TCP against its rules, evaluated by hand, and its response function.

use crate::group;
use anabranch_cc_model::{
    Loss, Model, Tested, ack, assert_close, congestion, lose, quiet, round, window_acked,
};
use multipath_cc::{Ack, Congestion, Signal};

/// A round in which `queued` segments of the window were in the queue.
fn round_with(group: &mut Tested, queued: f64) {
    let w = group.path(0).cwnd;
    round(group, 0, 0.1 * w / (w - queued));
    assert_close(group.see(0, "diff") + 1.0, queued + 1.0, 1e-9);
}

/// A round without a queue adds α w^k = 0.125 · 400^0.75 = 11.18 segments to a window of 400, one of them
/// to the loss window: both together, spread over the acknowledgements.
#[test]
fn window_grows_by_its_power() {
    let mut compound = quiet(group("compound"), &[(0.1, 400.0)]);
    round(&mut compound, 0, 0.1);
    let (w, dwnd) = (compound.path(0).cwnd, compound.see(0, "dwnd"));
    window_acked(&mut compound, 0);
    assert_close(compound.path(0).cwnd - w, 0.125 * w.powf(0.75), 0.02);
    assert_close(compound.see(0, "dwnd") - dwnd, 0.125 * w.powf(0.75) - 1.0, 0.02);
}

/// Below 16 segments α w^k < 1, and Compound is Reno.
#[test]
fn small_windows_are_renos() {
    let mut compound = quiet(group("compound"), &[(0.1, 8.0)]);
    let w = compound.path(0).cwnd;
    round(&mut compound, 0, 0.1);
    assert_close(compound.path(0).cwnd, w + 1.0 / w, 1e-12);
    assert_eq!(compound.see(0, "dwnd"), 0.0);
}

#[test]
fn delay_window_gives_way_to_a_queue() {
    let mut compound = quiet(group("compound"), &[(0.1, 400.0)]);
    for _ in 0..10 {
        round(&mut compound, 0, 0.1);
        window_acked(&mut compound, 0);
    }
    let (w, dwnd) = (compound.path(0).cwnd, compound.see(0, "dwnd"));
    assert!(dwnd > 100.0);
    round_with(&mut compound, 31.0);
    assert_close(compound.see(0, "dwnd"), dwnd - 31.0, 1e-9);
    // The segment that the acknowledgement covers adds 1/w to the loss window.
    assert_close(compound.path(0).cwnd, w - 31.0 + 1.0 / (w - 31.0), 1e-9);
    let dwnd = compound.see(0, "dwnd");
    round_with(&mut compound, dwnd + 50.0);
    assert_eq!(compound.see(0, "dwnd"), 0.0);
    assert!(!compound.path(0).in_slow_start());
}

/// With half in the loss window and half in the delay window: cwnd/2 and (1 − β) w − cwnd/2.
#[test]
fn loss_halves_both_windows() {
    for beta in [0.25, 0.5, 0.8] {
        let mut compound = quiet(group(&format!("compound beta={beta}")), &[(0.1, 400.0)]);
        for _ in 0..10 {
            round(&mut compound, 0, 0.1);
            window_acked(&mut compound, 0);
        }
        let (w, dwnd) = (compound.path(0).cwnd, compound.see(0, "dwnd"));
        lose(&mut compound, 0);
        let half = (w - dwnd) / 2.0;
        assert_close(compound.see(0, "dwnd") + 1.0, f64::max((1.0 - beta) * w - half, 0.0) + 1.0, 1e-12);
        assert_close(compound.path(0).cwnd, f64::max((1.0 - beta) * w, half), 1e-12);
        compound.on_spurious(0);
        assert_eq!((compound.path(0).cwnd, compound.see(0, "dwnd")), (w, dwnd));
        congestion(&mut compound, 0, Signal::Timeout);
        assert_eq!((compound.path(0).cwnd, compound.see(0, "dwnd")), (1.0, 0.0));
    }
}

/// γ ← 0.2 γ + 0.8 · ¾ · `diff_reno` within 5 and 30, once for each round judged. With no delay window,
/// `diff_reno` is diff.
#[test]
fn gamma_follows_the_backlog_at_losses() {
    for (queued, expected) in [(0.0, 0.2 * 30.0), (20.0, 0.2 * 30.0 + 0.6 * 20.0), (200.0, 30.0)] {
        let mut compound = quiet(group("compound alpha=0.001"), &[(0.1, 400.0)]);
        // `quiet` has no judged round before its own loss, as it was in slow start.
        assert_eq!(compound.see(0, "threshold"), 30.0);
        round_with(&mut compound, queued);
        lose(&mut compound, 0);
        assert_close(compound.see(0, "threshold"), expected, 1e-9);
        lose(&mut compound, 0);
        assert_close(compound.see(0, "threshold"), expected, 1e-9);
        congestion(&mut compound, 0, Signal::Timeout);
        assert_eq!(compound.see(0, "threshold"), 30.0);
    }
    // The round after a loss shows the queue that the loss has answered: it tunes nothing.
    let mut compound = quiet(group("compound"), &[(0.1, 400.0)]);
    lose(&mut compound, 0);
    let tuned = compound.see(0, "threshold");
    round_with(&mut compound, 20.0);
    lose(&mut compound, 0);
    assert_eq!(compound.see(0, "threshold"), tuned);

    let mut compound = quiet(group("compound autotune=false"), &[(0.1, 400.0)]);
    round_with(&mut compound, 0.0);
    lose(&mut compound, 0);
    assert_eq!(compound.see(0, "threshold"), 30.0);
}

/// The mean window under one loss every 1/p segments, where the queue stays below γ, so that
/// dw/dn = α w^k per round: a cycle from (1 − β)W to W has
/// W^(2−k) (1 − (1−β)^(2−k))/(α (2−k)) = 1/p segments and W^(1−k) (1 − (1−β)^(1−k))/(α (1−k)) rounds.
fn closed_form(p: f64, alpha: f64, k: f64, beta: f64) -> f64 {
    let kept = |power: f64| 1.0 - (1.0 - beta).powf(power);
    let largest = (alpha * (2.0 - k) / (kept(2.0 - k) * p)).powf(1.0 / (2.0 - k));
    let rounds = largest.powf(1.0 - k) * kept(1.0 - k) / (alpha * (1.0 - k));
    1.0 / p / rounds
}

fn mean_window(p: f64, algorithm: &str, expected: f64) -> f64 {
    let mut model = Model::new(group(algorithm)).path(0.1, Loss::Every(1.0 / p), 1.3 * expected);
    model.acks_per_rtt = 50.0;
    model.mean(10, 20)
}

/// Tolerance: 5 %. The last round of a cycle counts whole, and growth starts at the first whole round.
#[test]
fn response_function_has_the_closed_form() {
    for p in [1e-4, 1e-5, 1e-6, 1e-7] {
        let expected = closed_form(p, 0.125, 0.75, 0.5);
        assert_close(mean_window(p, "compound", expected), expected, 0.05);
    }
    for p in [1e-5, 1e-6] {
        let expected = closed_form(p, 0.25, 0.5, 0.3);
        assert_close(mean_window(p, "compound alpha=0.25 k=0.5 beta=0.3", expected), expected, 0.05);
    }
}

/// Behind a queue that never empties there is no delay window, and Compound is Reno, segment by segment.
#[test]
fn behind_a_standing_queue_it_is_reno() {
    let mut both = [quiet(group("compound"), &[(0.1, 400.0)]), group("reno")];
    round(&mut both[0], 0, 0.3);
    let w = both[0].path(0).cwnd;
    both[1].add_path(0.1, 2.0 * w);
    lose(&mut both[1], 0);
    for i in 1..5000u64 {
        for group in &mut both {
            let round = 10 + i / 100;
            group.on_ack(0, &Ack { round, ..ack(i as f64, 0.3) });
            if i % 1700 == 0 {
                group.on_congestion(0, &Congestion { now: i as f64, signal: Signal::Loss });
            }
        }
        assert_close(both[0].path(0).cwnd, both[1].path(0).cwnd, 1e-9);
    }
}
