//! Transfers of arrival processes: completion times and slowdowns, by size.

use crate::{Completion, Histogram, rate_bps};
use serde::{Deserialize, Serialize};

/// Where one class of sizes ends and the next begins, in bytes.
const BOUNDS: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
const CLASSES: usize = BOUNDS.len() + 1;

/// The transfers of a flow that began while means were taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Transfers {
    /// The number of transfers.
    pub started: u64,
    /// The number of transfers still incomplete at the end of the run; completion times exclude them.
    pub unfinished: u64,
    /// The sizes of all that began ÷ the time from the end of the warm-up, or the flow's start, to the flow's stop or the end of the
    /// run, bits per second; null over no time.
    pub offered_bps: Option<f64>,
    /// Completion time ÷ one ideal time for all algorithms: size ÷ capacity of the flow's paths + shortest base RTT. Null if no
    /// transfer completed.
    pub slowdown: Option<Slowdown>,
    /// Completion time ÷ the time of the same transfer with the same algorithm alone in the idle network; null if no transfer
    /// completed.
    #[serde(default)]
    pub times_alone: Option<Slowdown>,
    /// The same by size: those classes that have any.
    pub classes: Vec<SizeClass>,
}

/// Completion times ÷ a time of reference, without a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Slowdown {
    /// Mean.
    pub mean: f64,
    /// Percentiles, within 1/64 of their value.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
}

/// Transfers of similar size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizeClass {
    /// The least size, in bytes.
    pub from_bytes: u64,
    /// Sizes are less than this; null in the last class.
    pub below_bytes: Option<u64>,
    /// The number of transfers still incomplete at the end of the run.
    pub unfinished: u64,
    /// Completion times; null if no transfer completed.
    pub completion: Option<Completion>,
    /// As for all; null if no transfer completed.
    pub slowdown: Option<Slowdown>,
    /// As for all; null if no transfer completed.
    #[serde(default)]
    pub times_alone: Option<Slowdown>,
}

/// Measures the transfers of a flow.
#[derive(Clone, Debug, Default)]
pub struct TransferMeter {
    /// Empty until there is a transfer.
    classes: Vec<Class>,
    bytes: u64,
}

#[derive(Clone, Debug, Default)]
struct Class {
    unfinished: u64,
    took: Histogram,
    took_sum_s: f64,
    slowdown: Ratios,
    times_alone: Ratios,
}

#[derive(Clone, Debug, Default)]
struct Ratios {
    /// In 1e-9.
    each: Histogram,
    sum: f64,
}

impl Class {
    fn merge(&mut self, other: &Class) {
        self.unfinished += other.unfinished;
        self.took.merge(&other.took);
        self.took_sum_s += other.took_sum_s;
        self.slowdown.merge(&other.slowdown);
        self.times_alone.merge(&other.times_alone);
    }
}

impl Ratios {
    fn record(&mut self, ratio: f64) {
        if ratio.is_finite() {
            self.each.record((ratio * 1e9) as u64);
            self.sum += ratio;
        }
    }

    fn merge(&mut self, other: &Ratios) {
        self.each.merge(&other.each);
        self.sum += other.sum;
    }

    fn summary(&self) -> Option<Slowdown> {
        Some(Slowdown {
            mean: self.sum / self.each.count() as f64,
            p50: self.each.quantile(0.5)?,
            p95: self.each.quantile(0.95)?,
            p99: self.each.quantile(0.99)?,
        })
    }
}

impl TransferMeter {
    fn class(&mut self, bytes: u64) -> &mut Class {
        self.bytes += bytes;
        self.classes.resize_with(CLASSES, Class::default);
        &mut self.classes[BOUNDS.partition_point(|bound| *bound <= bytes)]
    }

    /// Adds a transfer with its duration in nanoseconds; an unknown ratio is NaN.
    pub fn complete(&mut self, bytes: u64, took_ns: u64, slowdown: f64, times_alone: f64) {
        let class = self.class(bytes);
        class.took.record(took_ns);
        class.took_sum_s += took_ns as f64 / 1e9;
        class.slowdown.record(slowdown);
        class.times_alone.record(times_alone);
    }

    /// A transfer was not complete when the run ended.
    pub fn leave(&mut self, bytes: u64) {
        self.class(bytes).unfinished += 1;
    }

    /// The summary over this number of seconds: completion times and counters.
    pub fn summary(&self, seconds: f64) -> (Option<Completion>, Transfers) {
        let mut all = Class::default();
        self.classes.iter().for_each(|class| all.merge(class));
        let begins = [0].into_iter().chain(BOUNDS);
        let ends = BOUNDS.into_iter().map(Some).chain([None]);
        let classes = self.classes.iter().zip(begins.zip(ends));
        let classes = classes.filter(|(class, _)| class.unfinished + class.took.count() > 0);
        let transfers = Transfers {
            started: all.took.count() + all.unfinished,
            unfinished: all.unfinished,
            offered_bps: rate_bps(self.bytes, seconds),
            slowdown: all.slowdown.summary(),
            times_alone: all.times_alone.summary(),
            classes: classes
                .map(|(class, (from_bytes, below_bytes))| SizeClass {
                    from_bytes,
                    below_bytes,
                    unfinished: class.unfinished,
                    completion: Completion::of(&class.took, class.took_sum_s),
                    slowdown: class.slowdown.summary(),
                    times_alone: class.times_alone.summary(),
                })
                .collect(),
        };
        (Completion::of(&all.took, all.took_sum_s), transfers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_are_classified_by_size() {
        let mut meter = TransferMeter::default();
        let ms = |ms: u64| ms * 1_000_000;
        meter.complete(9_999, ms(10), 3.0, 1.0);
        meter.complete(10_000, ms(20), 5.0, 2.0);
        meter.complete(99_999, ms(40), 7.0, 4.0);
        meter.complete(50_000_000, ms(1000), 9.0, f64::NAN);
        meter.leave(20_000_000);
        let (completion, transfers) = meter.summary(2.0);
        let completion = completion.unwrap();
        assert_eq!((completion.count, completion.mean_s), (4, 1.07 / 4.0));
        assert_eq!((transfers.started, transfers.unfinished), (5, 1));
        assert_eq!(transfers.offered_bps, Some(70_119_998.0 * 4.0));
        assert_eq!(transfers.slowdown.as_ref().map(|s| s.mean), Some(6.0));
        assert_eq!(transfers.times_alone.as_ref().map(|s| s.mean), Some(7.0 / 3.0));
        let classes: Vec<_> = transfers.classes.iter().map(|c| (c.from_bytes, c.below_bytes)).collect();
        assert_eq!(classes, [(0, Some(10_000)), (10_000, Some(100_000)), (10_000_000, None)]);
        let [small, middle, large] = &transfers.classes[..] else { panic!() };
        assert_eq!(small.times_alone.as_ref().map(|s| (s.mean, s.p99)), Some((1.0, 1.0)));
        assert_eq!(middle.completion.as_ref().map(|c| c.count), Some(2));
        assert_eq!((large.unfinished, large.times_alone.clone()), (1, None));
    }

    #[test]
    fn without_any_there_are_no_times() {
        let (completion, transfers) = TransferMeter::default().summary(0.0);
        assert_eq!(completion, None);
        assert_eq!((transfers.started, transfers.offered_bps, transfers.classes.len()), (0, None, 0));
    }
}
