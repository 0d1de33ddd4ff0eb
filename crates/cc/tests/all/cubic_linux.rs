//! CUBIC in whole segments, held against the functions of `net/ipv4/tcp_cubic.c`. Traces of kernels test it, too: the cases of
//! conformance.

use crate::group;
use anabranch_cc_model::{Tested, congestion, lose, on_path};
use multipath_cc::{Ack, Signal};

/// A path of `cwnd` segments that counts as on Linux.
fn linux(algorithm: &str, rtt: f64, cwnd: f64) -> Tested {
    let mut group = on_path(group(algorithm), rtt, cwnd);
    group.count_whole(0);
    group
}

/// Acknowledges whole windows, each within a round-trip time, from `from` until `until`.
fn rounds(group: &mut Tested, rtt: f64, from: f64, until: f64, mut each: impl FnMut(f64, f64)) {
    let (mut now, mut round) = (from, 1);
    while now < until {
        let window = group.path(0).cwnd;
        for i in 0..window as u32 {
            let at = now + rtt * f64::from(i) / window;
            group.on_ack(0, &Ack { round, ..Ack::of(at, 1.0, rtt) });
        }
        (now, round) = (now + rtt, round + 1);
        each(now, group.path(0).cwnd);
    }
}

/// β is 717/1024, and the window has no fraction (`cubictcp_recalc_ssthresh`).
#[test]
fn a_loss_leaves_whole_segments() {
    for (before, after) in [(1000.0, 700.0), (100.0, 70.0), (45.0, 31.0), (10.0, 7.0), (3.0, 2.0), (2.0, 2.0)]
    {
        let mut group = linux("cubic", 0.1, before);
        lose(&mut group, 0);
        assert_eq!((group.path(0).cwnd, group.path(0).ssthresh), (after, after));
    }
}

/// W(t) = C (t − K)³ + W_max with C = 410/1024, a round-trip time ahead (`bictcp_update`). The window follows within a round trip.
#[test]
fn the_window_follows_the_cubic_function() {
    let rtt = 0.1;
    let mut group = linux("cubic", rtt, 1000.0);
    lose(&mut group, 0);
    let c = 410.0 / 1024.0;
    let k = f64::cbrt(300.0 / c);
    let w = |t: f64| c * (t - k).powi(3) + 1000.0;
    let mut fractions = 0;
    rounds(&mut group, rtt, 0.0, 16.0, |now, window| {
        assert!(
            w(now - rtt) - 2.0 <= window && window <= w(now + rtt) + 2.0,
            "{now} s: {window}, {}",
            w(now)
        );
        fractions += u32::from(window.fract() != 0.0);
    });
    assert_eq!(fractions, 0);
}

/// A flow in the Reno-friendly region grows by a segment for each 15/8 windows (`beta_scale`), so by 8/15 each round trip. It may be
/// 1/32 s late, in which an unchanged window keeps its growth.
#[test]
fn a_short_path_follows_reno() {
    let rtt = 0.01;
    let mut group = linux("cubic", rtt, 100.0);
    lose(&mut group, 0);
    rounds(&mut group, rtt, 0.0, 0.3, |now, window| {
        let reno = 70.0 + now / rtt * 8.0 / 15.0;
        assert!(reno - 3.1 < window && window < reno + 1.0, "{now} s: {window}, {reno}");
    });
}

/// Slow start ends at a rise of the round-trip time by an eighth, of at least 4 ms, or with a train of half of it (`hystart_update`).
#[test]
fn hystart_ends_slow_start() {
    let ended = |algorithm: &str, gap: f64, rise: f64| {
        let mut group = linux(algorithm, 0.1, 20.0);
        for round in 1..=2 {
            let rtt = 0.1 + if round == 2 { rise } else { 0.0 };
            for i in 0..20 {
                let now = f64::from(round) + gap * f64::from(i);
                group.on_ack(0, &Ack { round: round as u64, ..Ack::of(now, 1.0, rtt) });
            }
        }
        group.path(0).ssthresh.is_finite()
    };
    assert!(!ended("cubic", 0.0, 0.0));
    assert!(!ended("cubic", 0.0, 0.012));
    assert!(ended("cubic", 0.0, 0.013));
    // 19 gaps are longer than (100 + 1) / 2 ms only if each is longer than 2 ms, where the train has ended.
    assert!(!ended("cubic", 0.0021, 0.0));
    assert!(!ended("cubic", 0.0019, 0.0));
    assert!(!ended("cubic hystart=false", 0.0, 0.013));
    let mut group = linux("cubic", 0.02, 20.0);
    for i in 0..10 {
        group.on_ack(0, &Ack { round: 1, ..Ack::of(1.0 + 0.0015 * f64::from(i), 1.0, 0.02) });
    }
    // 10.5 ms of the train are eight ACKs.
    assert_eq!(group.path(0).ssthresh, 28.0);
}

/// A timeout forgets the plateau (`bictcp_reset`), so that a segment of growth takes at most 20 acknowledged ones.
#[test]
fn a_timeout_forgets_the_plateau() {
    let mut group = linux("cubic", 0.1, 1000.0);
    congestion(&mut group, 0, Signal::Timeout);
    assert_eq!((group.path(0).cwnd, group.path(0).ssthresh), (1.0, 700.0));
    for i in 0..699 {
        group.on_ack(0, &Ack::of(1.0 + f64::from(i) * 1e-4, 1.0, 0.1));
    }
    assert_eq!(group.path(0).cwnd, 700.0);
    for i in 0..200 {
        group.on_ack(0, &Ack::of(2.0 + f64::from(i) * 1e-4, 1.0, 0.1));
    }
    assert_eq!(group.path(0).cwnd, 710.0);
}

/// Windows and constants at their limits overflow nothing.
#[test]
fn extremes_are_safe() {
    for algorithm in ["cubic", "cubic c=1000 beta=0.1", "cubic c=1e-6 beta=0.99"] {
        for cwnd in [1.0, 1e9] {
            let mut group = linux(algorithm, 0.1, cwnd);
            lose(&mut group, 0);
            for now in [0.0, 1.0, 1e3, 1e9] {
                group.on_ack(0, &Ack::of(now, 2.0, 0.1));
                let window = group.path(0).cwnd;
                assert!((1.0..=1e9).contains(&window), "{algorithm}: {window}");
            }
        }
    }
}
