//! Jain's fairness index.

/// Jain's index (Σx)² / (n Σx²) of shares `x` in any one unit: 1 where all are equal, 1/n where one has all
/// (Jain, Chiu, Hawe, DEC-TR-301, 1984). `None` without shares or where all are zero.
pub fn jain(shares: &[f64]) -> Option<f64> {
    // Relative to the largest share, so that squares neither overflow nor vanish.
    let largest = shares.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return None;
    }
    let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), x| {
        let x = x / largest;
        (sum + x, squares + x * x)
    });
    Some(sum * sum / (shares.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        assert_eq!(jain(&[]), None);
        assert_eq!(jain(&[0.0, 0.0]), None);
        assert_eq!(jain(&[7.0]), Some(1.0));
        assert_eq!(jain(&[5.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert!((jain(&[1.0, 3.0]).unwrap() - 0.8).abs() < 1e-15); // 16 / (2 × 10)
        assert_eq!(jain(&[1e300, 1e300]), Some(1.0));
    }

    proptest! {
        #[test]
        fn bounded_and_free_of_scale(x in prop::collection::vec(0.0..1e9, 1..20), k in 1e-3..1e3) {
            if let Some(j) = jain(&x) {
                let n = x.len() as f64;
                prop_assert!((1.0 / n - 1e-12..=1.0 + 1e-12).contains(&j));
                let scaled: Vec<f64> = x.iter().map(|x| x * k).collect();
                prop_assert!((jain(&scaled).unwrap() - j).abs() < 1e-9);
            }
        }
    }
}
