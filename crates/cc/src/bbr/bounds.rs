//! The bounds that losses set on the rate and the volume of the path (§5.5.10).

use super::State;
use crate::{LostSegment, RateSample, Segments};

/// The bounds of the model; infinite if unset, which is [`Bounds::NONE`]. The default, 0, raises nothing in an undo.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    /// `BBR.bw_shortterm`, in segments per second.
    pub(super) bw_shortterm: f64,
    /// `BBR.inflight_shortterm`.
    pub(super) inflight_shortterm: Segments,
    /// `BBR.inflight_longterm`.
    pub(super) inflight_longterm: Segments,
}

impl Bounds {
    pub(super) const NONE: Bounds = Bounds {
        bw_shortterm: f64::INFINITY,
        inflight_shortterm: Segments::INFINITY,
        inflight_longterm: Segments::INFINITY,
    };

    /// `ResetShortTermModel`.
    pub(super) fn reset_short_term(&mut self) {
        *self = Bounds { inflight_longterm: self.inflight_longterm, ..Bounds::NONE };
    }

    /// Each at least as it was: a loss recovery was spurious (§5.5.11.2).
    pub(super) fn raise_to(&mut self, before: &Bounds) {
        self.bw_shortterm = self.bw_shortterm.max(before.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(before.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(before.inflight_longterm);
    }
}

/// The delivery of the last round, and its losses (§5.5.10.3).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signals {
    /// `BBR.bw_latest`, in segments per second.
    pub(super) bw_latest: f64,
    /// `BBR.inflight_latest`.
    pub(super) inflight_latest: Segments,
    /// `BBR.loss_round_delivered`.
    round_end: Segments,
    /// `BBR.loss_round_start`.
    pub(super) round_start: bool,
    /// `BBR.is_loss_in_round`.
    pub(super) loss_in_round: bool,
    /// Discontiguous ranges of segments lost in this round (§5.3.1.3), and where the last one ends.
    pub(super) lost_ranges: u32,
    lost_end: u64,
}

impl Signals {
    /// `UpdateLatestDeliverySignals`.
    pub(super) fn update(&mut self, sample: &RateSample) {
        self.bw_latest = self.bw_latest.max(sample.delivery_rate());
        self.inflight_latest = self.inflight_latest.max(sample.delivered());
        self.round_start = sample.prior_delivered >= self.round_end;
        if self.round_start {
            self.round_end = sample.total_delivered;
        }
    }

    /// `AdvanceLatestDeliverySignals`.
    pub(super) fn advance(&mut self, sample: &RateSample) {
        if self.round_start {
            self.bw_latest = sample.delivery_rate();
            self.inflight_latest = sample.delivered();
            self.lost_ranges = 0;
        }
    }

    /// `ResetCongestionSignals`.
    pub(super) fn reset(&mut self) {
        (self.loss_in_round, self.bw_latest, self.inflight_latest) = (false, 0.0, 0.0);
    }

    /// The first half of `NoteLoss`: the round of the first loss begins.
    pub(super) fn note_loss(&mut self, delivered: Segments) {
        if !self.loss_in_round {
            self.round_end = delivered;
        }
        self.loss_in_round = true;
    }

    /// Counts ranges of lost segments.
    pub(super) fn note_range(&mut self, lost: &LostSegment) {
        self.lost_ranges += u32::from(lost.number != self.lost_end || self.lost_ranges == 0);
        self.lost_end = lost.number + 1;
    }

    /// `AdaptLowerBoundsFromCongestion`, at the end of each round.
    pub(super) fn adapt(
        &mut self,
        bounds: &mut Bounds,
        state: State,
        max_bw: f64,
        cwnd: Segments,
        beta: f64,
    ) {
        if !self.round_start {
            return;
        }
        if self.loss_in_round && !state.is_probing_bw() {
            let bw = if bounds.bw_shortterm.is_finite() { bounds.bw_shortterm } else { max_bw };
            let inflight = bounds.inflight_shortterm;
            let inflight = if inflight.is_finite() { inflight } else { cwnd };
            bounds.bw_shortterm = self.bw_latest.max(beta * bw);
            bounds.inflight_shortterm = self.inflight_latest.max(beta * inflight);
        }
        self.loss_in_round = false;
    }
}
