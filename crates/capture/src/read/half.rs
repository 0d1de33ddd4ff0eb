//! One direction of a TCP connection: what its sender sent, and how it was acknowledged.

use super::segment::{SackBlocks, Segment};
use anabranch_record::{Histogram, Meter};
use std::collections::VecDeque;

/// Assumed where no SYN told another: Ethernet's.
const USUAL_MSS: u32 = 1460;
/// Weight of the latest sample in the smoothed RTT (RFC 6298 §2).
const WEIGHT: f64 = 1.0 / 8.0;

/// Places are bytes since the first of the payload.
#[derive(Default)]
pub(super) struct Half {
    /// The sequence number of that byte.
    base: Option<u32>,
    /// What the other host takes at most.
    mss: Option<u32>,
    /// Behind the last byte that was sent, and that was acknowledged.
    pub(super) next: u64,
    pub(super) acknowledged: u64,
    /// Packets with payload, the segments in them, and those of them that were sent before.
    pub(super) packets: u64,
    pub(super) segments: u64,
    pub(super) again: u64,
    /// When its SYN was sent, until it is acknowledged or sent again.
    syn: Option<u64>,
    has_syn: bool,
    /// What was sent and is not acknowledged, in parts that share a fate.
    flight: VecDeque<Sent>,
    /// The smoothed RTT; 0 before the first sample.
    pub(super) srtt_s: f64,
    /// Times of both kinds, of which the RTT holds over time, since its last sample.
    pub(super) meter: Meter,
    sampled_at: u64,
    /// Acknowledgements of new data, and the thousandths of segments that each covers.
    pub(super) acks: u64,
    pub(super) covered: Histogram,
    covered_sum: u64,
}

/// From the end of the part before it.
#[derive(Clone, Copy)]
struct Sent {
    end: u64,
    /// When it was sent first.
    at: u64,
    /// It was sent again: its round-trip time is ambiguous (Karn).
    again: bool,
    /// SACK has reported it.
    reported: bool,
}

/// When the first and the last were sent of the segments that an acknowledgement measures.
type Measured = Option<(u64, u64)>;

impl Half {
    /// The place that a sequence number means, near the latest.
    fn place(&self, base: u32, sequence: u32) -> u64 {
        let near = self.next;
        let low = sequence.wrapping_sub(base);
        near.saturating_add_signed(i64::from(low.wrapping_sub(near as u32) as i32))
    }

    /// Segments that so many bytes are, in packets with that many bytes of options.
    fn segments_of(&self, bytes: u64, options: u32) -> u64 {
        let payload = self.mss.unwrap_or(USUAL_MSS).saturating_sub(options).max(1);
        bytes.div_ceil(payload.into())
    }

    /// The other host's SYN has told what it takes.
    pub(super) fn limit(&mut self, mss: Option<u32>) {
        self.mss = mss.or(self.mss);
    }

    /// The sender sends a segment; the places of its payload.
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
            self.flight.push_back(Sent { end, at, again: false, reported: false });
        } else {
            self.again += self.segments_of(end.min(self.next) - start, segment.options);
            self.parts(start, end.min(self.next)).for_each(|sent| sent.again = true);
        }
        self.next = self.next.max(end);
        (start, end)
    }

    /// The parts between two places, cut there.
    fn parts(&mut self, from: u64, to: u64) -> impl Iterator<Item = &mut Sent> {
        let [first, behind] = [from, to].map(|place| self.cut(place));
        self.flight.range_mut(first..behind.max(first))
    }

    /// Cuts the part that goes across a place; the number of the first part behind it.
    fn cut(&mut self, place: u64) -> usize {
        let i = self.flight.partition_point(|sent| sent.end <= place);
        let begin = if i == 0 { self.acknowledged } else { self.flight[i - 1].end };
        match self.flight.get(i) {
            Some(&across) if begin < place => {
                self.flight.insert(i, Sent { end: place, ..across });
                i + 1
            }
            _ => i,
        }
    }

    /// The other host acknowledges, in a packet with these SACK blocks.
    pub(super) fn on_acknowledged(&mut self, acknowledged: u32, sack: &SackBlocks, at: u64) {
        let Some(base) = self.base else { return };
        if let Some(sent) = self.syn.take() {
            self.sample((sent, sent), at);
        }
        // A FIN is behind the last byte.
        let place = self.place(base, acknowledged).min(self.next);
        let advanced = if place > self.acknowledged { self.on_advanced(place) } else { None };
        let mut reported: Measured = None;
        for (from, to) in sack.iter().flatten() {
            let [from, to] =
                [from, to].map(|edge| self.place(base, *edge).clamp(place, self.next.max(place)));
            for sent in self.parts(from, to).filter(|sent| !sent.reported) {
                sent.reported = true;
                if !sent.again {
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

    /// Everything before `place` is acknowledged.
    fn on_advanced(&mut self, place: u64) -> Measured {
        self.acks += 1;
        let timestamps = 12;
        let payload = u64::from(self.mss.unwrap_or(USUAL_MSS).saturating_sub(timestamps).max(1));
        let thousandths = (place - self.acknowledged) * 1000 / payload;
        self.covered.record(thousandths);
        self.covered_sum += thousandths;
        let behind = self.cut(place);
        self.acknowledged = place;
        let (mut measured, mut ambiguous): (Measured, _) = (None, false);
        for sent in self.flight.drain(..behind) {
            ambiguous |= sent.again;
            if !sent.again && !sent.reported {
                measured = Some((measured.map_or(sent.at, |(first, _)| first), sent.at));
            }
        }
        measured.filter(|_| !ambiguous)
    }

    /// The smoothed RTT is of the first segment (RFC 6298), the RTT of the last.
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

    /// A sampling instant.
    pub(super) fn look(&mut self) {
        if self.srtt_s > 0.0 {
            self.meter.srtts.record((self.srtt_s * 1e9) as u64);
            self.meter.srtt.mean.add(self.srtt_s, 1.0);
        }
    }

    /// Bytes under way.
    pub(super) fn in_flight(&self) -> u64 {
        self.next - self.acknowledged
    }

    /// The same in full segments with timestamps.
    pub(super) fn in_flight_segments(&self) -> u64 {
        self.segments_of(self.in_flight(), 12)
    }

    /// The mean and the 95th percentile of the segments that an acknowledgement covers.
    pub(super) fn segments_per_ack(&self) -> Option<(f64, f64)> {
        let p95 = self.covered.quantile(0.95)? * 1e9 / 1000.0;
        Some((self.covered_sum as f64 / 1000.0 / self.acks as f64, p95))
    }
}
