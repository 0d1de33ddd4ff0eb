//! The measurements of a path, by hand.

use crate::group;
use anabranch_cc_model::{ack, lose, on_path};
use multipath_cc::{Ack, Group};

/// Acknowledgement of two segments in `round` with this sample.
fn sample(group: &mut Group, round: u64, rtt: f64) {
    group.on_ack(0, &Ack { delivered: 2.0, round, ..ack(round as f64, rtt) });
}

#[test]
fn a_round_has_a_mean_and_a_smallest_sample() {
    let mut reno = on_path(group("reno"), 0.0, 10.0);
    for (round, rtt) in [(0, 0.10), (0, 0.12)] {
        sample(&mut reno, round, rtt);
    }
    assert_eq!(reno.path(0).round_rtt, 0.0, "no round is complete");
    sample(&mut reno, 1, 0.17); // the acknowledgement that ends it belongs to it
    assert!((reno.path(0).round_rtt - 0.13).abs() < 1e-12);
    assert_eq!(reno.path(0).round_min_rtt, 0.10);
    reno.on_ack(0, &Ack { rtt: None, round: 2, ..ack(2.0, 0.1) });
    assert!((reno.path(0).round_rtt - 0.13).abs() < 1e-12, "a round without samples says nothing");
    sample(&mut reno, 3, 0.20);
    assert_eq!((reno.path(0).round_rtt, reno.path(0).round_min_rtt), (0.20, 0.20));
}

#[test]
fn losses_divide_what_was_delivered_and_the_extremes() {
    let mut reno = on_path(group("reno"), 0.0, 10.0);
    let extremes = |g: &Group| (g.path(0).min_rtt_since_loss, g.path(0).max_rtt_since_loss);
    let delivered = |g: &Group| (g.path(0).delivered_between_losses, g.path(0).delivered_since_loss);
    sample(&mut reno, 0, 0.10);
    sample(&mut reno, 0, 0.30);
    assert_eq!((extremes(&reno), delivered(&reno)), ((0.10, 0.30), (0.0, 4.0)));
    lose(&mut reno, 0);
    assert_eq!((extremes(&reno), delivered(&reno)), ((f64::INFINITY, 0.0), (4.0, 0.0)));
    sample(&mut reno, 0, 0.20);
    assert_eq!((extremes(&reno), delivered(&reno)), ((0.20, 0.20), (4.0, 2.0)));
    lose(&mut reno, 0);
    sample(&mut reno, 0, 0.25);
    assert_eq!((extremes(&reno), delivered(&reno)), ((0.25, 0.25), (2.0, 2.0)));
    reno.on_spurious(0); // the second loss was spurious
    assert_eq!((extremes(&reno), delivered(&reno)), ((0.20, 0.25), (4.0, 4.0)));
    assert_eq!(reno.path(0).min_rtt, 0.10);
}

#[test]
fn the_largest_window_outlives_losses() {
    let mut reno = on_path(group("reno"), 0.0, 10.0);
    reno.on_ack(0, &Ack { acked: 10.0, ..ack(0.0, 0.1) });
    lose(&mut reno, 0);
    assert_eq!((reno.path(0).cwnd, reno.path(0).largest_cwnd), (10.0, 20.0));
}

/// RFC 5681 §4.1: RW = min(IW, cwnd); RFC 2861 §3.2: ssthresh = max(ssthresh, 3/4 cwnd).
#[test]
fn a_restart_lowers_the_window_and_remembers_it() {
    let mut reno = on_path(group("reno"), 0.1, 200.0);
    lose(&mut reno, 0);
    reno.restart(0, 1.0, 10.0);
    assert_eq!((reno.path(0).cwnd, reno.path(0).ssthresh), (10.0, 100.0));
    reno.on_spurious(0);
    assert_eq!(reno.path(0).cwnd, 10.0, "the window before the pause does not return");
    reno.restart(0, 1.0, 20.0);
    assert_eq!(reno.path(0).cwnd, 10.0);
    let mut grown = on_path(group("reno"), 0.1, 20.0);
    lose(&mut grown, 0);
    grown.on_ack(0, &Ack { acked: 100.0, ..ack(0.0, 0.1) });
    grown.restart(0, 1.0, 10.0);
    assert_eq!((grown.path(0).cwnd, grown.path(0).ssthresh), (10.0, 0.75 * 20.0));
    let mut bbr = on_path(group("bbr"), 0.1, 200.0);
    bbr.restart(0, 1.0, 10.0);
    assert_eq!(bbr.path(0).cwnd, 200.0, "a model outlives the pause");
}

/// NSDI 2012, §4.2: the window is halved, down to one segment, and the threshold is the reduced window, down to two, in slow
/// start as well: growth is linear from there.
#[test]
fn a_penalty_halves_the_window_and_ends_slow_start() {
    let mut reno = on_path(group("reno"), 0.1, 10.0);
    let mut penalised = || {
        reno.penalise(0);
        (reno.path(0).cwnd, reno.path(0).ssthresh)
    };
    assert_eq!(penalised(), (5.0, 5.0));
    assert_eq!(penalised(), (2.5, 2.5));
    assert_eq!(penalised(), (1.25, 2.0));
    assert_eq!(penalised(), (1.0, 2.0));
}

/// A window from outside is not undone.
#[test]
fn a_set_window_survives_an_undo() {
    let mut reno = on_path(group("reno"), 0.1, 40.0);
    lose(&mut reno, 0);
    reno.steer(0, Some(8.0), None);
    reno.on_spurious(0);
    assert_eq!(reno.path(0).cwnd, 8.0);
}

/// A window and a round-trip time that a transport got from 0/0.
#[test]
fn a_path_without_numbers_has_one_segment() {
    let mut reno = on_path(group("reno"), f64::NAN, f64::NAN);
    assert_eq!((reno.path(0).cwnd, reno.path(0).rtt()), (1.0, None));
    reno.on_ack(0, &ack(0.0, 0.1));
    assert_eq!(reno.path(0).cwnd, 2.0);
}
