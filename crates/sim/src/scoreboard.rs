//! The sender's scoreboard: the state of every segment between `una` and `nxt` (RFC 6675 §3, with Linux's counts). Each
//! segment changes state a bounded number of times and is found by its number, so the cost per ACK does not depend on the window.

use crate::packet::{flag, widen};
use crate::ranges::{Range, Ranges};
use crate::ring::Ring;
use anabranch_net::{Fifo, Time};
use std::collections::VecDeque;

const SACKED: u8 = 1;
/// Marked as lost. Stays set when the segment is retransmitted.
const LOST: u8 = 2;
/// Retransmitted after a loss or as a probe (RFC 8985 §7), and that copy is not marked as lost.
const RESENT: u8 = 4;
/// Retransmitted at least once: its RTT is ambiguous (Karn).
const EVER_RESENT: u8 = 8;

/// An unacknowledged segment. Packed, as the scoreboards are most of the memory of many flows.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, packed(4))]
pub(crate) struct Segment {
    /// When it was last sent.
    pub(crate) sent: Time,
    /// The chunk of connection-level data that it carries, modulo 2³²; 0 for a FIN.
    pub(crate) chunk: u32,
    /// The chunk's offset in the byte stream, modulo 2³².
    pub(crate) offset: u32,
    /// Payload, in bytes; 0 for a FIN or DATA_FIN.
    pub(crate) len: u16,
    state: u8,
    /// Packet flags to send it with.
    pub(crate) flags: u8,
}

impl Segment {
    /// A segment before its first transmission.
    #[inline]
    pub(crate) fn new(chunk: u32, offset: u32, len: u16, flags: u8) -> Segment {
        Segment { sent: Time::ZERO, chunk, offset, len, state: 0, flags }
    }
}

const _: () = assert!(size_of::<Segment>() == 20);

/// The segments that an ACK newly delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delivered {
    /// Their number, including selectively acknowledged ones.
    pub(crate) segments: u64,
    /// Their payload, in bytes.
    pub(crate) bytes: u64,
    /// The most recently sent one: send time and number.
    pub(crate) newest: Option<(Time, u64)>,
    /// The most recently sent one among those sent once: send time and number.
    pub(crate) first_copy: Option<(Time, u64)>,
    /// The same among retransmissions that the ACK answers, not an earlier copy.
    pub(crate) retransmission: Option<(Time, u64)>,
    /// Among those sent once and acknowledged cumulatively: send times of the first and the last.
    pub(crate) acked: Option<(Time, Time)>,
    /// The same among those acknowledged selectively.
    pub(crate) sacked: Option<(Time, Time)>,
    /// Whether any segment is newly acknowledged selectively.
    pub(crate) has_sacked: bool,
    /// Whether a retransmitted segment is acknowledged cumulatively: the ACK may have waited for it.
    pub(crate) ambiguous: bool,
    /// How far one sent once was before the end of all that is delivered; 0 without reordering (RFC 8985 §6.2, step 3).
    pub(crate) reordering: u64,
    /// The lowest one among those sent once.
    pub(crate) lowest_copy: Option<u64>,
}

/// The RTTs that one ACK measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RoundTrip {
    /// RTT of the first acknowledged segment, including the delay of a delayed ACK: for the timeout, which must cover it.
    pub(crate) first: Time,
    /// RTT of the last one, without it: for the minimum RTT and for algorithms.
    pub(crate) last: Time,
}

impl RoundTrip {
    /// Measured with one segment.
    pub(crate) fn of(rtt: Time) -> RoundTrip {
        RoundTrip { first: rtt, last: rtt }
    }
}

impl Delivered {
    /// Measures the RTT like Linux (`tcp_clean_rtx_queue`, `tcp_ack_update_rtt`). Segments sent once are measured by their
    /// send times (Karn and Partridge 1987; RFC 6298 §3), also if acknowledged selectively. Retransmitted segments are
    /// measured by the echoed timestamp, if the ACK `advanced` the window (RFC 7323 §4.1): it is of the answered copy.
    #[inline]
    pub(crate) fn measure(&self, now: Time, echo: Time, advanced: bool) -> Option<RoundTrip> {
        let sent = self.sent_once().or(advanced.then_some((echo, echo)));
        sent.map(|(first, last)| RoundTrip { first: now.since(first), last: now.since(last) })
    }

    /// Send times of the first and the last of the segments sent once.
    #[inline]
    pub(crate) fn sent_once(&self) -> Option<(Time, Time)> {
        match (self.acked.filter(|_| !self.ambiguous), self.sacked) {
            (Some((first, last)), sacked) => Some((first, sacked.map_or(last, |(_, last)| last))),
            (None, sacked) => sacked,
        }
    }
}

/// The segments of an ACK in order, all sent once.
pub(crate) struct InOrder {
    /// Their number.
    pub(crate) segments: u64,
    /// Their payload, in bytes.
    pub(crate) bytes: u64,
    /// When the first and the last were sent.
    pub(crate) first: Time,
    pub(crate) last: Time,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    segments: Ring<Segment>,
    /// No first copy below this segment is in flight.
    pub(crate) first_copy: u64,
    /// One past the highest segment delivered.
    highest: u64,
    sacked: u32,
    lost: u32,
    resent: u32,
    /// Whether `repair` is in use.
    pub(crate) repairing: bool,
    /// Boxed, so that a flow without losses touches little memory. It stays once allocated.
    repair: Option<Box<Repair>>,
    /// Losses of segments with payload so far.
    pub(crate) deemed_lost: u64,
}

#[derive(Clone, Debug, Default)]
struct Repair {
    /// Selectively acknowledged segments.
    ranges: Ranges,
    /// Segments to retransmit, modulo 2³², oldest first; void entries are skipped.
    to_resend: VecDeque<u32>,
    /// Retransmitted segments and their send times, in order; void if retransmitted again.
    resends: Fifo<(u64, Time)>,
}

impl Repair {
    fn is_over(&self) -> bool {
        self.ranges.is_empty() && self.to_resend.is_empty() && self.resends.is_empty()
    }
}

impl Scoreboard {
    /// Oldest unacknowledged segment.
    #[inline]
    pub(crate) fn una(&self) -> u64 {
        self.segments.start()
    }

    /// The next new segment.
    #[inline]
    pub(crate) fn nxt(&self) -> u64 {
        self.segments.end()
    }

    /// Segments neither acknowledged nor lost, and copies of lost ones: "pipe".
    #[inline]
    pub(crate) fn in_flight(&self) -> u64 {
        self.nxt() - self.una() + u64::from(self.resent) - u64::from(self.sacked) - u64::from(self.lost)
    }

    /// Selectively acknowledged segments.
    #[inline]
    pub(crate) fn sacked(&self) -> u64 {
        self.sacked.into()
    }

    #[inline]
    pub(crate) fn get(&self, seq: u64) -> &Segment {
        self.segments.get(seq)
    }

    /// Segments from `una` to `nxt`.
    pub(crate) fn outstanding(&self) -> impl Iterator<Item = &Segment> {
        (self.una()..self.nxt()).map(|seq| self.segments.get(seq))
    }

    /// The chunks that segments from `una` to `nxt` carry, modulo 2³².
    pub(crate) fn chunks(&self) -> impl Iterator<Item = u32> {
        self.outstanding().filter(|segment| segment.flags & flag::FIN == 0).map(|segment| segment.chunk)
    }

    #[inline]
    pub(crate) fn send(&mut self, segment: Segment) {
        self.segments.push(segment);
    }

    /// Applies a cumulative acknowledgement up to `una`, which answers what was sent by `latest`.
    #[inline]
    pub(crate) fn acknowledge(&mut self, una: u64, latest: Time, delivered: &mut Delivered) {
        for seq in self.una()..una.min(self.nxt()) {
            if let Some(sent) = self.deliver(seq, latest, delivered) {
                delivered.acked.get_or_insert((sent, sent)).1 = sent; // first copies are in the order of their numbers
            }
            let state = self.segments.get(seq).state;
            self.sacked -= u32::from(state & SACKED != 0);
            delivered.ambiguous |= state & EVER_RESENT != 0;
        }
        if una > self.una() {
            self.segments.forget_before(una);
            self.highest = self.highest.max(una);
            if self.repairing {
                let repair = self.repair();
                repair.ranges.forget_below(una);
                self.repairing = !repair.is_over();
            }
        }
    }

    /// The segments of an ACK of all before `acked`, if it is in order: nothing is lost or selectively acknowledged, and every outstanding
    /// segment was sent once. So `highest` and `first_copy` are not above `una`.
    #[inline]
    pub(crate) fn in_order(&self, acked: u64) -> Option<InOrder> {
        let una = self.una();
        if self.repairing || acked <= una || acked > self.nxt() {
            return None;
        }
        debug_assert!(self.sacked | self.lost | self.resent == 0, "`repair` holds all of these");
        debug_assert!(self.highest <= una && self.first_copy <= una);
        let first = self.segments.get(una);
        let (mut bytes, mut last) = (u64::from(first.len), first.sent);
        for seq in una + 1..acked {
            let segment = self.segments.get(seq);
            debug_assert!(segment.state == 0);
            bytes += u64::from(segment.len);
            last = segment.sent; // first copies are in the order of their numbers
        }
        Some(InOrder { segments: acked - una, bytes, first: first.sent, last })
    }

    /// Applies such an ACK.
    #[inline]
    pub(crate) fn acknowledge_in_order(&mut self, acked: u64) {
        self.segments.forget_before(acked);
        (self.highest, self.first_copy) = (acked, acked);
    }

    /// Applies a SACK block (RFC 2018), clipped to outstanding segments, which answers what was sent by `latest`. The blocks of an ACK
    /// come in ascending order, or a lower one would seem reordered.
    pub(crate) fn sack(&mut self, range: Range, latest: Time, delivered: &mut Delivered) {
        let range = (range.0.max(self.una()), range.1.min(self.nxt()));
        let ranges = &mut self.repair().ranges;
        if ranges.holds(range) {
            return; // most blocks of an ACK repeat earlier ones
        }
        let mut ranges = std::mem::take(ranges);
        ranges.add(range, |(start, end)| {
            for seq in start..end {
                if let Some(sent) = self.deliver(seq, latest, delivered) {
                    let (first, last) = delivered.sacked.unwrap_or((sent, sent));
                    delivered.sacked = Some((first.min(sent), last.max(sent)));
                }
                self.segments.get_mut(seq).state |= SACKED;
                self.sacked += 1;
            }
            self.highest = self.highest.max(end);
            delivered.has_sacked = true;
        });
        self.repair().ranges = ranges;
    }

    /// Delivers `seq`; returns its send time if it is newly delivered and was sent once. A retransmission that left after `latest` is
    /// not what has arrived.
    #[inline]
    fn deliver(&mut self, seq: u64, latest: Time, delivered: &mut Delivered) -> Option<Time> {
        let segment = self.segments.get_mut(seq);
        if segment.state & SACKED != 0 {
            return None;
        }
        self.lost -= u32::from(segment.state & LOST != 0);
        self.resent -= u32::from(segment.state & RESENT != 0);
        let again = segment.state & EVER_RESENT != 0;
        segment.state &= EVER_RESENT;
        delivered.segments += 1;
        delivered.bytes += u64::from(segment.len);
        let copy = Some((segment.sent, seq));
        delivered.newest = delivered.newest.max(copy);
        if again {
            if { segment.sent } <= latest {
                delivered.retransmission = delivered.retransmission.max(copy);
            }
            return None;
        }
        delivered.first_copy = delivered.first_copy.max(copy);
        delivered.lowest_copy = Some(delivered.lowest_copy.map_or(seq, |lowest| lowest.min(seq)));
        delivered.reordering = delivered.reordering.max(self.highest.saturating_sub(seq));
        Some(segment.sent)
    }

    /// When the first copy of `seq` was sent, if it is still in flight.
    #[inline]
    pub(crate) fn first_copy_sent(&self, seq: u64) -> Option<Time> {
        let segment = self.segments.get(seq);
        (segment.state & (SACKED | LOST | EVER_RESENT) == 0).then_some(segment.sent)
    }

    /// Whether the copy of `seq` sent at `at` is still in flight.
    pub(crate) fn is_resend_in_flight(&self, seq: u64, at: Time) -> bool {
        seq >= self.una() && {
            let segment = self.segments.get(seq);
            segment.state & RESENT != 0 && { segment.sent } == at
        }
    }

    /// Whether `seq` was sent more than once; also true for unknown segments.
    pub(crate) fn was_resent(&self, seq: u64) -> bool {
        seq < self.una() || self.segments.get(seq).state & EVER_RESENT != 0
    }

    /// Marks the copy of `seq` in flight as lost and queues it for retransmission.
    pub(crate) fn mark_lost(&mut self, seq: u64) {
        let segment = self.segments.get_mut(seq);
        debug_assert!(segment.state & SACKED == 0);
        self.deemed_lost += u64::from(segment.len > 0 && segment.state & (LOST | RESENT) != LOST);
        self.lost += u32::from(segment.state & LOST == 0);
        self.resent -= u32::from(segment.state & RESENT != 0);
        segment.state = segment.state & !RESENT | LOST;
        self.repair().to_resend.push_back(seq as u32);
    }

    /// The timer expired: marks the oldest segment as lost, and those sent by `overdue` (RFC 8985 §6.3).
    pub(crate) fn mark_lost_at_timeout(&mut self, overdue: Time) {
        self.repair().to_resend.clear();
        self.first_copy = self.una();
        for seq in self.una()..self.nxt() {
            let segment = self.segments.get(seq);
            let (state, late) = (segment.state, seq == self.una() || { segment.sent } <= overdue);
            if state & SACKED == 0 && (late || state & (LOST | RESENT) == LOST) {
                self.mark_lost(seq);
            }
        }
    }

    /// The reduction was spurious: first copies marked as lost are in flight after all. Segments with a lost
    /// retransmission remain queued.
    pub(crate) fn unmark_lost(&mut self) {
        let una = self.una();
        self.repair().to_resend.retain(|seq| widen(una, *seq) >= una);
        self.first_copy = self.una();
        for seq in self.una()..self.nxt() {
            let segment = self.segments.get_mut(seq);
            if segment.state & (LOST | EVER_RESENT) == LOST {
                segment.state &= !LOST;
                self.lost -= 1;
            }
        }
    }

    fn repair(&mut self) -> &mut Repair {
        self.repairing = true;
        self.repair.get_or_insert_default()
    }

    /// The last `n` segments queued for retransmission, or all.
    pub(crate) fn last_to_resend(&self, n: u64) -> impl Iterator<Item = u64> {
        let queue = self.repair.iter().flat_map(|repair| &repair.to_resend);
        let all = self.repair.as_ref().map_or(0, |repair| repair.to_resend.len());
        queue.skip(all.saturating_sub(n as usize)).map(|seq| widen(self.una(), *seq))
    }

    #[inline]
    pub(crate) fn next_resend(&mut self) -> Option<u64> {
        let repair = self.repair.as_mut().filter(|_| self.repairing)?;
        while let Some(&seq) = repair.to_resend.front() {
            let seq = widen(self.segments.start(), seq);
            let known = seq >= self.segments.start();
            if known && self.segments.get(seq).state & (SACKED | LOST | RESENT) == LOST {
                return Some(seq);
            }
            repair.to_resend.pop_front();
        }
        None
    }

    /// The oldest retransmission and its send time; the segment may have been retransmitted again.
    #[inline]
    pub(crate) fn oldest_resend(&self) -> Option<(u64, Time)> {
        self.repair.as_ref().filter(|_| self.repairing)?.resends.front().copied()
    }

    /// Moves to the next oldest retransmission.
    pub(crate) fn pass_oldest_resend(&mut self) {
        self.repair().resends.pop();
    }

    pub(crate) fn resend(&mut self, seq: u64, now: Time) -> Segment {
        self.repair().resends.push((seq, now));
        let segment = self.segments.get_mut(seq);
        self.resent += u32::from(segment.state & RESENT == 0);
        segment.state |= RESENT | EVER_RESENT;
        segment.sent = now;
        Segment { flags: segment.flags & !flag::ECT, ..*segment } // RFC 3168 §6.1.5
    }

    /// Checks the counters against the segments: for tests.
    #[cfg(test)]
    pub(crate) fn audit(&self) {
        let count =
            |bits: u8, value: u8| self.outstanding().filter(|s| s.state & bits == value).count() as u32;
        assert_eq!(self.sacked, count(SACKED, SACKED));
        assert_eq!(self.lost, count(LOST, LOST));
        assert_eq!(self.resent, count(RESENT, RESENT));
        assert_eq!(count(SACKED | LOST, SACKED | LOST), 0);
        assert_eq!(count(SACKED | LOST | RESENT | EVER_RESENT, EVER_RESENT), 0);
    }
}
