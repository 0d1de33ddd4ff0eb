//! CUBIC event by event, against RFC 9438's equations, and HyStart++ against RFC 9406.

use crate::group;
use anabranch_cc_model::{Tested, assert_close, on_path};
use multipath_cc::{Ack, Congestion, Group, Signal};

const C: f64 = 0.4;
const BETA: f64 = 0.7;
const RTT: f64 = 0.1;

fn ack(now: f64, acked: f64) -> Ack {
    Ack { in_flight: 0.0, ..Ack::of(now, acked, RTT) }
}

fn congestion(now: f64, signal: Signal) -> Congestion {
    Congestion { now, signal }
}

/// A path of `cwnd` segments that has just lost one at time 0.
fn after_loss(algorithm: &str, cwnd: f64) -> Tested {
    let mut group = on_path(group(algorithm), RTT, cwnd);
    group.on_congestion(0, &congestion(0.0, Signal::Loss));
    group
}

/// [`w_cubic`, `w_est`, `w_max`, k].
fn inner(group: &Group) -> [f64; 4] {
    let mut out = [0.0; 4];
    group.observe(0, &mut out);
    out
}

#[test]
fn a_loss_keeps_beta_and_sets_the_plateau() {
    let mut group = after_loss("cubic", 1000.0);
    assert_close(group.path(0).cwnd, 700.0, 1e-12);
    assert_close(group.path(0).ssthresh, 700.0, 1e-12);
    assert!(inner(&group).iter().all(|x| x.is_nan()), "no stage during recovery");
    group.on_ack(0, &ack(0.5, 1.0));
    let [w_cubic, _, w_max, k] = inner(&group);
    assert_close(w_max, 1000.0, 1e-12);
    assert_close(k, f64::cbrt(300.0 / C), 1e-12); // Figure 2: 9.0856 s
    assert_close(w_cubic, 700.0, 1e-12); // W_cubic(0) = cwnd_epoch
}

#[test]
fn w_cubic_is_figure_1_and_the_window_follows_it() {
    let mut group = after_loss("cubic", 1000.0);
    let k = f64::cbrt(300.0 / C);
    group.on_ack(0, &ack(0.0, 1.0)); // at t = 0 W_cubic is the window, and W_est a step ahead of it
    let mut now = RTT / 700.0;
    let mut at_k = None;
    while now < 20.0 {
        let before = group.path(0).cwnd;
        group.on_ack(0, &ack(now, 1.0));
        let expected = C * (now - k).powi(3) + 1000.0;
        assert_close(inner(&group)[0], expected, 1e-9);
        // §4.2, §4.4: towards W_cubic one round trip ahead.
        let target = (C * (now + RTT - k).powi(3) + 1000.0).clamp(before, 1.5 * before);
        assert_close(group.path(0).cwnd, before + (target - before) / before, 1e-12);
        // It lags behind the function by a term of second order, T² W''/2 = 0.1 at most here.
        assert_close(group.path(0).cwnd, expected, 2e-3);
        if now >= k && at_k.is_none() {
            at_k = Some(group.path(0).cwnd);
        }
        now += RTT / before;
    }
    assert_close(at_k.unwrap(), 1000.0, 1e-4); // W_cubic(K) = W_max
}

#[test]
fn the_target_is_at_most_half_a_window_ahead() {
    let mut group = after_loss("cubic", 100.0);
    group.on_ack(0, &ack(0.0, 1.0));
    let before = group.path(0).cwnd;
    group.on_ack(0, &ack(60.0, 1.0)); // W_cubic is tens of thousands by now
    assert_close(group.path(0).cwnd, before + 0.5, 1e-12);
    group.on_ack(0, &ack(60.0, 1e6)); // one acknowledgement counts for at most a window
    assert_close(group.path(0).cwnd, 1.5 * (before + 0.5), 1e-12);
}

#[test]
fn reno_friendly_region_below_the_crossing() {
    // w̄(10 ms) is 1654 segments: 20 are far in the Reno region.
    let mut group = after_loss("cubic", 20.0);
    let alpha = 3.0 * (1.0 - BETA) / (1.0 + BETA); // 9/17
    let (mut expected, mut now) = (14.0, 0.0);
    for _ in 0..2000 {
        let increase = if expected < 20.0 { alpha } else { 1.0 }; // from cwnd_prior on as Reno
        let sample = Ack { rtt: Some(0.01), srtt: 0.01, ..ack(now, 1.0) };
        group.on_ack(0, &sample);
        expected += increase / expected;
        assert_close(group.path(0).cwnd, expected, 1e-9);
        assert_close(inner(&group)[1], expected, 1e-9);
        now += 0.01 / expected;
    }
    assert!(expected > 40.0);
}

#[test]
fn fast_convergence_lowers_the_plateau_of_a_loss_below_it() {
    for (fast_convergence, w_max) in [(true, 700.0 * 1.7 / 2.0), (false, 700.0)] {
        let mut group = after_loss(&format!("cubic fast_convergence={fast_convergence}"), 1000.0);
        group.on_congestion(0, &congestion(1.0, Signal::Loss));
        group.on_ack(0, &ack(2.0, 1.0));
        let [_, _, ours, k] = inner(&group);
        assert_close(ours, w_max, 1e-12);
        assert_close(k, f64::cbrt((w_max - 490.0) / C), 1e-12);
    }
}

#[test]
fn after_a_timeout_the_stage_starts_on_its_plateau() {
    let mut group = after_loss("cubic", 1000.0);
    group.on_congestion(0, &congestion(1.0, Signal::Timeout));
    assert_eq!(group.path(0).cwnd, 1.0);
    assert_close(group.path(0).ssthresh, 490.0, 1e-12);
    group.on_ack(0, &ack(2.0, 100.0));
    assert_eq!(group.path(0).cwnd, 101.0, "slow start up to the threshold");
    group.on_ack(0, &ack(2.1, 388.0));
    group.on_ack(0, &ack(2.2, 2.0)); // one segment to the threshold, one beyond it
    let [w_cubic, w_est, w_max, k] = inner(&group);
    assert_eq!((w_cubic, k), (w_max, 0.0)); // §4.8
    assert_close(w_max, 490.0, 1e-12);
    assert_close(w_est, 490.0 + 9.0 / 17.0 / 490.0, 1e-9);
}

#[test]
fn a_slow_start_without_loss_ends_on_the_plateau() {
    let mut group = on_path(group("cubic"), RTT, 10.0);
    // Nine samples a round; the second round is 50 ms slower, and five more end slow start.
    for (round, rtt) in [RTT, 0.15, 0.15, 0.15, 0.15, 0.15, 0.15].into_iter().enumerate() {
        for i in 0..9 {
            let now = round as f64 + f64::from(i) / 100.0;
            group.on_ack(0, &Ack { round: round as u64, rtt: Some(rtt), ..ack(now, 1.0) });
        }
    }
    let path = group.path(0);
    assert!(!path.in_slow_start());
    let [_, _, w_max, k] = inner(&group);
    assert_eq!((w_max, k), (path.ssthresh, 0.0)); // §4.10
}

#[test]
fn application_limited_time_does_not_count() {
    let drive = |idle: f64| {
        let mut group = after_loss("cubic", 1000.0);
        group.on_ack(0, &ack(0.0, 1.0));
        group.on_ack(0, &ack(1.0, 1.0));
        let window = group.path(0).cwnd;
        group.on_ack(0, &Ack { cwnd_limited: false, ..ack(1.0 + idle / 2.0, 5.0) });
        group.on_ack(0, &Ack { cwnd_limited: false, ..ack(1.0 + idle, 5.0) });
        assert_eq!(group.path(0).cwnd, window, "no growth");
        group.on_ack(0, &ack(2.0 + idle, 1.0));
        (group.path(0).cwnd, inner(&group))
    };
    let (window, values) = drive(30.0);
    let (expected, expected_values) = drive(0.0);
    assert_close(window, expected, 1e-9);
    for (value, expected) in values.into_iter().zip(expected_values) {
        assert_close(value, expected, 1e-9);
    }
}

/// Linux reduces once per window (`tcp_enter_loss`): a timeout in recovery takes the loss's place. It lowers neither the threshold nor
/// `W_max` again (§4.7), the next stage starts on its plateau (§4.8), and an undo brings back what was before the loss.
#[test]
fn a_timeout_in_recovery_reduces_once() {
    let grown = || {
        let mut group = after_loss("cubic", 1000.0);
        (0..500).for_each(|i| group.on_ack(0, &ack(f64::from(i) / 1000.0, 1.0)));
        group
    };
    let mut twice = grown();
    twice.on_congestion(0, &congestion(0.5, Signal::Loss));
    let threshold = twice.path(0).ssthresh;
    twice.on_timeout_again(0, 0.9);
    assert_eq!((twice.path(0).cwnd, twice.path(0).ssthresh), (1.0, threshold));
    let mut once = grown();
    once.on_congestion(0, &congestion(0.5, Signal::Timeout));
    for group in [&mut twice, &mut once] {
        (0..3000).for_each(|i| group.on_ack(0, &ack(1.0 + f64::from(i) / 100.0, 1.0)));
    }
    assert!(twice.path(0).cwnd > threshold);
    assert_eq!((twice.path(0).cwnd, inner(&twice)), (once.path(0).cwnd, inner(&once)));

    let (mut undone, mut spared) = (grown(), grown());
    undone.on_congestion(0, &congestion(0.5, Signal::Loss));
    undone.on_timeout_again(0, 0.9);
    undone.on_spurious(0);
    assert_eq!(
        (undone.path(0).cwnd, undone.path(0).ssthresh),
        (spared.path(0).cwnd, spared.path(0).ssthresh)
    );
    for group in [&mut undone, &mut spared] {
        (0..3000).for_each(|i| group.on_ack(0, &ack(1.0 + f64::from(i) / 100.0, 1.0)));
    }
    assert_eq!((undone.path(0).cwnd, inner(&undone)), (spared.path(0).cwnd, inner(&spared)));
}

#[test]
fn a_window_that_outgrew_the_event_is_not_undone() {
    let mut group = after_loss("cubic", 20.0);
    group.on_congestion(0, &congestion(1.0, Signal::Loss));
    (0..100_000).for_each(|i| group.on_ack(0, &ack(1.0 + f64::from(i) / 1000.0, 1.0)));
    let (window, values) = (group.path(0).cwnd, inner(&group));
    assert!(window > 100.0);
    group.on_spurious(0);
    assert_eq!((group.path(0).cwnd, inner(&group)), (window, values)); // §4.9
}

#[test]
fn small_windows_keep_two_segments() {
    let mut group = after_loss("cubic", 2.0);
    for i in 0..10 {
        group.on_congestion(0, &congestion(f64::from(i), Signal::Loss));
        assert_eq!((group.path(0).cwnd, group.path(0).ssthresh), (2.0, 2.0));
        group.on_ack(0, &ack(f64::from(i) + 0.5, 1.0));
        assert!(inner(&group)[3] >= 0.0, "K is a time");
    }
}
