//! Response functions of single-path flows: the mean window at a loss rate and round-trip time.

use crate::rule::Path;
use anabranch_cc::response::{self, reno};

/// A single-path flow's response function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Response {
    /// √(3/2p).
    Reno,
    /// RFC 9438 §5: the larger of K (T/p)^¾ and Reno's.
    Cubic(response::Cubic),
}

impl Response {
    /// The mean window on a path, in segments.
    pub fn window(&self, path: &Path) -> f64 {
        match self {
            Response::Reno => reno(path.loss),
            Response::Cubic(cubic) => cubic.mean(path.loss, path.rtt_s),
        }
    }

    /// Reno's mean window at the loss rate that gives this flow `window`.
    pub fn reno_beside(&self, window: f64, rtt: f64) -> f64 {
        match self {
            Response::Reno => window,
            Response::Cubic(cubic) => cubic.reno_beside(window, rtt),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::cubic;

    /// In either of CUBIC's regions the loss rate that gives a window gives Reno's beside it.
    #[test]
    fn reno_beside_cubic() {
        for rtt_s in [0.01, 0.1, 0.3] {
            for loss in [1e-9, 1e-6, 1e-4, 1e-2] {
                let beside = cubic().reno_beside(cubic().window(&Path { loss, rtt_s }), rtt_s);
                assert!((beside / (1.5 / loss).sqrt() - 1.0).abs() < 1e-9, "{beside} at {loss}, {rtt_s} s");
            }
        }
        assert_eq!(Response::Reno.reno_beside(40.0, 0.1), 40.0);
    }
}
