//! LIA, the linked increases algorithm: RFC 6356.

use crate::linked::Linked;
use crate::registry::{Entry, Kind, Observable};
use crate::{Ack, Algorithm, Congestion, Path, slow_start};
use alloc::boxed::Box;

/// How the registry presents LIA.
pub(crate) static ENTRY: Entry = Entry {
    name: "lia",
    title: "LIA, linked increases",
    kind: Kind::Coupled,
    source: "RFC 6356",
    equations: &[
        "alpha = sum w * max(w/T^2) / (sum w/T)^2",
        "per acknowledged segment: w += min(alpha/sum w, 1/w)",
        "on loss: w = w/2",
    ],
    readings: &[
        "alpha is computed for every acknowledgement, not once per round trip.",
        "Each path has a slow start of its own, and paths in slow start count in alpha.",
        "Paths that are removed or have no round-trip time yet do not count.",
        "Segments are counted as acknowledged (RFC 3465), so delayed ACKs do not slow the growth.",
    ],
    params: &[],
    observables: &[Observable { name: "alpha", meaning: "the aggressiveness of the whole connection" }],
    build: |_| Box::new(Lia),
};

struct Lia;

/// The paths that count.
fn linked(paths: &[Path]) -> Linked {
    Linked::over(paths.iter().filter(|p| p.active).filter_map(|p| Some((p.cwnd, p.rtt()?))))
}

impl Algorithm for Lia {
    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        let acked = slow_start::grow(&mut paths[r], ack.acked);
        if acked > 0.0 {
            paths[r].cwnd += acked * linked(paths).increase(paths[r].cwnd); // RFC 6356 §3
        }
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, _: &Congestion) {
        paths[r].reduce_to(paths[r].cwnd / 2.0);
    }

    fn observe(&self, paths: &[Path], _: usize, out: &mut [f64]) {
        if let Some(slot) = out.first_mut() {
            *slot = linked(paths).alpha();
        }
    }
}
