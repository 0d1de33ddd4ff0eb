//! Bursts by packets (Gilbert 1960, Elliott 1963).

use super::Model;
use crate::law::law;
use crate::{Random, Time};

law! {
    /// Bursts: two states, each with its probability of loss; the state may change with each packet.
    "gilbert-elliott" "Gilbert–Elliott" GilbertElliott {
        /// Probability to turn bad, per packet.
        good_to_bad: f64 as Probability,
        /// Probability to turn good, per packet.
        bad_to_good: f64 as Probability,
        /// Probability of loss in the good state. Default: 0.
        loss_good: f64 as Probability => 0.0,
        /// Probability of loss in the bad state. Default: 1.
        loss_bad: f64 as Probability => 1.0,
    }
}

impl Model for GilbertElliott {
    /// Whether it is bad; it starts in the good state.
    type State = bool;
    const BURSTS: bool = true;

    #[inline]
    fn loses(&self, bad: &mut bool, _: Time, random: &mut Random) -> bool {
        let GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } = *self;
        let (loss, turn) = if *bad { (loss_bad, bad_to_good) } else { (loss_good, good_to_bad) };
        let lost = random.chance(loss);
        *bad ^= random.chance(turn);
        lost
    }

    fn mean_rate(&self) -> f64 {
        let turns = self.good_to_bad + self.bad_to_good;
        let bad = if turns > 0.0 { self.good_to_bad / turns } else { 0.0 };
        (1.0 - bad) * self.loss_good + bad * self.loss_bad
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loss;
    use crate::loss::tests::losses;

    /// In the long run it is bad for the share π = g/(g + b) of packets, so that the loss rate is
    /// (1 − π)·l_good + π·l_bad; a bad spell lasts 1/b packets, which with l = 0 and 1 is the mean burst.
    #[test]
    fn it_is_stationary() {
        let n = 2_000_000;
        let model = |loss_good, loss_bad| {
            Loss::GilbertElliott(GilbertElliott { good_to_bad: 0.01, bad_to_good: 0.2, loss_good, loss_bad })
        };
        let bad_share = 0.01 / 0.21;
        let rate = losses(model(0.002, 0.4), n).len() as f64 / n as f64;
        let expected = (1.0 - bad_share) * 0.002 + bad_share * 0.4;
        assert!((rate / expected - 1.0).abs() < 0.03, "{rate}, expected {expected}");
        assert!((model(0.002, 0.4).mean_rate() / expected - 1.0).abs() < 1e-12);

        let lost = losses(model(0.0, 1.0), n);
        let bursts = 1 + lost.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        let burst = lost.len() as f64 / bursts as f64;
        assert!((burst / 5.0 - 1.0).abs() < 0.03, "mean burst {burst}, expected 5");
    }

    #[test]
    fn it_starts_good() {
        let model = GilbertElliott { good_to_bad: 1.0, bad_to_good: 0.0, loss_good: 0.0, loss_bad: 1.0 };
        assert_eq!(losses(Loss::GilbertElliott(model), 4), [2, 3, 4]);
    }
}
