//! Delivery rates from the stack's events, in bytes, for algorithms that model their path.

use crate::{Deliveries, LostSegment, RateSample, Seconds, Sent};
use alloc::{collections::VecDeque, vec::Vec};
use std::time::{Duration, Instant};

/// The state of a path.
#[derive(Debug)]
pub(super) struct Rates {
    /// Packets with their numbers, in the order of sending. The first packets of a connection are of three number spaces: a number may
    /// be there more than once.
    sent: VecDeque<(u64, Sent<Instant>)>,
    pub(super) deliveries: Deliveries<Instant>,
    /// None before the first sample.
    min_rtt: Option<Duration>,
    /// Sending began anew since the last sample.
    resumed: bool,
    /// Those of the congestion event that is to follow.
    pub(super) losses: Vec<LostSegment>,
}

impl Rates {
    pub(super) fn new(now: Instant) -> Rates {
        let deliveries = Deliveries::new(now);
        Rates { sent: VecDeque::new(), deliveries, min_rtt: None, resumed: false, losses: Vec::new() }
    }

    /// A packet was sent; `in_flight` has its bytes.
    pub(super) fn on_sent(&mut self, now: Instant, number: u64, bytes: u64, in_flight: u64) {
        self.resumed |= in_flight <= bytes;
        self.sent.push_back((number, self.deliveries.on_sent(now, bytes, in_flight)));
    }

    /// A packet was acknowledged.
    pub(super) fn on_acked(&mut self, now: Instant, number: u64, sent: Instant, bytes: u64) {
        self.deliveries.on_delivered(now, bytes);
        // It is among the oldest, except after losses.
        let at = self.sent.iter().position(|(of, packet)| *of == number && packet.at == sent);
        let Some((_, packet)) = at.and_then(|at| self.sent.remove(at)) else { return };
        if self.deliveries.newest().is_none_or(|newest| packet.at >= newest.at) {
            self.deliveries.set_newest(packet);
        }
    }

    pub(super) fn on_round_trip(&mut self, rtt: Duration) {
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
    }

    /// The sample of the acknowledgement that ends, and when its newest packet was sent. `mtu` is the size of a segment.
    pub(super) fn sample(&mut self, mtu: f64) -> Option<(RateSample, Instant)> {
        let min_rtt = self.min_rtt.map_or(0.0, |least| least.as_secs_f64());
        let since = |at: Instant, earlier| at.saturating_duration_since(earlier).as_secs_f64();
        let (sample, newest) = self.deliveries.sample(mtu, min_rtt, since)?;
        Some((RateSample { resumed: core::mem::take(&mut self.resumed), ..sample }, newest.at))
    }

    /// A packet was deemed lost, at `now` of the algorithm. `mtu` is the size of a segment.
    pub(super) fn on_lost(&mut self, now: Seconds, number: u64, bytes: u64, mtu: f64) {
        self.deliveries.on_lost(bytes);
        // The newest: packets of earlier number spaces may stay.
        let at = self.sent.iter().rposition(|(of, _)| *of == number);
        let Some((_, packet)) = at.and_then(|at| self.sent.remove(at)) else { return };
        self.losses.push(self.deliveries.lost(&packet, number, now, mtu));
    }
}

#[cfg(test)]
mod tests;
