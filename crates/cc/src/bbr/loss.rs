//! Losses while probing for bandwidth, and what is undone where a recovery was spurious (§5.5.10, §5.5.11).

use super::{Bbr, Bounds, State};
use crate::{LostSegment, Path, RateSample, Seconds, Segments, math};

/// `BBRStartupFullLossCnt`: ranges of segments lost in a round that may end Startup.
const STARTUP_LOST_RANGES: u32 = 6;

/// The state that a spurious recovery restores (§2.15). By default nothing: bounds of 0 raise none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// The state that the losses ended.
    state: Option<State>,
    bounds: Bounds,
}

impl Bbr {
    /// `CheckStartupHighLoss` (§5.3.1.3).
    pub(super) fn check_startup_high_loss(&mut self, sample: &RateSample) {
        if self.state == State::Startup
            && self.signals.round_start
            && sample.in_recovery
            && self.signals.lost_ranges >= STARTUP_LOST_RANGES
            && self.is_inflight_too_high(sample.lost, sample.tx_in_flight)
        {
            self.exit_startup_on_congestion();
        }
    }

    /// The pipe is full, and holds what was last seen to be delivered.
    pub(super) fn exit_startup_on_congestion(&mut self) {
        self.undo.state = Some(State::Startup);
        self.full_bw.reached = true;
        self.bounds.inflight_longterm = self.bdp_multiple(self.bw(), 1.0).max(self.signals.inflight_latest);
    }

    /// `IsInflightTooHigh`: more than the threshold of what was in flight is lost.
    pub(super) fn is_inflight_too_high(&self, lost: Segments, tx_in_flight: Segments) -> bool {
        lost > tx_in_flight * self.loss_threshold
    }

    /// `HandleInflightTooHigh`.
    pub(super) fn handle_inflight_too_high(
        &mut self,
        cwnd: Segments,
        tx_in_flight: Segments,
        app_limited: bool,
        now: Seconds,
    ) {
        self.cycle.prev_probe_too_high = true;
        self.cycle.is_bw_probe_sample = false;
        if !app_limited {
            let least = self.target_inflight(cwnd) * self.beta;
            // Whole segments, so that in flight can reach the bound.
            self.bounds.inflight_longterm = math::floor(tx_in_flight.max(least));
        }
        if self.state == State::ProbeBwUp {
            self.undo.state = Some(State::ProbeBwUp);
            self.start_down(now);
        }
    }

    /// `HandleLostPacket`.
    pub(super) fn handle_lost(&mut self, cwnd: Segments, lost: &LostSegment) {
        self.delivered = lost.total_delivered;
        self.signals.note_loss(lost.total_delivered);
        self.signals.note_range(lost);
        if self.cycle.is_bw_probe_sample && self.is_inflight_too_high(lost.lost, lost.tx_in_flight) {
            let at_loss = self.inflight_at_loss(lost);
            self.handle_inflight_too_high(cwnd, at_loss, lost.app_limited, lost.now);
        }
    }

    /// `InflightAtLoss`: how much was in flight where losses crossed the threshold.
    fn inflight_at_loss(&self, lost: &LostSegment) -> Segments {
        let (before, lost_before) = (lost.tx_in_flight - 1.0, lost.lost - 1.0);
        let prefix = (self.loss_threshold * before - lost_before) / (1.0 - self.loss_threshold);
        before + prefix
    }

    /// `SaveStateUponLoss`, where a recovery begins.
    pub(super) fn save_state(&mut self, cwnd: Segments) {
        self.save_cwnd(cwnd);
        self.undo = Undo { state: None, bounds: self.bounds };
    }

    /// `SaveCwnd`.
    pub(super) fn save_cwnd(&mut self, cwnd: Segments) {
        let modulated = self.in_recovery || self.state == State::ProbeRtt;
        self.prior_cwnd = if modulated { self.prior_cwnd.max(cwnd) } else { cwnd };
    }

    /// `RestoreCwnd`.
    pub(super) fn restore_cwnd(&self, path: &mut Path) {
        path.cwnd = path.cwnd.max(self.prior_cwnd);
    }

    /// `HandleSpuriousLossDetection`, but for the window, which the group restores.
    pub(super) fn handle_spurious(&mut self) {
        self.signals.loss_in_round = false;
        self.full_bw.reset(0.0);
        let Undo { state, bounds } = core::mem::take(&mut self.undo);
        self.bounds.raise_to(&bounds);
        match state {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw.reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::ProbeBwUp) if !matches!(self.state, State::ProbeBwUp | State::ProbeRtt) => {
                self.start_refill();
            }
            _ => {}
        }
    }
}
