//! The receiver of a subflow: reassembly by segment number, SACK, delayed ACKs, ECN echo.

use crate::packet::{Block, HEADER, Kind, Packet, SACK_BLOCKS, Sack, flag, sack_option_bytes, widen};
use crate::ranges::{Range, Ranges};
use anabranch_net::Time;

/// Segments after a hole that are always acknowledged at once (TCP_FASTRETRANS_THRESH), and the most that one
/// compressed ACK covers (`tcp_comp_sack_nr`): `__tcp_ack_snd_check`, Linux 6.18.
const DUP_THRESHOLD: u32 = 3;
const MAX_COMPRESSED: u32 = 44;
/// The expected number of ranges in a compressed ACK: `TCP_SACK_BLOCKS_EXPECTED`.
const BLOCKS_EXPECTED: usize = 2;

/// The receiver's reaction to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Acknowledge at once.
    Now,
    /// Acknowledge when the delayed-ACK timer expires.
    Later,
    /// Acknowledge with compression: three ACKs have reported the hole, and Linux waits for more segments.
    Compressible,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Receiver {
    /// The next segment expected, now and as of the last ACK.
    next: u64,
    reported: u64,
    /// Timestamp to echo (RFC 7323 §4.3).
    echo: Time,
    /// Boxed, so that a flow without losses touches little memory. It stays once allocated.
    disorder: Option<Box<Disorder>>,
    /// When its ACK is due at the latest, if some are pending.
    due: Time,
    /// Segments received since the last ACK.
    pending: u32,
    /// Whether `disorder` is in use.
    disordered: bool,
    echo_ce: bool,
    /// Whether one of these ended a burst.
    pushed: bool,
}

/// The state of SACK.
#[derive(Clone, Debug, Default)]
struct Disorder {
    /// Segments received above the next expected one.
    above: Ranges,
    /// The most recently changed ranges, newest first (RFC 2018 §4). Those below the next expected segment are gone.
    recent: [Range; SACK_BLOCKS],
    /// A duplicate (RFC 2883).
    duplicate: Option<u64>,
    /// Segments received after the present hole.
    behind: u32,
}

impl Disorder {
    /// The most recently changed ranges above `next`, the next expected segment, newest first.
    #[inline]
    fn recent(&self, next: u64) -> impl Iterator<Item = Range> {
        self.recent.iter().copied().filter(move |(start, _)| *start > next)
    }
}

impl Receiver {
    /// Of a subflow whose SYN had this timestamp, which is echoed until the next packet in sequence arrives.
    pub(crate) fn new(echo: Time) -> Self {
        Receiver { echo, ..Receiver::default() }
    }

    /// Takes the timestamp of the third packet of the handshake, which may arrive behind data (RFC 7323 §4.3).
    pub(crate) fn echo_handshake(&mut self, stamp: Time) {
        self.echo = self.echo.max(stamp);
    }

    /// Takes a data segment. `every` full segments are acknowledged at once (RFC 5681 §4.2), and in order the end of a burst, if that is
    /// read at once.
    #[inline(always)]
    pub(crate) fn on_data(&mut self, packet: &Packet, every: u32, reads_bursts: bool) -> Reply {
        if packet.seq != self.next as u32 || self.disordered {
            let seq = widen(self.next, packet.seq);
            self.note(packet, seq);
            return self.out_of_order(seq);
        }
        self.note(packet, self.next);
        self.next += 1;
        let is_read = packet.has(flag::PSH) && reads_bursts;
        if self.pending >= every || packet.has(flag::FIN | flag::CE) || is_read {
            return Reply::Now;
        }
        Reply::Later
    }

    /// Notes what the next ACK will say of segment `seq`, apart from its number.
    #[inline]
    fn note(&mut self, packet: &Packet, seq: u64) {
        if seq <= self.reported {
            self.echo = self.echo.max(packet.stamp);
        }
        self.pending += 1;
        if packet.has(flag::CWR | flag::CE | flag::PSH) {
            self.track_flags(packet.flags);
        }
    }

    /// Whether to send the pending ACK before taking this segment: the segment belongs to neither of the two most recently
    /// changed ranges, and would displace them in the blocks (`tcp_sack_new_ofo_skb`, Linux 6.18).
    #[inline]
    pub(crate) fn displaces_unreported(&self, packet: &Packet) -> bool {
        self.disordered && self.pending > 0 && self.is_of_third_range(widen(self.next, packet.seq))
    }

    fn is_of_third_range(&self, seq: u64) -> bool {
        let Some(disorder) = self.disorder.as_deref() else { return false };
        let mut ranges = 0;
        let is_of_latest = disorder.recent(self.next).take(BLOCKS_EXPECTED).any(|(start, end)| {
            ranges += 1;
            (start..=end).contains(&seq) || seq + 1 == start
        });
        seq > self.next && !is_of_latest && ranges == BLOCKS_EXPECTED
    }

    /// When the pending ACK is due at the latest, by [`Receiver::delay`]; [`Time::NEVER`] without one.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        if self.pending > 0 { self.due } else { Time::NEVER }
    }

    /// A segment whose [`Reply`] is to acknowledge later: at `at`, if the pending ACK is not due before.
    #[inline]
    pub(crate) fn delay(&mut self, at: Time) {
        if self.pending == 1 {
            self.due = at;
        }
    }

    /// Whether the end of a burst is not acknowledged.
    #[inline]
    pub(crate) fn is_pushed(&self) -> bool {
        self.pushed && self.pending > 0
    }

    /// Takes a segment while others are missing, or a duplicate: acknowledged at once (RFC 5681 §4.2) or compressed.
    fn out_of_order(&mut self, seq: u64) -> Reply {
        self.disordered = true;
        let Disorder { above, recent, duplicate, behind } = &mut **self.disorder.get_or_insert_default();
        if seq == self.next {
            self.next = above.take_from(seq + 1);
            // A segment that fills a hole partially counts, unless it acknowledges two segments or more.
            *behind = u32::from(!above.is_empty() && self.next == self.reported + 1);
        } else {
            let mut is_new = false;
            let range = match seq < self.next {
                true => (0, 0),
                false => above.add((seq, seq + 1), |_| is_new = true),
            };
            if !is_new {
                *duplicate = Some(seq);
                return Reply::Now;
            }
            let mut kept = [range, (0, 0), (0, 0)];
            let others = recent.iter().filter(|(start, _)| !(range.0..range.1).contains(start));
            kept.iter_mut().skip(1).zip(others).for_each(|(k, other)| *k = *other);
            *recent = kept;
            *behind += 1;
            if *behind > DUP_THRESHOLD && self.pending <= MAX_COMPRESSED {
                return Reply::Compressible;
            }
        }
        Reply::Now
    }

    /// RFC 3168 §6.1.3: CE is echoed until the sender signals its reduction.
    fn track_flags(&mut self, flags: u8) {
        self.pushed |= flags & flag::PSH != 0;
        if flags & flag::CWR != 0 {
            self.echo_ce = false;
        }
        if flags & flag::CE != 0 {
            self.echo_ce = true;
        }
    }

    /// Makes an ACK of all received data, with at most `blocks` SACK blocks. The caller adds the fields of the connection.
    #[inline]
    pub(crate) fn acknowledge(&mut self, subflow: u32, life: u16, blocks: usize) -> (Packet, Option<Sack>) {
        let mut ack = Packet::new(Kind::Ack, subflow, life, HEADER, self.echo);
        ack.seq = self.next as u32;
        if self.echo_ce {
            ack.flags |= flag::ECE;
        }
        let sack = self.disordered.then(|| self.sack(&mut ack, blocks)).flatten();
        self.reported = self.next;
        self.pending = 0;
        self.pushed = false;
        (ack, sack)
    }

    /// The blocks to report. Ends the disorder if no segment is missing.
    fn sack(&mut self, ack: &mut Packet, most: usize) -> Option<Sack> {
        let next = self.next;
        let disorder = &mut **self.disorder.as_mut()?;
        let relative = |start: u64, end: u64| Block {
            start: (start.wrapping_sub(next)) as i64 as i32,
            len: (end - start) as u32,
        };
        let mut blocks = Sack::default();
        let mut n = 0;
        if let Some(seq) = disorder.duplicate.take() {
            ack.flags |= flag::DSACK;
            blocks[n] = relative(seq, seq + 1);
            n += 1;
        }
        for (start, end) in disorder.recent(next).take(most.saturating_sub(n)) {
            blocks[n] = relative(start, end);
            n += 1;
        }
        ack.wire += sack_option_bytes(n as u16);
        self.disordered = !disorder.above.is_empty();
        (n > 0).then_some(blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn segment(seq: u64, sent_ms: u64) -> Packet {
        let mut packet = Packet::new(Kind::Data, 0, 0, 1500, Time::from_millis(sent_ms));
        packet.seq = seq as u32;
        packet
    }

    fn take(receiver: &mut Receiver, seq: u64, sent_ms: u64) -> Reply {
        receiver.on_data(&segment(seq, sent_ms), 2, false)
    }

    /// Takes a segment, and acknowledges at once what it asks to.
    fn answer(receiver: &mut Receiver, seq: u64) -> Reply {
        let reply = take(receiver, seq, seq);
        if reply == Reply::Now {
            acknowledge(receiver);
        }
        reply
    }

    fn acknowledge(receiver: &mut Receiver) -> (Packet, Vec<(i32, u32)>) {
        let (ack, sack) = receiver.acknowledge(0, 0, SACK_BLOCKS);
        (ack, sack.iter().flatten().filter(|b| b.len > 0).map(|b| (b.start, b.len)).collect())
    }

    /// RFC 2018 §5, case 2: the first of eight segments is lost.
    #[test]
    fn sack_reports_what_arrived_behind_a_hole() {
        let mut r = Receiver::default();
        for seq in 1..8 {
            assert_ne!(take(&mut r, seq, seq), Reply::Later);
            let (ack, blocks) = acknowledge(&mut r);
            assert_eq!((ack.seq, blocks), (0, vec![(1, seq as u32)]));
        }
        take(&mut r, 0, 20);
        assert_eq!(acknowledge(&mut r).0.seq, 8);
    }

    /// RFC 2018 §5, case 3: every other segment is lost; the latest block comes first.
    #[test]
    fn the_latest_block_comes_first() {
        let mut r = Receiver::default();
        [1, 3, 5, 7].into_iter().for_each(|seq| {
            take(&mut r, seq, seq);
        });
        let (_, blocks) = acknowledge(&mut r);
        assert_eq!(blocks, vec![(7, 1), (5, 1), (3, 1)]);
        take(&mut r, 2, 20); // joins 1 and 3
        let (ack, blocks) = acknowledge(&mut r);
        assert_eq!(blocks, vec![(1, 3), (7, 1), (5, 1)]);
        assert_eq!(ack.wire, HEADER + 28);
    }

    #[test]
    fn duplicates_are_reported_once_and_first() {
        let mut r = Receiver::default();
        [0, 1, 3].into_iter().for_each(|seq| {
            take(&mut r, seq, seq);
        });
        take(&mut r, 0, 20);
        let (ack, blocks) = acknowledge(&mut r);
        assert!(ack.has(flag::DSACK));
        assert_eq!(blocks, vec![(-2, 1), (1, 1)]);
        assert!(!acknowledge(&mut r).0.has(flag::DSACK));
    }

    proptest! {
        /// RFC 2018 §4: the blocks are the ranges of a plain set that hold the segments received last, newest first; RFC 2883: a
        /// duplicate comes before.
        #[test]
        fn blocks_are_the_ranges_that_changed_last(steps in prop::collection::vec((0u64..12, any::<bool>()), 1..200)) {
            let (mut r, mut next) = (Receiver::default(), 0);
            let (mut above, mut latest, mut duplicate) = (BTreeSet::new(), Vec::new(), None);
            let range = |above: &BTreeSet<u64>, n: u64| {
                let start = (0..=n).rev().take_while(|m| above.contains(m)).last()?;
                Some((start, (n..).find(|m| !above.contains(m))?))
            };
            for (ahead, acknowledges) in steps {
                let seq = (next + ahead).saturating_sub(2);
                take(&mut r, seq, seq);
                if seq == next {
                    next = (next + 1..).find(|n| !above.remove(n)).unwrap();
                } else if seq < next || !above.insert(seq) {
                    duplicate = Some(seq);
                } else {
                    let (start, end) = range(&above, seq).unwrap();
                    let others = latest.into_iter().filter(|n| !(start..end).contains(n));
                    latest = std::iter::once(seq).chain(others).take(SACK_BLOCKS).collect();
                }
                if acknowledges {
                    let known = latest.iter().filter(|n| above.contains(n)).filter_map(|n| range(&above, *n));
                    let all = duplicate.take().map(|n| (n, n + 1)).into_iter().chain(known).take(SACK_BLOCKS);
                    let all = all.map(|(start, end)| (start.wrapping_sub(next) as i32, (end - start) as u32));
                    let (ack, blocks) = acknowledge(&mut r);
                    prop_assert_eq!((u64::from(ack.seq), blocks), (next, all.collect::<Vec<_>>()));
                }
            }
        }
    }

    /// RFC 7323 §4.3: with delayed ACKs the earliest timestamp is echoed; behind a hole, the timestamp of the last segment that
    /// advanced the window.
    #[test]
    fn timestamps_echo_what_was_at_the_left_edge() {
        let mut r = Receiver::default();
        assert_eq!(take(&mut r, 0, 1), Reply::Later);
        assert_eq!(take(&mut r, 1, 2), Reply::Now);
        assert_eq!(acknowledge(&mut r).0.stamp, Time::from_millis(1));
        take(&mut r, 3, 4);
        assert_eq!(acknowledge(&mut r).0.stamp, Time::from_millis(1));
        take(&mut r, 2, 5);
        assert_eq!(acknowledge(&mut r).0.stamp, Time::from_millis(5));
    }

    /// `__tcp_ack_snd_check`: `dup_ack_counter` counts to three and begins anew where `rcv_nxt` moves; 44 at most wait together.
    #[test]
    fn what_follows_the_third_segment_behind_a_hole_can_wait() {
        let mut r = Receiver::default();
        let mut behind =
            |seqs: std::ops::Range<u64>| -> Vec<Reply> { seqs.map(|seq| answer(&mut r, seq)).collect() };
        assert_eq!(behind(1..5), [Reply::Now, Reply::Now, Reply::Now, Reply::Compressible]);
        assert_eq!(behind(0..1), [Reply::Now]);
        let next = behind(10..58);
        assert!(next[..3].iter().all(|reply| *reply == Reply::Now));
        assert!(next[3..47].iter().all(|reply| *reply == Reply::Compressible));
        assert_eq!(next[47], Reply::Now);
    }

    /// `rcv_nxt` moves with a repair, so that `dup_ack_counter` begins anew, and the ACK of the repair counts as the first of the three, as
    /// long as something is missing and the repair is all that it acknowledges.
    #[test]
    fn a_repair_is_the_first_of_three_where_it_is_acknowledged_alone() {
        // Missing are 0 and 2, or 0 and 1, or 0 alone: four segments behind the last hole use up the counter.
        for (behind, first_can_wait) in [(&[1, 3, 4, 5, 6][..], 3), (&[2, 3, 4, 5], 2), (&[1, 2, 3, 4], 3)] {
            let mut r = Receiver::default();
            for seq in behind {
                take(&mut r, *seq, *seq);
                acknowledge(&mut r);
            }
            assert_eq!(take(&mut r, 0, 10), Reply::Now, "{behind:?}");
            acknowledge(&mut r);
            let can_wait = (20..24).take_while(|seq| answer(&mut r, *seq) == Reply::Now).count();
            assert_eq!(can_wait, first_can_wait, "{behind:?}");
        }
    }

    /// `tcp_sack_new_ofo_skb`: with two ranges known, what begins a third, or extends one that changed before both, lets the
    /// ACK that waits go first. A segment that extends one of the two does not, nor does a repair.
    #[test]
    fn a_third_range_lets_what_waits_go_first() {
        let mut r = Receiver::default();
        let compressed = |r: &mut Receiver, seq: u64| {
            assert!(!r.displaces_unreported(&segment(seq, seq)), "{seq}");
            assert_eq!(take(r, seq, seq), Reply::Compressible);
        };
        (1..4).for_each(|seq| assert_eq!(answer(&mut r, seq), Reply::Now));
        compressed(&mut r, 4);
        compressed(&mut r, 6); // the second range
        compressed(&mut r, 5); // joins both
        compressed(&mut r, 8);
        compressed(&mut r, 7); // likewise
        compressed(&mut r, 11);
        compressed(&mut r, 12);
        assert!(r.displaces_unreported(&segment(14, 14)));
        assert_eq!(acknowledge(&mut r).1, [(11, 2), (1, 8)]);
        assert!(!r.displaces_unreported(&segment(14, 14)), "nothing waits");
        compressed(&mut r, 14);
        assert!(!r.displaces_unreported(&segment(10, 10)) && !r.displaces_unreported(&segment(13, 13)));
        assert!(!r.displaces_unreported(&segment(0, 20)), "a repair");
        assert!(r.displaces_unreported(&segment(9, 9)), "the range before the two");
    }

    /// RFC 7323 §4.3, `tcp_replace_ts_recent`: what fills the hole is at the left edge of the last ACK, whatever waits behind it.
    #[test]
    fn timestamps_of_repairs_are_echoed_though_others_wait() {
        let mut r = Receiver::default();
        (1..4).for_each(|seq| assert_eq!(answer(&mut r, seq), Reply::Now));
        assert_eq!((take(&mut r, 4, 4), take(&mut r, 5, 5)), (Reply::Compressible, Reply::Compressible));
        take(&mut r, 0, 20);
        assert_eq!(acknowledge(&mut r).0.stamp, Time::from_millis(20));
    }

    #[test]
    fn the_end_of_a_burst_waits_until_it_is_acknowledged() {
        let mut r = Receiver::default();
        let mut last = segment(1, 1);
        last.flags |= flag::PSH;
        take(&mut r, 0, 0);
        assert!(!r.is_pushed());
        r.on_data(&last, 3, false);
        assert!(r.is_pushed());
        acknowledge(&mut r);
        assert!(!r.is_pushed());
    }

    #[test]
    fn ce_is_echoed_until_cwr() {
        let mut r = Receiver::default();
        let mut marked = segment(0, 1);
        marked.flags |= flag::CE;
        assert_eq!(r.on_data(&marked, 2, false), Reply::Now);
        assert!(acknowledge(&mut r).0.has(flag::ECE));
        take(&mut r, 1, 2);
        assert!(acknowledge(&mut r).0.has(flag::ECE));
        let mut reduced = segment(2, 3);
        reduced.flags |= flag::CWR;
        r.on_data(&reduced, 2, false);
        assert!(!acknowledge(&mut r).0.has(flag::ECE));
    }
}
