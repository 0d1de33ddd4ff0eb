//! One sender, acknowledged by hand: what the RFCs say of each acknowledgement.

mod linux;

use super::{Phase, Sender};
use crate::packet::{Block, HEADER, Kind, Packet, SACK_BLOCKS, Sack, flag};
use crate::rtt::Rtt;
use crate::scoreboard::{RoundTrip, Segment};
use anabranch_cc::{Congestion, Group, Signal, registry};
use anabranch_net::Time;
use anabranch_scenario::{Hosts, Tcp};

const MS: fn(u64) -> Time = Time::from_millis;

struct Host {
    tx: Sender,
    cc: Group,
}

impl Host {
    /// Reno with a window, behind samples of `rtt`.
    fn new(window: f64, rtt: Time) -> Host {
        Host::with(window, rtt, &Tcp::default())
    }

    /// The same on Linux.
    fn linux(window: f64, rtt: Time) -> Host {
        Host::with(window, rtt, &Hosts::Linux.tcp())
    }

    fn with(window: f64, rtt: Time, tcp: &Tcp) -> Host {
        let mut cc = registry::find("reno").unwrap().group(&[]).unwrap();
        let row = cc.add_path(rtt.as_secs_f64(), window);
        let mut estimate = Rtt::new(MS(200));
        (0..100).for_each(|_| estimate.sample(RoundTrip::of(rtt)));
        Host { tx: Sender::new(row, estimate, tcp, false), cc }
    }

    /// The same, and it has sent `n` segments at 0 s.
    fn sent(mut self, n: usize) -> Host {
        self.send(n, MS(0));
        self
    }

    fn send(&mut self, n: usize, now: Time) {
        for _ in 0..n {
            let mut segment = Segment::new(0, 0, 1448, 0);
            segment.sent = now;
            let seq = self.tx.send_new(segment);
            self.tx.measure_sent(seq, now, &self.cc);
            self.tx.sent_new(1, 1448, now);
        }
        let limited = !self.tx.has_room(&self.cc);
        self.tx.note_usage(limited);
    }

    /// Resends, then new data, as the window allows. Returns how many segments that is.
    fn fill(&mut self, now: Time) -> usize {
        let mut n = 0;
        while self.tx.has_room(&self.cc) {
            match self.tx.next_resend() {
                Some(seq) => {
                    self.tx.resend(seq, now, &self.cc);
                }
                None => self.send(1, now),
            }
            n += 1;
        }
        self.tx.note_usage(true);
        n
    }

    /// An acknowledgement of all before `seq`, that echoes `stamp`, with one SACK block where it is not empty.
    fn ack(&mut self, seq: u64, flags: u8, stamp: Time, sacked: (u64, u64), now: Time) {
        let blocks = [sacked];
        self.ack_blocks(seq, flags, stamp, &blocks[usize::from(sacked.0 >= sacked.1)..], now);
    }

    /// The same with several SACK blocks, in the order of the option.
    fn ack_blocks(&mut self, seq: u64, flags: u8, stamp: Time, sacked: &[(u64, u64)], now: Time) {
        let mut packet = Packet::new(Kind::Ack, 0, 0, HEADER, stamp);
        packet.seq = seq as u32;
        packet.flags = flags;
        let mut sack: Sack = [Block::default(); SACK_BLOCKS];
        for (block, (start, end)) in sack.iter_mut().zip(sacked) {
            *block = Block { start: (*start as i64 - seq as i64) as i32, len: (end - start) as u32 };
        }
        packet.sack = u32::from(!sacked.is_empty()); // any key: the blocks are given
        self.tx.on_ack(&packet, (!sacked.is_empty()).then_some(sack), now, &mut self.cc);
    }

    /// The time of the probe, which nobody sends, and of the timeout behind it.
    fn time_out(&mut self, now: Time) {
        self.tx.on_timer(now, &mut self.cc);
        self.tx.on_timer(now, &mut self.cc);
    }

    fn cwnd(&self) -> f64 {
        self.cc.path(0).cwnd
    }
}

/// RFC 3168 §6.1.2: a mark halves the window of ten, "the sending TCP SHOULD NOT increase the congestion window
/// in response to the receipt of an ECN-Echo ACK packet", and reacts once per window of data. So five are left, and
/// in flight, when the flight that was marked is acknowledged.
#[test]
fn a_mark_halves_the_window_and_nothing_grows_it_in_that_round() {
    let mut host = Host::new(10.0, MS(100)).sent(10);
    let mut sent = Vec::new();
    for (i, acked) in [2, 4, 6, 8, 10].into_iter().enumerate() {
        let now = MS(100 + i as u64);
        host.ack(acked, flag::ECE, MS(0), (0, 0), now);
        assert_eq!(host.cwnd(), 5.0, "{acked} acknowledged");
        sent.push(host.fill(now));
    }
    assert_eq!(sent, [0, 0, 1, 2, 2]);
    assert_eq!(host.tx.board.in_flight(), 5);
    assert!(host.tx.take_cwr());
    // The receiver has seen CWR: the window grows again, by one segment per window.
    host.ack(12, 0, MS(100), (0, 0), MS(201));
    assert_eq!(host.cwnd(), 5.0 + 2.0 / 5.0);
    assert_eq!(host.tx.phase, Phase::Open);
    // A mark on what was sent after the reduction is answered anew.
    host.fill(MS(201));
    host.ack(13, flag::ECE, MS(101), (0, 0), MS(202));
    assert_eq!(host.cwnd(), 5.4 / 2.0);
}

/// Where the last of the marked flight is acknowledged and nothing is left in flight its round is over, though that
/// acknowledgement does not grow the window.
#[test]
fn the_round_of_a_mark_ends_when_nothing_is_in_flight() {
    let mut host = Host::new(10.0, MS(100)).sent(8);
    host.ack(8, flag::ECE, MS(0), (0, 0), MS(100));
    assert_eq!((host.cwnd(), host.tx.phase), (5.0, Phase::Open));
}

/// A loss in the round of a mark does not reduce again (RFC 3168 §6.1.2).
#[test]
fn a_loss_in_a_marked_flight_is_repaired_without_a_second_reduction() {
    let mut host = Host::new(10.0, MS(100)).sent(10);
    host.ack(1, flag::ECE, MS(0), (0, 0), MS(100));
    host.fill(MS(100));
    for last in 3..=10 {
        host.ack(1, flag::ECE, MS(0), (2, last), MS(101));
        host.fill(MS(101));
    }
    assert_eq!((host.tx.phase, host.cwnd()), (Phase::Recovery, 5.0));
    assert_eq!((host.tx.counters.resent, host.tx.board.in_flight()), (1, 5));
}

/// RFC 9937 §6.2: RecoverFS leaves out what was SACKed before recovery, here two of ten, so that the eight others
/// spread the reduction to five: after the second of them CEIL(2 · 5 / 8) = 2 are sent.
#[test]
fn what_was_sacked_before_recovery_does_not_count() {
    let mut host = Host::new(20.0, MS(100));
    host.cc.on_congestion(0, &Congestion { now: 0.0, signal: Signal::Loss }); // congestion avoidance from ten on
    host.send(10, MS(0));
    for (last, sent) in [(2, 0), (3, 0), (4, 1), (5, 1)] {
        host.ack(0, 0, MS(0), (1, last), MS(100));
        let room = host.tx.phase == Phase::Recovery;
        assert_eq!(if room { host.fill(MS(100)) } else { 0 }, sent, "SACKed up to {last}");
    }
}

/// RFC 6298 §5.3: the timer starts anew "when an ACK is received that acknowledges new data", and Linux starts it where the oldest
/// segment is retransmitted. Selective acknowledgements behind a hole leave it alone.
#[test]
fn the_timer_guards_the_oldest_segment() {
    let mut host = Host::new(10.0, MS(100)).sent(10);
    let rto = host.tx.rtt.rto();
    host.ack(1, 0, MS(0), (0, 0), MS(100));
    assert_eq!(host.tx.rto_at, MS(100) + rto);
    host.ack(1, 0, MS(0), (2, 3), MS(120));
    assert_eq!((host.tx.rto_at, host.tx.pto_at), (MS(100) + rto, Time::NEVER));
    host.ack(1, 0, MS(0), (2, 5), MS(130));
    host.fill(MS(130));
    assert_eq!((host.tx.counters.resent, host.tx.rto_at), (1, MS(130) + host.tx.rtt.rto()));
    let resent = host.tx.rto_at;
    for (i, last) in (6..=10).enumerate() {
        host.ack(1, 0, MS(0), (2, last), MS(140 + 10 * i as u64));
        assert_eq!(host.tx.rto_at, resent);
    }
    host.send(1, MS(190));
    host.ack(10, 0, MS(130), (0, 0), MS(230));
    assert_eq!(host.tx.rto_at, MS(230) + host.tx.rtt.rto());
}

/// RFC 8985 §7.2: PTO = 2 SRTT, for a lone segment and the longest delayed ACK, and no later than the timeout.
#[test]
fn a_probe_is_due_as_rfc_8985_says() {
    let due = |rtt, segments| {
        let mut host = Host::new(10.0, MS(rtt));
        host.send(segments, MS(1000));
        host.tx.pto_at
    };
    assert_eq!(due(50, 2), MS(1100));
    assert_eq!(due(50, 1), MS(1140));
    assert_eq!(due(190, 2), MS(1380));
    assert_eq!(due(190, 1), MS(1390), "the timeout: SRTT and 200 ms");
}

/// RFC 7323 §4.1 and RFC 6298 §5.7: the acknowledgement of a retransmitted segment measures the round trip of the copy whose
/// timestamp it echoes, and ends backing off.
#[test]
fn a_resent_segment_is_measured_by_its_timestamp() {
    let mut host = Host::new(10.0, MS(100)).sent(1);
    host.time_out(MS(300));
    host.fill(MS(300));
    assert!(host.tx.rtt.is_backed_off());
    host.ack(1, 0, MS(0), (0, 0), MS(800));
    assert!(!host.tx.rtt.is_backed_off());
    assert_eq!(host.tx.rtt.smoothed, Time::from_nanos((100_000_000.0 + 700_000_000.0 / 8.0) as u64));
    // RTTVAR has fallen to nothing: 4 · 700 / 4 is the margin.
    assert!(host.tx.rtt.rto() >= MS(800));
}

/// RFC 7323 §4.3: a delayed ACK answers the first of its segments, so that "the RTT measurement will include the delay"
/// of it; Linux smooths the time since that one was sent, and keeps as smallest RTT the time since the last was.
/// With SRTT = 100, RTTVAR ≈ 0 and a sample of 130 ms: SRTT = 7/8 · 100 + 1/8 · 130 = 103.75.
#[test]
fn a_delayed_acknowledgement_is_smoothed_from_its_first_segment() {
    let smoothed = |host: &Host| host.tx.rtt.smoothed.as_nanos() / 1000;
    let mut host = Host::new(10.0, MS(100)).sent(1);
    host.send(1, MS(40));
    host.ack(2, 0, MS(0), (0, 0), MS(130));
    assert_eq!((smoothed(&host), host.tx.rtt.min), (103_750, MS(90)));
    assert_eq!(host.cc.path(0).min_rtt, 0.09);

    // The first segment that selective acknowledgements newly report shows it.
    let mut host = Host::new(10.0, MS(100));
    (0..4).for_each(|i| host.send(1, MS(20 * i)));
    host.ack(0, 0, MS(0), (2, 4), MS(170));
    assert_eq!((smoothed(&host), host.tx.rtt.min), (103_750, MS(100)));

    // A cumulative acknowledgement of a resend measures only by its timestamp: sent at 300 ms.
    let mut host = Host::new(10.0, MS(100)).sent(2);
    host.time_out(MS(300));
    host.fill(MS(300));
    host.ack(2, 0, MS(300), (0, 0), MS(430));
    assert_eq!(smoothed(&host), 103_750);
}

/// RFC 5681 §4.1 as Linux has it: with nothing sent for k timeouts the window halves k times, down to the restart
/// window, and slow start leads back to three quarters of it.
#[test]
fn a_pause_takes_the_window_back() {
    let rto = MS(300);
    let after = |pause: Time| {
        let mut host = Host::new(80.0, MS(100));
        assert_eq!(host.tx.rtt.rto(), rto);
        host.send(10, MS(0));
        host.ack(10, 0, MS(0), (0, 0), MS(100));
        host.tx.restart_if_idle(10.0, pause, &mut host.cc);
        let first = host.cwnd();
        host.tx.restart_if_idle(10.0, pause, &mut host.cc);
        assert_eq!(host.cwnd(), first, "once per pause");
        first
    };
    assert_eq!(after(rto), 80.0);
    assert_eq!(after(rto + MS(1)), 40.0);
    assert_eq!(after(rto.times(5).since(rto.times(2)) + MS(1)), 10.0);
    assert_eq!(after(rto.times(2) + MS(1)), 20.0);
    assert_eq!(after(rto.times(10)), 10.0);
    let mut small = Host::new(4.0, MS(100));
    small.send(4, MS(0));
    small.ack(4, 0, MS(0), (0, 0), MS(100));
    let window = small.cwnd();
    small.tx.restart_if_idle(10.0, MS(5000), &mut small.cc);
    assert_eq!(small.cwnd(), window, "a restart grows nothing");
}

/// A host of whose twenty segments the first `n` are lost, and those up to the ninth selectively acknowledged, one by one.
fn behind_losses(n: u64) -> Host {
    let mut host = Host::new(20.0, MS(100)).sent(20);
    for last in n + 1..=9 {
        host.ack(0, 0, MS(0), (n, last), MS(100));
    }
    host
}

/// RFC 8985 §6.2: an ACK delivers a retransmission unless it answers an earlier copy. A SACK behind a hole echoes what came before the
/// hole, so it says nothing of that; a round trip not below the smallest does. So the lost retransmission of the first segment
/// is found by the second retransmission's SACK, without a timeout (`tcp_rack_advance`).
#[test]
fn a_sacked_retransmission_shows_that_an_earlier_one_is_lost() {
    let mut host = behind_losses(2);
    host.fill(MS(100)); // retransmits both
    assert_eq!(host.tx.counters.resent, 2);
    host.ack(0, 0, MS(0), (1, 9), MS(199));
    assert_eq!(host.tx.next_resend(), None, "too early for the retransmission's answer");

    let mut host = behind_losses(2);
    host.tx.resend(0, MS(100), &host.cc);
    host.tx.resend(1, MS(101), &host.cc);
    host.ack(0, 0, MS(0), (1, 9), MS(205));
    assert_eq!(host.tx.next_resend(), Some(0));
    assert_eq!(host.tx.counters.timeouts, 0);
}

/// RFC 5681 §3.1: the window grows by "each ACK received that cumulatively acknowledges new data".
#[test]
fn selective_acknowledgements_grow_no_window() {
    let mut host = Host::new(10.0, MS(100)).sent(10);
    host.ack(2, 0, MS(0), (0, 0), MS(100));
    host.fill(MS(100));
    assert_eq!(host.cwnd(), 12.0);
    host.ack(2, 0, MS(0), (3, 4), MS(101));
    host.ack(2, 0, MS(0), (3, 5), MS(102));
    assert_eq!((host.cwnd(), host.tx.phase), (12.0, Phase::Open));
    // It was only late: the ACK that fills the hole grows it, by the one that it newly delivers.
    host.ack(5, 0, MS(100), (0, 0), MS(103));
    assert_eq!(host.cwnd(), 13.0);
}

/// RFC 2018 §4: the first block has the newest data, so a lower block behind it came before. Both are news where ACKs are compressed
/// or lost. Nothing is reordered: losses are detected at once (RFC 8985 §6.2), and SACKs grow no window later.
#[test]
fn two_new_blocks_in_one_acknowledgement_are_no_reordering() {
    for is_dsack in [false, true] {
        let mut host = Host::new(20.0, MS(100)).sent(20);
        let blocks = [(0, 1), (9, 11), (3, 7)];
        let (acked, flags) = if is_dsack { (1, flag::DSACK) } else { (0, 0) };
        host.ack_blocks(acked, flags, MS(0), &blocks[usize::from(!is_dsack)..], MS(100));
        assert_eq!((host.tx.phase, host.tx.next_resend()), (Phase::Recovery, Some(acked)));
        assert!(!host.tx.rack.is_much_reordered());
        assert_eq!(host.tx.board.sacked(), 6);
    }
}

/// RFC 8985 §6.2, step 3: a segment sent once that arrives behind later ones was reordered. Once three later ones overtook one, the
/// window grows by SACKs, too, as few ACKs are cumulative then (`tcp_may_raise_cwnd`).
#[test]
fn with_much_reordering_selective_acknowledgements_grow_the_window() {
    let mut host = Host::new(20.0, MS(100)).sent(20);
    host.ack(0, 0, MS(0), (1, 3), MS(100));
    host.ack(3, 0, MS(0), (0, 0), MS(101)); // two later ones overtook the first
    assert!(!host.tx.rack.is_much_reordered());
    for last in 5..=8 {
        host.ack(3, 0, MS(0), (4, last), MS(102));
    }
    assert_eq!((host.cwnd(), host.tx.phase), (21.0, Phase::Open), "a quarter of the RTT is left");
    host.ack(8, 0, MS(0), (0, 0), MS(103)); // four overtook this one
    assert!(host.tx.rack.is_much_reordered());
    let before = host.cwnd();
    host.ack(8, 0, MS(0), (9, 10), MS(104));
    assert_eq!((host.cwnd(), host.tx.phase), (before + 1.0, Phase::Open));
}

/// RFC 8985 §6.2 judges each segment of an ACK: that the first copy of one has arrived says nothing of another's retransmission.
#[test]
fn each_retransmission_of_an_acknowledgement_is_judged() {
    let mut host = behind_losses(3);
    host.tx.resend(0, MS(100), &host.cc);
    host.tx.resend(1, MS(101), &host.cc);
    host.tx.resend(2, MS(150), &host.cc);
    // The retransmission of 2 is too young to have arrived. The one of 1 has, and it left after the one of 0, which is lost.
    host.ack(0, 0, MS(0), (1, 9), MS(205));
    assert_eq!(host.tx.next_resend(), Some(0));
}
