//! RED (Floyd and Jacobson, IEEE/ACM Transactions on Networking 1993, figures 1 and 2; RFC 2309).
//!
//! The defaults are those of Floyd's notes on setting parameters (1997) and on gentle RED (2000), and of ns-2.

use super::{DisciplineParams, EnqueueRule, FULL_PACKET, QUEUE_SEED, QueueView, Verdict};
use crate::Random;
use crate::model_spec::{ParamConflict, Value, model_spec};

model_spec! {
    /// Random early detection (Floyd and Jacobson 1993; RFC 2309).
    "red" "RED" Red {
        /// Below this average queue nothing is dropped. Default: 5 packets, or a third of max.
        min: f64 as Length => 5.0,
        /// At this average the probability reaches max_probability; more than min, and in packets where min is.
        /// Default: three times min.
        max: f64 as Length => 15.0,
        /// Whether min and max are in bytes.
        bytes: bool as Derived => false,
        /// Probability at max. Default: 0.1.
        max_probability: f64 as Probability => 0.1,
        /// Weight of a new sample in the average, more than 0. Default: 0.002.
        weight: f64 as Probability => 0.002,
        /// Beyond max the probability rises linearly to 1 at twice max. If false, it is 1 beyond max. Default: true.
        gentle: bool as Flag => true,
        /// Mark packets of ECN-capable flows instead of dropping them while the average is at most max. Default: false.
        ecn: bool as Flag => false,
    }
}

impl DisciplineParams for Red {
    type State = Average;

    fn start(self, seed: u64, stream: u64) -> Average {
        Average::new(self, Random::new(seed ^ QUEUE_SEED, stream))
    }

    /// If only one threshold is given, the maximum is three times the minimum.
    fn complete(self, values: &[Option<Value>]) -> Result<Red, ParamConflict> {
        if self.weight == 0.0 {
            return Err(["weight", "the weight must be more than 0", "must be more than 0", ""]);
        }
        let length = |value: &Option<Value>| match value {
            Some(Value::Length(amount, bytes)) => Some((*amount, *bytes)),
            _ => None,
        };
        let (min, max, bytes) = match (values.first().and_then(length), values.get(1).and_then(length)) {
            (None, None) => (self.min, self.max, self.bytes),
            (Some((min, bytes)), None) => (min, 3.0 * min, bytes),
            (None, Some((max, bytes))) => (max / 3.0, max, bytes),
            (Some((_, bytes)), Some((_, other))) if bytes != other => {
                let help = "give both in packets, or both in bytes or BDP";
                let message = "RED's thresholds have different units";
                return Err(["max", message, "not in the unit of `min`", help]);
            }
            (Some((min, _)), Some((max, _))) if max <= min => {
                let message = "`max` must be more than `min`";
                return Err(["max", message, "not more than `min`", "three times `min` is usual"]);
            }
            (Some((min, bytes)), Some((max, _))) => (min, max, bytes),
        };
        Ok(Red { min, max, bytes, ..self })
    }
}

/// The average queue, and the packets since the last one dropped.
#[derive(Clone, Debug)]
pub(crate) struct Average {
    spec: Red,
    random: Random,
    average: f64,
    /// Packets accepted since the last drop or mark, while the average is above the minimum.
    count: f64,
}

impl Average {
    fn new(spec: Red, random: Random) -> Average {
        Average { spec, random, average: 0.0, count: 0.0 }
    }

    /// A packet finds `queue` waiting, in the unit of the thresholds, after the link was idle for `idle_slots`
    /// transmission times.
    fn decide(&mut self, queue: f64, idle_slots: f64, ecn_capable: bool) -> Verdict {
        let Red { max, weight, ecn, .. } = self.spec;
        if idle_slots > 0.0 {
            // As if that many packets had found the queue empty.
            self.average *= libm::pow(1.0 - weight, idle_slots);
        }
        self.average += weight * (queue - self.average);
        let p = probability(&self.spec, self.average);
        if p == 0.0 {
            self.count = 0.0;
            return Verdict::Accept;
        }
        // Spreads drops: the gap between two is then uniform from 1 to 1/p (1993, §VII), not geometric.
        let spread = if self.count * p < 1.0 { p / (1.0 - self.count * p) } else { 1.0 };
        if !self.random.chance(spread) {
            self.count += 1.0;
            return Verdict::Accept;
        }
        self.count = 0.0;
        Verdict::congestion(ecn && ecn_capable && self.average <= max)
    }
}

impl EnqueueRule for Average {
    fn arrive(&mut self, view: &QueueView) -> Verdict {
        let waiting = if self.spec.bytes { view.waiting.bytes } else { view.waiting.packets };
        let slot = 8.0 * f64::from(FULL_PACKET) / view.rate_bps;
        self.decide(waiting as f64, view.idle.as_secs_f64() / slot, view.ecn_capable)
    }
}

/// The probability at an average, before drops are spread.
fn probability(spec: &Red, average: f64) -> f64 {
    let Red { min, max, max_probability, gentle, .. } = *spec;
    if average < min {
        0.0
    } else if average < max {
        max_probability * (average - min) / (max - min)
    } else if gentle && average < 2.0 * max {
        max_probability + (1.0 - max_probability) * (average - max) / max
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn red(spec: Red) -> Average {
        Average::new(spec, Random::new(3, 3))
    }

    /// Straight lines between (5, 0), (15, 0.1) and (30, 1).
    #[test]
    fn probability_between_the_thresholds() {
        let spec = Red::default();
        for (average, p) in [
            (0.0, 0.0),
            (4.9, 0.0),
            (5.0, 0.0),
            (10.0, 0.05),
            (15.0, 0.1),
            (22.5, 0.55),
            (30.0, 1.0),
            (99.0, 1.0),
        ] {
            assert!((probability(&spec, average) - p).abs() < 1e-12, "{p} at {average}");
        }
        let abrupt = Red { gentle: false, ..spec };
        assert!((probability(&abrupt, 14.999) - 0.1).abs() < 1e-4);
        assert_eq!(probability(&abrupt, 15.0), 1.0);
    }

    /// After n samples of q the average is q·(1 − (1 − w)ⁿ); m idle slots shrink it by (1 − w)ᵐ.
    #[test]
    fn average_is_exponentially_weighted() {
        let mut red = red(Red { weight: 0.01, ..Red::default() });
        (0..50).for_each(|_| assert_eq!(red.decide(4.0, 0.0, false), Verdict::Accept));
        let after = 4.0 * (1.0 - 0.99f64.powi(50));
        assert!((red.average - after).abs() < 1e-12);
        red.decide(0.0, 30.0, false);
        assert!((red.average - after * 0.99f64.powi(31)).abs() < 1e-12);
    }

    /// Gaps between drops: uniform from 1 to 1/p, so of mean (1/p + 1)/2 and never longer than 1/p.
    #[test]
    fn gaps_between_drops_are_uniform() {
        // The average stays at 10 where the probability is 0.05.
        let mut red = red(Red { weight: 1.0, ..Red::default() });
        let mut counts = [0u32; 21];
        let mut gap = 0;
        for _ in 0..210_000 {
            gap += 1;
            if red.decide(10.0, 0.0, false) == Verdict::Drop {
                counts[gap] += 1;
                gap = 0;
            }
        }
        // 20 000 drops, 1000 for each gap: 5 standard deviations of a binomial are 154.
        assert_eq!(counts[0], 0);
        for (gap, &n) in counts.iter().enumerate().skip(1) {
            assert!((840..1160).contains(&n), "{n} gaps of {gap}");
        }
    }

    #[test]
    fn marks_up_to_the_maximum_and_drops_beyond() {
        let spec = Red { weight: 1.0, max_probability: 1.0, ecn: true, ..Red::default() };
        assert_eq!(red(spec).decide(15.0, 0.0, true), Verdict::Mark);
        assert_eq!(red(spec).decide(15.0, 0.0, false), Verdict::Drop);
        assert_eq!(red(spec).decide(16.0, 0.0, true), Verdict::Drop);
        assert_eq!(red(Red { ecn: false, ..spec }).decide(15.0, 0.0, true), Verdict::Drop);
    }
}
