//! Response functions: the mean window under one loss every 1/p segments.

use crate::{Seconds, Segments, math};

/// Reno's mean window at loss rate `p`: √(3/2p) (RFC 9438 §5.1 calls it 1.2/√p).
pub fn reno(p: f64) -> Segments {
    math::sqrt(1.5 / p)
}

/// CUBIC's response function (RFC 9438 §5.1), apart from its Reno-friendly region.
#[derive(Clone, Copy, Debug)]
pub struct Cubic {
    /// K⁴ = C (3 + β)/(4 (1 − β)).
    k4: f64,
    /// K^(−⅔) · √1.5, the constant of [`Cubic::virtual_reno`].
    normalise: f64,
}

impl Cubic {
    /// For CUBIC with constant `c` (segments/s³) that keeps `beta` of its window on loss.
    pub fn new(c: f64, beta: f64) -> Self {
        let k4 = c * (3.0 + beta) / (4.0 * (1.0 - beta));
        Cubic { k4, normalise: math::sqrt(1.5) / math::pow(k4, 1.0 / 6.0) }
    }

    /// The factor K of the mean window: 1.054 for C = 0.4 and β = 0.7.
    pub fn k(&self) -> f64 {
        math::pow(self.k4, 0.25)
    }

    /// The mean window in the cubic region: K (T/p)^¾ for round-trip time `rtt`.
    pub fn cubic_region(&self, p: f64, rtt: Seconds) -> Segments {
        self.k() * math::pow(rtt / p, 0.75)
    }

    /// The mean window: the larger of the cubic region's and Reno's.
    pub fn mean(&self, p: f64, rtt: Seconds) -> Segments {
        self.cubic_region(p, rtt).max(reno(p))
    }

    /// The window w̄ at which both regions meet for round-trip time `rtt`: 1.654 T^(−3/2) for
    /// C = 0.4 and β = 0.7.
    pub fn crossing(&self, rtt: Seconds) -> Segments {
        math::sqrt(3.375 / (self.k4 * rtt * rtt * rtt))
    }

    /// How far a window is from the crossing: (`w`/w̄)².
    #[inline]
    pub(crate) fn beyond_crossing(&self, w: Segments, rtt: Seconds) -> f64 {
        w * w * (rtt * rtt * rtt) * self.k4 / 3.375
    }

    /// Reno's mean window at the loss rate at which CUBIC's is `cwnd`, in either region.
    #[inline]
    pub fn reno_beside(&self, cwnd: Segments, rtt: Seconds) -> Segments {
        if self.beyond_crossing(cwnd, rtt) > 1.0 { self.virtual_reno(cwnd, rtt) } else { cwnd }
    }

    /// Reno's mean window at the loss rate at which CUBIC's, in the cubic region, is `cwnd`:
    /// √(1.5/p) with p = T (K/`cwnd`)^(4/3).
    #[inline]
    pub fn virtual_reno(&self, cwnd: Segments, rtt: Seconds) -> Segments {
        self.normalise * math::cbrt(cwnd * cwnd) / math::sqrt(rtt)
    }
}
