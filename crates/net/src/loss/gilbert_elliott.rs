//! Bursts (Gilbert 1960, Elliott 1963): by packets, and by time. Both start in the good state.

use super::{Model, State};
use crate::model_spec::{POSITIVE, model_spec};
use crate::{Random, Time};

model_spec! {
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
    #[inline]
    fn loses(&self, State { bad, .. }: &mut State, _: Time, random: &mut Random) -> bool {
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

    fn comes_in_bursts(&self) -> bool {
        true
    }
}

model_spec! {
    /// Bursts: the same two states, each of which lasts for an exponential time.
    "gilbert-elliott-time" "Gilbert–Elliott" GilbertElliottTime {
        /// Mean duration of the good state.
        good: Time as TimeFrom(POSITIVE),
        /// Mean duration of the bad state.
        bad: Time as TimeFrom(POSITIVE),
        /// Probability of loss in the good state. Default: 0.
        loss_good: f64 as Probability => 0.0,
        /// Probability of loss in the bad state. Default: 1.
        loss_bad: f64 as Probability => 1.0,
    }
}

impl Model for GilbertElliottTime {
    #[inline]
    fn loses(&self, state: &mut State, now: Time, random: &mut Random) -> bool {
        let (good, bad) = (self.good.as_secs_f64(), self.bad.as_secs_f64());
        let elapsed = now.since(state.since).as_secs_f64();
        state.since = state.since.max(now);
        // The old state of the two-state Markov chain decays at the sum of both rates.
        let stationary = bad / (good + bad);
        let was = f64::from(u8::from(state.bad));
        let kept = libm::exp(-elapsed * (1.0 / good + 1.0 / bad));
        state.bad = random.chance(stationary + (was - stationary) * kept);
        random.chance(if state.bad { self.loss_bad } else { self.loss_good })
    }

    fn mean_rate(&self) -> f64 {
        let (good, bad) = (self.good.as_secs_f64(), self.bad.as_secs_f64());
        (good * self.loss_good + bad * self.loss_bad) / (good + bad)
    }

    fn comes_in_bursts(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::tests::{losses, process};
    use crate::{Loss, LossAt};

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

    /// In the long run the loss rate is (T_good·l_good + T_bad·l_bad)/(T_good + T_bad), however dense packets are: the
    /// model by packet would lose in bursts of that number of packets. 20,000 s have 9091 spells of each state, so 5 standard
    /// errors of the bad state's share are some 7 %.
    #[test]
    fn by_time_it_is_stationary() {
        let (good, bad) = (Time::from_millis(2000), Time::from_millis(200));
        let model = GilbertElliottTime { good, bad, loss_good: 0.001, loss_bad: 0.5 };
        let expected = (2.0 * 0.001 + 0.2 * 0.5) / 2.2;
        assert!((model.mean_rate() / expected - 1.0).abs() < 1e-12);
        for gap in [Time::from_millis(5), Time::from_millis(20), Time::from_millis(700)] {
            let mut process = process(Loss::GilbertElliottTime(model));
            let packets = 20_000_000 / (gap.as_nanos() / 1_000_000);
            let lost = (1..=packets).filter(|i| process.loses_at(LossAt::Entry, gap.times(*i), 1500)).count();
            let rate = lost as f64 / packets as f64;
            assert!(
                (rate / expected - 1.0).abs() < 0.07,
                "{rate} with a packet each {gap}, expected {expected}"
            );
        }
    }

    /// The bad state lasts for an exponential time with its mean, whatever the packets.
    #[test]
    fn bad_spells_last_as_long_as_they_should() {
        let (good, bad) = (Time::from_millis(300), Time::from_millis(50));
        let model = GilbertElliottTime { good, bad, loss_good: 0.0, loss_bad: 1.0 };
        let mut process = process(Loss::GilbertElliottTime(model));
        let step = Time::from_nanos(100_000);
        let lost: Vec<bool> =
            (1..=20_000_000).map(|i| process.loses_at(LossAt::Entry, step.times(i), 1500)).collect();
        let spells = lost.windows(2).filter(|pair| pair[1] && !pair[0]).count() as f64;
        let mean = lost.iter().filter(|lost| **lost).count() as f64 * step.as_secs_f64() / spells;
        // 5714 spells: a standard error of 1.3 %.
        assert!((mean / 0.05 - 1.0).abs() < 0.06, "{mean} s");
        let long = lost.split(|lost| !lost).filter(|spell| spell.len() > 1000).count() as f64 / spells;
        assert!((long / (-2.0f64).exp() - 1.0).abs() < 0.18, "{long} last longer than twice the mean");
    }

    #[test]
    fn by_time_it_starts_good() {
        let (good, bad) = (Time::from_millis(1000), Time::from_millis(1));
        let model = GilbertElliottTime { good, bad, loss_good: 0.0, loss_bad: 1.0 };
        assert!(!process(Loss::GilbertElliottTime(model)).loses_at(LossAt::Entry, Time::ZERO, 1500));
    }
}
