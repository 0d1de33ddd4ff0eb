//! Delivery-rate samples (draft-ietf-ccwg-bbr-06 §4.1), for transports whose algorithm models its path. `T` is the transport's
//! instant. Amounts are in its unit, such as bytes; samples are in segments.

use crate::{LostSegment, RateSample, Seconds};

/// The state when a packet was sent (§4.1.2.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent<T> {
    /// When that was.
    pub at: T,
    /// Delivered by then, and the time of the last delivery.
    delivered: u64,
    delivered_at: T,
    /// When the last delivered packet was sent, the first of the flight.
    first_sent: T,
    /// Deemed lost by then.
    lost: u64,
    /// In flight then, with this packet.
    in_flight: u64,
    app_limited: bool,
}

/// The state of a path (§4.1.2.1.1).
#[derive(Clone, Debug, Default)]
pub struct Deliveries<T> {
    delivered: u64,
    delivered_at: T,
    first_sent: T,
    lost: u64,
    /// Samples are application-limited until more than this is delivered; 0: they are not.
    app_limited: u64,
    /// Of the packets that the present acknowledgement covers, the one sent last.
    newest: Option<Sent<T>>,
}

impl<T: Copy> Deliveries<T> {
    /// A path that begins now.
    pub fn new(now: T) -> Self {
        Deliveries { delivered: 0, delivered_at: now, first_sent: now, lost: 0, app_limited: 0, newest: None }
    }

    /// A packet of this amount was sent; `in_flight` includes it (§4.1.2.2).
    #[inline]
    pub fn on_sent(&mut self, now: T, amount: u64, in_flight: u64) -> Sent<T> {
        if in_flight <= amount {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        let Deliveries { delivered, delivered_at, first_sent, lost, .. } = *self;
        let app_limited = self.app_limited != 0;
        Sent { at: now, delivered, delivered_at, first_sent, lost, in_flight, app_limited }
    }

    /// This amount was delivered (§4.1.2.3).
    #[inline]
    pub fn on_delivered(&mut self, now: T, amount: u64) {
        self.delivered += amount;
        self.delivered_at = now;
        if self.delivered > self.app_limited {
            self.app_limited = 0;
        }
    }

    /// Of the packets that the present acknowledgement covers, the one sent last so far.
    pub fn newest(&self) -> Option<&Sent<T>> {
        self.newest.as_ref()
    }

    /// Sets it.
    #[inline]
    pub fn set_newest(&mut self, packet: Sent<T>) {
        self.first_sent = packet.at;
        self.newest = Some(packet);
    }

    /// The sample of the acknowledgement that ends, and its newest packet. An interval below the smallest round-trip time, `min_rtt`,
    /// mistakes a retransmission for its original and gives no rate. `since` is the time from its second instant to its first.
    #[inline]
    pub fn sample(
        &mut self,
        segment: f64,
        min_rtt: Seconds,
        since: impl Fn(T, T) -> Seconds,
    ) -> Option<(RateSample, Sent<T>)> {
        let packet = self.newest.take()?;
        let sending = since(packet.at, packet.first_sent);
        let interval = sending.max(since(self.delivered_at, packet.delivered_at));
        let sample = RateSample {
            total_delivered: self.delivered as f64 / segment,
            prior_delivered: packet.delivered as f64 / segment,
            interval: if interval < min_rtt { 0.0 } else { interval },
            lost: (self.lost - packet.lost) as f64 / segment,
            tx_in_flight: packet.in_flight as f64 / segment,
            app_limited: packet.app_limited,
            ..RateSample::default()
        };
        Some((sample, packet))
    }

    /// This amount was deemed lost.
    pub fn on_lost(&mut self, amount: u64) {
        self.lost += amount;
    }

    /// What is to report of a lost packet, after [`Deliveries::on_lost`].
    pub fn lost(&self, packet: &Sent<T>, number: u64, now: Seconds, segment: f64) -> LostSegment {
        LostSegment {
            now,
            number,
            total_delivered: self.delivered as f64 / segment,
            lost: (self.lost - packet.lost) as f64 / segment,
            tx_in_flight: packet.in_flight as f64 / segment,
            app_limited: packet.app_limited,
        }
    }

    /// The application had no data to send (§4.1.2.4).
    pub fn mark_app_limited(&mut self, in_flight: u64) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }
}
