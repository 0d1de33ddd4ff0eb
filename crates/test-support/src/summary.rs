//! Means and medians with their intervals.

use anabranch_record::{Estimate, estimate};
use std::fmt;

/// A mean with the half-width of its 95 % interval by Student's t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub mean: f64,
    pub half_width: f64,
}

impl Summary {
    /// Of two values or more.
    pub fn of(values: &[f64]) -> Self {
        assert!(values.len() > 1, "an interval needs two values");
        let Estimate { mean, half_width, .. } = estimate(values.to_vec()).expect("finite values");
        Summary { mean, half_width: half_width.unwrap_or(0.0) }
    }

    pub fn low(&self) -> f64 {
        self.mean - self.half_width
    }

    pub fn high(&self) -> f64 {
        self.mean + self.half_width
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ± {:.2}", self.mean, self.half_width)
    }
}

/// A median with its 95 % interval from one value to another (order statistics), of independent values, whatever their distribution is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Median {
    /// Fewer values have no such interval: with a probability of 2 · 2⁻⁵ five are all on one side.
    pub const LEAST: usize = 6;

    /// Of that many values or more.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (n, rank) = (sorted.len(), rank(values.len()));
        let median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
        Median { median, low: sorted[rank - 1], high: sorted[n - rank] }
    }
}

/// The rank from below, and from above, where the interval ends: the highest that, with a probability of 2.5 % at
/// most, fewer of `n` values than it are below the true median.
fn rank(n: usize) -> usize {
    let (mut exactly, mut fewer, mut rank) = (0.5f64.powi(n as i32), 0.0, 0);
    loop {
        fewer += exactly;
        if fewer > 0.025 {
            return rank;
        }
        exactly *= (n - rank) as f64 / (rank + 1) as f64;
        rank += 1;
    }
}

impl fmt::Display for Median {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ({:.2}–{:.2})", self.median, self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::Median;

    /// Ranks as in tables of the sign test's interval: 1 of 6, 2 of 10, 6 of 20, 40 of 100.
    #[test]
    fn the_interval_of_a_median() {
        for (n, rank) in [(6, 1), (8, 1), (9, 2), (10, 2), (20, 6), (100, 40)] {
            let values: Vec<_> = (1..=n).rev().map(f64::from).collect();
            let (n, rank) = (f64::from(n), f64::from(rank));
            let expected = Median { median: (n + 1.0) / 2.0, low: rank, high: n + 1.0 - rank };
            assert_eq!(Median::of(&values), expected);
        }
    }
}
