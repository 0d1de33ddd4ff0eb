//! Compound TCP (Tan, Song, Zhang, Sridharan, 2006).

use crate::compound_window::{self, DelayWindow, Shape};
use crate::entry::{Entry, Kind, Observable, Param};
use crate::rounds::{self, Rounds};
use crate::undo::Undoable;
use crate::{Ack, Congestion, Path, Segments, Signal, SinglePath, Uncoupled, fill, slow_start};
use alloc::boxed::Box;

/// How the registry presents Compound TCP.
pub(crate) static ENTRY: Entry = Entry {
    name: "compound",
    title: "Compound TCP",
    kind: Kind::SinglePath,
    source: "K. Tan, J. Song, Q. Zhang, M. Sridharan: A Compound TCP Approach for High-speed and Long Distance Networks (INFOCOM 2006); draft-sridharan-tcpm-ctcp-02",
    equations: &[
        "w = cwnd + dwnd;  per acknowledged segment: cwnd += 1/w",
        "once per round: diff = w (RTT - base)/RTT",
        "dwnd += (alpha w^k - 1)+ where diff < gamma, else dwnd = (dwnd - zeta diff)+",
        "on loss: cwnd = cwnd/2, dwnd = ((1 - beta) w - cwnd/2)+",
        "and gamma = (1 - lambda) gamma + lambda 3/4 diff_reno within [gamma_low, gamma_high],  diff_reno = cwnd (RTT - base)/RTT before it",
    ],
    interpretations: &[
        compound_window::SPREAD,
        compound_window::SLOW_START,
        "RTT is the mean of the round's samples.",
        "gamma is tuned by the last round that was judged before the loss, once, and only if its samples were from after the loss before; a timeout sets it back. `autotune = false` turns tuning off.",
        "There is no smallest window for the delay window: the increase is 0 below alpha^(-1/k), 16 segments.",
        rounds::INTERPRETATION,
        rounds::BASE,
        rounds::LOSS,
    ],
    params: &[
        Param::number("alpha", 0.125, (0.001, 1.0), "alpha: the window grows by alpha w^k per round"),
        compound_window::K,
        compound_window::BETA,
        Param::number(
            "gamma",
            30.0,
            (0.0, 1e6),
            "gamma: the queued segments from which on the delay window shrinks, at first",
        ),
        Param::number("gamma_low", 5.0, (0.0, 1e6), "the lower bound of the tuned gamma"),
        Param::number("gamma_high", 30.0, (0.0, 1e6), "the upper bound of the tuned gamma"),
        Param::number(
            "zeta",
            1.0,
            (0.0, 10.0),
            "zeta: the fraction of diff by which the delay window shrinks",
        ),
        Param::flag("autotune", true, "tune gamma by the backlog of the loss window at a loss"),
        Param::number("lambda", 0.8, (0.0, 1.0), "lambda: the weight of the newest loss in gamma"),
    ],
    observables: &[
        Observable::new("dwnd", "the delay window, in segments"),
        Observable::new("diff", "segments queued in the last judged round, by the delay"),
        Observable::new("threshold", "gamma as it is tuned, in segments"),
    ],
    build: |params| {
        let number = |name| params.number(name);
        Box::new(Uncoupled::new(Compound {
            shape: Shape::new(params, "alpha", "zeta"),
            gamma: number("gamma"),
            bounds: (number("gamma_low"), number("gamma_high")),
            lambda: if params.flag("autotune") { number("lambda") } else { 0.0 },
            state: Undoable::new(State {
                rounds: Rounds::default(),
                delay: DelayWindow::default(),
                gamma: number("gamma"),
                diff: f64::NAN,
                diff_reno: None,
            }),
        }))
    },
};

#[derive(Clone)]
struct Compound {
    shape: Shape,
    /// γ at first, the bounds and the weight of its tuning; no weight without tuning.
    gamma: Segments,
    bounds: (Segments, Segments),
    lambda: f64,
    state: Undoable<State>,
}

#[derive(Clone, Copy)]
struct State {
    rounds: Rounds,
    delay: DelayWindow,
    gamma: Segments,
    diff: Segments,
    /// The loss window's share of the backlog, until a loss has used it.
    diff_reno: Option<Segments>,
}

impl Compound {
    fn tune_gamma(&mut self) {
        let State { gamma, diff_reno, .. } = &mut *self.state;
        if let Some(diff_reno) = diff_reno.take()
            && self.lambda > 0.0
        {
            let tuned = (1.0 - self.lambda) * *gamma + self.lambda * 0.75 * diff_reno;
            *gamma = tuned.min(self.bounds.1).max(self.bounds.0);
        }
    }
}

impl SinglePath for Compound {
    fn acked(&mut self, path: &mut Path, ack: &Ack) {
        self.state.delay.fit(path);
        let acked = slow_start::grow(path, ack.acked);
        let State { rounds, delay, gamma, diff, diff_reno } = &mut *self.state;
        let round = rounds.complete(path, ack);
        if acked <= 0.0 {
            return;
        }
        if let Some(round) = round {
            *diff_reno = round.clean.then(|| round.diff(delay.loss_window(path)));
            *diff = delay.judge(path, &self.shape, round, *gamma);
        }
        delay.grow(path, acked);
    }

    fn congestion(&mut self, path: &mut Path, event: &Congestion) {
        let timeout = event.signal == Signal::Timeout;
        self.state.save();
        self.tune_gamma();
        if timeout {
            self.state.gamma = self.gamma;
        }
        self.state.rounds.congestion();
        self.state.delay.reduce(path, &self.shape, timeout);
    }

    fn spurious(&mut self, _: &mut Path) {
        self.state.undo();
    }

    fn observe(&self, _: &Path, out: &mut [f64]) {
        let State { delay, diff, gamma, .. } = *self.state;
        fill(out, [delay.dwnd, diff, gamma]);
    }
}
