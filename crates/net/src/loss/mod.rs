//! Which packets a link loses.

use crate::{LinkSpec, Loss, LossAt, Random, Time};

/// The loss processes of links have a seed of their own, apart from those of their users.
pub(crate) const LOSS_SEED: u64 = 0x6c6f_7373_2070_726f;

/// A loss process at work.
#[derive(Clone, Debug)]
pub(crate) struct LossProcess {
    model: Loss,
    at: LossAt,
    random: Random,
    /// Packets since the last loss of [`Loss::EveryNth`].
    count: u64,
    /// Whether [`Loss::GilbertElliott`] is in its bad state, and [`Loss::GilbertElliottTime`] was.
    bad: bool,
    /// When it was.
    since: Time,
}

impl LossProcess {
    pub fn new(spec: &LinkSpec, random: Random) -> LossProcess {
        let (model, at) = (spec.loss, spec.loss_at);
        LossProcess { model, at, random, count: 0, bad: false, since: Time::ZERO }
    }

    /// Goes on with another model, from that model's start.
    pub fn change(&mut self, model: Loss, now: Time) {
        self.model = model;
        self.count = 0;
        self.bad = false;
        self.since = now;
    }

    /// Whether the packet that arrives is lost.
    #[inline]
    pub fn takes_on_entry(&mut self, now: Time) -> bool {
        self.at == LossAt::Entry && self.loses(now)
    }

    /// Whether the packet is lost that has been transmitted at `now`.
    #[inline]
    pub fn takes_on_exit(&mut self, now: Time) -> bool {
        self.at == LossAt::Exit && self.loses(now)
    }

    /// Whether the next packet is lost.
    #[inline]
    fn loses(&mut self, now: Time) -> bool {
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
            Loss::GilbertElliottTime { good, bad, loss_good, loss_bad } => {
                let (good, bad) = (good.as_secs_f64(), bad.as_secs_f64());
                let elapsed = now.since(self.since).as_secs_f64();
                self.since = self.since.max(now);
                // Of the two-state Markov chain: what it was is forgotten at the sum of both rates.
                let stationary = bad / (good + bad);
                let was = f64::from(u8::from(self.bad));
                let kept = libm::exp(-elapsed * (1.0 / good + 1.0 / bad));
                self.bad = self.random.chance(stationary + (was - stationary) * kept);
                self.random.chance(if self.bad { loss_bad } else { loss_good })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(loss: Loss) -> LossProcess {
        let spec = LinkSpec { loss, ..LinkSpec::new(1e9, Time::ZERO, crate::QueueLimit::Packets(1)) };
        LossProcess::new(&spec, Random::new(11, 0))
    }

    fn losses(model: Loss, packets: u64) -> Vec<u64> {
        let mut process = process(model);
        (1..=packets).filter(|_| process.loses(Time::ZERO)).collect()
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
        let mut process = process(Loss::EveryNth { n: 3 });
        let loses = |process: &mut LossProcess| process.loses(Time::ZERO);
        assert!(!loses(&mut process) && !loses(&mut process));
        process.change(Loss::EveryNth { n: 2 }, Time::ZERO);
        assert!(!loses(&mut process) && loses(&mut process));
    }

    /// In the long run the loss rate is (T_good·l_good + T_bad·l_bad)/(T_good + T_bad), however dense packets are: the
    /// model by packet would lose in bursts of so many packets. 20,000 s have 9091 spells of each state, so 5 standard
    /// errors of the bad state's share are some 7 %.
    #[test]
    fn gilbert_elliott_by_time_is_stationary() {
        let (good, bad) = (Time::from_millis(2000), Time::from_millis(200));
        let model = Loss::GilbertElliottTime { good, bad, loss_good: 0.001, loss_bad: 0.5 };
        let expected = (2.0 * 0.001 + 0.2 * 0.5) / 2.2;
        for gap in [Time::from_millis(5), Time::from_millis(20), Time::from_millis(700)] {
            let mut process = process(model);
            let packets = 20_000_000 / (gap.as_nanos() / 1_000_000);
            let lost = (1..=packets).filter(|i| process.loses(gap.times(*i))).count();
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
        let model = Loss::GilbertElliottTime { good, bad, loss_good: 0.0, loss_bad: 1.0 };
        let mut process = process(model);
        let step = Time::from_nanos(100_000);
        let lost: Vec<bool> = (1..=20_000_000).map(|i| process.loses(step.times(i))).collect();
        let spells = lost.windows(2).filter(|pair| pair[1] && !pair[0]).count() as f64;
        let mean = lost.iter().filter(|lost| **lost).count() as f64 * step.as_secs_f64() / spells;
        // 5714 spells: a standard error of 1.3 %.
        assert!((mean / 0.05 - 1.0).abs() < 0.06, "{mean} s");
        let long = lost.split(|lost| !lost).filter(|spell| spell.len() > 1000).count() as f64 / spells;
        assert!((long / (-2.0f64).exp() - 1.0).abs() < 0.18, "{long} last longer than twice the mean");
    }

    #[test]
    fn gilbert_elliott_by_time_starts_good() {
        let (good, bad) = (Time::from_millis(1000), Time::from_millis(1));
        let mut process = process(Loss::GilbertElliottTime { good, bad, loss_good: 0.0, loss_bad: 1.0 });
        assert!(!process.loses(Time::ZERO));
    }
}
