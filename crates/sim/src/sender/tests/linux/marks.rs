//! Marks beside spurious repairs: a mark's reduction stays.

use super::{Host, MS};
use crate::packet::flag;
use crate::sender::Phase;

/// Segment `at` of twenty is late, behind three later ones, so that it is retransmitted. ACKs carry `flags`.
fn repair(host: &mut Host, at: u64, flags: u8) {
    for last in at + 2..=at + 4 {
        host.ack(at, flags, MS(0), (at + 1, last), MS(101));
    }
    assert_eq!((host.tx.phase, host.tx.next_resend()), (Phase::Recovery, Some(at)));
    host.fill(MS(101));
}

/// The ACK of its first copy, which shows that the repair was needless.
fn arrive(host: &mut Host, at: u64, flags: u8) {
    host.ack(at + 4, flags, MS(0), (0, 0), MS(102));
    assert_eq!((host.tx.counters.spurious, host.tx.next_resend()), (1, None));
}

/// `tcp_enter_recovery` in `TCP_CA_CWR` reduces nothing, and the undo returns nothing (`prior_ssthresh` is 0): Linux keeps PRR's window.
/// The next ACK that echoes the mark reduces this window, as `tcp_try_to_open` has forgotten the first reduction: see the case
/// `ecn-reorder` of conformance.
#[test]
fn a_spurious_recovery_behind_a_mark_returns_no_window() {
    let mut host = Host::linux(20.0, MS(100)).sent(20);
    host.ack(1, flag::ECE, MS(0), (0, 0), MS(100));
    assert_eq!((host.tx.phase, host.cwnd()), (Phase::Marked, 10.0));
    host.fill(MS(100));
    repair(&mut host, 1, flag::ECE);
    assert_eq!(host.cc.path(0).ssthresh, 10.0);
    let window = host.tx.prr.limit as f64;
    assert!(window > 10.0 && window < 20.0, "{window}");
    arrive(&mut host, 1, flag::ECE);
    assert_eq!((host.tx.phase, host.cwnd(), host.cc.path(0).ssthresh), (Phase::Open, window, 10.0));
    host.ack(6, flag::ECE, MS(0), (0, 0), MS(103));
    assert_eq!((host.tx.phase, host.cwnd()), (Phase::Marked, window / 2.0));
    assert_eq!(host.cc.path(0).ssthresh, window / 2.0);
    // Until something sent behind it is acknowledged, nothing grows the window.
    for acked in 7..=15 {
        host.ack(acked, flag::ECE, MS(0), (0, 0), MS(104));
        assert_eq!(host.cwnd(), window / 2.0);
    }
}

/// RFC 4015 §3.2: an ACK with ECN-Echo reverses nothing, and neither does one behind it in that recovery. On Linux, PRR's window
/// stays, and the next mark is answered. The idealised host spends the round of the reduction as behind a mark: no ACK grows the window.
#[test]
fn a_mark_during_a_spurious_recovery_forbids_its_undo() {
    for (echo, shown) in [(flag::ECE, 0), (0, flag::ECE), (flag::ECE, flag::ECE)] {
        let mut host = Host::linux(20.0, MS(100)).sent(20);
        repair(&mut host, 0, echo);
        let window = host.tx.prr.limit as f64;
        arrive(&mut host, 0, shown);
        assert_eq!((host.tx.phase, host.cwnd(), host.cc.path(0).ssthresh), (Phase::Open, window, 10.0));
        assert!(host.tx.take_cwr());
        host.ack(5, flag::ECE, MS(0), (0, 0), MS(103));
        assert_eq!((host.tx.phase, host.cwnd()), (Phase::Marked, window / 2.0));

        let mut host = Host::new(20.0, MS(100)).sent(20);
        repair(&mut host, 0, echo);
        arrive(&mut host, 0, shown);
        assert_eq!((host.tx.phase, host.cwnd()), (Phase::Marked, 10.0));
        host.send(2, MS(103));
        for acked in 5..=20 {
            host.ack(acked, flag::ECE, MS(0), (0, 0), MS(104));
            assert_eq!((host.tx.phase, host.cwnd()), (Phase::Marked, 10.0));
        }
        host.ack(21, 0, MS(103), (0, 0), MS(203));
        assert_eq!(host.tx.phase, Phase::Open);
    }
}

/// RFC 3168 §6.1.2: the reaction to a mark covers what is lost of the data sent before it, behind a spurious recovery, too.
#[test]
fn a_loss_in_the_round_of_a_kept_reduction_reduces_nothing() {
    let mut host = Host::new(20.0, MS(100)).sent(20);
    repair(&mut host, 0, flag::ECE);
    arrive(&mut host, 0, 0);
    for last in 7..=9 {
        host.ack(5, flag::ECE, MS(0), (6, last), MS(104));
    }
    host.tx.on_timer(MS(140), &mut host.cc); // RACK waits a quarter of the round trip since it saw reordering
    assert_eq!((host.tx.phase, host.cc.path(0).ssthresh), (Phase::Recovery, 10.0));
}

/// The window of a spurious timeout stays at the mark that its ACK echoes, but grows from there, as behind any timeout.
#[test]
fn behind_a_spurious_timeout_of_an_idealised_host_the_window_grows() {
    let mut host = Host::new(20.0, MS(100)).sent(20);
    host.time_out(MS(600));
    assert_eq!((host.tx.phase, host.cwnd()), (Phase::Loss, 1.0));
    host.tx.resend(0, MS(600), &host.cc);
    host.ack(1, flag::ECE, MS(0), (0, 0), MS(610));
    assert_eq!((host.tx.phase, host.tx.counters.spurious), (Phase::Open, 1));
    let window = host.cwnd();
    assert!(window < 10.0, "{window}");
    for acked in 2..=4 {
        host.ack(acked, 0, MS(0), (0, 0), MS(611));
    }
    assert_eq!(host.cwnd(), window + 3.0);
}

/// Without a mark all returns, and Linux takes back the CWR that has not left (`tcp_ecn_withdraw_cwr`). The next ACK that echoes a mark
/// reduces.
#[test]
fn without_a_mark_a_spurious_recovery_is_undone() {
    for (mut host, cwr) in [(Host::linux(20.0, MS(100)), false), (Host::new(20.0, MS(100)), true)] {
        host.send(20, MS(0));
        repair(&mut host, 0, 0);
        arrive(&mut host, 0, 0);
        // It delivers one segment, in slow start again.
        assert_eq!((host.tx.phase, host.cwnd()), (Phase::Open, 21.0));
        assert!(host.cc.path(0).ssthresh.is_infinite());
        assert_eq!(host.tx.take_cwr(), cwr);
    }
    let mut host = Host::linux(20.0, MS(100)).sent(20);
    repair(&mut host, 0, 0);
    arrive(&mut host, 0, 0);
    host.ack(5, flag::ECE, MS(0), (0, 0), MS(103));
    assert_eq!((host.tx.phase, host.cwnd()), (Phase::Marked, 10.5));
}

/// A timeout in `TCP_CA_CWR` reduces nothing (`tcp_enter_loss`). If F-RTO finds it spurious, the state is open, and the ACK that shows
/// it reduces at once if it echoes the mark (`tcp_fastretrans_alert`): half of five is left. Else the next one does.
#[test]
fn behind_a_spurious_timeout_an_echo_reduces_again() {
    for first in [flag::ECE, 0] {
        let mut host = Host::linux(20.0, MS(100)).sent(20);
        host.ack(1, flag::ECE, MS(0), (0, 0), MS(100));
        host.time_out(MS(600));
        assert_eq!((host.tx.phase, host.cc.path(0).ssthresh), (Phase::Loss, 10.0));
        assert!(host.tx.take_cwr());
        host.tx.resend(1, MS(600), &host.cc);
        host.ack(2, flag::ECE, MS(600), (0, 0), MS(700));
        host.send(2, MS(700));
        assert!(host.tx.has_tried_new_data());
        let window = host.cwnd();
        host.ack(2, first, MS(600), (4, 5), MS(710));
        assert_eq!(host.tx.counters.spurious, 1);
        if first == 0 {
            assert_eq!((host.tx.phase, host.cwnd()), (Phase::Open, window));
            host.ack(4, flag::ECE, MS(600), (0, 0), MS(711));
        }
        assert_eq!((host.tx.phase, host.cc.path(0).ssthresh), (Phase::Marked, (window / 2.0).max(2.0)));
    }
}
