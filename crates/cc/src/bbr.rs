//! BBR, version 3: draft-ietf-ccwg-bbr-06. The sections that the comments name, and the names in code
//! font, are the draft's.

mod bounds;
mod entry;
mod extra_acked;
mod full_bw;
mod loss;
mod max_bw;
mod min_rtt;
mod probe_bw;
mod probe_rtt;
mod round;
mod state;

use crate::entry::Params;
use crate::{Ack, Congestion, LostSegment, Path, RateSample, Segments, Signal, SinglePath, fill};
use bounds::{Bounds, Signals};
pub(crate) use entry::ENTRY;
use extra_acked::ExtraAcked;
use full_bw::FullBw;
use loss::Undo;
pub(crate) use max_bw::MaxBw;
use min_rtt::MinRtt;
use probe_bw::Cycle;
use probe_rtt::ProbeRtt;
use round::Rounds;
use state::{MIN_PIPE_CWND, State};

/// `BBR.PacingMarginPercent`: the rate is a hundredth below the bandwidth, so that queues drain.
const PACING_MARGIN: f64 = 0.01;

/// The state of one path. Its default only fills in [`Bbr::new`].
#[derive(Clone, Default)]
pub(crate) struct Bbr {
    /// `BBR.StartupPacingGain`, `BBR.LossThresh` and `BBR.Beta`.
    startup_gain: f64,
    loss_threshold: f64,
    beta: f64,
    state: State,
    /// `C.InitialCwnd`.
    initial_cwnd: Segments,
    /// `C.delivered`.
    delivered: Segments,
    rounds: Rounds,
    max_bw: MaxBw,
    min_rtt: MinRtt,
    extra_acked: ExtraAcked,
    full_bw: FullBw,
    bounds: Bounds,
    signals: Signals,
    cycle: Cycle,
    probe_rtt: ProbeRtt,
    /// `BBR.drain_start_round`.
    drain_start: u64,
    in_recovery: bool,
    prior_cwnd: Segments,
    undo: Undo,
    /// The last sample's `RS.tx_in_flight`.
    tx_in_flight: Segments,
    /// The fraction of the bandwidth to use: 1, unless other paths of the connection use it too.
    part: f64,
}

impl Bbr {
    /// With the draft's constants.
    pub(crate) fn with_defaults() -> Bbr {
        Bbr::new(&ENTRY.defaults_from(&[]))
    }

    fn new(params: &Params) -> Bbr {
        Bbr {
            startup_gain: params.number("startup_pacing_gain"),
            loss_threshold: params.number("loss_threshold"),
            beta: params.number("beta"),
            min_rtt: MinRtt::new(0.0),
            bounds: Bounds::NONE,
            cycle: Cycle::new(),
            part: 1.0,
            ..Bbr::default()
        }
    }

    /// Uses this fraction of the bandwidth from the next acknowledgement on.
    pub(crate) fn use_part(&mut self, part: f64) {
        self.part = part;
    }

    /// Whether it neither probes for bandwidth nor drains what it probed with.
    pub(crate) fn cruises(&self) -> bool {
        self.state == State::ProbeBwCruise
    }

    /// `BBR.max_bw`, in segments per second.
    pub(crate) fn max_bw(&self) -> f64 {
        self.max_bw.get()
    }

    /// Cycles of ProbeBW that have ended.
    pub(crate) fn cycles(&self) -> u64 {
        self.max_bw.cycles
    }

    /// `UpdateModelAndState` (§5.2.3).
    fn update_model(&mut self, path: &mut Path, ack: &Ack, sample: &RateSample) {
        self.signals.update(sample);
        self.rounds.update(sample);
        if sample.interval > 0.0 {
            self.max_bw.update(sample.delivery_rate(), sample.app_limited);
        }
        self.signals.adapt(&mut self.bounds, self.state, self.max_bw.get(), path.cwnd, self.beta);
        self.extra_acked.update(ack.now, ack.delivered, self.bw(), path.cwnd, self.rounds.count);
        if self.rounds.start && !sample.app_limited {
            self.full_bw.check(sample.delivery_rate());
        }
        self.check_startup_high_loss(sample);
        if self.state == State::Startup && self.full_bw.reached {
            self.state = State::Drain;
            self.drain_start = self.rounds.count;
        }
        self.check_drain_done(ack);
        self.update_cycle(path, ack, sample);
        self.min_rtt.update(ack.rtt, ack.now);
        self.check_probe_rtt(path, ack, sample);
        self.signals.advance(sample);
    }

    /// `CheckDrainDone` (§5.3.2).
    fn check_drain_done(&mut self, ack: &Ack) {
        if self.state == State::Drain
            && (ack.in_flight <= self.inflight(self.bw(), 1.0) || self.rounds.count > self.drain_start + 3)
        {
            self.start_down(ack.now);
        }
    }

    /// `BBR.bw`, in segments per second.
    fn bw(&self) -> f64 {
        self.max_bw.get().min(self.bounds.bw_shortterm)
    }

    /// `BDPMultiple` (§5.6.4.2).
    fn bdp_multiple(&self, bw: f64, gain: f64) -> Segments {
        let min_rtt = self.min_rtt.get();
        if min_rtt.is_finite() { gain * bw * min_rtt } else { self.initial_cwnd }
    }

    /// `Inflight`: a multiple of the BDP with what whole segments and delayed acknowledgements need.
    fn inflight(&self, bw: f64, gain: f64) -> Segments {
        self.quantized(self.bdp_multiple(bw, gain))
    }

    /// `QuantizationBudget`.
    fn quantized(&self, inflight: Segments) -> Segments {
        inflight.max(MIN_PIPE_CWND) + if self.state == State::ProbeBwUp { 2.0 } else { 0.0 }
    }

    /// `TargetInflight` (§5.3.3.8).
    fn target_inflight(&self, cwnd: Segments) -> Segments {
        self.bdp_multiple(self.bw(), 1.0).min(cwnd)
    }

    /// `SetPacingRate` (§5.6.2): until the pipe has been full, it only rises.
    fn set_pacing_rate(&self, path: &mut Path) {
        let rate = self.state.pacing_gain(self.startup_gain) * self.part * self.bw() * (1.0 - PACING_MARGIN);
        if rate > 0.0 && (self.full_bw.reached || path.pacing_rate.is_none_or(|now| rate > now)) {
            path.pacing_rate = Some(rate);
        }
    }

    /// `SetCwnd` (§5.6.4.6).
    fn set_cwnd(&self, path: &mut Path, acked: Segments) {
        let target = self.bdp_multiple(self.part * self.bw(), self.state.cwnd_gain());
        let max_inflight = self.quantized(target + self.extra_acked.get(self.full_bw.reached));
        if self.full_bw.reached {
            path.cwnd = (path.cwnd + acked).min(max_inflight);
        } else if path.cwnd < max_inflight || self.delivered < self.initial_cwnd {
            path.cwnd += acked;
        }
        path.cwnd = path.cwnd.max(MIN_PIPE_CWND);
        if self.state == State::ProbeRtt {
            path.cwnd = path.cwnd.min(self.probe_rtt_cwnd());
        }
        path.cwnd = path.cwnd.min(self.cwnd_cap());
    }

    /// The bound of `BoundCwndForModel` (§5.6.4.7).
    fn cwnd_cap(&self) -> Segments {
        let cap = match self.state {
            State::Startup | State::Drain => Segments::INFINITY,
            State::ProbeBwCruise | State::ProbeRtt => self.inflight_with_headroom(),
            _ => self.bounds.inflight_longterm,
        };
        cap.min(self.bounds.inflight_shortterm).max(MIN_PIPE_CWND)
    }
}

impl SinglePath for Bbr {
    /// `OnInit` (§5.2.1) and `InitPacingRate` (§5.6.2).
    fn added(&mut self, path: &mut Path) {
        self.initial_cwnd = path.cwnd;
        self.min_rtt = MinRtt::new(path.srtt);
        let srtt = path.rtt().unwrap_or(1e-3);
        path.pacing_rate = Some(self.startup_gain * path.cwnd / srtt);
    }

    /// `UpdateOnACK` (§5.2.3). An interval without deliveries says nothing about the path.
    fn acked(&mut self, path: &mut Path, ack: &Ack) {
        let Some(mut sample) = ack.rate else { return };
        sample.app_limited |= self.probe_rtt.limits(&sample);
        self.delivered = sample.total_delivered;
        self.tx_in_flight = sample.tx_in_flight;
        if core::mem::replace(&mut self.in_recovery, sample.in_recovery) && !sample.in_recovery {
            self.restore_cwnd(path);
        }
        self.update_model(path, ack, &sample);
        self.set_pacing_rate(path);
        self.set_cwnd(path, ack.delivered);
    }

    /// `OnEnterFastRecovery` and `OnEnterRTO` (§5.6.4.4); the window of one segment after a timeout is
    /// the group's.
    fn congestion(&mut self, path: &mut Path, event: &Congestion) {
        self.save_state(path.cwnd);
        self.signals.note_loss(self.delivered);
        if event.signal != Signal::Ecn {
            self.in_recovery = true;
        } else if self.state == State::Startup {
            self.exit_startup_on_congestion();
        } else if self.cycle.is_bw_probe_sample {
            self.handle_inflight_too_high(path.cwnd, self.tx_in_flight, false, event.now);
        }
    }

    fn spurious(&mut self, _: &mut Path) {
        self.in_recovery = false;
        self.handle_spurious();
    }

    fn is_model_based(&self) -> bool {
        true
    }

    fn lost(&mut self, path: &mut Path, lost: &LostSegment) {
        self.handle_lost(path.cwnd, lost);
    }

    fn observe(&self, _: &Path, out: &mut [f64]) {
        let known = |x: f64| if x.is_finite() { x } else { f64::NAN };
        let values = [
            f64::from(self.state as u8),
            self.bw(),
            known(self.min_rtt.get()),
            known(self.bounds.inflight_longterm),
            known(self.bounds.inflight_shortterm),
            self.state.pacing_gain(self.startup_gain),
            self.state.cwnd_gain(),
        ];
        fill(out, values);
    }
}
