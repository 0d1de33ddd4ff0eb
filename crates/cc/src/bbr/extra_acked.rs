//! The estimated degree of aggregation: what is acknowledged beyond what the bandwidth explains (§5.5.9).

use crate::{Seconds, Segments};

/// `BBR.ExtraAckedFilterLen`, in rounds.
const FILTER: u64 = 10;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExtraAcked {
    since: Seconds,
    delivered: Segments,
    /// The largest sample of each of the last rounds, by the round's number modulo the filter's length.
    slots: [Segments; FILTER as usize],
    round: u64,
}

impl ExtraAcked {
    /// `UpdateACKAggregation`: `acked` segments were delivered in `round`; `bw` is in segments per second.
    pub(super) fn update(&mut self, now: Seconds, acked: Segments, bw: f64, cwnd: Segments, round: u64) {
        let mut expected = bw * (now - self.since);
        if self.delivered <= expected {
            (self.delivered, self.since, expected) = (0.0, now, 0.0);
        }
        self.delivered += acked;
        let extra = (self.delivered - expected).min(cwnd);
        for passed in (self.round + 1..=round).rev().take(FILTER as usize) {
            self.slots[(passed % FILTER) as usize] = 0.0;
        }
        self.round = round;
        let slot = &mut self.slots[(round % FILTER) as usize];
        *slot = slot.max(extra);
    }

    /// `BBR.extra_acked`: the largest sample of this round, or of ten once the pipe has been full.
    pub(super) fn get(&self, full_bw_reached: bool) -> Segments {
        if full_bw_reached {
            self.slots.iter().fold(0.0, |largest, x| x.max(largest))
        } else {
            self.slots[(self.round % FILTER) as usize]
        }
    }
}
