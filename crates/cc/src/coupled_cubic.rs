//! Coupled CUBIC (Lee, Kim, Kwon, Han, 2022): LIA on paths with a small bandwidth-delay product and
//! a CUBIC window, scaled by √α₁, on paths with a large one.

use crate::aimd::{self, Count};
use crate::cubic_window::CubicWindow;
use crate::entry::{Entry, Kind, Observable, Param, Params};
use crate::hystart::HyStart;
use crate::linked::Linked;
use crate::undo::Undoable;
use crate::{
    Ack, Algorithm, Congestion, MAX_CWND, MIN_SSTHRESH, Path, Seconds, Segments, Signal, fill, renew,
};
use crate::{cubic, math, response, v0};
use alloc::{boxed::Box, vec::Vec};

/// How the registry presents Coupled CUBIC.
pub(crate) static ENTRY: Entry = Entry {
    name: "coupled-cubic",
    title: "Coupled CUBIC",
    kind: Kind::Coupled,
    source: "J. Y. Lee, B. C. Kim, Y. Kwon, K. Han: Coupled CUBIC Congestion Control for MPTCP in Broadband Networks (2022)",
    equations: &[
        LARGE,
        VIRTUAL,
        ALPHA1,
        "L = V sqrt(alpha1) on large paths, w on small;  alpha2 = sum L * max(L/T^2) / (sum L/T)^2",
        "small path, per acknowledged segment: w += min(alpha2/sum L, 1/w);  on loss: w = w/2",
        LARGE_WINDOW,
    ],
    interpretations: &[
        "The paper says \"if the BDP is large\": a path is large where CUBIC leaves its Reno-friendly region, w > wbar(base RTT), and stays so down to half of that.",
        "V uses the smoothed round-trip time, wbar the smallest one.",
        "The printed beta is 0.7 where Eq. 4, 6, 7 and 9 need the decrease 0.3; beta here is the fraction kept.",
        "alpha1 is capped at 1 in Eq. 11, because unequal round-trip times can make it larger and the window would exceed CUBIC's (`cap`).",
        "Slow start is each path's own and not coupled: on a large path W_cubic is then the window for which Eq. 11 gives w, so that w does not jump when slow start ends.",
        "When a path becomes large in congestion avoidance, W_cubic is the window for which Eq. 11 gives w and starts on its plateau (RFC 9438 §4.10).",
        "When a path becomes small, w stays and W_cubic is discarded.",
        "W_cubic grows as if its own segments were acknowledged: W_cubic/w for every one of the path.",
        "The window follows Eq. 11 upwards by at most half a segment per acknowledged segment (RFC 9438's bound on the target), so that a change of alpha1 sends no burst; downwards at once.",
        "Eq. 11 does not say when alpha1 is renewed: with each acknowledgement, so that a loss on one path raises the others within a round trip, or when the path's own congestion has been answered, where its epoch begins (`factor = \"epoch\"`).",
        "Congestion multiplies w itself by beta (by 1/2 on a small path), and that is the threshold; a later fall of w takes the threshold along, so that alpha1 never causes a slow start.",
        "After a timeout a path is small until slow start has made it large again; W_cubic then follows RFC 9438 §4.8.",
        aimd::COUNTED,
        "One path alone is Reno while small and CUBIC while large.",
    ],
    params: &params(COUNT),
    observables: &[
        Observable::new("w_cubic", "the uncoupled CUBIC window of a large path, in segments"),
        Observable::new("virtual_reno", "V, Reno's window under the same loss, in segments"),
        Observable::new("virtual_lia", "L = V sqrt(alpha1), LIA's window under the same loss, in segments"),
        Observable::new("alpha1", "LIA's alpha over the V of all paths"),
        Observable::new("alpha2", "LIA's alpha over the L of all paths"),
        Observable::new("large", "1 on a large path, 0 on a small one"),
    ],
    build: |params| Box::new(CoupledCubic::new(params, Small::Alpha2)),
};

/// The variant that the paper calls CCUBIC(α₁).
pub(crate) static ENTRY_A1: Entry = Entry {
    name: "coupled-cubic-a1",
    title: "Coupled CUBIC, first factor only",
    equations: &[
        LARGE,
        VIRTUAL,
        ALPHA1,
        "small path, per acknowledged segment: w += min(alpha1/sum V, 1/w);  on loss: w = w/2",
        LARGE_WINDOW,
    ],
    build: |params| Box::new(CoupledCubic::new(params, Small::Alpha1)),
    ..ENTRY
};

/// Coupled CUBIC on out-of-tree MPTCP, whose LIA its authors changed.
pub(crate) static V0: Entry = Entry {
    name: "coupled-cubic@v0",
    title: "Coupled CUBIC, as in out-of-tree MPTCP",
    interpretations: &[v0::INTERPRETATION, v0::COUPLED_CUBIC],
    params: &params(Param { default: v0::COUNT.default, ..COUNT }),
    ..ENTRY
};

/// Coupled CUBIC with the first factor only, as in out-of-tree MPTCP.
pub(crate) static V0_A1: Entry = Entry {
    name: "coupled-cubic-a1@v0",
    title: "Coupled CUBIC, first factor only, as in out-of-tree MPTCP",
    interpretations: &[v0::INTERPRETATION, v0::COUPLED_CUBIC],
    params: &params(Param { default: v0::COUNT.default, ..COUNT }),
    ..ENTRY_A1
};

const LARGE: &str = "large path: w > threshold * wbar(base RTT), until w < hysteresis * that;  wbar(T) = 1.654 T^(-3/2) (Eq. 6, 7)";
const VIRTUAL: &str = "V = sqrt(1.5/p) with p = T (K/W_cubic)^(4/3), K = (C (3 + beta)/(4 (1 - beta)))^(1/4), on large paths, w on small (Eq. 8-10)";
const ALPHA1: &str = "alpha1 = sum V * max(V/T^2) / (sum V/T)^2 (Eq. 1)";
const LARGE_WINDOW: &str = "large path: w = sqrt(min(alpha1, 1)) W_cubic (Eq. 11), where W_cubic is a CUBIC window of RFC 9438;  on loss: W_cubic = beta W_cubic, w = beta w";

/// The parameters; `count` as out-of-tree MPTCP has it, or not.
const fn params(count: Param) -> [Param; 9] {
    let [c, beta, fast_convergence, hystart] = cubic::PARAMS;
    [c, beta, fast_convergence, hystart, CAP, FACTOR, THRESHOLD, HYSTERESIS, count]
}

const CAP: Param = Param::flag("cap", true, "use min(alpha1, 1) in Eq. 11, so that no path exceeds CUBIC");
const FACTOR: Param = Param::word(
    "factor",
    "ack",
    &["ack", "epoch"],
    "when alpha1 of Eq. 11 is renewed: with each acknowledgement, or with the path's own congestion",
);
const THRESHOLD: Param = Param::number(
    "threshold",
    1.0,
    (0.0, 1e6),
    "the window at which a path becomes large, as a multiple of wbar",
);
const HYSTERESIS: Param = Param::number(
    "hysteresis",
    0.5,
    (0.0, 1.0),
    "the fraction of that window at which a path becomes small again",
);
const COUNT: Param = Param {
    meaning: "the unit of counting in congestion avoidance on small paths: each acknowledged segment, or each acknowledgement as one segment",
    ..aimd::COUNT
};

/// Which factor links the small paths.
#[derive(Clone, Copy, PartialEq)]
enum Small {
    Alpha1,
    Alpha2,
}

#[derive(Clone)]
struct CoupledCubic {
    small: Small,
    response: response::Cubic,
    /// The fraction of its window that a large path keeps on congestion.
    beta: f64,
    cap: bool,
    /// Whether α₁ of Eq. 11 stays from one congestion of the path to the next.
    frozen: bool,
    /// On small paths.
    count: Count,
    /// (w/w̄)² above which a path becomes large, and below which it becomes small.
    enter: f64,
    leave: f64,
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
    large: bool,
    /// `W_cubic`, the uncoupled window. Only a large path has one.
    uncoupled: Segments,
    /// V of a large path.
    virtual_reno: Segments,
    /// The factor of Eq. 11 when the path's epoch began. Only a large path has one.
    share: f64,
    cubic: CubicWindow,
}

impl CoupledCubic {
    fn new(params: &Params, small: Small) -> Self {
        let beta = params.number("beta");
        let enter = params.number("threshold");
        let leave = enter * params.number("hysteresis");
        let state = State {
            large: false,
            uncoupled: 0.0,
            virtual_reno: 0.0,
            share: 1.0,
            cubic: CubicWindow::new(params),
        };
        CoupledCubic {
            small,
            response: response::Cubic::new(params.number("c"), beta),
            beta,
            cap: params.flag("cap"),
            frozen: params.word("factor") == "epoch",
            count: Count::new(params),
            enter: enter * enter,
            leave: leave * leave,
            fresh: Row { slow_start: HyStart::new(params.flag("hystart")), state: Undoable::new(state) },
            rows: Vec::new(),
        }
    }

    /// V, round-trip time and size of the paths that count.
    fn virtual_windows(&self, paths: &[Path]) -> impl Iterator<Item = (Segments, Seconds, bool)> {
        paths.iter().zip(&self.rows).filter_map(|(p, row)| {
            let v = if row.state.large { row.state.virtual_reno } else { p.cwnd };
            Some((v, aimd::rtt(p)?, row.state.large))
        })
    }

    /// The paths linked by their V, for α₁.
    fn first(&self, paths: &[Path]) -> Linked {
        Linked::over(self.virtual_windows(paths).map(|(v, rtt, _)| (v, rtt)))
    }

    /// The paths linked by their L, for α₂.
    fn second(&self, paths: &[Path]) -> Linked {
        let scale = math::sqrt(self.first(paths).alpha());
        Linked::over(
            self.virtual_windows(paths).map(|(v, rtt, large)| (if large { v * scale } else { v }, rtt)),
        )
    }

    /// The factor of Eq. 11.
    fn share(&self, paths: &[Path]) -> f64 {
        let alpha = self.first(paths).alpha();
        math::sqrt(if self.cap { alpha.min(1.0) } else { alpha })
    }

    /// Compares the window with w̄; true where the path changed.
    fn resize(&mut self, path: &Path, r: usize) -> bool {
        let large = self.rows[r].state.large;
        let known = path.min_rtt.is_finite() && path.srtt > 0.0;
        let distance = if known { self.response.beyond_crossing(path.cwnd, path.min_rtt) } else { 0.0 };
        let now = if large { distance >= self.leave } else { distance > self.enter };
        self.rows[r].state.large = now;
        now != large
    }

    /// Makes `W_cubic` the window for which Eq. 11 gives the path's present one. α₁ depends on it
    /// through V; the iteration converges because the result changes with at most the power ⅔ of
    /// the guess.
    fn follow(&mut self, paths: &[Path], r: usize) {
        let Path { cwnd, srtt, .. } = paths[r];
        let mut guess = cwnd;
        for _ in 0..100 {
            self.set_uncoupled(r, guess, srtt);
            let next = (cwnd / self.share(paths)).min(MAX_CWND);
            if (next - guess).abs() <= 1e-12 * guess {
                break;
            }
            guess = next;
        }
        self.rows[r].state.share = self.share(paths);
    }

    fn set_uncoupled(&mut self, r: usize, window: Segments, rtt: Seconds) {
        self.rows[r].state.uncoupled = window;
        self.rows[r].state.virtual_reno = self.response.virtual_reno(window, rtt);
    }

    /// Eq. 11.
    fn grow_large(&mut self, paths: &mut [Path], r: usize, acked: Segments, now: Seconds) {
        let Path { cwnd, srtt, .. } = paths[r];
        let State { uncoupled, cubic, .. } = &mut *self.rows[r].state;
        let window = cubic.grow(*uncoupled, acked * *uncoupled / cwnd, now, srtt);
        self.set_uncoupled(r, window.min(MAX_CWND), srtt);
        let State { uncoupled, share, .. } = *self.rows[r].state;
        let coupled = uncoupled * if self.frozen { share } else { self.share(paths) };
        let path = &mut paths[r];
        path.cwnd = coupled.min(cwnd + acked / 2.0);
        path.ssthresh = path.ssthresh.min(path.cwnd).max(MIN_SSTHRESH);
    }

    /// Eq. 2.
    fn grow_small(&mut self, paths: &mut [Path], r: usize, acked: Segments) {
        let linked = match self.small {
            Small::Alpha1 => self.first(paths),
            Small::Alpha2 => self.second(paths),
        };
        paths[r].cwnd += self.count.of(acked) * linked.increase(paths[r].cwnd);
    }
}

impl Algorithm for CoupledCubic {
    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(self.clone()))
    }

    fn path_added(&mut self, _: &mut [Path], r: usize) {
        renew(&mut self.rows, r, &self.fresh);
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        let slow_start = paths[r].in_slow_start();
        let acked = self.rows[r].slow_start.grow(&mut paths[r], ack);
        let changed = self.resize(&paths[r], r);
        if changed && !slow_start {
            self.rows[r].state.cubic.restart();
        }
        let large = self.rows[r].state.large;
        if large && (changed || slow_start) {
            self.follow(paths, r);
        }
        if acked > 0.0 {
            if large { self.grow_large(paths, r, acked, ack.now) } else { self.grow_small(paths, r, acked) }
        }
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        let timeout = event.signal == Signal::Timeout;
        if self.rows[r].state.large && paths[r].in_slow_start() {
            self.follow(paths, r);
        }
        let Path { cwnd, srtt, .. } = paths[r];
        let state = &mut self.rows[r].state;
        state.save();
        let State { large, uncoupled, cubic, .. } = &mut **state;
        let (window, kept) = if *large { (*uncoupled, self.beta) } else { (cwnd, 0.5) };
        let window = cubic.reduce(window, timeout).max(MIN_SSTHRESH);
        *large &= !timeout;
        self.set_uncoupled(r, window, srtt);
        paths[r].reduce_to(kept * cwnd);
        self.rows[r].state.share = self.share(paths);
    }

    fn spurious(&mut self, _: &mut [Path], r: usize) {
        self.rows[r].state.undo();
    }

    fn app_limited(&mut self, _: &mut [Path], r: usize, now: Seconds) {
        self.rows[r].state.cubic.pause(now);
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        let State { large, uncoupled, virtual_reno, .. } = *self.rows[r].state;
        let alpha1 = self.first(paths).alpha();
        let alpha2 = self.second(paths).alpha();
        let values = match large {
            true => [uncoupled, virtual_reno, virtual_reno * math::sqrt(alpha1), alpha1, alpha2, 1.0],
            false => [f64::NAN, paths[r].cwnd, paths[r].cwnd, alpha1, alpha2, 0.0],
        };
        fill(out, values);
    }
}
