//! Delivery rates in segments, for senders with a model-based algorithm.

use crate::ring::Ring;
use crate::scoreboard::Delivered;
use anabranch_cc::{Deliveries, LostSegment, RateSample, Sent};
use anabranch_net::Time;

/// The state when a segment was last sent.
#[derive(Clone, Copy, Debug, Default)]
struct SendRecord {
    sent: Sent<Time>,
    /// Whether it has been marked as lost since.
    is_lost: bool,
}

/// The state of a subflow.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateSampler {
    segments: Ring<SendRecord>,
    deliveries: Deliveries<Time>,
}

impl RateSampler {
    /// Segment `seq` was sent; `in_flight` includes it.
    pub(crate) fn on_sent(&mut self, seq: u64, now: Time, in_flight: u64) {
        let record = SendRecord { sent: self.deliveries.on_sent(now, 1, in_flight), is_lost: false };
        if seq == self.segments.end() {
            self.segments.push(record);
        } else {
            *self.segments.get_mut(seq) = record;
        }
    }

    /// An ACK delivered segments, whose state is still available.
    pub(crate) fn on_delivered(&mut self, delivered: &Delivered, now: Time) {
        if let Some((_, seq)) = delivered.newest {
            self.deliveries.on_delivered(now, delivered.segments);
            self.deliveries.set_newest(self.segments.get(seq).sent);
        }
    }

    /// The sample of the current ACK, once its losses are known; discards segments before `una`.
    pub(crate) fn sample(&mut self, una: u64, min_rtt: Time) -> Option<RateSample> {
        self.segments.forget_before(una);
        let since = |at: Time, earlier| at.since(earlier).as_secs_f64();
        self.deliveries.sample(1.0, min_rtt.as_secs_f64(), since).map(|(sample, _)| sample)
    }

    /// Segment `seq` is marked as lost. `None` if that copy already was.
    pub(crate) fn on_lost(&mut self, seq: u64, now: Time) -> Option<LostSegment> {
        let segment = self.segments.get_mut(seq);
        if std::mem::replace(&mut segment.is_lost, true) {
            return None;
        }
        self.deliveries.on_lost(1);
        Some(self.deliveries.lost(&segment.sent, seq, now.as_secs_f64(), 1.0))
    }

    /// Segments marked as lost are in flight after all.
    pub(crate) fn unmark_lost(&mut self) {
        for seq in self.segments.start()..self.segments.end() {
            self.segments.get_mut(seq).is_lost = false;
        }
    }

    /// The application had no data to send.
    pub(crate) fn mark_app_limited(&mut self, in_flight: u64) {
        self.deliveries.mark_app_limited(in_flight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Time = Time::from_millis;

    fn acknowledge(rates: &mut RateSampler, seq: u64, sent: Time, now: Time) -> RateSample {
        let delivered = Delivered { segments: 1, newest: Some((sent, seq)), ..Delivered::default() };
        rates.on_delivered(&delivered, now);
        rates.sample(seq + 1, MS(10)).unwrap()
    }

    /// Ten segments in a burst, acknowledged one each 2 ms from 10 ms on, each acknowledgement
    /// releasing another: by §4.1.1.2.1 a rate of ten in the 20 ms between two acknowledgements ten apart.
    #[test]
    fn the_rate_is_that_of_the_acknowledgements() {
        let mut rates = RateSampler::default();
        (0..10).for_each(|seq| rates.on_sent(seq, MS(0), seq + 1));
        for seq in 0..100 {
            let now = MS(10 + 2 * seq);
            let sent = if seq < 10 { MS(0) } else { MS(10 + 2 * (seq - 10)) };
            let sample = acknowledge(&mut rates, seq, sent, now);
            if seq < 10 {
                // From the first transmission on, with nothing in flight before it.
                assert_eq!((sample.delivered(), sample.interval), (seq as f64 + 1.0, now.as_secs_f64()));
            } else {
                // The second flight was sent from 0 ms on, over up to 28 ms; later ones as acknowledged.
                let interval = if seq < 20 { (sent.as_nanos() as f64 / 1e9).max(0.02) } else { 0.02 };
                assert_eq!((sample.delivered(), sample.interval), (10.0, interval));
                assert_eq!(sample.delivery_rate(), 10.0 / interval);
            }
            assert_eq!((sample.tx_in_flight, sample.lost), (if seq < 10 { seq + 1 } else { 10 } as f64, 0.0));
            rates.on_sent(10 + seq, now, 10);
        }
    }

    #[test]
    fn an_interval_below_the_smallest_rtt_tells_no_rate() {
        let mut rates = RateSampler::default();
        rates.on_sent(0, MS(0), 1);
        rates.on_lost(0, MS(50)).unwrap();
        rates.on_sent(0, MS(50), 1);
        let sample = acknowledge(&mut rates, 0, MS(50), MS(55));
        assert_eq!((sample.interval, sample.delivery_rate()), (0.0, 0.0));
    }

    /// Each copy is lost once; the count since a segment was sent contains itself.
    #[test]
    fn losses_count_from_the_sending() {
        let mut rates = RateSampler::default();
        (0..4).for_each(|seq| rates.on_sent(seq, MS(seq), seq + 1));
        assert_eq!(rates.on_lost(0, MS(20)).map(|l| (l.lost, l.tx_in_flight)), Some((1.0, 1.0)));
        assert_eq!(rates.on_lost(0, MS(20)), None);
        assert_eq!(rates.on_lost(1, MS(20)).map(|l| (l.lost, l.tx_in_flight)), Some((2.0, 2.0)));
        rates.on_sent(0, MS(21), 3);
        assert_eq!(rates.on_lost(0, MS(40)).map(|l| (l.lost, l.tx_in_flight)), Some((1.0, 3.0)));
        assert_eq!(acknowledge(&mut rates, 3, MS(3), MS(41)).lost, 3.0);
    }
}
