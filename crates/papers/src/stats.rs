//! A mean and its confidence interval.

use crate::Estimate;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The mean of `values` with its 95 % confidence interval: Student's t with n − 1 degrees of freedom, the values taken
/// as independent. One value has no interval.
///
/// # Errors
/// [`StatsError`] where there is nothing to average, or the values do not vary.
pub fn estimate(values: Vec<f64>) -> Result<Estimate, StatsError> {
    if values.is_empty() || !values.iter().all(|v| v.is_finite()) {
        return Err(StatsError::NoValue);
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() == 1 {
        return Ok(Estimate { mean, half_width: None, values });
    }
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half_width = t_975(n - 1.0) * (variance / n).sqrt();
    if half_width == 0.0 {
        return Err(StatsError::NoVariation { value: mean, seeds: values.len() });
    }
    Ok(Estimate { mean, half_width: Some(half_width), values })
}

/// The 97.5 % quantile of Student's t with that many degrees of freedom (at least 1).
fn t_975(degrees: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, degrees) {
        Ok(t) => t.inverse_cdf(0.975),
        Err(_) => f64::INFINITY,
    }
}

/// Why values have no interval.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// None, or one is not a number.
    #[error("a run gave no value")]
    NoValue,
    /// Every seed gave the same: the seeds do not vary the run, and an interval of zero width would lie.
    #[error("{seeds} seeds all gave {value}: an interval of zero width")]
    NoVariation {
        /// What they gave.
        value: f64,
        /// How many.
        seeds: usize,
    },
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

    /// By hand: mean 3, standard deviation √2.5, so 2.776 · √2.5/√5 = 1.963.
    #[test]
    fn interval_of_one_to_five() {
        let e = estimate(vec![1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!(e.mean, 3.0);
        assert!((e.half_width.unwrap() - 1.963).abs() < 1e-3);
    }

    #[test]
    fn one_value_has_no_interval() {
        assert_eq!(estimate(vec![7.0]).unwrap().half_width, None);
    }

    #[test]
    fn zero_width_and_missing_values_are_errors() {
        assert_eq!(estimate(vec![2.0; 3]), Err(StatsError::NoVariation { value: 2.0, seeds: 3 }));
        assert_eq!(estimate(vec![]), Err(StatsError::NoValue));
        assert_eq!(estimate(vec![1.0, f64::NAN]), Err(StatsError::NoValue));
    }
}
