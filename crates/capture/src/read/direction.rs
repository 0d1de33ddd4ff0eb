//! One direction of a TCP connection: sent segments and their acknowledgements.

use super::segment::{SackBlocks, Segment};
use crate::near::near;
use anabranch_record::{Histogram, Meter, SubflowSample};
use std::collections::VecDeque;

/// The MSS if the SYN is not in the capture: Ethernet's.
const USUAL_MSS: u32 = 1460;
/// Bytes of an option that a connection's segments usually have, with its padding.
const TIMESTAMPS: u32 = 12;
/// Weight of the latest sample in the smoothed RTT (RFC 6298 §2).
const WEIGHT: f64 = 1.0 / 8.0;

/// One direction. Offsets are bytes since the first byte of the payload.
#[derive(Default)]
pub(super) struct Direction {
    /// The sequence number of offset 0.
    base: Option<u32>,
    /// The MSS of the receiver's SYN.
    pub(super) mss: Option<u32>,
    /// Behind the last byte that was sent, and that was acknowledged.
    pub(super) next: u64,
    pub(super) acknowledged: u64,
    /// Packets with payload, the segments in them, and the retransmitted segments.
    pub(super) packets: u64,
    pub(super) segments: u64,
    pub(super) retransmitted: u64,
    /// When its SYN was sent, until it is acknowledged or retransmitted.
    syn: Option<u64>,
    pub(super) has_syn: bool,
    /// Unacknowledged data, in ranges with the same state.
    flight: VecDeque<SentRange>,
    /// The smoothed RTT; 0 before the first sample.
    srtt_s: f64,
    /// RTTs and smoothed RTTs; the RTT is weighted by the time since the last sample.
    pub(super) meter: Meter,
    sampled_at: u64,
    /// ACKs of new data, and the thousandths of segments that each covers.
    pub(super) acks: u64,
    pub(super) covered: Histogram,
    covered_sum: u64,
}

/// A range of sent data, from the end of the previous range.
#[derive(Clone, Copy)]
struct SentRange {
    end: u64,
    /// When it was first sent.
    at: u64,
    /// It was retransmitted: its round-trip time is ambiguous (Karn).
    retransmitted: bool,
    /// It was selectively acknowledged.
    reported: bool,
}

/// When the first and the last segment were sent that an ACK measures.
type SendTimes = Option<(u64, u64)>;

impl Direction {
    /// The offset of a sequence number, near the latest one.
    fn place(&self, base: u32, sequence: u32) -> u64 {
        near(self.next, sequence.wrapping_sub(base))
    }

    /// The offset of a sequence number; `None` before the first segment.
    pub(super) fn offset(&self, sequence: u32) -> Option<u64> {
        Some(self.place(self.base?, sequence))
    }

    /// The payload of a full segment with that many bytes of options.
    fn full_segment(&self, options: u32) -> u64 {
        self.mss.unwrap_or(USUAL_MSS).saturating_sub(options).max(1).into()
    }

    /// The number of segments in `bytes`, with that many bytes of options.
    fn segments_of(&self, bytes: u64, options: u32) -> u64 {
        bytes.div_ceil(self.full_segment(options))
    }

    /// The sender sends a segment. Returns the offsets of its payload.
    pub(super) fn on_sent(&mut self, segment: &Segment, at: u64) -> (u64, u64) {
        let first = segment.sequence.wrapping_add(u32::from(segment.syn));
        let base = *self.base.get_or_insert(first);
        if segment.syn {
            self.syn = if self.has_syn { None } else { Some(at) };
            self.has_syn = true;
            return (0, 0);
        }
        let start = self.place(base, first);
        let end = start + u64::from(segment.payload);
        if segment.payload == 0 {
            return (start, start);
        }
        self.packets += 1;
        let segments = self.segments_of(segment.payload.into(), segment.options);
        self.segments += segments;
        if start >= self.next {
            self.flight.push_back(SentRange { end, at, retransmitted: false, reported: false });
        } else {
            self.retransmitted += self.segments_of(end.min(self.next) - start, segment.options);
            self.ranges(start, end.min(self.next)).for_each(|sent| sent.retransmitted = true);
        }
        self.next = self.next.max(end);
        (start, end)
    }

    /// The ranges between two offsets, split there.
    fn ranges(&mut self, from: u64, to: u64) -> impl Iterator<Item = &mut SentRange> {
        let [first, behind] = [from, to].map(|place| self.split(place));
        self.flight.range_mut(first..behind.max(first))
    }

    /// Splits the range across an offset; returns the index of the first range after it.
    fn split(&mut self, place: u64) -> usize {
        let i = self.flight.partition_point(|sent| sent.end <= place);
        let begin = if i == 0 { self.acknowledged } else { self.flight[i - 1].end };
        match self.flight.get(i) {
            Some(&across) if begin < place => {
                self.flight.insert(i, SentRange { end: place, ..across });
                i + 1
            }
            _ => i,
        }
    }

    /// The receiver sends an ACK with these SACK blocks.
    pub(super) fn on_acknowledged(&mut self, acknowledged: u32, sack: &SackBlocks, at: u64) {
        let Some(base) = self.base else { return };
        if let Some(sent) = self.syn.take() {
            self.sample((sent, sent), at);
        }
        // A FIN follows the last byte.
        let place = self.place(base, acknowledged).min(self.next);
        let advanced = if place > self.acknowledged { self.on_advanced(place) } else { None };
        let mut reported: SendTimes = None;
        for (from, to) in sack.iter().flatten() {
            let [from, to] =
                [from, to].map(|edge| self.place(base, *edge).clamp(place, self.next.max(place)));
            for sent in self.ranges(from, to).filter(|sent| !sent.reported) {
                sent.reported = true;
                if !sent.retransmitted {
                    let (first, last) = reported.unwrap_or((sent.at, sent.at));
                    reported = Some((first.min(sent.at), last.max(sent.at)));
                }
            }
        }
        // As Linux measures (`tcp_clean_rtx_queue`).
        let measured = match (advanced, reported) {
            (Some((first, last)), reported) => Some((first, reported.map_or(last, |(_, last)| last))),
            (None, reported) => reported,
        };
        if let Some(measured) = measured {
            self.sample(measured, at);
        }
    }

    /// All data before `place` is acknowledged.
    fn on_advanced(&mut self, place: u64) -> SendTimes {
        self.acks += 1;
        let thousandths = (place - self.acknowledged) * 1000 / self.full_segment(TIMESTAMPS);
        self.covered.record(thousandths);
        self.covered_sum += thousandths;
        let behind = self.split(place);
        self.acknowledged = place;
        let (mut measured, mut ambiguous): (SendTimes, _) = (None, false);
        for sent in self.flight.drain(..behind) {
            ambiguous |= sent.retransmitted;
            if !sent.retransmitted && !sent.reported {
                measured = Some((measured.map_or(sent.at, |(first, _)| first), sent.at));
            }
        }
        measured.filter(|_| !ambiguous)
    }

    /// The smoothed RTT takes the first segment (RFC 6298), the RTT the last.
    fn sample(&mut self, (first, last): (u64, u64), at: u64) {
        let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
        let [first, last] = [first, last].map(|sent| at.saturating_sub(sent));
        self.meter.rtts.record(last);
        // Weighted by nanoseconds, whose sums are exact.
        self.meter.rtt.hold(at.saturating_sub(self.sampled_at) as f64);
        (self.meter.rtt.now, self.sampled_at) = (seconds(last), at);
        self.srtt_s = match self.srtt_s {
            0.0 => seconds(first),
            before => before + WEIGHT * (seconds(first) - before),
        };
    }

    /// Records the smoothed RTT at a sampling instant.
    pub(super) fn record_srtt(&mut self) {
        if self.srtt_s > 0.0 {
            self.meter.srtts.record((self.srtt_s * 1e9) as u64);
            self.meter.srtt.mean.add(self.srtt_s, 1.0);
        }
    }

    /// The present state; what is in flight in full segments with timestamps.
    pub(super) fn state(&self) -> SubflowSample<'static> {
        SubflowSample {
            cwnd_segments: f64::NAN,
            ssthresh_segments: f64::NAN,
            srtt_s: self.srtt_s,
            in_flight_segments: self.segments_of(self.next - self.acknowledged, TIMESTAMPS),
            sent_bytes: self.next,
            delivered_bytes: self.acknowledged,
            lost_segments: self.retransmitted,
            retransmitted_segments: self.retransmitted,
            ..SubflowSample::default()
        }
    }

    /// The mean and the 95th percentile of the segments per ACK.
    pub(super) fn segments_per_ack(&self) -> Option<(f64, f64)> {
        let p95 = self.covered.quantile(0.95)? * 1e9 / 1000.0;
        Some((self.covered_sum as f64 / 1000.0 / self.acks as f64, p95))
    }
}
