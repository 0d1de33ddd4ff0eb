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

/// The same as Linux counts it: a whole window of acknowledged segments adds one (`tcp_cong_avoid_ai`). The window's fraction
/// is what counts towards the next one (`snd_cwnd_cnt`).
fn grow_whole(path: &mut Path, acked: Segments) {
    let acked = slow_start::grow(path, acked) as u32;
    if acked == 0 {
        return;
    }
    let window = path.cwnd as u32;
    let fraction = path.cwnd - f64::from(window);
    let count = (fraction * f64::from(window) + 0.5) as u32 + acked;
    let (window, count) = (window + count / window, count % window);
    path.cwnd = f64::from(window) + f64::from(count) / f64::from(window);
}

#[derive(Clone)]
struct Reno;

impl SinglePath for Reno {
    fn acked(&mut self, path: &mut Path, ack: &Ack) {
        if path.whole {
            return grow_whole(path, ack.acked);
        }
        grow(path, ack.acked);
    }

    fn congestion(&mut self, path: &mut Path, _: &Congestion) {
        // RFC 5681 §3.1, Eq. 4; `tcp_reno_ssthresh`
        path.reduce_to(if path.whole { f64::from(path.cwnd as u32 / 2) } else { path.cwnd / 2.0 });
    }
}
