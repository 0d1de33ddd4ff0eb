//! The coupling of RFC 6356: how much the paths of a connection may grow together.

use crate::{Seconds, Segments, math};

/// The sums and the maximum over a connection's paths that α is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linked {
    /// Σ w, segments.
    total: Segments,
    /// Σ w/T, segments per second.
    rate: f64,
    /// max w/T².
    best: f64,
}

impl Linked {
    /// Over the window and smoothed round-trip time of each path.
    #[inline]
    pub(crate) fn over(paths: impl Iterator<Item = (Segments, Seconds)>) -> Self {
        paths.fold(Linked { total: 0.0, rate: 0.0, best: 0.0 }, |sum, (w, rtt)| {
            let x = w / rtt;
            Linked { total: sum.total + w, rate: sum.rate + x, best: sum.best.max(x / rtt) }
        })
    }

    /// α (RFC 6356 §3); NaN without paths.
    #[inline]
    pub(crate) fn alpha(&self) -> f64 {
        self.total * self.per_segment()
    }

    /// The increase of window `w` per acknowledged segment: min(α/Σw, 1/w) (RFC 6356 §3).
    #[inline]
    pub(crate) fn increase(&self, w: Segments) -> Segments {
        self.per_segment().min(1.0 / w) // `min` ignores the NaN of a connection without paths
    }

    /// The same as out-of-tree MPTCP computes it, which counts to an integer: the larger of `w` and
    /// ⌊scale/⌊scale α/Σw⌋⌋, the inner integer at least 1.
    pub(crate) fn increase_in_integers(&self, w: Segments, scale: f64) -> Segments {
        let alpha = math::floor(scale * self.per_segment()).max(1.0);
        1.0 / math::floor(scale / alpha).max(w)
    }

    /// α/Σw.
    #[inline]
    fn per_segment(&self) -> f64 {
        self.best / (self.rate * self.rate)
    }
}
