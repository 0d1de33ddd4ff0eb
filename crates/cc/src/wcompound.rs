//! wCompound, weighted Compound (Zhuang et al., 2021): Compound TCP on each path, with a threshold that
//! shares the backlog of the connection among its paths.

use crate::compound_window::{self, DelayWindow, Shape};
use crate::entry::{Entry, Kind, Observable, Param, Params};
use crate::rounds::{self, Round, Rounds};
use crate::undo::Undoable;
use crate::{Ack, Algorithm, Congestion, Path, Segments, Signal, aimd, fill, renew, slow_start};
use alloc::{boxed::Box, vec::Vec};

/// How the registry presents wCompound.
pub(crate) static ENTRY: Entry = Entry {
    name: "wcompound",
    title: "wCompound, weighted Compound",
    kind: Kind::Coupled,
    source: "R. Zhuang, Y. Xing, W. Wei, Y. Zhang, J. Yang, K. Xue: wCompound: Enhancing Performance of Multipath Transmission in High-speed and Long Distance Networks (2021)",
    equations: &[
        "w = cwnd + dwnd;  per acknowledged segment: cwnd += 1/w (Eq. 6, 7)",
        "once per round: diff = w (RTT - base)/RTT,  x = w/RTT,  y = sum x (Eq. 8)",
        "P = min(1, alpha_r RTT/((RTT - base) w_max)) (Eq. 13)",
        "E_r = (gamma w^k + xi diff) P - xi diff,  E = sum E_r (Eq. 14, 40)",
        "alpha_s = E y/(E + beta y),  alpha_r = x_r/y alpha_s (Eq. 39, 43)",
        "dwnd += (gamma w^k - 1)+ where diff < alpha_r, else dwnd = (dwnd - xi diff)+ (Eq. 12)",
        "on loss: cwnd = cwnd/2, dwnd = ((1 - beta) w - cwnd/2)+ (Eq. 12)",
    ],
    interpretations: &[
        "Algorithm 1 writes `cwnd++` and dwnd = ... for each acknowledgement, where Eq. 7 adds 1/w for each and Eq. 12 adds to dwnd for each round: the equations hold.",
        "Eq. 43 as printed sums the rates; with k = x_r/y, as the text before it says, alpha_r is the path's fraction of alpha_s.",
        "y is in segments per second, E in segments per round, and both are added as they are (Eq. 39).",
        "At diff = alpha_r the window retreats, as in Algorithm 1; Eq. 12 leaves the case open.",
        "alpha_r is at least `min_alpha`, which it also is where E is not positive: Eq. 34 supposes E >= 0.",
        "Algorithm 1 takes the smallest base of all paths too, and never uses it: each path has its own.",
        "RTT is the mean of the samples of the path's last complete round; P is 1 without queueing; w_max is the largest window of the path's life, slow start included.",
        "A round of one path renews its alpha_r only; E and y take the other paths' windows as they are and RTTs as last measured. Paths without a complete round do not count.",
        "The paper does not treat slow start and timeouts. In slow start a path keeps its alpha_r and counts in E and y.",
        compound_window::SPREAD,
        compound_window::SLOW_START,
        aimd::COUNTED,
        rounds::INTERPRETATION,
        rounds::BASE,
        rounds::LOSS,
    ],
    params: &[
        Param::number("gamma", 0.125, (0.001, 1.0), "gamma: the window grows by gamma w^k per round"),
        compound_window::K,
        compound_window::BETA,
        Param::number("xi", 1.0, (0.0, 10.0), "xi: the fraction of diff by which the delay window shrinks"),
        Param::number("initial_alpha", 6.0, (0.0, 1e6), "alpha_r of a new path, in segments"),
        Param::number("min_alpha", 1.0, (0.0, 1e6), "the lower bound of alpha_r, in segments"),
    ],
    observables: &[
        Observable::new("dwnd", "the delay window, in segments"),
        Observable::new("diff", "segments queued in the last judged round, by the delay"),
        Observable::new("alpha_r", "alpha_r, the path's threshold, in segments"),
        Observable::new(
            "alpha_s",
            "alpha_s, the segments that the connection aims to keep queued, in segments",
        ),
        Observable::new("e_r", "E_r, the path's expected change of window per round, in segments"),
        Observable::new("e", "E, the sum of E_r over the paths, in segments"),
        Observable::new("y", "the connection's rate, in segments per second"),
        Observable::new("p", "P, the fraction of time with less than alpha_r queued"),
    ],
    build: |params| Box::new(WCompound::new(params)),
};

#[derive(Clone)]
struct WCompound {
    shape: Shape,
    min_alpha: Segments,
    fresh: Undoable<State>,
    rows: Vec<Undoable<State>>,
}

#[derive(Clone, Copy)]
struct State {
    rounds: Rounds,
    delay: DelayWindow,
    /// `α_r`.
    alpha: Segments,
    diff: Segments,
}

/// The expected values of the connection: E and y.
#[derive(Clone, Copy, Default)]
struct Total {
    change: f64,
    rate: f64,
}

impl Total {
    /// `α_s` (Eq. 39); 0 without an expected gain.
    fn alpha(&self, beta: f64) -> Segments {
        let Total { change: e, rate: y } = *self;
        if e > 0.0 { e * y / (e + beta * y) } else { 0.0 }
    }
}

impl WCompound {
    fn new(params: &Params) -> Self {
        let state = State {
            rounds: Rounds::default(),
            delay: DelayWindow::default(),
            alpha: params.number("initial_alpha"),
            diff: f64::NAN,
        };
        WCompound {
            shape: Shape::new(params, "gamma", "xi"),
            min_alpha: params.number("min_alpha"),
            fresh: Undoable::new(state),
            rows: Vec::new(),
        }
    }

    /// P (Eq. 13) and `E_r` (Eq. 14) of path `r`.
    fn expected(&self, path: &Path, r: usize, round: Round) -> (f64, Segments) {
        let queued = round.queueing() * path.largest_cwnd / round.rtt;
        let alpha = self.rows[r].alpha;
        let p = if queued > alpha { alpha / queued } else { 1.0 };
        let lost = self.shape.decrease * round.diff(path.cwnd);
        (p, (self.shape.increase(path.cwnd) + lost) * p - lost)
    }

    /// E (Eq. 40) and y, over the paths that count.
    fn total(&self, paths: &[Path]) -> Total {
        let counted = paths.iter().enumerate().filter(|(_, path)| path.counts);
        let measured = counted.filter_map(|(r, path)| Some((r, path, Round::last(path)?)));
        measured.fold(Total::default(), |sum, (r, path, round)| Total {
            change: sum.change + self.expected(path, r, round).1,
            rate: sum.rate + path.cwnd / round.rtt,
        })
    }
}

impl Algorithm for WCompound {
    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(self.clone()))
    }

    fn path_added(&mut self, _: &mut [Path], r: usize) {
        renew(&mut self.rows, r, &self.fresh);
    }

    fn path_removed(&mut self, _: &mut [Path], r: usize) {
        self.rows[r] = self.fresh;
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        self.rows[r].delay.fit(&paths[r]);
        let acked = slow_start::grow(&mut paths[r], ack.acked);
        let round = self.rows[r].rounds.complete(&paths[r], ack);
        if acked <= 0.0 {
            return;
        }
        if let Some(round) = round {
            let total = self.total(paths);
            let share = paths[r].cwnd / round.rtt / total.rate; // k of Eq. 43
            let State { delay, alpha, diff, .. } = &mut *self.rows[r];
            *alpha = (share * total.alpha(self.shape.beta)).max(self.min_alpha);
            *diff = delay.judge(&mut paths[r], &self.shape, round, *alpha);
        }
        self.rows[r].delay.grow(&mut paths[r], acked);
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        let state = &mut self.rows[r];
        state.save();
        state.rounds.congestion();
        state.delay.reduce(&mut paths[r], &self.shape, event.signal == Signal::Timeout);
    }

    fn spurious(&mut self, _: &mut [Path], r: usize) {
        self.rows[r].undo();
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        let State { delay, alpha, diff, .. } = *self.rows[r];
        let total = self.total(paths);
        let (p, e_r) =
            Round::last(&paths[r]).map_or((f64::NAN, f64::NAN), |round| self.expected(&paths[r], r, round));
        let alpha_s = total.alpha(self.shape.beta);
        let values = [delay.dwnd, diff, alpha, alpha_s, e_r, total.change, total.rate, p];
        fill(out, values);
    }
}
