//! The window of Compound TCP: a loss window as Reno's and a delay window that fills free bandwidth.

use crate::entry::{Param, Params};
use crate::rounds::Round;
use crate::{Path, Segments, math};

/// k.
pub(crate) const K: Param = Param::number(
    "k",
    0.75,
    (0.0, 1.0),
    "k: the power of the window by which it grows per round; the mean window goes with p^(-1/(2-k))",
);

/// β.
pub(crate) const BETA: Param =
    Param::number("beta", 0.5, (0.01, 0.9), "beta: the fraction of the window that a loss takes off");

/// How the window grows and shrinks; the papers name the constants differently.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// The increase is `gain` w^k per round.
    pub(crate) gain: f64,
    pub(crate) k: f64,
    pub(crate) beta: f64,
    /// The fraction of diff that an early decrease takes.
    pub(crate) decrease: f64,
}

impl Shape {
    pub(crate) fn new(params: &Params, gain: &str, decrease: &str) -> Self {
        Shape {
            gain: params.number(gain),
            k: params.number("k"),
            beta: params.number("beta"),
            decrease: params.number(decrease),
        }
    }

    /// gain w^k.
    pub(crate) fn increase(&self, window: Segments) -> Segments {
        self.gain * math::pow(window, self.k)
    }

    /// (gain w^k − 1)⁺/w: a round's increase of the delay window, by acknowledged segment.
    fn per_segment(&self, window: Segments) -> f64 {
        (self.increase(window) - 1.0).max(0.0) / window
    }
}

/// The delay window of a path. Its loss window is the rest of [`Path::cwnd`].
#[derive(Clone, Copy, Default)]
pub(crate) struct DelayWindow {
    pub(crate) dwnd: Segments,
    /// Its increase per acknowledged segment; 0 where the last round saw a queue.
    per_segment: f64,
}

impl DelayWindow {
    /// Slow start, which a pause of the sender can begin anew, is without a delay window; and no delay window is
    /// larger than the whole.
    #[inline]
    pub(crate) fn fit(&mut self, path: &Path) {
        if path.in_slow_start() || self.dwnd > path.cwnd {
            *self = DelayWindow::default();
        }
    }

    /// cwnd of the papers.
    pub(crate) fn loss_window(&self, path: &Path) -> Segments {
        (path.cwnd - self.dwnd).max(0.0) // the largest window of all cuts the sum
    }

    /// Congestion avoidance: 1/w by the loss window, and the delay window's share of the round.
    #[inline]
    pub(crate) fn grow(&mut self, path: &mut Path, acked: Segments) {
        let step = acked * self.per_segment;
        self.dwnd += step;
        path.cwnd += acked / path.cwnd + step;
    }

    /// A round is complete; returns diff. Below the limit the delay window grows in the next one; else it does not, and where the
    /// round is clean, dwnd ← (dwnd − decrease · diff)⁺.
    pub(crate) fn judge(
        &mut self,
        path: &mut Path,
        shape: &Shape,
        round: Round,
        limit: Segments,
    ) -> Segments {
        let diff = round.diff(path.cwnd);
        if diff < limit {
            self.per_segment = shape.per_segment(path.cwnd);
            return diff;
        }
        self.per_segment = 0.0;
        if round.clean {
            let loss = self.loss_window(path);
            self.dwnd = (self.dwnd - shape.decrease * diff).max(0.0);
            path.reduce_to(loss + self.dwnd);
        }
        diff
    }

    /// The loss window halves, dwnd ← ((1 − β) w − cwnd/2)⁺; a timeout leaves no delay window.
    pub(crate) fn reduce(&mut self, path: &mut Path, shape: &Shape, timeout: bool) {
        let half = self.loss_window(path) / 2.0;
        let dwnd = ((1.0 - shape.beta) * path.cwnd - half).max(0.0);
        path.reduce_to(half + dwnd);
        self.dwnd = if timeout { 0.0 } else { dwnd };
        self.per_segment =
            if timeout || self.per_segment == 0.0 { 0.0 } else { shape.per_segment(path.cwnd) };
    }
}

/// The interpretations that Compound's windows share.
pub(crate) const SPREAD: &str = "The increase of a round is spread evenly over the acknowledgements of the next, which loses no speed and sends no burst; a decrease acts at once.";

/// The interpretation of slow start.
pub(crate) const SLOW_START: &str = "Slow start is the standard one, without a delay window; the delay window is 0 in it, after a timeout or a long pause.";
