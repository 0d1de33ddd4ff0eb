//! Independent losses.

use super::{Loss, Model, State};
use crate::model_spec::model_spec;
use crate::{Random, Time};

model_spec! {
    /// Each packet is lost with this probability, independently.
    "bernoulli" "Bernoulli" Bernoulli {
        /// Probability of loss.
        rate: f64 as Probability,
    }
}

impl Model for Bernoulli {
    #[inline]
    fn loses(&self, _: &mut State, _: Time, random: &mut Random) -> bool {
        random.chance(self.rate)
    }

    fn mean_rate(&self) -> f64 {
        self.rate
    }
}

impl Loss {
    /// Each packet is lost with this probability.
    pub fn bernoulli(rate: f64) -> Loss {
        Loss::Bernoulli(Bernoulli { rate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::tests::losses;

    /// The number lost is binomial: mean np, variance np(1 − p).
    #[test]
    fn the_number_lost_is_binomial() {
        for p in [1e-3, 0.02, 0.5, 0.9] {
            let n = 400_000;
            let lost = losses(Loss::bernoulli(p), n).len() as f64;
            let (mean, variance) = (n as f64 * p, n as f64 * p * (1.0 - p));
            assert!((lost - mean).abs() < 5.0 * variance.sqrt(), "{lost} lost at {p}");
        }
        assert_eq!(losses(Loss::bernoulli(1.0), 9).len(), 9);
        assert!(losses(Loss::bernoulli(0.0), 9).is_empty());
    }
}
