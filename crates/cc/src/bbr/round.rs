//! Packet-timed round trips (§5.5.1), counted by what had been delivered when a segment was sent.

use crate::{RateSample, Segments};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    /// `BBR.next_round_delivered`.
    end: Segments,
    /// `BBR.round_count`.
    pub(super) count: u64,
    /// `BBR.round_start`: this acknowledgement ends a round.
    pub(super) start: bool,
    /// `BBR.rounds_since_probe_up`.
    pub(super) since_probe_up: u64,
}

impl Rounds {
    /// `UpdateRound`.
    pub(super) fn update(&mut self, sample: &RateSample) {
        self.start = sample.prior_delivered >= self.end;
        if self.start {
            self.restart(sample.total_delivered);
            self.count += 1;
            self.since_probe_up += 1;
        }
    }

    /// `StartRound`.
    pub(super) fn restart(&mut self, delivered: Segments) {
        self.end = delivered;
    }
}
