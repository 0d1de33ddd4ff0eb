//! What subflows have acknowledged, by their samples.

use anabranch_record::{MemorySink, SubflowSeries};

/// Tolerance for rounding: sampling times are multiples of the interval.
pub(crate) const ROUNDING_S: f64 = 1e-6;

/// The payload that some subflows have acknowledged at each sampling instant of their run. Between two instants it grows evenly.
pub(crate) struct Acknowledged {
    /// From 0 on.
    times: Vec<f64>,
    bytes: Vec<f64>,
}

impl Acknowledged {
    /// Other subflows and links have samples also while these have none.
    pub(crate) fn of<'s>(
        subflows: impl IntoIterator<Item = &'s SubflowSeries>,
        samples: &MemorySink,
    ) -> Self {
        let subflows: Vec<&SubflowSeries> = subflows.into_iter().collect();
        let all = samples.flows.iter().flat_map(|flow| &flow.subflows).chain(subflows.iter().copied());
        let all = all.flat_map(|s| &s.time_s).chain(samples.links.iter().flat_map(|link| &link.time_s));
        let times = sorted(all.copied().chain([0.0]));
        let bytes = times.iter().map(|t| subflows.iter().map(|s| delivered(s, *t)).sum()).collect();
        Acknowledged { times, bytes }
    }

    pub(crate) fn until_s(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// The mean rate between two times, in Mbit/s.
    pub(crate) fn mbps(&self, from_s: f64, to_s: f64) -> f64 {
        (self.bytes_by(to_s) - self.bytes_by(from_s)) * 8.0 / (to_s - from_s) / 1e6
    }

    fn bytes_by(&self, t: f64) -> f64 {
        let next = self.times.partition_point(|at| *at <= t + ROUNDING_S);
        let Some(i) = next.checked_sub(1) else { return 0.0 };
        match (self.times.get(next), self.bytes.get(next)) {
            (Some(time), Some(bytes)) if t > self.times[i] + ROUNDING_S => {
                let part = (t - self.times[i]) / (time - self.times[i]);
                self.bytes[i] + part * (bytes - self.bytes[i])
            }
            _ => self.bytes[i],
        }
    }
}

/// Bytes acknowledged by `t`, from the last sample before it.
pub(crate) fn delivered(series: &SubflowSeries, t: f64) -> f64 {
    match series.time_s.partition_point(|at| *at <= t + ROUNDING_S) {
        0 => 0.0,
        n => series.delivered_bytes[n - 1],
    }
}

/// In order, each once.
pub(crate) fn sorted(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}
