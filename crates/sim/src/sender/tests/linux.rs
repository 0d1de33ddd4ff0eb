//! The rules of Linux' recovery: `tcp.linux_recovery`.

mod marks;

use super::{Host, MS};
use crate::packet::flag;
use crate::sender::Phase;

/// RFC 5681 §4.3: the loss of a retransmission is a second indication of congestion. Linux reduces once per window.
#[test]
fn a_timeout_in_recovery_reduces_again_but_not_on_linux() {
    let thresholds = |mut host: Host| {
        host.send(20, MS(0));
        for last in 2..=20 {
            host.ack(0, 0, MS(0), (1, last), MS(100));
            host.fill(MS(100));
        }
        let first = host.cc.path(0).ssthresh;
        host.tx.on_timer(MS(900), &mut host.cc);
        assert_eq!((host.cwnd(), host.tx.phase, host.tx.counters.timeouts), (1.0, Phase::Loss, 1));
        (first, host.cc.path(0).ssthresh)
    };
    assert_eq!(thresholds(Host::new(20.0, MS(100))), (10.0, 5.0));
    assert_eq!(thresholds(Host::linux(20.0, MS(100))), (10.0, 10.0));
}

/// A host on Linux after a timeout of ten segments, which has retransmitted the first.
fn timed_out() -> Host {
    let mut host = Host::linux(10.0, MS(100)).sent(10);
    host.time_out(MS(300));
    host.tx.resend(0, MS(300), &host.cc);
    assert_eq!(host.tx.phase, Phase::Loss);
    host
}

/// RFC 5682 §3.1, step 2b: the first ACK after a timeout lets new data go. Step 3a: if only that is acknowledged, what was before
/// it is lost.
#[test]
fn new_data_tests_whether_a_timeout_was_spurious() {
    let mut host = timed_out();
    assert!(!host.tx.tries_new_data());
    host.ack(1, 0, MS(300), (0, 0), MS(400));
    assert!(host.tx.tries_new_data());
    host.send(2, MS(400));
    assert!(host.tx.has_tried_new_data());
    host.ack(1, 0, MS(300), (10, 12), MS(500));
    assert_eq!((host.tx.phase, host.tx.tries_new_data()), (Phase::Loss, false));
    assert_eq!(host.tx.next_resend(), Some(1));
    assert_eq!(host.tx.counters.spurious, 0);

    let mut host = timed_out();
    host.ack(1, 0, MS(300), (0, 0), MS(400));
    assert!(!host.tx.has_tried_new_data(), "without new data, retransmissions follow");
}

/// Step 3a on Linux: a duplicate ACK, too, shows that the loss was real, and a SACKed retransmission (`tcp_process_loss`). The late
/// arrival of a first copy then undoes nothing.
#[test]
fn a_duplicate_acknowledgement_ends_the_test_of_a_timeout() {
    let tried = || {
        let mut host = Host::linux(10.0, MS(100)).sent(10);
        host.ack(0, 0, MS(0), (5, 6), MS(100));
        host.tx.on_timer(MS(300), &mut host.cc);
        host.tx.resend(0, MS(300), &host.cc);
        host.tx.resend(0, MS(310), &host.cc);
        host.ack(1, 0, MS(300), (5, 6), MS(400));
        host.send(2, MS(400));
        assert!(host.tx.has_tried_new_data());
        host
    };
    // Nothing new: a duplicate. An older ACK that was late is none, and says nothing (`num_dupack` at `old_ack` in `tcp_ack`).
    for (acked, phase, spurious) in [(1, Phase::Loss, 0), (0, Phase::Open, 1)] {
        let mut host = tried();
        host.ack(acked, 0, MS(300), (5, 6), MS(405));
        host.ack(1, 0, MS(300), (4, 6), MS(410));
        assert_eq!((host.tx.phase, host.tx.counters.spurious), (phase, spurious));
    }
    let mut host = tried();
    host.tx.resend(1, MS(401), &host.cc);
    host.ack(1, 0, MS(300), (1, 2), MS(505));
    host.ack(2, 0, MS(300), (4, 5), MS(510));
    assert_eq!((host.tx.phase, host.tx.counters.spurious), (Phase::Loss, 0));
    // A DSACK, here of the second retransmission, shows no loss.
    let mut host = tried();
    host.ack_blocks(1, flag::DSACK, MS(300), &[(0, 1)], MS(405));
    host.ack(1, 0, MS(300), (4, 6), MS(410));
    assert_eq!((host.tx.phase, host.tx.counters.spurious), (Phase::Open, 1));
}

/// Step 3b after a mark's reduction, which stays: the timeout reduced nothing, so only what it took for lost returns
/// (`tcp_try_undo_loss`).
#[test]
fn a_spurious_timeout_behind_a_mark_sends_nothing_again() {
    let mut host = Host::linux(10.0, MS(100)).sent(10);
    host.ack(1, flag::ECE, MS(0), (0, 0), MS(100));
    assert_eq!((host.tx.phase, host.cwnd()), (Phase::Marked, 5.0));
    host.time_out(MS(600));
    assert_eq!((host.tx.phase, host.cc.path(0).ssthresh), (Phase::Loss, 5.0));
    host.tx.resend(1, MS(600), &host.cc);
    host.ack(2, 0, MS(600), (0, 0), MS(700));
    host.send(2, MS(700));
    assert!(host.tx.has_tried_new_data());
    host.ack(2, 0, MS(600), (4, 5), MS(710));
    assert_eq!((host.tx.phase, host.tx.counters.spurious), (Phase::Open, 1));
    assert_eq!((host.tx.next_resend(), host.cc.path(0).ssthresh), (None, 5.0));
}

/// Step 3b: data that was sent once arrives, so that it was not lost: the window before the timeout returns.
#[test]
fn a_timeout_is_undone_if_first_copies_arrive() {
    let mut host = timed_out();
    host.ack(1, 0, MS(300), (0, 0), MS(400));
    host.send(2, MS(400));
    assert!(host.tx.has_tried_new_data());
    host.ack(1, 0, MS(300), (4, 5), MS(410));
    assert_eq!((host.tx.phase, host.tx.counters.spurious), (Phase::Open, 1));
    assert!(host.cwnd() >= 10.0, "{}", host.cwnd());
}

/// `tcp_cwnd_reduction` in `TCP_CA_CWR`: PRR spreads the reduction after a mark over the round, one segment for two, where the
/// idealised host is silent for nearly half of it.
#[test]
fn linux_spreads_the_reduction_after_a_mark() {
    let mut host = Host::linux(10.0, MS(100)).sent(10);
    let sent = [2, 4, 6, 8, 10].map(|acked| {
        host.ack(acked, flag::ECE, MS(0), (0, 0), MS(100));
        host.fill(MS(100))
    });
    // In proportion, until five are in flight at the fourth.
    assert_eq!(sent, [1, 1, 1, 0, 2]);
    assert_eq!(host.tx.board.in_flight(), 5);
}

/// `tcp_enter_recovery` reduces nothing in `TCP_CA_CWR`, which lasts until something sent after the reaction to the mark is
/// acknowledged: so does a loss right behind the marked flight.
#[test]
fn a_loss_behind_a_marked_flight_reduces_nothing_on_linux() {
    let mut host = Host::linux(10.0, MS(100)).sent(10);
    for acked in [2, 4, 6, 8, 10] {
        host.ack(acked, flag::ECE, MS(0), (0, 0), MS(100));
        host.fill(MS(100));
    }
    assert_eq!((host.tx.phase, host.tx.board.una(), host.tx.high), (Phase::Marked, 10, 10));
    for last in 12..=14 {
        host.ack(10, 0, MS(100), (11, last), MS(200));
    }
    assert_eq!((host.tx.phase, host.cc.path(0).ssthresh), (Phase::Recovery, 5.0));
    assert_eq!((host.tx.next_resend(), host.tx.has_room(&host.cc)), (Some(10), true));
}

/// RFC 5681's FlightSize, `packets_out` of `tcp_cwnd_validate`: what is lost is outstanding, so that a full window stays one when its
/// loss was spurious.
#[test]
fn what_is_lost_is_outstanding() {
    let mut host = timed_out();
    host.tx.note_usage(false);
    assert_eq!((host.tx.board.in_flight(), host.tx.most_outstanding), (1, 10));
}

/// `tcp_enter_loss`: what was sent in the last round trip is not overdue, and the window has room for one segment beside it. RFC 5681
/// §3.1 has one segment.
#[test]
fn a_timeout_leaves_room_beside_what_is_not_overdue() {
    let window = |mut host: Host| {
        host.send(10, MS(0));
        host.ack(0, 0, MS(0), (1, 10), MS(100));
        host.tx.resend(0, MS(100), &host.cc);
        host.send(3, MS(350));
        host.tx.on_timer(MS(400), &mut host.cc);
        assert_eq!((host.tx.counters.timeouts, host.tx.board.in_flight()), (1, 3));
        host.cwnd()
    };
    assert_eq!(window(Host::new(10.0, MS(100))), 1.0);
    assert_eq!(window(Host::linux(10.0, MS(100))), 4.0);
}

/// `tcp_timeout_mark_lost`: what was sent a round trip before a timeout is overdue. By RFC 8985 §6.3 it has a quarter of the round trip
/// more once something was reordered.
#[test]
fn reordered_segments_have_no_more_time_at_a_timeout_of_linux() {
    let in_flight = |mut host: Host, age: u64| {
        host.send(10, MS(0));
        host.ack(0, 0, MS(0), (1, 3), MS(100));
        host.ack(3, 0, MS(0), (0, 0), MS(101));
        host.send(3, MS(410 - age));
        host.time_out(MS(410));
        assert_eq!(host.tx.counters.timeouts, 1);
        host.tx.board.in_flight()
    };
    for (age, linux, plain) in [(99, 3, 3), (110, 0, 3), (124, 0, 3), (126, 0, 0)] {
        assert_eq!(in_flight(Host::linux(20.0, MS(100)), age), linux, "{age} ms");
        assert_eq!(in_flight(Host::new(20.0, MS(100)), age), plain, "{age} ms");
    }
}
