//! Delivery rates from the stack's events (draft-ietf-ccwg-bbr-06 §4.1), for algorithms that model their path.

use crate::{LostSegment, RateSample, Seconds};
use alloc::{collections::VecDeque, vec::Vec};
use std::time::{Duration, Instant};

/// The state when a packet was sent (§4.1.2.1.2). Amounts are in bytes.
#[derive(Clone, Copy, Debug)]
struct Packet {
    number: u64,
    at: Instant,
    /// Delivered by then, and the time of the last delivery.
    delivered: u64,
    delivered_at: Instant,
    /// When the last delivered packet was sent, the first of the flight.
    first_sent: Instant,
    /// Deemed lost by then.
    lost: u64,
    /// In flight then, with this packet.
    in_flight: u64,
    app_limited: bool,
}

/// The state of a path (§4.1.2.1.1).
#[derive(Debug)]
pub(super) struct Rates {
    /// In the order of sending. The first packets of a connection are of three number spaces: a number may be there more than once.
    sent: VecDeque<Packet>,
    delivered: u64,
    delivered_at: Instant,
    first_sent: Instant,
    lost: u64,
    /// Samples are application-limited until more than this is delivered; 0: they are not.
    app_limited: u64,
    /// None before the first sample.
    min_rtt: Option<Duration>,
    /// Sending began anew since the last sample.
    resumed: bool,
    /// Of the packets that the present acknowledgement covers, the one sent last.
    newest: Option<Packet>,
    /// Those of the congestion event that is to follow.
    pub(super) losses: Vec<LostSegment>,
}

impl Rates {
    pub(super) fn new(now: Instant) -> Rates {
        Rates {
            sent: VecDeque::new(),
            delivered: 0,
            delivered_at: now,
            first_sent: now,
            lost: 0,
            app_limited: 0,
            min_rtt: None,
            resumed: false,
            newest: None,
            losses: Vec::new(),
        }
    }

    /// A packet was sent; `in_flight` has its bytes (§4.1.2.2).
    pub(super) fn on_sent(&mut self, now: Instant, number: u64, bytes: u64, in_flight: u64) {
        if in_flight <= bytes {
            (self.first_sent, self.delivered_at, self.resumed) = (now, now, true);
        }
        self.sent.push_back(Packet {
            number,
            at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            lost: self.lost,
            in_flight,
            app_limited: self.app_limited != 0,
        });
    }

    /// A packet was acknowledged (§4.1.2.3).
    pub(super) fn on_acked(&mut self, now: Instant, number: u64, sent: Instant, bytes: u64) {
        self.delivered += bytes;
        self.delivered_at = now;
        let Some(packet) = self.take(|packet| packet.number == number && packet.at == sent) else { return };
        if self.newest.is_none_or(|newest| packet.at >= newest.at) {
            self.first_sent = packet.at;
            self.newest = Some(packet);
        }
    }

    pub(super) fn on_round_trip(&mut self, rtt: Duration) {
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
    }

    /// The sample of the acknowledgement that ends, and when its newest packet was sent. An interval below the smallest round-trip
    /// time gives no rate. `mtu` is the size of a segment.
    pub(super) fn sample(&mut self, mtu: f64) -> Option<(RateSample, Instant)> {
        if self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let packet = self.newest.take()?;
        let sending = packet.at.saturating_duration_since(packet.first_sent);
        let interval = sending.max(self.delivered_at.saturating_duration_since(packet.delivered_at));
        let is_too_short = self.min_rtt.is_some_and(|least| interval < least);
        let sample = RateSample {
            total_delivered: self.delivered as f64 / mtu,
            prior_delivered: packet.delivered as f64 / mtu,
            interval: if is_too_short { 0.0 } else { interval.as_secs_f64() },
            lost: (self.lost - packet.lost) as f64 / mtu,
            tx_in_flight: packet.in_flight as f64 / mtu,
            app_limited: packet.app_limited,
            resumed: core::mem::take(&mut self.resumed),
            ..RateSample::default()
        };
        Some((sample, packet.at))
    }

    /// A packet was deemed lost, at `now` of the algorithm. `mtu` is the size of a segment.
    pub(super) fn on_lost(&mut self, now: Seconds, number: u64, bytes: u64, mtu: f64) {
        self.lost += bytes;
        // The newest: packets of earlier number spaces may stay.
        let Some(at) = self.sent.iter().rposition(|packet| packet.number == number) else { return };
        let Some(packet) = self.sent.remove(at) else { return };
        self.losses.push(LostSegment {
            now,
            number,
            total_delivered: self.delivered as f64 / mtu,
            lost: (self.lost - packet.lost) as f64 / mtu,
            tx_in_flight: packet.in_flight as f64 / mtu,
            app_limited: packet.app_limited,
        });
    }

    /// The application had no data to send (§4.1.2.4).
    pub(super) fn mark_app_limited(&mut self, in_flight: u64) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }

    /// Removes a packet. It is among the oldest, except after losses.
    fn take(&mut self, is_it: impl Fn(&Packet) -> bool) -> Option<Packet> {
        let at = self.sent.iter().position(is_it)?;
        self.sent.remove(at)
    }
}

#[cfg(test)]
mod tests;
