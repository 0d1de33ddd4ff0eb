//! The window of CUBIC in congestion avoidance (RFC 9438 §4), apart from any path: `cubic` uses it as
//! a path's window, `coupled-cubic` keeps one in the background.

use crate::cubic_linux::LinuxCubic;
use crate::path::{lower, raise};
use crate::{Seconds, Segments, entry::Params, math};

/// The constants of RFC 9438 §4.6, §5.
#[derive(Clone, Copy, Debug)]
struct Constants {
    /// C, segments per second cubed.
    c: f64,
    /// `β_cubic`: what is kept of the window on congestion.
    beta: f64,
    /// `α_cubic` = 3 (1 − β)/(1 + β): the Reno-friendly increase per window (§4.3).
    alpha: f64,
}

/// CUBIC's state in congestion avoidance. The caller owns the window and passes it to each method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CubicWindow {
    constants: Constants,
    /// Window at the plateau of the cubic function.
    w_max: Segments,
    /// `cwnd_prior`: the window before the last congestion; 0 before the first.
    prior: Segments,
    /// Whether the next stage starts on its plateau (§4.8, §4.10) or below it, after a loss.
    from_plateau: bool,
    /// Whether a flow that lost below its last `W_max` gives way (§4.7). Constant; apart from the others, so that it takes no line
    /// of the cache in each flow.
    fast_convergence: bool,
    /// The current congestion avoidance stage; `None` in slow start and recovery.
    stage: Option<Stage>,
}

/// One stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// `t_epoch`: when it began, moved on by the time in which the application limited the sender.
    epoch: Seconds,
    /// When an acknowledgement was last seen.
    last: Seconds,
    /// K: time from the start of the stage to the plateau.
    k: Seconds,
    /// `W_est`: the window of a Reno flow in the same place (§4.3).
    w_est: Segments,
    /// The share of a single CUBIC flow's window that is aimed at; 1 for RFC 9438 as it stands.
    share: f64,
}

impl CubicWindow {
    /// A window that has not left its first slow start, from the entry's `c`, `beta` and
    /// `fast_convergence`.
    pub(crate) fn new(params: &Params) -> Self {
        let beta = params.number("beta");
        let constants = Constants { c: params.number("c"), beta, alpha: 3.0 * (1.0 - beta) / (1.0 + beta) };
        let fast_convergence = params.flag("fast_convergence");
        CubicWindow { constants, w_max: 0.0, prior: 0.0, from_plateau: true, fast_convergence, stage: None }
    }

    /// The same constants in the arithmetic of Linux.
    pub(crate) fn on_linux(&self, hystart: bool) -> LinuxCubic {
        LinuxCubic::new(self.constants.c, self.constants.beta, self.fast_convergence, hystart)
    }

    /// The window after `acked` segments were acknowledged in congestion avoidance.
    #[inline]
    pub(crate) fn grow(&mut self, cwnd: Segments, acked: Segments, now: Seconds, srtt: Seconds) -> Segments {
        self.grow_for(1.0, cwnd, acked, now, srtt)
    }

    /// As [`CubicWindow::grow`], for a flow whose mean window is to be `share` of a single flow's. CUBIC's goes
    /// with C^¼ and Reno's with the root of the increase, so they are C share⁴ and `alpha` share².
    #[inline]
    pub(crate) fn grow_for(
        &mut self,
        share: f64,
        cwnd: Segments,
        acked: Segments,
        now: Seconds,
        srtt: Seconds,
    ) -> Segments {
        let mut stage = self.stage.unwrap_or_else(|| self.begin(share, cwnd, now));
        stage.last = now;
        if stage.share != share {
            // W_cubic continues from its value: C (t - K)³ stays the same.
            let t = now - stage.epoch;
            stage.k = t - (t - stage.k) * math::pow(stage.share / share, 4.0 / 3.0);
            stage.share = share;
        }
        // §4.3, Figure 4: faster once the window before the loss is regained.
        let alpha = if stage.w_est < self.prior { self.constants.alpha } else { 1.0 };
        stage.w_est += alpha * share * share * acked / cwnd;
        self.stage = Some(stage);

        let t = now - stage.epoch;
        if self.w_cubic(&stage, t) < stage.w_est {
            // §4.3; a small beta makes alpha exceed a small window.
            let mut next = cwnd + acked;
            lower(&mut next, stage.w_est);
            raise(&mut next, cwnd);
            return next;
        }
        let target = self.w_cubic(&stage, t + srtt).clamp(cwnd, 1.5 * cwnd); // §4.2
        cwnd + (target - cwnd) * (acked / cwnd).min(1.0) // §4.4, §4.5
    }

    /// The window after congestion (§4.6).
    pub(crate) fn reduce(&mut self, cwnd: Segments, timeout: bool) -> Segments {
        let beta = self.constants.beta;
        let yields = self.fast_convergence && cwnd < self.w_max;
        self.w_max = if yields { cwnd * (1.0 + beta) / 2.0 } else { cwnd }; // §4.7
        self.prior = cwnd;
        self.from_plateau = timeout; // §4.8
        self.stage = None;
        cwnd * beta
    }

    /// The next stage of congestion avoidance starts where the window then is, on the plateau, as
    /// after a slow start that ended without loss (§4.10).
    pub(crate) fn restart(&mut self) {
        self.prior = 0.0;
        self.from_plateau = true;
        self.stage = None;
    }

    /// The application limited the sender since the last acknowledgement: that time does not count
    /// (§4.2).
    pub(crate) fn pause(&mut self, now: Seconds) {
        if let Some(stage) = &mut self.stage {
            stage.epoch += now - stage.last;
            stage.last = now;
        }
    }

    /// `W_cubic` at the last acknowledgement, `W_est`, `W_max` and K; `None` outside congestion avoidance.
    pub(crate) fn inner(&self) -> Option<[f64; 4]> {
        self.stage.map(|s| [self.w_cubic(&s, s.last - s.epoch), s.w_est, self.w_max, s.k])
    }

    /// Starts a stage of congestion avoidance (§4.2).
    #[cold]
    fn begin(&mut self, share: f64, cwnd: Segments, now: Seconds) -> Stage {
        if self.from_plateau || self.w_max < cwnd {
            self.w_max = cwnd;
        }
        let k = math::cbrt((self.w_max - cwnd) / (self.constants.c * fourth_power(share))); // Figure 2
        Stage { epoch: now, last: now, k, w_est: cwnd, share }
    }

    /// Figure 1.
    #[inline]
    fn w_cubic(&self, stage: &Stage, t: Seconds) -> Segments {
        let d = t - stage.k;
        self.constants.c * fourth_power(stage.share) * d * d * d + self.w_max
    }
}

#[inline]
fn fourth_power(x: f64) -> f64 {
    (x * x) * (x * x)
}
