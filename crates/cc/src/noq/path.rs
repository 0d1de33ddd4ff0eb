//! One path of a connection, from its controller's events.

use super::flight::Flight;
use super::rates::Rates;
use crate::{RateSample, Segments};
use std::time::Instant;

/// What the algorithm's events of a path are made from.
pub struct PathState {
    pub(super) id: usize,
    pub(super) open: bool,
    /// A segment is a full packet.
    pub(super) mtu: f64,
    pub(super) flight: Flight,
    /// Packets sent and the packet whose acknowledgement ends the round.
    pub(super) next: u64,
    pub(super) round_end: u64,
    pub(super) round: u64,
    /// Of this round and of the last one.
    pub(super) usage: [Usage; 2],
    pub(super) batch: Batch,
    /// If the algorithm needs them.
    pub(super) rates: Option<Rates>,
}

impl PathState {
    /// A path that begins. `has_rates` measures delivery rates.
    pub(super) fn new(id: usize, now: Instant, mtu: u16, has_rates: bool) -> PathState {
        PathState {
            id,
            open: true,
            mtu: mtu.into(),
            flight: Flight::default(),
            next: 0,
            round_end: 0,
            round: 0,
            usage: [Usage::default(); 2],
            batch: Batch::default(),
            rates: has_rates.then(|| Rates::new(now)),
        }
    }

    /// Its number, by which an [`Observer`](super::Observer) knows it.
    pub fn id(&self) -> usize {
        self.id
    }

    /// Its packets in flight and round-trip time.
    pub fn flight(&self) -> &Flight {
        &self.flight
    }

    /// The size of a full packet.
    pub fn mtu(&self) -> f64 {
        self.mtu
    }

    /// The size of this many segments.
    pub(super) fn bytes(&self, segments: Segments) -> u64 {
        (segments * self.mtu) as u64
    }

    /// Whether the window, and not flow control or the application, limits the sender. The stack's `app_limited` does not say
    /// so: it is false whenever pacing holds a packet back. Pacing keeps slow start below the window, so there half of it is
    /// enough, as in Linux.
    pub(super) fn cwnd_limited(&self, cwnd: Segments, in_slow_start: bool) -> bool {
        let most = self.usage.iter().map(|usage| usage.most_in_flight).max().unwrap_or(0);
        self.usage.iter().any(|usage| usage.limited) || in_slow_start && cwnd * self.mtu < 2.0 * most as f64
    }

    /// The sample of the acknowledgement that ends. Its own losses are not known yet: the stack looks for them afterwards.
    pub(super) fn rate_sample(&mut self, app_limited: bool) -> Option<RateSample> {
        let rates = self.rates.as_mut()?;
        let sample = rates.sample(self.mtu).map(|(sample, sent)| RateSample {
            cwnd_limited: self.usage.iter().any(|usage| usage.limited),
            in_recovery: !self.flight.is_outside_recovery(sent),
            ..sample
        });
        if app_limited {
            rates.deliveries.mark_app_limited(self.flight.in_flight());
        }
        sample
    }
}

/// The packets that one acknowledgement covers.
#[derive(Clone, Copy, Default)]
pub(super) struct Batch {
    pub(super) delivered: u64,
    pub(super) grows: u64,
}

/// How much of the window a round used.
#[derive(Clone, Copy, Default)]
pub(super) struct Usage {
    /// Whether the window held a packet back.
    pub(super) limited: bool,
    pub(super) most_in_flight: u64,
}
