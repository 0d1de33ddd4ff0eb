//! Linked CUBIC: coupling by response functions. What LIA does with Reno flows, done with CUBIC flows.
//!
//! LIA (RFC 6356) makes Σ w/T the best single-path Reno rate, and divides it by w ∝ W_Reno(p)². The same can
//! be asked of CUBIC. Let U be the window that a single CUBIC flow would have at a path's loss rate, and V
//! the window that a Reno flow would have there. Each path is to have the share s of U, with
//!
//! - s = η V, so that w = η V U: on paths where CUBIC is Reno, w ∝ W_Reno²;
//! - Σ w/T = max U/T: together as fast as a single CUBIC flow on the best path.
//!
//! No loss rate is measured: U and η follow from the windows. Let Y = Σ w/T. The best path b has U_b = T_b Y,
//! hence η = w_b/(T_b Y V(T_b Y)); on any other path U < T Y and w/(T Y V(T Y)) < η, so the best is where
//! this is largest. With η, w = η V(U) U gives each U, and s = w/U.
//!
//! A CUBIC flow's mean window goes with C^¼, and a Reno flow's with the root of its increase: a path runs
//! RFC 9438 with C s⁴ and its Reno-friendly increase times s².

use crate::aimd::{established, rtt};
use crate::cubic_window::CubicWindow;
use crate::hystart::HyStart;
use crate::registry::{Entry, Kind, Observable, Params};
use crate::{Ack, Algorithm, Congestion, Path, Seconds, Segments, Signal};
use crate::{cubic, math, response};
use alloc::{boxed::Box, vec::Vec};

/// How the registry presents Linked CUBIC.
pub(crate) static ENTRY: Entry = Entry {
    name: "linked-cubic",
    title: "Linked CUBIC",
    kind: Kind::Coupled,
    source: "this project: RFC 6356's coupling by RFC 9438's response function",
    equations: &[
        "U: window of a single CUBIC flow at the path's loss rate;  V(U): a Reno flow's at the same",
        "V(U) = U where U <= wbar(T), else sqrt(1.5/T) (U/K)^(2/3);  wbar(T) = sqrt(3.375/K^4) T^(-3/2)",
        "K = (C (3 + beta)/(4 (1 - beta)))^(1/4)",
        "Y = sum w/T;  eta = max w/(T Y V(T Y));  w = eta V(U) U gives U;  s = min(1, w/U)",
        "per acknowledged segment: as CUBIC with C s^4, and its Reno-friendly increase times s^2",
        "on loss: as CUBIC",
    ],
    readings: &[
        "s is computed for every acknowledgement, from the windows and smoothed round-trip times as they are.",
        "When s changes, the cubic function goes on from where it is: its distance from the plateau in time is stretched by s^(-4/3).",
        "Paths that are removed or have no round-trip time yet do not count; one without grows as CUBIC. Paths in slow start, each its own, count.",
        "One path alone has s = 1 and is CUBIC.",
    ],
    params: cubic::PARAMS,
    observables: &[
        Observable {
            name: "share",
            meaning: "s: the part of a single CUBIC flow's window that the path aims at",
        },
        Observable {
            name: "single",
            meaning: "U: the window of a single CUBIC flow under the path's losses, in segments",
        },
        Observable { name: "eta", meaning: "how strongly the paths are linked: s = eta V" },
    ],
    build: |params| Box::new(LinkedCubic::new(params)),
};

struct LinkedCubic {
    response: response::Cubic,
    fresh: Row,
    rows: Vec<Row>,
}

#[derive(Clone)]
struct Row {
    slow_start: HyStart,
    window: CubicWindow,
    /// The window's state before the last congestion.
    before: Option<CubicWindow>,
}

/// What links a path to the others.
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
            fresh: Row {
                slow_start: HyStart::new(params.flag("hystart")),
                window: CubicWindow::new(params),
                before: None,
            },
            rows: Vec::new(),
        }
    }

    /// How path `r` is linked; none where it does not count.
    fn link(&self, paths: &[Path], r: usize) -> Option<Link> {
        let rtt = rtt(&paths[r])?;
        let w = paths[r].cwnd;
        let total: f64 = established(paths).map(|(p, rtt)| p.cwnd / rtt).sum();
        let of_a_path = |(p, rtt): (&Path, Seconds)| {
            let single = rtt * total;
            p.cwnd / (single * self.response.reno_beside(single, rtt))
        };
        let eta = established(paths).map(of_a_path).fold(0.0, f64::max);
        let alone = established(paths).nth(1).is_none(); // CUBIC, to the last bit
        let single = if alone { w } else { self.single(w / eta, rtt).max(w) };
        Some(Link { eta, single, share: w / single })
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
    fn path_added(&mut self, _: &mut [Path], r: usize) {
        if r == self.rows.len() {
            self.rows.push(self.fresh.clone());
        }
        self.rows[r] = self.fresh.clone();
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        let acked = self.rows[r].slow_start.grow(&mut paths[r], ack);
        if acked > 0.0 {
            let share = self.link(paths, r).map_or(1.0, |link| link.share);
            let Path { cwnd, srtt, .. } = paths[r];
            paths[r].cwnd = self.rows[r].window.grow_for(share, cwnd, acked, ack.now, srtt);
        }
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        let row = &mut self.rows[r];
        row.before = Some(row.window);
        let path = &mut paths[r];
        path.reduce_to(row.window.reduce(path.cwnd, event.signal == Signal::Timeout));
    }

    fn spurious(&mut self, _: &mut [Path], r: usize) {
        let row = &mut self.rows[r];
        row.window = row.before.take().unwrap_or(row.window);
    }

    fn app_limited(&mut self, _: &mut [Path], r: usize, now: Seconds) {
        self.rows[r].window.pause(now);
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        if let Some(Link { eta, single, share }) = self.link(paths, r) {
            for (slot, value) in out.iter_mut().zip([share, single, eta]) {
                *slot = value;
            }
        }
    }
}
