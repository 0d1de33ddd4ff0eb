//! Linked CUBIC: coupling by response functions. LIA's rule for Reno flows, applied to CUBIC flows.
//!
//! LIA (RFC 6356) makes Σ w/T the best single-path Reno rate, and divides it by w ∝ W_Reno(p)². The same can
//! be asked of CUBIC. Let U be the mean window that a single CUBIC flow would have at a path's loss rate, and V
//! the one that a Reno flow would have there. Each path is to have the share s of U, with
//!
//! - s = η V, so that w = η V U: on paths where CUBIC is Reno, w ∝ W_Reno²;
//! - Σ w/T = max U/T: together as fast as a single CUBIC flow on the best path.
//!
//! No loss rate is measured: U and η follow from the mean windows m. Let Y = Σ m/T. The best path b has
//! U_b = T_b Y, hence η = m_b/(T_b Y V(T_b Y)); on any other path U < T Y and m/(T Y V(T Y)) < η, so the best is
//! where this is largest. With η, m = η V(U) U gives each U, and s = m/U.
//!
//! A CUBIC flow's mean window goes with C^¼, and a Reno flow's with the root of its increase: a path runs
//! RFC 9438 with C s⁴ and its Reno-friendly increase times s².

use crate::aimd::{self, rtt};
use crate::cubic_window::CubicWindow;
use crate::entry::{Entry, Kind, Observable, Param, Params};
use crate::hystart::HyStart;
use crate::undo::Undoable;
use crate::{
    Ack, Algorithm, Congestion, Path, Seconds, Segments, Signal, cubic, fill, math, renew, response,
};
use alloc::{boxed::Box, vec::Vec};

/// How the registry presents Linked CUBIC.
pub(crate) static ENTRY: Entry = Entry {
    name: "linked-cubic",
    title: "Linked CUBIC",
    kind: Kind::Coupled,
    source: "this project: RFC 6356's coupling by RFC 9438's response function",
    equations: &[
        "U: mean window of a single CUBIC flow at the path's loss rate;  V(U): a Reno flow's at the same",
        "V(U) = U where U <= wbar(T), else sqrt(1.5/T) (U/K)^(2/3);  wbar(T) = sqrt(3.375/K^4) T^(-3/2)",
        "K = (C (3 + beta)/(4 (1 - beta)))^(1/4)",
        "m: mean of w over time, in which what was before a congestion weighs `memory` times as much",
        "Y = sum m/T;  eta = max m/(T Y V(T Y));  m = eta V(U) U gives U;  s = min(1, m/U)",
        "per acknowledged segment: as CUBIC with C s^4, and its Reno-friendly increase times s^2",
        "on loss: as CUBIC",
    ],
    interpretations: &[
        "s is computed for every acknowledgement, with the smoothed round-trip times as they are.",
        "Means cover congestion avoidance. In slow start, and until time has passed in congestion avoidance, m is w; a timeout and a restart after idleness, with which slow start begins again, forget the mean.",
        "When s changes, the cubic function continues from its current value: its distance in time from the plateau is scaled by s^(-4/3).",
        aimd::COUNTED,
        "A path without a round-trip time does not count; it grows as CUBIC. Each path has its own slow start, during which it counts.",
        "One path alone has s = 1 and is CUBIC.",
    ],
    params: &[cubic::C, cubic::BETA, cubic::FAST_CONVERGENCE, cubic::HYSTART, MEMORY],
    observables: &[
        Observable::new("share", "s: the path's target window, as a fraction of a single CUBIC flow's"),
        Observable::new(
            "single",
            "U: the mean window of a single CUBIC flow under the path's losses, in segments",
        ),
        Observable::new("eta", "the strength of the coupling: s = eta V"),
        Observable::new("mean", "m: the window's mean, in segments"),
    ],
    build: |params| Box::new(LinkedCubic::new(params)),
};

const MEMORY: Param = Param::number(
    "memory",
    0.5,
    (0.0, 0.99),
    "the factor by which a congestion event reduces the weight of earlier time in a mean window",
);

#[derive(Clone)]
struct LinkedCubic {
    response: response::Cubic,
    memory: f64,
    fresh: Row,
    rows: Vec<Row>,
}

#[derive(Clone)]
struct Row {
    slow_start: HyStart,
    state: Undoable<State>,
}

/// The state that congestion changes and an undo restores.
#[derive(Clone, Copy)]
struct State {
    window: CubicWindow,
    mean: Mean,
}

/// A window's mean over time.
#[derive(Clone, Copy, Default)]
struct Mean {
    /// The window's integral over the time that counts, in segments seconds, and that time.
    integral: f64,
    time: Seconds,
    /// Until when that is.
    until: Option<Seconds>,
}

impl Mean {
    /// m; the window itself where it was not averaged yet.
    fn of(&self, cwnd: Segments) -> Segments {
        if self.time > 0.0 { self.integral / self.time } else { cwnd }
    }

    /// The window was `cwnd` until now.
    fn extend(&mut self, cwnd: Segments, now: Seconds) {
        let passed = self.until.map_or(0.0, |until| now - until);
        self.integral += cwnd * passed;
        self.time += passed;
        self.until = Some(now);
    }

    fn fade(&mut self, memory: f64) {
        self.integral *= memory;
        self.time *= memory;
    }
}

/// The link of a path to the others.
#[derive(Clone, Copy)]
struct Link {
    eta: f64,
    /// U.
    single: Segments,
    /// s.
    share: f64,
}

impl LinkedCubic {
    fn new(params: &Params) -> Self {
        LinkedCubic {
            response: response::Cubic::new(params.number("c"), params.number("beta")),
            memory: params.number("memory"),
            fresh: Row {
                slow_start: HyStart::new(params.flag("hystart")),
                state: Undoable::new(State { window: CubicWindow::new(params), mean: Mean::default() }),
            },
            rows: Vec::new(),
        }
    }

    /// m and T of the paths that count.
    fn means(&self, paths: &[Path]) -> impl Iterator<Item = (Segments, Seconds)> {
        paths
            .iter()
            .zip(&self.rows)
            .filter_map(|(path, row)| Some((row.state.mean.of(path.cwnd), rtt(path)?)))
    }

    /// The link of path `r` to the others; `None` if the path does not count.
    fn link(&self, paths: &[Path], r: usize) -> Option<Link> {
        let rtt = rtt(&paths[r])?;
        let mean = self.rows[r].state.mean.of(paths[r].cwnd);
        let total: f64 = self.means(paths).map(|(m, rtt)| m / rtt).sum();
        let of_a_path = |(m, rtt): (Segments, Seconds)| {
            let single = rtt * total;
            m / (single * self.response.reno_beside(single, rtt))
        };
        let eta = self.means(paths).map(of_a_path).fold(0.0, f64::max);
        let alone = self.means(paths).nth(1).is_none(); // CUBIC, to the last bit
        let single = if alone { mean } else { self.single(mean / eta, rtt).max(mean) };
        Some(Link { eta, single, share: mean / single })
    }

    /// The U with V(U) U = `product`.
    fn single(&self, product: f64, rtt: Seconds) -> Segments {
        let reno = math::sqrt(product);
        if self.response.beyond_crossing(reno, rtt) <= 1.0 {
            return reno;
        }
        // V(1) U^(5/3) = product
        math::pow(product / self.response.virtual_reno(1.0, rtt), 0.6)
    }
}

impl Algorithm for LinkedCubic {
    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(self.clone()))
    }

    fn path_added(&mut self, _: &mut [Path], r: usize) {
        renew(&mut self.rows, r, &self.fresh);
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        if paths[r].in_slow_start() {
            self.rows[r].state.mean = Mean::default();
        }
        let acked = self.rows[r].slow_start.grow(&mut paths[r], ack);
        if acked > 0.0 {
            let Path { cwnd, srtt, .. } = paths[r];
            self.rows[r].state.mean.extend(cwnd, ack.now);
            let share = self.link(paths, r).map_or(1.0, |link| link.share);
            paths[r].cwnd = self.rows[r].state.window.grow_for(share, cwnd, acked, ack.now, srtt);
        }
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        let state = &mut self.rows[r].state;
        state.save();
        let timeout = event.signal == Signal::Timeout;
        if timeout {
            state.mean = Mean::default()
        } else {
            state.mean.fade(self.memory)
        }
        let path = &mut paths[r];
        path.reduce_to(state.window.reduce(path.cwnd, timeout));
    }

    fn spurious(&mut self, _: &mut [Path], r: usize) {
        self.rows[r].state.undo();
    }

    fn app_limited(&mut self, _: &mut [Path], r: usize, now: Seconds) {
        let State { window, mean } = &mut *self.rows[r].state;
        window.pause(now);
        mean.until = Some(now);
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        if let Some(Link { eta, single, share }) = self.link(paths, r) {
            let mean = self.rows[r].state.mean.of(paths[r].cwnd);
            fill(out, [share, single, eta, mean]);
        }
    }
}
