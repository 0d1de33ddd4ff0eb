//! Which packets a link loses on entry.

use crate::{Loss, Random};

/// The loss processes of links have a seed of their own, apart from those of their users.
pub(crate) const LOSS_SEED: u64 = 0x6c6f_7373_2070_726f;

/// A loss process at work.
#[derive(Clone, Debug)]
pub(crate) struct LossProcess {
    model: Loss,
    random: Random,
    /// Packets since the last loss of [`Loss::EveryNth`].
    count: u64,
    /// Whether [`Loss::GilbertElliott`] is in its bad state.
    bad: bool,
}

impl LossProcess {
    pub fn new(model: Loss, random: Random) -> LossProcess {
        LossProcess { model, random, count: 0, bad: false }
    }

    /// Goes on with another model, from that model's start.
    pub fn change(&mut self, model: Loss) {
        self.model = model;
        self.count = 0;
        self.bad = false;
    }

    /// Whether the next packet is lost.
    #[inline]
    pub fn loses(&mut self) -> bool {
        match self.model {
            Loss::None => false,
            Loss::Bernoulli { rate } => self.random.chance(rate),
            Loss::EveryNth { n } => {
                self.count += 1;
                let lost = self.count == n;
                if lost {
                    self.count = 0;
                }
                lost
            }
            Loss::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => {
                let (loss, turn) = if self.bad { (loss_bad, bad_to_good) } else { (loss_good, good_to_bad) };
                let lost = self.random.chance(loss);
                self.bad ^= self.random.chance(turn);
                lost
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(model: Loss, packets: u64) -> Vec<u64> {
        let mut process = LossProcess::new(model, Random::new(11, 0));
        (1..=packets).filter(|_| process.loses()).collect()
    }

    #[test]
    fn none_loses_nothing() {
        assert!(losses(Loss::None, 1000).is_empty());
    }

    #[test]
    fn every_nth_is_exact() {
        assert_eq!(losses(Loss::EveryNth { n: 3 }, 11), [3, 6, 9]);
        assert_eq!(losses(Loss::EveryNth { n: 1 }, 4), [1, 2, 3, 4]);
    }

    /// The number lost is binomial: mean np, variance np(1 − p).
    #[test]
    fn bernoulli_is_binomial() {
        for p in [1e-3, 0.02, 0.5, 0.9] {
            let n = 400_000;
            let lost = losses(Loss::Bernoulli { rate: p }, n).len() as f64;
            let (mean, variance) = (n as f64 * p, n as f64 * p * (1.0 - p));
            assert!((lost - mean).abs() < 5.0 * variance.sqrt(), "{lost} lost at {p}");
        }
        assert_eq!(losses(Loss::Bernoulli { rate: 1.0 }, 9).len(), 9);
        assert!(losses(Loss::Bernoulli { rate: 0.0 }, 9).is_empty());
    }

    /// In the long run it is bad for the share π = g/(g + b) of packets, so that the loss rate is
    /// (1 − π)·l_good + π·l_bad; a bad spell lasts 1/b packets, which with l = 0 and 1 is the mean burst.
    #[test]
    fn gilbert_elliott_is_stationary() {
        let n = 2_000_000;
        let model = |loss_good, loss_bad| Loss::GilbertElliott {
            good_to_bad: 0.01,
            bad_to_good: 0.2,
            loss_good,
            loss_bad,
        };
        let bad_share = 0.01 / 0.21;
        let rate = losses(model(0.002, 0.4), n).len() as f64 / n as f64;
        let expected = (1.0 - bad_share) * 0.002 + bad_share * 0.4;
        assert!((rate / expected - 1.0).abs() < 0.03, "{rate}, expected {expected}");

        let lost = losses(model(0.0, 1.0), n);
        let bursts = 1 + lost.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        let burst = lost.len() as f64 / bursts as f64;
        assert!((burst / 5.0 - 1.0).abs() < 0.03, "mean burst {burst}, expected 5");
    }

    #[test]
    fn gilbert_elliott_starts_good() {
        let model =
            Loss::GilbertElliott { good_to_bad: 1.0, bad_to_good: 0.0, loss_good: 0.0, loss_bad: 1.0 };
        assert_eq!(losses(model, 4), [2, 3, 4]);
    }

    #[test]
    fn a_change_starts_anew() {
        let mut process = LossProcess::new(Loss::EveryNth { n: 3 }, Random::new(0, 0));
        assert!(!process.loses() && !process.loses());
        process.change(Loss::EveryNth { n: 2 });
        assert!(!process.loses() && process.loses());
    }
}
