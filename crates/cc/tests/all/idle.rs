//! Which paths count, by hand: those with data in flight. For how long those without count, and what that does, is tested with the
//! kernel's algorithms (`crates/cc-fixed/tests/all/idle.rs`).

use crate::group;
use anabranch_cc_model::{ack, assert_close, halved, on_path, quiet, round};
use multipath_cc::{Ack, Congestion, Group, Signal};

const RTT: f64 = 0.1;

/// The growth of the first window by a segment acknowledged then.
fn added(group: &mut Group, now: f64) -> f64 {
    let before = group.path(0).cwnd;
    group.on_ack(0, &ack(now, RTT));
    group.path(0).cwnd - before
}

/// However long its data takes, until the timer expires; and then from the next acknowledgement on.
#[test]
fn data_in_flight_counts_until_a_timeout() {
    let mut lia = halved(group("lia"), &[(RTT, 40.0); 2]);
    assert_close(added(&mut lia, 100.0), 1.0 / 160.0, 1e-9);
    lia.on_congestion(1, &Congestion { now: 100.0, signal: Signal::Timeout });
    let alone = 1.0 / lia.path(0).cwnd;
    assert_close(added(&mut lia, 100.0), alone, 1e-9);
    lia.on_ack(1, &Ack { acked: 0.0, ..ack(101.0, RTT) });
    added(&mut lia, 101.0);
    assert!(lia.path(1).counts);
}

/// A spurious timeout: segments in flight are still in flight.
#[test]
fn an_undone_timeout_lets_a_path_count() {
    let mut lia = halved(group("lia"), &[(RTT, 40.0); 2]);
    lia.on_congestion(1, &Congestion { now: 1.0, signal: Signal::Timeout });
    lia.on_spurious(1);
    assert_close(added(&mut lia, 2.0), 1.0 / 160.0, 1e-9);
}

/// A path that joined and never carried anything, as a backup does: its handshake's round-trip time is known.
#[test]
fn a_path_that_was_never_used_does_not_count() {
    let mut ewtcp = on_path(group("ewtcp"), RTT, 10.0);
    ewtcp.add_path(RTT, 10.0);
    added(&mut ewtcp, 0.1);
    assert_eq!(ewtcp.see(0, "share"), 1.0);
}

/// It wakes with its restart window (RFC 5681 §4.1): with 10 segments and not with 400 it is in alpha, which is
/// (40 + 10) (40/T^2)/((40 + 10)/T)^2 = 40/50.
#[test]
fn a_path_wakes_with_a_small_window() {
    let mut lia = halved(group("lia"), &[(RTT, 40.0), (RTT, 400.0)]);
    lia.on_ack(1, &Ack { acked: 0.0, in_flight: 0.0, ..ack(1.0, RTT) });
    lia.restart(1, 9.0, 10.0);
    lia.on_ack(1, &Ack { acked: 0.0, ..ack(9.0, RTT) });
    lia.on_ack(0, &Ack { acked: 0.0, ..ack(9.0, RTT) });
    assert_close(lia.see(0, "alpha"), 0.8, 1e-9);
}

/// Back in slow start, what an algorithm remembers of a window that is gone is forgotten: Linked CUBIC's mean,
/// which is then the window, and wCompound's delay window.
#[test]
fn a_restart_is_a_slow_start() {
    let mut linked = on_path(group("linked-cubic"), RTT, 400.0);
    linked.on_ack(0, &ack(0.0, RTT));
    linked.on_congestion(0, &Congestion { now: 0.0, signal: Signal::Loss });
    (1..100).for_each(|i| linked.on_ack(0, &ack(f64::from(i) / 100.0, RTT)));
    assert!(linked.see(0, "mean") > 200.0);
    linked.restart(0, 9.0, 10.0);
    linked.on_ack(0, &ack(9.0, RTT));
    assert_eq!(linked.see(0, "mean"), linked.path(0).cwnd);

    let mut compound = quiet(group("wcompound"), &[(RTT, 400.0)]);
    (0..4).for_each(|_| round(&mut compound, 0, RTT));
    let round = compound.path(0).round;
    (0..400).for_each(|_| compound.on_ack(0, &Ack { round, ..ack(9.0, RTT) }));
    assert!(compound.see(0, "dwnd") > 0.0);
    compound.restart(0, 19.0, 10.0);
    compound.on_ack(0, &Ack { round, ..ack(19.0, RTT) });
    assert_eq!(compound.see(0, "dwnd"), 0.0);
    assert_eq!(compound.path(0).cwnd, 11.0);
}
