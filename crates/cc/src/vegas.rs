//! TCP Vegas (Brakmo and Peterson, 1995).

use crate::entry::{Entry, Kind, Observable, Param, Params};
use crate::rounds::{self, Round, Rounds};
use crate::undo::Undoable;
use crate::{Ack, Congestion, Path, Segments, SinglePath, Uncoupled, fill, slow_start};
use alloc::boxed::Box;

/// How the registry presents Vegas.
pub(crate) static ENTRY: Entry = Entry {
    name: "vegas",
    title: "Vegas",
    kind: Kind::SinglePath,
    source: "L. S. Brakmo, L. L. Peterson: TCP Vegas: End to End Congestion Avoidance on a Global Internet, IEEE JSAC 13(8) (1995)",
    equations: &[
        DIFF,
        SLOW_START,
        "once per round after it: w += 1 where diff < alpha, w -= 1 where diff > beta",
        "on loss: w = keep w",
    ],
    interpretations: &[
        "The authors time one segment per round; the round's smallest sample stands for it, so that the sender's own bursts do not count (`rtt = \"mean\"` takes the mean).",
        HALF,
        "The transport decides on retransmissions, so Vegas' fine-grained one is absent; `keep` is the authors' smaller decrease at such a loss.",
        rounds::INTERPRETATION,
        rounds::BASE,
        rounds::LOSS,
    ],
    params: &[
        Param::number("alpha", 2.0, (0.0, 1e6), "alpha: the window grows while fewer segments are queued"),
        Param::number("beta", 4.0, (0.0, 1e6), "beta: the window shrinks while more segments are queued"),
        GAMMA,
        rtt("min"),
        Param::number("keep", 0.5, (0.1, 0.99), "the fraction of the window kept on loss"),
    ],
    observables: &[
        Observable::new("diff", "segments queued in the last judged round, by the delay"),
        Observable::new("base_rtt", "the smallest round-trip time, in seconds"),
    ],
    build: |params| {
        Box::new(Uncoupled::new(Vegas {
            alpha: params.number("alpha"),
            beta: params.number("beta"),
            keep: params.number("keep"),
            start: SlowStart::new(params),
            state: Undoable::new(State { rounds: Rounds::default(), diff: f64::NAN }),
        }))
    },
};

pub(crate) const DIFF: &str = "diff = w (RTT - base)/RTT";
pub(crate) const SLOW_START: &str = "slow start: w doubles every other round until diff > gamma, which sets w to w base/RTT + 1 where that is less";
pub(crate) const HALF: &str = "Slow start holds the window in every other round, as the authors do, and ends in a round of either kind. The window at its end is as in Linux (`tcp_vegas_cong_avoid`).";

/// γ.
pub(crate) const GAMMA: Param =
    Param::number("gamma", 1.0, (0.0, 1e6), "gamma: slow start ends when more segments are queued");

/// Which sample stands for a round.
pub(crate) const fn rtt(default: &'static str) -> Param {
    Param::word("rtt", default, &["mean", "min"], "which of a round's samples is its RTT")
}

/// Slow start as Vegas does it, and the choice of a round's RTT.
#[derive(Clone, Copy)]
pub(crate) struct SlowStart {
    gamma: Segments,
    smallest: bool,
    /// Whether the window is held in this round.
    hold: bool,
}

impl SlowStart {
    pub(crate) fn new(params: &Params) -> Self {
        SlowStart { gamma: params.number("gamma"), smallest: params.word("rtt") == "min", hold: false }
    }

    /// The round that the acknowledgement completed, by the chosen sample.
    #[inline]
    pub(crate) fn round(&self, rounds: &mut Rounds, path: &Path, ack: &Ack) -> Option<Round> {
        let round = rounds.complete(path, ack)?;
        Some(if self.smallest { round.by_smallest(path) } else { round })
    }

    /// Grows the window while the path is in slow start; false where it is not.
    #[inline]
    pub(crate) fn grow(&mut self, path: &mut Path, ack: &Ack, round: Option<Round>) -> bool {
        if !path.in_slow_start() {
            return false;
        }
        if let Some(round) = round {
            if round.clean && round.diff(path.cwnd) > self.gamma {
                let fitting = path.cwnd * round.base / round.rtt;
                path.reduce_to(path.cwnd.min(fitting + 1.0));
                return true;
            }
            self.hold = !self.hold;
        }
        if !self.hold {
            slow_start::grow(path, ack.acked);
        }
        true
    }
}

#[derive(Clone)]
struct Vegas {
    alpha: Segments,
    beta: Segments,
    keep: f64,
    start: SlowStart,
    state: Undoable<State>,
}

#[derive(Clone, Copy)]
struct State {
    rounds: Rounds,
    diff: Segments,
}

impl SinglePath for Vegas {
    fn acked(&mut self, path: &mut Path, ack: &Ack) {
        let round = self.start.round(&mut self.state.rounds, path, ack);
        if let Some(round) = round {
            self.state.diff = round.diff(path.cwnd);
        }
        if self.start.grow(path, ack, round) {
            return;
        }
        let Some(round) = round else { return };
        if self.state.diff < self.alpha {
            path.cwnd += ack.acked.min(1.0);
        } else if self.state.diff > self.beta && round.clean {
            path.reduce_to(path.cwnd - 1.0);
        }
    }

    fn congestion(&mut self, path: &mut Path, _: &Congestion) {
        self.state.save();
        self.state.rounds.congestion();
        path.reduce_to(self.keep * path.cwnd);
    }

    fn spurious(&mut self, _: &mut Path) {
        self.state.undo();
    }

    fn observe(&self, path: &Path, out: &mut [f64]) {
        let base = if path.min_rtt.is_finite() { path.min_rtt } else { f64::NAN };
        fill(out, [self.state.diff, base]);
    }
}
