//! The full-pipe estimator: does sending faster still raise the delivery rate? (§5.3.1.2)

/// Rounds with less growth than [`GROWTH`] that make the pipe full.
const ROUNDS: u32 = 3;
/// The growth of the delivery rate that starts the count anew.
const GROWTH: f64 = 1.25;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullBw {
    /// `BBR.full_bw`: the rate to be outgrown, in segments per second.
    baseline: f64,
    count: u32,
    /// `BBR.full_bw_now`.
    pub(super) now: bool,
    /// `BBR.full_bw_reached`.
    pub(super) reached: bool,
}

impl FullBw {
    /// `ResetFullBW`: looks anew, for growth over `baseline`.
    pub(super) fn reset(&mut self, baseline: f64) {
        *self = FullBw { baseline, reached: self.reached, ..FullBw::default() };
    }

    /// `CheckFullBWReached`, once per round that the application did not limit.
    pub(super) fn check(&mut self, rate: f64) {
        if self.now {
            return;
        }
        if rate >= self.baseline * GROWTH {
            self.reset(rate);
            return;
        }
        self.count += 1;
        self.now = self.count >= ROUNDS;
        self.reached |= self.now;
    }
}
