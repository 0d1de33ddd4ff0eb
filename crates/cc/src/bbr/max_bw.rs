//! The estimated bandwidth: the largest delivery rate of this cycle of ProbeBW and the one before
//! (§5.5.2–5.5.6).

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MaxBw {
    previous: f64,
    current: f64,
    /// Cycles that have ended.
    pub(crate) cycles: u64,
}

impl MaxBw {
    /// `BBR.max_bw`, in segments per second; 0 before the first sample.
    pub(crate) fn get(&self) -> f64 {
        self.previous.max(self.current)
    }

    /// `UpdateMaxBw`: a sample that the application limited counts only where it is larger (§5.5.4).
    pub(crate) fn update(&mut self, rate: f64, app_limited: bool) {
        if rate >= self.get() || !app_limited {
            self.current = self.current.max(rate);
        }
    }

    /// `AdvanceMaxBwFilter`: a cycle ends. One without samples leaves the estimate as it is.
    pub(crate) fn advance(&mut self) {
        self.cycles += 1;
        if self.current > 0.0 {
            (self.previous, self.current) = (self.current, 0.0);
        }
    }
}
