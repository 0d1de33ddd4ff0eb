//! Coupled additive increase, multiplicative decrease: what the algorithms that link Reno's windows
//! have in common.

use crate::{Ack, Algorithm, Congestion, MIN_SSTHRESH, Path, Seconds, Segments, slow_start};

/// An algorithm that is two functions of the table, without a memory of its own.
pub(crate) trait Aimd: Send {
    /// What an acknowledged segment adds to window `r` in congestion avoidance; it may be negative.
    fn increase(&self, paths: &[Path], r: usize) -> Segments;

    /// What a loss takes from window `r`, in halves of the window.
    fn decrease(&self, paths: &[Path], r: usize) -> f64 {
        let _ = (paths, r);
        1.0
    }

    /// See [`Algorithm::observe`].
    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        let _ = (paths, r, out);
    }
}

impl<A: Aimd> Algorithm for A {
    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        grow(self, paths, r, ack.acked);
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, _: &Congestion) {
        let halves = self.decrease(paths, r);
        reduce(&mut paths[r], halves);
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        Aimd::observe(self, paths, r, out);
    }
}

/// Slow start and then the algorithm's increase, at most a segment per acknowledged segment.
#[inline]
pub(crate) fn grow(algorithm: &impl Aimd, paths: &mut [Path], r: usize, acked: Segments) {
    let acked = slow_start::grow(&mut paths[r], acked);
    if acked > 0.0 {
        let increase = algorithm.increase(paths, r).min(1.0);
        let path = &mut paths[r];
        path.cwnd += acked * increase;
        if increase < 0.0 {
            // Below the threshold slow start would take back what the algorithm gave away.
            path.ssthresh = path.ssthresh.min(path.cwnd).max(MIN_SSTHRESH);
        }
    }
}

/// Takes so many halves of the window.
pub(crate) fn reduce(path: &mut Path, halves: f64) {
    path.reduce_to(path.cwnd - halves * path.cwnd / 2.0);
}

/// The smoothed round-trip time of a path that counts: one in use that has measured it.
#[inline]
pub(crate) fn rtt(path: &Path) -> Option<Seconds> {
    path.rtt().filter(|_| path.active)
}

/// The paths that count, with their smoothed round-trip times.
#[inline]
pub(crate) fn established(paths: &[Path]) -> impl Iterator<Item = (&Path, Seconds)> {
    paths.iter().filter_map(|path| Some((path, rtt(path)?)))
}

/// The reading that all of them share.
pub(crate) const COUNTED: &str = "Paths that are removed or have no round-trip time yet do not count; one without grows and halves as Reno. Paths in slow start, each its own, count.";

/// As above.
pub(crate) const LOSS: &str = "An ECN mark counts as a loss, and a timeout too, after which the window is one segment. The threshold is at least two segments (RFC 5681), and so is the window after a loss.";

/// As above.
pub(crate) const BYTES: &str =
    "Segments are counted as acknowledged (RFC 3465), so delayed ACKs do not slow the growth.";
