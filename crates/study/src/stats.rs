//! Statistics over pairs of values; of one value see [`Estimate`].

pub use anabranch_record::{Estimate, estimate, narrowing, paired_difference, prediction, quantile};

/// Pearson's correlation of pairs; `None` without pairs, or if one of the two does not vary.
pub(crate) fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let (mean_x, mean_y) =
        (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs.iter().map(|(x, y)| (x - mean_x, y - mean_y)) {
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    // Equal values may differ from their mean by rounding.
    let varies = |of: fn(&(f64, f64)) -> f64| pairs.iter().any(|pair| of(pair) != of(&pairs[0]));
    let r = xy / (xx * yy).sqrt();
    (varies(|pair| pair.0) && varies(|pair| pair.1) && r.is_finite()).then_some(r)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: deviations (−1, 0, 1) and (−1, 1, 0) give 1/2.
    #[test]
    fn correlations_by_hand() {
        let r = |pairs: &[(f64, f64)]| pearson(pairs).unwrap();
        assert!((r(&[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]) - 1.0).abs() < 1e-12);
        assert!((r(&[(1.0, 3.0), (2.0, 5.0), (3.0, 4.0)]) - 0.5).abs() < 1e-12);
        assert_eq!(pearson(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(pearson(&[(0.1, 0.7); 3]), None);
        assert_eq!(pearson(&[]), None);
    }
}
