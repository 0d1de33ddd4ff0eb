//! ProbeBW: the cycle of DOWN, CRUISE, REFILL and UP (§5.3.3).

use super::Bbr;
use super::state::{AckPhase, MIN_PIPE_CWND, State};
use crate::{Ack, Path, RateSample, Seconds, Segments, math};

/// `BBR.Headroom`.
const HEADROOM: f64 = 0.15;
/// The most rounds between two probes (§5.3.3.8).
const RENO_ROUNDS: f64 = 63.0;
/// Rounds over which the growth of `inflight_longterm` doubles, at most.
const MAX_UP_ROUNDS: u32 = 30;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cycle {
    pub(super) ack_phase: AckPhase,
    /// `BBR.is_bw_probe_sample`.
    pub(super) is_bw_probe_sample: bool,
    /// `BBR.prev_probe_too_high`.
    pub(super) prev_probe_too_high: bool,
    /// `BBR.prev_probe_precautionary`.
    prev_probe_precautionary: bool,
    /// `BBR.bw_probe_up_acked`, `BBR.probe_up_acked_per_inc` and `BBR.bw_probe_up_rounds`.
    up_acked: Segments,
    up_acked_per_inc: Segments,
    up_rounds: u32,
    /// `BBR.bw_probe_wait` and `BBR.cycle_stamp`.
    wait: Seconds,
    stamp: Seconds,
}

impl Cycle {
    pub(super) fn new() -> Cycle {
        Cycle { up_acked_per_inc: Segments::INFINITY, ..Cycle::default() }
    }

    /// `RaiseInflightLongtermSlope`: the growth doubles each round, spread over the round.
    fn raise_slope(&mut self, cwnd: Segments) {
        self.up_acked_per_inc = (cwnd / f64::from(1u32 << self.up_rounds)).max(1.0);
        self.up_rounds = (self.up_rounds + 1).min(MAX_UP_ROUNDS);
    }
}

/// A number from 0 to 1 that looks random: two words of state, mixed (splitmix64's finalizer).
fn mix(a: u64, b: u64) -> f64 {
    let mut x = a ^ b.rotate_left(32);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

impl Bbr {
    /// `StartProbeBW_DOWN`.
    pub(super) fn start_down(&mut self, now: Seconds) {
        self.signals.reset();
        self.cycle.up_acked_per_inc = Segments::INFINITY;
        // PickProbeWait, without a source of randomness.
        let chance = mix(now.to_bits(), self.delivered.to_bits());
        let late = chance >= 0.5;
        self.rounds.since_probe_up = u64::from(late);
        self.cycle.wait = 2.0 + 2.0 * chance - f64::from(late);
        self.cycle.stamp = now;
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        self.rounds.restart(self.delivered);
        self.state = State::ProbeBwDown;
    }

    /// `StartProbeBW_REFILL`.
    pub(super) fn start_refill(&mut self) {
        self.bounds.reset_short_term();
        self.cycle.up_rounds = 0;
        self.cycle.up_acked = 0.0;
        self.cycle.prev_probe_precautionary = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.rounds.restart(self.delivered);
        self.state = State::ProbeBwRefill;
    }

    /// `StartProbeBW_UP`.
    fn start_up(&mut self, cwnd: Segments, sample: &RateSample) {
        self.cycle.is_bw_probe_sample = true;
        self.cycle.ack_phase = AckPhase::ProbeStarting;
        self.rounds.restart(self.delivered);
        self.full_bw.reset(sample.delivery_rate());
        self.state = State::ProbeBwUp;
        self.cycle.raise_slope(cwnd);
    }

    /// `UpdateProbeBWCyclePhase`.
    pub(super) fn update_cycle(&mut self, path: &Path, ack: &Ack, sample: &RateSample) {
        if !self.full_bw.reached || self.adapt_long_term(path, ack, sample) {
            return;
        }
        match self.state {
            State::ProbeBwDown if self.is_time_to_probe(path.cwnd, ack.now) => self.start_refill(),
            State::ProbeBwDown if self.is_time_to_cruise(ack.in_flight) => self.state = State::ProbeBwCruise,
            State::ProbeBwCruise if self.is_time_to_probe(path.cwnd, ack.now) => self.start_refill(),
            State::ProbeBwRefill if self.rounds.start => self.start_up(path.cwnd, sample),
            State::ProbeBwUp => self.check_probe_up(path.cwnd, ack, sample),
            _ => {}
        }
    }

    /// `AdaptLongTermModel`; whether it changed the state.
    fn adapt_long_term(&mut self, path: &Path, ack: &Ack, sample: &RateSample) -> bool {
        if self.rounds.start {
            match self.cycle.ack_phase {
                AckPhase::ProbeStarting => self.cycle.ack_phase = AckPhase::ProbeFeedback,
                AckPhase::ProbeStopping => {
                    self.cycle.is_bw_probe_sample = false;
                    self.cycle.ack_phase = AckPhase::Init;
                    if self.state.is_probe_bw() && !sample.app_limited {
                        self.max_bw.advance();
                    }
                    // Precautionary probing went well: probe again at once (§5.3.3.6).
                    let safe = self.cycle.prev_probe_precautionary && !self.cycle.prev_probe_too_high;
                    if self.state.is_probe_bw() && safe {
                        self.start_refill();
                        return true;
                    }
                }
                _ => {}
            }
        }
        if self.bounds.inflight_longterm.is_finite()
            && !self.is_inflight_too_high(sample.lost, sample.tx_in_flight)
        {
            self.bounds.inflight_longterm = self.bounds.inflight_longterm.max(sample.tx_in_flight);
            if self.state == State::ProbeBwUp {
                self.probe_inflight_upward(path.cwnd, ack.delivered, sample.cwnd_limited);
            }
        }
        false
    }

    /// `ProbeInflightLongtermUpward`.
    fn probe_inflight_upward(&mut self, cwnd: Segments, acked: Segments, cwnd_limited: bool) {
        if !cwnd_limited || cwnd < self.bounds.inflight_longterm {
            return;
        }
        self.cycle.up_acked += acked;
        let steps = math::floor(self.cycle.up_acked / self.cycle.up_acked_per_inc);
        if steps > 0.0 {
            self.cycle.up_acked -= steps * self.cycle.up_acked_per_inc;
            self.bounds.inflight_longterm += steps;
        }
        if self.rounds.start {
            self.cycle.raise_slope(cwnd);
        }
    }

    /// `IsTimeToProbeBW` (§5.3.3.8): by the clock, or in the time that Reno would take to probe.
    fn is_time_to_probe(&self, cwnd: Segments, now: Seconds) -> bool {
        let reno = self.target_inflight(cwnd).min(RENO_ROUNDS);
        now > self.cycle.stamp + self.cycle.wait || self.rounds.since_probe_up as f64 >= reno
    }

    /// `IsTimeToCruise`.
    fn is_time_to_cruise(&self, in_flight: Segments) -> bool {
        in_flight <= self.inflight_with_headroom() && in_flight <= self.inflight(self.max_bw.get(), 1.0)
    }

    /// Ends the probe where it is time to.
    fn check_probe_up(&mut self, cwnd: Segments, ack: &Ack, sample: &RateSample) {
        if self.is_time_to_go_down(cwnd, ack, sample) {
            self.cycle.prev_probe_too_high = false;
            self.start_down(ack.now);
        }
    }

    /// `IsTimeToGoDown`. In flight counts as it was before this acknowledgement: after it, it is always
    /// below the bound that it is to reach.
    fn is_time_to_go_down(&mut self, cwnd: Segments, ack: &Ack, sample: &RateSample) -> bool {
        let reached = ack.in_flight + ack.delivered >= self.bounds.inflight_longterm;
        if self.cycle.prev_probe_too_high && reached {
            self.cycle.prev_probe_precautionary = true;
            return true;
        }
        if sample.cwnd_limited && cwnd >= self.bounds.inflight_longterm {
            self.full_bw.reset(sample.delivery_rate()); // the bound limits, not the path
            return false;
        }
        self.full_bw.now
    }

    /// `InflightWithHeadroom`.
    pub(super) fn inflight_with_headroom(&self) -> Segments {
        let bound = self.bounds.inflight_longterm;
        if bound.is_infinite() { bound } else { (bound - (HEADROOM * bound).max(1.0)).max(MIN_PIPE_CWND) }
    }
}
