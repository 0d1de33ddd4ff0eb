//! Samples and means of random quantities.

use crate::model::{CdfPoint, Draw};
use anabranch_net::Random;

impl Draw {
    /// A sample of the distribution; never negative. The result is the same on every platform.
    pub fn sample(&self, random: &mut Random) -> f64 {
        let x = match self {
            Draw::Constant(x) => *x,
            Draw::Uniform(low, high) => low + random.uniform() * (high - low),
            Draw::Exponential(mean) => random.exponential(*mean),
            Draw::Pareto { mean, shape } => {
                let scale = mean * (shape - 1.0) / shape;
                scale / libm::pow(1.0 - random.uniform(), 1.0 / shape)
            }
            Draw::LogNormal { median, sigma } => {
                // Box and Muller.
                let radius = libm::sqrt(-2.0 * libm::log(1.0 - random.uniform()));
                let normal = radius * libm::cos(std::f64::consts::TAU * random.uniform());
                median * libm::exp(sigma * normal)
            }
            Draw::Empirical(points) => quantile(points, random.uniform()),
        };
        x.max(0.0)
    }

    /// A sample as a whole number of bytes, at least one.
    pub fn sample_bytes(&self, random: &mut Random) -> u64 {
        self.sample(random).round().max(1.0) as u64
    }

    /// The distribution's mean, by formula.
    pub fn mean(&self) -> f64 {
        match self {
            Draw::Constant(x) => *x,
            Draw::Uniform(low, high) => (low + high) / 2.0,
            Draw::Exponential(mean) | Draw::Pareto { mean, .. } => *mean,
            Draw::LogNormal { median, sigma } => median * libm::exp(sigma * sigma / 2.0),
            Draw::Empirical(points) => {
                // The first point's mass lies at its value; further mass is uniform between two points.
                let at_first = points.first().map_or(0.0, |first| first.value * first.cdf);
                let between = points.windows(2).map(|pair| {
                    let [a, b] = [&pair[0], &pair[1]];
                    (b.cdf - a.cdf) * (a.value + b.value) / 2.0
                });
                between.fold(at_first, |sum, part| sum + part)
            }
        }
    }
}

/// The quantile of `u` < 1: linear between the points.
fn quantile(points: &[CdfPoint], u: f64) -> f64 {
    let above = points.partition_point(|point| point.cdf <= u);
    match (points.get(above.wrapping_sub(1)), points.get(above)) {
        (Some(a), Some(b)) => a.value + (u - a.cdf) / (b.cdf - a.cdf) * (b.value - a.value),
        (None, Some(first)) => first.value,
        (last, None) => last.map_or(0.0, |last| last.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(points: &[(f64, f64)]) -> Draw {
        Draw::Empirical(points.iter().map(|&(value, cdf)| CdfPoint { value, cdf }).collect())
    }

    /// The mean of many draws is within 4.5 of its standard errors of the formula's.
    #[test]
    fn means_are_those_of_the_draws() {
        let draws = [
            Draw::Constant(3.0),
            Draw::Uniform(1.0, 4.0),
            Draw::Exponential(2.0),
            Draw::Pareto { mean: 2.0, shape: 2.5 },
            Draw::LogNormal { median: 2.0, sigma: 0.7 },
            points(&[(1.0, 0.2), (3.0, 0.2), (5.0, 0.7), (5.0, 0.8), (20.0, 1.0)]),
        ];
        for draw in draws {
            let (mut random, n) = (Random::new(7, 0), 200_000);
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..n {
                let x = draw.sample(&mut random);
                (sum, squares) = (sum + x, squares + x * x);
            }
            let mean = sum / f64::from(n);
            let error = ((squares / f64::from(n) - mean * mean).max(0.0) / f64::from(n)).sqrt();
            assert!((mean - draw.mean()).abs() <= 4.5 * error + 1e-12, "{draw:?}: {mean}");
        }
    }

    #[test]
    fn shares_lie_where_the_points_say() {
        let Draw::Empirical(points) = points(&[(1.0, 0.25), (2.0, 0.5), (4.0, 0.5), (8.0, 1.0)]) else {
            panic!()
        };
        let found = [0.0, 0.2, 0.25, 0.375, 0.5, 0.75].map(|u| quantile(&points, u));
        assert_eq!(found, [1.0, 1.0, 1.0, 1.5, 4.0, 6.0]);
        assert!(quantile(&points, 1.0 - f64::EPSILON) < 8.0);
    }
}
