//! wVegas, weighted Vegas (Cao, Xu, Fu, 2012).

use crate::entry::{Entry, Kind, Observable, Param, Params, Value};
use crate::rounds::{self, Round, Rounds};
use crate::undo::Undoable;
use crate::vegas::{self, SlowStart};
use crate::{Ack, Algorithm, Congestion, Path, Seconds, Segments, Signal, aimd, fill, renew, reno, v0};
use alloc::{boxed::Box, vec::Vec};

/// How the registry presents wVegas.
pub(crate) static ENTRY: Entry = Entry {
    name: "wvegas",
    title: "wVegas, weighted Vegas",
    kind: Kind::Coupled,
    source: "Y. Cao, M. Xu, X. Fu: Delay-based Congestion Control for Multipath TCP (ICNP 2012)",
    equations: &[
        vegas::DIFF,
        vegas::SLOW_START,
        "once per round after it, where diff >= alpha_r: x_r = w/RTT, weight_r = x_r/sum x, alpha_r = max(weight_r total_alpha, initial_alpha)",
        "then w += 1 where diff < alpha_r, w -= 1 where diff > alpha_r",
        "then, where RTT - base is twice its smallest over rounds with diff >= alpha_r: w = w base/(2 RTT), and the smallest is forgotten",
        "on loss: w = w/2",
    ],
    interpretations: &[
        "RTT is the mean of the round's samples, as in the paper (`rtt = \"min\"` takes the smallest).",
        "x_r is the rate when the path's backlog last reached alpha_r, as in the authors' kernel module; paths that have not reached it do not count, and slow start, after a timeout or a long pause, discards it.",
        "The floor of alpha_r is initial_alpha: with more than total_alpha/initial_alpha equal paths the sum of alpha_r exceeds total_alpha.",
        "The smallest RTT - base is taken over rounds with diff >= alpha_r, as renewed (`drain = \"target\"`). Taken over all rounds, as the module does (`drain = \"always\"`), a delay of one queued segment doubles with the second: alone on a link of 20 Mbit/s and 40 ms such a path uses 4 % of it, and all with `target`. The module comes back faster, see `wvegas@v0`.",
        vegas::HALF,
        "A loss halves the window, as in the module; weights stay, and the smallest RTT - base is discarded.",
        aimd::COUNTED,
        rounds::INTERPRETATION,
        rounds::BASE,
        rounds::LOSS,
    ],
    params: &[TOTAL_ALPHA, INITIAL_ALPHA, vegas::GAMMA, vegas::rtt("mean"), DRAIN, FEW],
    observables: &[
        Observable::new("weight", "weight_r, the path's fraction of the connection's rate; 1 at first"),
        Observable::new("alpha_r", "alpha_r, the segments that the path aims to keep queued"),
        Observable::new("diff", "segments queued in the last round, by the delay"),
        Observable::new("queue_delay", "RTT - base of the last round, in seconds"),
    ],
    build: |params| Box::new(WVegas::new(params)),
};

/// wVegas as the authors' module has it.
pub(crate) static V0: Entry = Entry {
    name: "wvegas@v0",
    title: "wVegas, as in out-of-tree MPTCP",
    interpretations: &[v0::INTERPRETATION, v0::WVEGAS],
    params: &[
        TOTAL_ALPHA,
        INITIAL_ALPHA,
        vegas::GAMMA,
        vegas::rtt("mean"),
        Param { default: Value::Word("always"), ..DRAIN },
        Param { default: Value::Number(2.0), ..FEW },
    ],
    ..ENTRY
};

const TOTAL_ALPHA: Param = Param::number(
    "total_alpha",
    10.0,
    (0.0, 1e6),
    "the segments that the connection aims to keep queued on all its paths",
);
const INITIAL_ALPHA: Param =
    Param::number("initial_alpha", 2.0, (0.0, 1e6), "alpha_r of a new path, and its lower bound");
const DRAIN: Param = Param::word(
    "drain",
    "target",
    &["target", "always", "never"],
    "which rounds count for the smallest RTT - base: those with diff >= alpha_r, all, or none",
);
const FEW: Param = Param::number(
    "few",
    0.0,
    (0.0, 1e6),
    "a round with at most this many samples is not judged: the segments of its last acknowledgement grow the window as Reno's",
);

/// Which rounds count for the smallest queueing delay.
#[derive(Clone, Copy, PartialEq)]
enum Drain {
    Target,
    Always,
    Never,
}

#[derive(Clone)]
struct WVegas {
    total_alpha: Segments,
    initial_alpha: Segments,
    drain: Drain,
    few: f64,
    fresh: Row,
    rows: Vec<Row>,
}

#[derive(Clone, Copy)]
struct Row {
    start: SlowStart,
    state: Undoable<State>,
}

#[derive(Clone, Copy)]
struct State {
    rounds: Rounds,
    /// x, segments per second; 0 before the path has reached its α.
    rate: f64,
    weight: f64,
    alpha: Segments,
    diff: Segments,
    queueing: Seconds,
    /// The smallest queueing delay since the last backoff.
    smallest: Seconds,
}

impl WVegas {
    fn new(params: &Params) -> Self {
        let initial_alpha = params.number("initial_alpha");
        let state = State {
            rounds: Rounds::default(),
            rate: 0.0,
            weight: 1.0,
            alpha: initial_alpha,
            diff: f64::NAN,
            queueing: f64::NAN,
            smallest: Seconds::INFINITY,
        };
        WVegas {
            total_alpha: params.number("total_alpha"),
            initial_alpha,
            drain: match params.word("drain") {
                "target" => Drain::Target,
                "always" => Drain::Always,
                _ => Drain::Never,
            },
            few: params.number("few"),
            fresh: Row { start: SlowStart::new(params), state: Undoable::new(state) },
            rows: Vec::new(),
        }
    }

    /// The share of path `r`, which has reached its α.
    fn adjust_weight(&mut self, paths: &[Path], r: usize, rate: f64) {
        self.rows[r].state.rate = rate;
        let counted = self.rows.iter().zip(paths).filter(|(_, path)| path.counts);
        let total: f64 = counted.map(|(row, _)| row.state.rate).sum();
        let state = &mut self.rows[r].state;
        state.weight = rate / total;
        state.alpha = (state.weight * self.total_alpha).max(self.initial_alpha);
    }

    /// Congestion avoidance, at the end of a round.
    fn avoid(&mut self, paths: &mut [Path], r: usize, acked: Segments, round: Round) {
        let window = paths[r].cwnd;
        if self.rows[r].state.diff >= self.rows[r].state.alpha {
            self.adjust_weight(paths, r, window / round.rtt);
        }
        let (state, path) = (&mut self.rows[r].state, &mut paths[r]);
        if state.diff < state.alpha {
            path.cwnd += acked.min(1.0);
        } else if state.diff > state.alpha && round.clean {
            path.reduce_to(window - 1.0);
        }
        let counts = match self.drain {
            Drain::Target => state.diff >= state.alpha, // the renewed one
            Drain::Always => state.queueing > 0.0,
            Drain::Never => false,
        };
        if counts && round.clean {
            state.smallest = state.smallest.min(state.queueing);
            if state.queueing >= 2.0 * state.smallest {
                path.reduce_to(path.cwnd * round.base / (2.0 * round.rtt));
                state.smallest = Seconds::INFINITY;
            }
        }
    }
}

impl Algorithm for WVegas {
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
        let Row { start, state } = &mut self.rows[r];
        if paths[r].in_slow_start() {
            state.rate = 0.0;
        }
        let round = start.round(&mut state.rounds, &paths[r], ack);
        if let Some(round) = round {
            state.diff = round.diff(paths[r].cwnd);
            state.queueing = round.queueing();
            if f64::from(paths[r].round_samples) <= self.few {
                reno::grow(&mut paths[r], ack.acked);
                return;
            }
        }
        if !start.grow(&mut paths[r], ack, round)
            && let Some(round) = round
        {
            self.avoid(paths, r, ack.acked, round);
        }
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        let state = &mut self.rows[r].state;
        state.save();
        state.rounds.congestion();
        state.smallest = Seconds::INFINITY;
        if event.signal == Signal::Timeout {
            state.rate = 0.0;
        }
        paths[r].reduce_to(paths[r].cwnd / 2.0);
    }

    fn spurious(&mut self, _: &mut [Path], r: usize) {
        self.rows[r].state.undo();
    }

    fn observe(&self, _: &[Path], r: usize, out: &mut [f64]) {
        let State { weight, alpha, diff, queueing, .. } = *self.rows[r].state;
        fill(out, [weight, alpha, diff, queueing]);
    }
}
