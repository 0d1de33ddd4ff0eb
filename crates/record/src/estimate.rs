//! A mean and its confidence interval.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean over seeds with its 95 % confidence interval (Student's t).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean.
    pub mean: f64,
    /// Half the width of the interval; `None` for a formula, a single run, or if every seed gave exactly this value (such as a
    /// full link): an interval of zero width would claim too much.
    pub half_width: Option<f64>,
    /// The value of each seed.
    pub values: Vec<f64>,
}

impl Estimate {
    /// Half the interval's width: 0 if several seeds gave the same value, `None` for a single seed.
    pub fn exact_half_width(&self) -> Option<f64> {
        self.half_width.or((self.values.len() > 1).then_some(0.0))
    }
}

/// The mean of `values` with its 95 % confidence interval: Student's t with n − 1 degrees of freedom, the values taken
/// as independent. There is no interval, rather than one of zero width, where there is one value or all are equal.
/// `None` without values, or without a finite mean or interval.
pub fn estimate(values: Vec<f64>) -> Option<Estimate> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    // Without values, or with one that is not finite, the mean is not finite either.
    if !mean.is_finite() {
        return None;
    }
    // Sums in another order differ in their last digits only.
    if values.iter().all(|v| (v - values[0]).abs() <= 1e-12 * values[0].abs()) {
        return Some(Estimate { mean: values[0], half_width: None, values });
    }
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half_width = t_975(n - 1.0) * (variance / n).sqrt();
    half_width.is_finite().then_some(Estimate { mean, half_width: Some(half_width), values })
}

/// The mean of the differences `values − others`, seed by seed, with its 95 % confidence interval; `None` unless both have the same
/// seeds, and values that give one.
pub fn paired_difference(values: &[f64], others: &[f64]) -> Option<Estimate> {
    // Sums in another order differ in their last digits only.
    let difference = |(value, other): (&f64, &f64)| match (value - other).abs() <= 1e-12 * value.abs() {
        true => 0.0,
        false => value - other,
    };
    let differences = || values.iter().zip(others).map(difference).collect();
    (values.len() == others.len()).then(|| estimate(differences()))?
}

/// The two-sided p-value of the hypothesis that the mean is 0 (Student's t); `None` for a single value.
pub fn p_of_zero(of: &Estimate) -> Option<f64> {
    let n = of.values.len() as f64;
    let Some(half_width) = of.half_width else {
        return (n > 1.0).then_some(if of.mean == 0.0 { 1.0 } else { 0.0 });
    };
    let t = of.mean.abs() / half_width * t_975(n - 1.0);
    Some(2.0 * StudentsT::new(0.0, 1.0, n - 1.0).ok()?.sf(t))
}

/// The interval that contains a further value with probability `level`, by the values so far (Student's t); `None` with fewer
/// than two of them.
pub fn prediction(values: &[f64], level: f64) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let t = StudentsT::new(0.0, 1.0, n - 1.0).ok()?.inverse_cdf(0.5 + level / 2.0);
    let half = t * (variance * (1.0 + 1.0 / n)).sqrt();
    half.is_finite().then_some((mean - half, mean + half))
}

/// By what factor an interval narrows if `more` seeds take the place of `seeds`, at least 2.
pub fn narrowing(seeds: usize, more: usize) -> f64 {
    let width = |n: f64| t_975(n - 1.0) / n.sqrt();
    width(more as f64) / width(seeds as f64)
}

/// The 97.5 % quantile of Student's t with that many degrees of freedom (at least 1).
fn t_975(degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975))
}

/// The `p`-quantile of `sorted`, which is not empty: Hyndman and Fan's definition 7 (The American Statistician 50, 1996).
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = (sorted.len() - 1) as f64 * p;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two-sided 95 % points from the usual table (Fisher & Yates, Table III).
    #[test]
    fn quantiles_agree_with_the_printed_table() {
        for (degrees, t) in
            [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (9.0, 2.262), (19.0, 2.093), (120.0, 1.980)]
        {
            assert!((t_975(degrees) - t).abs() < 5.1e-4, "{degrees}: {}", t_975(degrees));
        }
    }

    /// By hand: 99.9 % with 4 degrees of freedom has t = 8.610, so 8.610 · √2.5 · √1.2 = 14.913.
    #[test]
    fn prediction_of_one_to_five() {
        let (low, high) = prediction(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.999).unwrap();
        assert!((low - (3.0 - 14.913)).abs() < 2e-3 && (high - (3.0 + 14.913)).abs() < 2e-3, "{low} {high}");
        assert_eq!(prediction(&[1.0], 0.999), None);
    }

    /// By hand: the differences are 1 to 5, whatever both have in common: mean 3, standard deviation √2.5, 2.776 · √2.5/√5 = 1.963.
    #[test]
    fn differences_are_paired() {
        let difference =
            paired_difference(&[11.0, 42.0, 8.0, 104.0, 5.0], &[10.0, 40.0, 5.0, 100.0, 0.0]).unwrap();
        assert_eq!(difference.mean, 3.0);
        assert!((difference.half_width.unwrap() - 1.963).abs() < 1e-3);
        assert_eq!(paired_difference(&[1.0], &[1.0, 2.0]), None);
        let equal = paired_difference(&[0.1 + 0.2, 0.3], &[0.3, 0.1 + 0.2]).unwrap();
        assert_eq!((equal.mean, equal.half_width), (0.0, None));
    }

    /// With 4 degrees of freedom the printed table has t = 2.776 for 5 % and 4.604 for 1 %.
    #[test]
    fn p_values_agree_with_the_printed_table() {
        let one_to_five = estimate(vec![1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let standard_error = (2.5_f64 / 5.0).sqrt();
        for (t, p) in [(2.776, 0.05), (4.604, 0.01)] {
            let shifted = Estimate { mean: -t * standard_error, ..one_to_five.clone() };
            assert!((p_of_zero(&shifted).unwrap() - p).abs() < 1e-4, "{t}");
        }
        let equal = |value: f64| p_of_zero(&estimate(vec![value; 3]).unwrap());
        assert_eq!(
            (equal(2.0), equal(0.0), p_of_zero(&estimate(vec![2.0]).unwrap())),
            (Some(0.0), Some(1.0), None)
        );
    }

    #[test]
    fn no_interval_of_zero_width() {
        assert_eq!(estimate(vec![7.0]).unwrap().half_width, None);
        let equal = estimate(vec![0.1; 3]).unwrap();
        assert_eq!((equal.mean, equal.half_width), (0.1, None));
        assert_eq!(estimate(vec![0.1 + 0.2, 0.3]).unwrap().half_width, None);
    }

    #[test]
    fn without_finite_values_there_is_nothing() {
        // Of the last two the sum, and the square of a deviation, are beyond any number.
        for values in [vec![], vec![1.0, f64::NAN], vec![1e308, 1.1e308], vec![1e200, 2e200]] {
            assert_eq!(estimate(values.clone()), None, "{values:?}");
        }
    }
}
