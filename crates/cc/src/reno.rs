//! Reno: RFC 5681 with the acknowledged-segment counting of RFC 3465.

use crate::entry::{Entry, Kind};
use crate::{Ack, Congestion, Path, Segments, SinglePath, Uncoupled, slow_start};
use alloc::boxed::Box;

/// How the registry presents Reno.
pub(crate) static ENTRY: Entry = Entry {
    name: "reno",
    title: "Reno (NewReno)",
    kind: Kind::SinglePath,
    source: "RFC 5681, RFC 6582",
    equations: &["per acknowledged segment: w += 1/w", "on loss: w = w/2"],
    interpretations: &[
        "Segments are counted as acknowledged (RFC 3465): an ACK for two segments adds as much as two ACKs.",
    ],
    params: &[],
    observables: &[],
    build: |_| Box::new(Uncoupled::new(Reno)),
};

/// Slow start below the threshold, then one segment per window (RFC 5681 §3.1).
#[inline]
pub(crate) fn grow(path: &mut Path, acked: Segments) {
    path.cwnd += slow_start::grow(path, acked) / path.cwnd;
}

#[derive(Clone)]
struct Reno;

impl SinglePath for Reno {
    fn acked(&mut self, path: &mut Path, ack: &Ack) {
        grow(path, ack.acked);
    }

    fn congestion(&mut self, path: &mut Path, _: &Congestion) {
        path.reduce_to(path.cwnd / 2.0); // RFC 5681 §3.1, Eq. 4
    }
}
