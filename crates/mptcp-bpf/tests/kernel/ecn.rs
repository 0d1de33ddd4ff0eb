//! Marks instead of losses (RFC 3168).

use crate::marker::Marker;
use anabranch_mptcp_bpf::{Monitor, Subflow};
use anabranch_test_support::algorithm::Algorithm;
use anabranch_test_support::iperf::{Iperf, Options};
use anabranch_test_support::lab::{Bottleneck, Lab};
use anabranch_test_support::watched::subflow;
use anabranch_test_support::{Kernel, TOOLS, until};
use std::time::Duration;

/// A queue that nothing here fills, where the marks are: no packet is lost there. On the other path it is short: it would
/// take all of the sender's buffer.
const MARKED: Bottleneck = Bottleneck { mbit_s: 20.0, queue: 2000 };
const OTHER: Bottleneck = Bottleneck { mbit_s: 20.0, queue: 40 };

/// Packets that are marked in a row. At 20 Mbit/s they take 6 ms, and a window that all wait in the queue, of
/// `LARGE` segments, 30 ms: they are of one round.
const MARKS: u64 = 10;
const LARGE: f64 = 50.0;
const TRIES: usize = 3;

/// However many packets of a round are marked, the window halves once (section 6.1.2), and nothing is
/// lost. Where a busy machine loses something all the same, it is tried again.
#[test]
fn marks_halve_the_window_once_per_round() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let _algorithm = Algorithm::load("ab_lia");
    let lab = Lab::two_paths([MARKED, OTHER]);
    lab.set_congestion_control("ab_lia");
    for end in [&lab.client, &lab.server] {
        end.set("ipv4/tcp_ecn", "1");
    }
    let marker = Marker::attach(&lab.routers[0], "c1");
    // Slow start ends with the first of them.
    marker.mark(MARKS);
    let _transfer = Iperf::start(&lab, &Options::endless(5201));
    let mut monitor = Monitor::open().unwrap();
    let [before, after] =
        (0..TRIES).find_map(|_| react(&marker, &mut monitor)).expect("marks without a loss");
    println!("{before:?}\n{after:?}");
    // Earlier samples may be a few rounds old, in which the window grew by a segment each at most.
    let halves = after.ssthresh / (before.cwnd / 2.0);
    assert!((0.95..1.25).contains(&halves), "from {} to {}", before.cwnd, after.ssthresh);
    assert!(after.cwnd >= after.ssthresh.floor());
}

/// The kernel stays in CWR if all data is acknowledged and none follows. Such a path is idle and no longer counts.
#[test]
fn a_path_that_is_idle_after_a_mark_does_not_count() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let _algorithm = Algorithm::load("ab_ewtcp");
    let lab = Lab::two_paths([OTHER, OTHER]);
    lab.set_congestion_control("ab_ewtcp");
    for end in [&lab.client, &lab.server] {
        end.set("ipv4/tcp_ecn", "1");
    }
    let marker = Marker::attach(&lab.routers[1], "c2");
    let _transfer = Iperf::start(&lab, &Options::endless(5201));
    let mut monitor = Monitor::open().unwrap();
    let mut share = |path| subflow(&mut monitor, path).map(|s| s.observables[0]);
    until(|| [1, 2].into_iter().all(|path| share(path) == Some(0.25)), "both paths count");
    marker.mark(u64::MAX);
    std::thread::sleep(Duration::from_millis(500));
    lab.make_backup(2);
    until(|| share(1) == Some(1.0), "the path in use counts alone");
}

/// The subflow before a row of marks and when the reaction is long over; `None` where something was lost.
fn react(marker: &Marker, monitor: &mut Monitor) -> Option<[Subflow; 2]> {
    let mut before = None;
    let is_large = || {
        before = subflow(monitor, 1).filter(|s| marker.remaining() == 0 && s.cwnd > LARGE);
        before.is_some()
    };
    until(is_large, "the window is large again");
    let before = before?;
    marker.mark(MARKS);
    let reacted = |s: Subflow| s.ssthresh != before.ssthresh;
    until(|| marker.remaining() == 0 && subflow(monitor, 1).is_some_and(reacted), "it has reacted");
    // Many rounds: it would have reacted again.
    std::thread::sleep(Duration::from_millis(500));
    let after = subflow(monitor, 1)?;
    // A probe of the tail, which a machine that is busy provokes, is not a loss.
    let losses = |s: &Subflow| (s.recoveries, s.timeouts, s.lost_segments);
    (losses(&after) == losses(&before)).then_some([before, after])
}
