//! One direction of a TCP connection: what its sender sent, and how it was acknowledged.

use super::segment::Segment;
use anabranch_record::Histogram;
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
    /// What may still give a sample of the round-trip time.
    flight: VecDeque<Sent>,
    /// The smoothed RTT, the samples, and their mean over time: integral, and when it began and ended.
    pub(super) srtt_s: f64,
    pub(super) round_trips: Histogram,
    over_time: OverTime,
    /// Acknowledgements of new data, and the thousandths of segments that each covers.
    pub(super) acks: u64,
    pub(super) covered: Histogram,
    covered_sum: u64,
}

/// Sent once, by then.
struct Sent {
    end: u64,
    at: u64,
    /// It was sent again, or reported by SACK: it tells nothing more.
    void: bool,
}

#[derive(Default)]
struct OverTime {
    integral: f64,
    from: Option<u64>,
    last: (u64, f64),
}

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
            self.flight.push_back(Sent { end, at, void: false });
        } else {
            self.again += self.segments_of(end.min(self.next) - start, segment.options);
            let first = self.flight.partition_point(|sent| sent.end <= start);
            self.flight.iter_mut().skip(first).take_while(|sent| sent.end <= end).for_each(|s| s.void = true);
        }
        self.next = self.next.max(end);
        (start, end)
    }

    /// The other host acknowledges, in a packet with that many bytes of options.
    pub(super) fn on_acknowledged(&mut self, acknowledged: u32, sack: Option<(u32, u32)>, at: u64) {
        let Some(base) = self.base else { return };
        if let Some((from, to)) = sack {
            let (from, to) = (self.place(base, from), self.place(base, to));
            self.on_selected(from, to, at);
        }
        // A FIN is behind the last byte.
        let place = self.place(base, acknowledged).min(self.next);
        if place <= self.acknowledged {
            return;
        }
        self.acks += 1;
        let timestamps = 12;
        let payload = u64::from(self.mss.unwrap_or(USUAL_MSS).saturating_sub(timestamps).max(1));
        let thousandths = (place - self.acknowledged) * 1000 / payload;
        self.covered.record(thousandths);
        self.covered_sum += thousandths;
        self.acknowledged = place;
        let mut first = None;
        let told = self.flight.partition_point(|sent| sent.end <= place);
        for sent in self.flight.drain(..told) {
            if !sent.void && first.is_none() {
                first = Some(sent.at);
            }
        }
        if let Some(sent) = first {
            self.sample(sent, at);
        }
    }

    /// A block of data beyond a hole has arrived: its newest part tells a round-trip time, and none of it does again.
    fn on_selected(&mut self, from: u64, to: u64, at: u64) {
        let behind = self.flight.partition_point(|sent| sent.end <= to);
        let mut newest = None;
        for sent in self.flight.iter_mut().take(behind).rev() {
            if sent.void || sent.end <= from {
                break;
            }
            newest = newest.or(Some(sent.at));
            sent.void = true;
        }
        if let Some(sent) = newest {
            self.sample(sent, at);
        }
    }

    fn sample(&mut self, sent: u64, at: u64) {
        let nanoseconds = at.saturating_sub(sent);
        self.round_trips.record(nanoseconds);
        let seconds = nanoseconds as f64 / 1e9;
        self.srtt_s =
            if self.srtt_s == 0.0 { seconds } else { self.srtt_s + WEIGHT * (seconds - self.srtt_s) };
        self.over_time.change(at, seconds);
    }

    /// Bytes under way.
    pub(super) fn in_flight(&self) -> u64 {
        self.next - self.acknowledged
    }

    /// The same in full segments with timestamps.
    pub(super) fn in_flight_segments(&self) -> u64 {
        self.segments_of(self.in_flight(), 12)
    }

    /// The mean of the round-trip time over time, in seconds.
    pub(super) fn mean_round_trip_s(&self) -> Option<f64> {
        self.over_time.mean()
    }

    /// The mean and the 95th percentile of the segments that an acknowledgement covers.
    pub(super) fn segments_per_ack(&self) -> Option<(f64, f64)> {
        let p95 = self.covered.quantile(0.95)? * 1e9 / 1000.0;
        Some((self.covered_sum as f64 / 1000.0 / self.acks as f64, p95))
    }
}

impl OverTime {
    fn change(&mut self, at: u64, value: f64) {
        if self.from.is_none() {
            self.from = Some(at);
        } else {
            self.integral += at.saturating_sub(self.last.0) as f64 * self.last.1;
        }
        self.last = (at, value);
    }

    fn mean(&self) -> Option<f64> {
        let lasted = self.last.0.saturating_sub(self.from?) as f64;
        Some(if lasted > 0.0 { self.integral / lasted } else { self.last.1 })
    }
}
