//! LIA, the linked increases algorithm: RFC 6356.

use crate::Path;
use crate::aimd::{Aimd, established};
use crate::linked::Linked;
use crate::registry::{Entry, Kind, Observable};
use alloc::boxed::Box;

/// How the registry presents LIA.
pub(crate) static ENTRY: Entry = Entry {
    name: "lia",
    title: "LIA, linked increases",
    kind: Kind::Coupled,
    source: "RFC 6356",
    equations: EQUATIONS,
    readings: &[
        "alpha is computed for every acknowledgement, not once per round trip.",
        "Each path has a slow start of its own, and paths in slow start count in alpha.",
        "Paths that are removed or have no round-trip time yet do not count.",
        "Segments are counted as acknowledged (RFC 3465), so delayed ACKs do not slow the growth.",
    ],
    params: &[],
    observables: &[ALPHA],
    build: |_| Box::new(Lia),
};

pub(crate) const INCREASE: [&str; 2] =
    ["alpha = sum w * max(w/T^2) / (sum w/T)^2", "per acknowledged segment: w += min(alpha/sum w, 1/w)"];
const EQUATIONS: &[&str] = &[INCREASE[0], INCREASE[1], "on loss: w = w/2"];

/// α.
pub(crate) const ALPHA: Observable =
    Observable { name: "alpha", meaning: "the aggressiveness of the whole connection" };

/// LIA's increase and Reno's decrease.
pub(crate) struct Lia;

fn linked(paths: &[Path]) -> Linked {
    Linked::over(established(paths).map(|(p, rtt)| (p.cwnd, rtt)))
}

impl Aimd for Lia {
    fn increase(&self, paths: &[Path], r: usize) -> f64 {
        linked(paths).increase(paths[r].cwnd) // RFC 6356 §3
    }

    fn observe(&self, paths: &[Path], _: usize, out: &mut [f64]) {
        if let Some(slot) = out.first_mut() {
            *slot = linked(paths).alpha();
        }
    }
}
