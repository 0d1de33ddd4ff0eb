//! LIA, the linked increases algorithm: RFC 6356.

use crate::aimd::{self, Aimd, Windows, established};
use crate::entry::{Entry, Kind, Observable, Param, Params, Value};
use crate::linked::Linked;
use crate::{Path, Segments, fill, v0};
use alloc::boxed::Box;

/// How the registry presents LIA.
pub(crate) static ENTRY: Entry = Entry {
    name: "lia",
    title: "LIA, linked increases",
    kind: Kind::Coupled,
    source: "RFC 6356",
    equations: &[INCREASE[0], INCREASE[1], "on loss: w = w/2"],
    interpretations: &[
        "alpha is computed for every acknowledgement, not once per round trip.",
        "Each path has its own slow start, and paths in slow start count in alpha.",
        aimd::COUNTED,
        "Paths without a round-trip time do not count.",
        aimd::BYTES,
    ],
    params: &[aimd::COUNT, aimd::FLOOR, aimd::HYSTART, SCALE],
    observables: &[ALPHA],
    build: |params| Box::new(Windows::new(Lia::new(params), params)),
};

/// LIA as out-of-tree MPTCP computes it.
pub(crate) static V0: Entry = Entry {
    name: "lia@v0",
    title: "LIA, as in out-of-tree MPTCP",
    interpretations: &[v0::INTERPRETATION, v0::LIA],
    params: &[v0::COUNT, aimd::FLOOR, aimd::HYSTART, Param { default: Value::Number(4096.0), ..SCALE }],
    ..ENTRY
};

/// The kernel's fixed point.
pub(crate) const SCALE: Param = Param::number(
    "scale",
    0.0,
    (0.0, 4294967296.0),
    "alpha/sum w is truncated to multiples of 1/scale, at least one, and its inverse to an integer; 0: exact",
);

pub(crate) const INCREASE: [&str; 2] =
    ["alpha = sum w * max(w/T^2) / (sum w/T)^2", "per acknowledged segment: w += min(alpha/sum w, 1/w)"];

/// α.
pub(crate) const ALPHA: Observable = Observable::new("alpha", "the aggressiveness of the whole connection");

/// LIA's increase and Reno's decrease.
#[derive(Clone)]
pub(crate) struct Lia {
    /// 0 where numbers are real.
    scale: f64,
}

impl Lia {
    pub(crate) fn new(params: &Params) -> Self {
        Lia { scale: params.number("scale") }
    }
}

fn linked(paths: &[Path]) -> Linked {
    Linked::over(established(paths).map(|(p, rtt)| (p.cwnd, rtt)))
}

impl Aimd for Lia {
    fn increase(&self, paths: &[Path], r: usize) -> Segments {
        let (linked, w) = (linked(paths), paths[r].cwnd);
        // One path alone needs no α in the kernel.
        if self.scale > 0.0 && established(paths).nth(1).is_some() {
            linked.increase_in_integers(w, self.scale)
        } else {
            linked.increase(w) // RFC 6356 §3
        }
    }

    fn observe(&self, paths: &[Path], _: usize, out: &mut [f64]) {
        fill(out, [linked(paths).alpha()]);
    }
}
