//! BALIA, balanced linked adaptation (Peng, Walid, Hwang, Low, 2016).

use crate::aimd::{self, Aimd, Windows, established};
use crate::entry::{Entry, Kind, Observable, Param, Params, Value};
use crate::{Path, Segments, fill, math, v0};
use alloc::boxed::Box;

/// How the registry presents BALIA.
pub(crate) static ENTRY: Entry = Entry {
    name: "balia",
    title: "BALIA, balanced linked adaptation",
    kind: Kind::Coupled,
    source: "Q. Peng, A. Walid, J. Hwang, S. H. Low: Multipath TCP: Analysis, Design, and Implementation (2016); draft-walid-mptcp-congestion-control",
    equations: &[INCREASE[0], INCREASE[1], "on loss: w -= w/2 * min(alpha, 3/2)"],
    interpretations: &[
        "Rates use the smoothed round-trip time, and alpha is a real number, computed for every acknowledgement.",
        aimd::COUNTED,
        aimd::UNMEASURED,
        aimd::LOSS,
        aimd::BYTES,
    ],
    params: &[aimd::COUNT, aimd::FLOOR, aimd::HYSTART, QUOTIENT],
    observables: &[ALPHA],
    build: |params| Box::new(Windows::new(Balia::new(params), params)),
};

/// BALIA as out-of-tree MPTCP computes it.
pub(crate) static V0: Entry = Entry {
    name: "balia@v0",
    title: "BALIA, as in out-of-tree MPTCP",
    interpretations: &[v0::INTERPRETATION, v0::BALIA],
    params: &[v0::COUNT, v0::FLOOR, aimd::HYSTART, V0_QUOTIENT],
    ..ENTRY
};

/// How the decrease has α.
pub(crate) const QUOTIENT: Param = Param::word(
    "quotient",
    "real",
    &["real", "integer"],
    "alpha in the decrease: exact, or truncated to an integer",
);

/// Out-of-tree MPTCP's choice of it.
pub(crate) const V0_QUOTIENT: Param = Param { default: Value::Word("integer"), ..QUOTIENT };

pub(crate) const INCREASE: [&str; 2] = [
    "x = w/T;  alpha = max x / x",
    "per acknowledged segment: w += x/(T (sum x)^2) * (1 + alpha)/2 * (4 + alpha)/5",
];

pub(crate) const ALPHA: Observable = Observable::new("alpha", "the largest rate of a path over this path's");

/// BALIA's increase and decrease.
#[derive(Clone)]
pub(crate) struct Balia {
    integer: bool,
}

impl Balia {
    pub(crate) fn new(params: &Params) -> Self {
        Balia { integer: params.word("quotient") == "integer" }
    }
}

/// Σx, and α of path `r` if it counts.
#[inline]
fn rate_and_alpha(paths: &[Path], r: usize) -> (f64, Option<f64>) {
    let (sum, max) = established(paths).fold((0.0, 0.0_f64), |(sum, max), (path, rtt)| {
        let x = path.cwnd / rtt;
        (sum + x, max.max(x))
    });
    (sum, aimd::rtt(&paths[r]).map(|rtt| max * rtt / paths[r].cwnd))
}

impl Aimd for Balia {
    fn increase(&self, paths: &[Path], r: usize) -> Segments {
        let Path { cwnd, srtt, .. } = paths[r];
        match rate_and_alpha(paths, r) {
            (rate, Some(alpha)) => {
                cwnd / (srtt * srtt * rate * rate) * (1.0 + alpha) / 2.0 * (4.0 + alpha) / 5.0
            }
            (_, None) => 1.0 / cwnd,
        }
    }

    fn decrease(&self, paths: &[Path], r: usize) -> f64 {
        let alpha = rate_and_alpha(paths, r).1.unwrap_or(1.0);
        // No path is faster than the fastest; rounding may leave the fastest's α below 1, of which nothing would be left.
        (if self.integer { math::trunc(alpha.max(1.0)) } else { alpha }).min(1.5)
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        fill(out, [rate_and_alpha(paths, r).1.unwrap_or(f64::NAN)]);
    }
}
