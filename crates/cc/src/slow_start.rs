//! Slow start (RFC 5681 §3.1), with the counting of RFC 3465: one segment per acknowledged segment.

use crate::{Path, Segments};

/// Grows the window up to the threshold and returns the acknowledged segments that are left for
/// congestion avoidance.
#[inline]
pub fn grow(path: &mut Path, acked: Segments) -> Segments {
    if !path.in_slow_start() {
        return acked;
    }
    let step = acked.min(path.ssthresh - path.cwnd);
    path.cwnd += step;
    acked - step
}
