//! Portable random numbers, one stream per random process.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// A stream of random numbers (xoshiro256++, Blackman and Vigna 2021): the same on every platform.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The stream of that number under `seed`. Two streams of one seed never start alike.
    pub fn new(seed: u64, stream: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(mix(mix(seed) ^ stream)))
    }

    /// Uniform over all 64-bit numbers.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), a multiple of 2⁻⁵³.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform among 0, 1, …, `n` − 1, without bias (Lemire 2019); 0 where `n` is 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.bits()) * u128::from(n);
        if (product as u64) < n {
            // 2⁶⁴ mod n of the low halves would bias the result: draw again.
            let unfair = n.wrapping_neg() % n;
            while (product as u64) < unfair {
                product = u128::from(self.bits()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// True with probability `p`: never for 0 or NaN, always for 1.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Exponential with this mean, by inversion.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        // 1 − u lies in (0, 1], so the logarithm is finite.
        -mean * libm::log(1.0 - self.uniform())
    }
}

/// A bijection that spreads neighbouring numbers: the first output of SplitMix64 seeded with `x`.
pub(crate) fn mix(x: u64) -> u64 {
    SplitMix64::seed_from_u64(x).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published SplitMix64: seed 1234567 gives these first (Vigna's reference program).
    #[test]
    fn mix_is_splitmix64() {
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    fn streams_and_seeds_differ_and_repeat() {
        let first = |seed, stream| Random::new(seed, stream).bits();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(1, 3));
        assert_ne!(first(1, 2), first(2, 2));
        assert_ne!(first(1, 2), first(2, 1));
    }

    /// Means of n draws lie within 5 standard errors.
    #[test]
    fn moments_are_those_of_the_distributions() {
        const N: usize = 100_000;
        let mut random = Random::new(7, 0);
        let mut near = |draw: &mut dyn FnMut(&mut Random) -> f64, mean: f64, deviation: f64| {
            let got = (0..N).map(|_| draw(&mut random)).sum::<f64>() / N as f64;
            assert!((got - mean).abs() < 5.0 * deviation / (N as f64).sqrt(), "{got} is not {mean}");
        };
        near(&mut |r| r.uniform(), 0.5, (1.0f64 / 12.0).sqrt());
        near(&mut |r| r.uniform().powi(2), 1.0 / 3.0, (4.0f64 / 45.0).sqrt());
        near(&mut |r| r.exponential(3.0), 3.0, 3.0);
        near(&mut |r| r.exponential(3.0).powi(2), 18.0, 9.0 * 20.0f64.sqrt());
        near(&mut |r| r.below(6) as f64, 2.5, (35.0f64 / 12.0).sqrt());
        near(&mut |r| f64::from(r.chance(0.01)), 0.01, 0.0099f64.sqrt());
    }

    #[test]
    fn limits() {
        let mut random = Random::new(0, 0);
        assert_eq!(random.below(0), 0);
        for _ in 0..1000 {
            assert!(!random.chance(0.0));
            assert!(!random.chance(f64::NAN));
            assert!(random.chance(1.0));
            assert_eq!(random.below(1), 0);
            assert!(random.below(3) < 3);
        }
    }

    /// Of n = ¾·2⁶⁴ results, a single multiplication would give every third one twice as often.
    #[test]
    fn below_is_fair_for_large_n() {
        let mut random = Random::new(3, 0);
        let thirds = (0..30_000).filter(|_| random.below(3 << 62).is_multiple_of(3)).count();
        assert!((9_500..10_500).contains(&thirds), "{thirds} of 30000 are multiples of three");
    }
}
