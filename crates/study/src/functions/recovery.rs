//! Recovery: the time until a connection uses changed capacity.

use super::function::{Arguments, Function, Parameter, named};
use crate::acknowledged::{Acknowledged, ROUNDING_S, delivered, sorted};
use crate::outcome::Outcome;
use anabranch_record::SubflowSeries;
use std::collections::VecDeque;

/// The fraction of the capacity that counts as recovered.
const RECOVERED: f64 = 0.8;
/// The span over which goodput is averaged, in seconds.
pub const SPAN_S: f64 = 1.0;

const CHANGE: &[Parameter] =
    &[Parameter::Flow, Parameter::MaybeSubflow, Parameter::Number, Parameter::Number, Parameter::Number];

pub(super) const RECOVERY: Function = named(
    "recovery",
    "s",
    "the time from a change to the first second in which 80 % of a rate is acknowledged, on one subflow or on all; the arguments are the times of the change and of the end of the search, in seconds, and the rate in Mbit/s at IP level; if the rate is not reached, the whole time",
)
.of(CHANGE, |run, args| of(run, args).map(|time| time.unwrap_or_else(|had| had)))
.sampled();

/// Whether the run recovers.
pub(super) const RECOVERED_AT_ALL: Function = named("recovers", "", "1 if the rate is reached, else 0")
    .of(CHANGE, |run, args| of(run, args).map(|time| f64::from(u8::from(time.is_ok()))))
    .sampled();

fn of(run: &Outcome, args: &Arguments<'_>) -> Option<Result<f64, f64>> {
    let [at_s, until_s, mbps] = args.numbers else { return None };
    let subflows = &run.samples.flows.iter().find(|flow| flow.name == args.text())?.subflows;
    let watched = match args.subflow {
        Some(r) => std::slice::from_ref(subflows.get(r)?),
        None => subflows,
    };
    let segment = run.segment(args.text())?;
    let acknowledged = Acknowledged::of(watched, &run.samples);
    Some(recovery(watched, &acknowledged, (*at_s, *until_s), segment.payload / segment.packet * *mbps))
}

/// Seconds from a change until the subflows together reach 80 % of the rate, or `Err` with the length of the search.
fn recovery(
    subflows: &[SubflowSeries],
    acknowledged: &Acknowledged,
    (at_s, until_s): (f64, f64),
    mbps: f64,
) -> Result<f64, f64> {
    let enough = RECOVERED * mbps;
    let last_s = until_s.min(acknowledged.until_s()) + ROUNDING_S;
    let begins = |t: &f64| *t >= at_s - ROUNDING_S && t + SPAN_S <= last_s;
    let rate = |t: f64| acknowledged.mbps(t, t + SPAN_S);
    let found = instants(subflows).into_iter().filter(begins).find(|t| rate(*t) >= enough);
    found.map(|t| (t - at_s).max(0.0)).ok_or(until_s - at_s)
}

/// All sampling times of the subflows.
fn instants(subflows: &[SubflowSeries]) -> Vec<f64> {
    sorted(subflows.iter().flat_map(|s| &s.time_s).copied())
}

/// The payload acknowledged in each second that ends at a sample, in Mbit/s: times and rates.
pub fn rates(subflows: &[SubflowSeries]) -> Vec<(f64, f64)> {
    let mut last_second = LastSecond::default();
    let sum = |t: f64| subflows.iter().map(|s| delivered(s, t)).sum();
    let mut rates = vec![];
    for t in instants(subflows) {
        let rate = last_second.rate(t, sum(t));
        if last_second.voids_the_first() {
            rates.clear();
        }
        rates.extend(rate.map(|rate| (t, rate)));
    }
    if last_second.is_single() {
        rates.clear();
    }
    rates
}

/// The payload acknowledged in the last second.
#[derive(Debug, Default)]
pub struct LastSecond {
    /// Samples: when, and the bytes acknowledged until then.
    samples: VecDeque<(f64, f64)>,
    /// Times between the latest three samples; 0 if there are fewer.
    apart: [f64; 2],
}

/// Samples further apart than this are not of each second, even if they come a little late.
const SPARSE_S: f64 = 1.1 * SPAN_S;
/// A longer time between samples, and many times as long as others, is a pause.
const PAUSE_S: f64 = 2.0 * SPAN_S;

impl LastSecond {
    /// Adds a sample. Returns the payload acknowledged in the second before it, in Mbit/s, or `None` in the first second. If no
    /// sample marks the beginning of that second, its bytes lie on the line between the samples around it, except in a pause.
    pub fn rate(&mut self, now: f64, bytes: f64) -> Option<f64> {
        if let Some(last) = self.samples.back() {
            self.apart = [self.apart[1], now - last.0];
        }
        let samples = &mut self.samples;
        samples.push_back((now, bytes));
        let from = now - SPAN_S;
        while samples.get(1).is_some_and(|next| next.0 <= from + ROUNDING_S) {
            samples.pop_front();
        }
        let usual = self.apart.iter().copied().filter(|apart| *apart > 0.0).fold(f64::INFINITY, f64::min);
        let is_pause = |apart: f64| apart > PAUSE_S && apart > 4.0 * usual;
        let before = match (samples.front(), samples.get(1)) {
            // It began in this second.
            (Some(first), _) if first.0 > from + ROUNDING_S => 0.0,
            (Some(first), Some(next)) if first.0 < from - ROUNDING_S && !is_pause(next.0 - first.0) => {
                first.1 + (next.1 - first.1) * (from - first.0) / (next.0 - first.0)
            }
            (first, _) => first.map_or(0.0, |first| first.1),
        };
        (now >= SPAN_S).then(|| (bytes - before) * 8.0 / SPAN_S / 1e6)
    }

    /// Whether the second of all samples shows that the first had the bytes of more than a second: its rate is too high.
    pub fn voids_the_first(&self) -> bool {
        self.apart[0] == 0.0 && self.apart[1] > SPARSE_S
    }

    /// Whether there is at most one sample: how long its bytes took is unknown.
    pub fn is_single(&self) -> bool {
        self.apart == [0.0; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_record::MemorySink;

    /// 60 s in which a subflow has `rate(t)` Mbit/s acknowledged, sampled every 200 ms.
    fn subflow(rate: impl Fn(f64) -> f64) -> [SubflowSeries; 1] {
        let mut subflow = SubflowSeries::default();
        let mut bytes = 0.0;
        for i in 1..=300 {
            let t = f64::from(i) * 0.2;
            bytes += rate(t - 0.1) * 1e6 / 8.0 * 0.2;
            subflow.time_s.push(t);
            subflow.delivered_bytes.push(bytes);
        }
        [subflow]
    }

    /// 80 % of 19 Mbit/s is 15.2 Mbit/s. Nothing until 28 s, then growth by 2 Mbit/s each second: the second that begins u later
    /// has 2u + 1 on average, so among samples each 200 ms the first with enough is at u = 7.2 s.
    #[test]
    fn recovery_of_a_ramp() {
        let ramp = subflow(|t| if t < 20.0 { 19.0 } else { (2.0 * (t - 28.0)).clamp(0.0, 19.0) });
        let acknowledged = Acknowledged::of(&ramp, &MemorySink::new());
        let recovery = |search, mbps| recovery(&ramp, &acknowledged, search, mbps);
        let time = recovery((20.0, 60.0), 19.0).unwrap();
        assert!((time - 15.2).abs() < 1e-6, "{time}");
        assert_eq!(recovery((20.0, 30.0), 19.0), Err(10.0));
        assert_eq!(recovery((50.0, 60.0), 19.0), Ok(0.0));
    }

    /// A constant rate has recovered at the first sample, whatever their interval.
    #[test]
    fn recovery_at_any_interval() {
        for interval in [0.1, 0.3, 0.7, 2.0] {
            let time_s: Vec<f64> = (1..).map(|i| f64::from(i) * interval).take_while(|t| *t < 60.0).collect();
            let delivered_bytes = time_s.iter().map(|t| t * 1e6).collect();
            let steady = [SubflowSeries { time_s, delivered_bytes, ..SubflowSeries::default() }];
            let acknowledged = Acknowledged::of(&steady, &MemorySink::new());
            // 80 % are 7.92 of its 8 Mbit/s.
            let found = recovery(&steady, &acknowledged, (20.0, 50.0), 9.9);
            assert!(found.is_ok_and(|time| time < interval), "{interval}: {found:?}");
        }
    }

    /// Of packets of 152 bytes two thirds are payload: a link that is full has recovered by any fraction of it.
    #[test]
    fn recovery_with_small_segments() {
        let text = r#"
            name = "full link"
            duration = "12 s"
            links.a = { rate = "2 Mbit/s", delay = "5 ms" }
            flows = [{ name = "tested", cc = "reno", paths = [["a"]], tcp = { mss = 100 } }]
        "#;
        let run = crate::outcome::tests::outcome(&crate::Task::new(text));
        let args = Arguments { texts: &["tested".into()], subflow: None, numbers: &[4.0, 12.0, 2.0] };
        assert_eq!(of(&run, &args), Some(Ok(0.0)));
    }

    #[test]
    fn rates_are_means_over_the_second_before() {
        let rates = rates(&subflow(|t| if t < 10.0 { 8.0 } else { 4.0 }));
        let at = |t: f64| rates.iter().find(|(at, _)| (at - t).abs() < 1e-9).unwrap().1;
        for (t, rate) in [(5.0, 8.0), (10.0, 8.0), (10.4, 6.4), (11.0, 4.0), (59.0, 4.0)] {
            assert!((at(t) - rate).abs() < 1e-6, "at {t}: {}", at(t));
        }
    }

    /// The monitor's samples come a little early or late. A constant rate stays constant, whatever the interval.
    #[test]
    fn rates_at_uneven_times() {
        for interval in [0.3, 1.0, 2.5] {
            let times = (0..40).map(|i| f64::from(i) * interval + f64::from(i * 7 % 5) * 0.004);
            let subflow = |mbps: f64| {
                let time_s: Vec<f64> = times.clone().collect();
                let delivered_bytes = time_s.iter().map(|t| t * mbps * 1e6 / 8.0).collect();
                SubflowSeries { time_s, delivered_bytes, ..SubflowSeries::default() }
            };
            let drawn = rates(&[subflow(9.0), subflow(19.0)]);
            assert!(drawn.len() >= 36, "{interval}: {drawn:?}");
            assert!(drawn.iter().all(|(_, rate)| (rate - 28.0).abs() < 1e-6), "{interval}: {drawn:?}");
        }
    }

    /// A flow of 8 Mbit/s opens at 5.1 s. Samples each 5 s do not say when its first bytes came; samples each 0.5 s do.
    #[test]
    fn a_late_flow_has_no_peak_at_its_first_sample() {
        let drawn = |interval: f64| {
            let time_s: Vec<f64> =
                (1..=60).map(|i| f64::from(i) * interval).filter(|t| (5.1..30.1).contains(t)).collect();
            let delivered_bytes = time_s.iter().map(|t| (t - 5.1) * 1e6).collect();
            rates(&[SubflowSeries { time_s, delivered_bytes, ..SubflowSeries::default() }])
        };
        let times: Vec<f64> = drawn(5.0).iter().map(|(t, _)| *t).collect();
        assert_eq!(times, [15.0, 20.0, 25.0, 30.0]);
        assert!(drawn(5.0).iter().all(|(_, rate)| (rate - 8.0).abs() < 1e-6), "{:?}", drawn(5.0));
        assert_eq!(drawn(16.0), [], "one sample does not say it either");
        for ((t, rate), (at, expected)) in drawn(0.5).into_iter().zip([(5.5, 3.2), (6.0, 7.2), (6.5, 8.0)]) {
            assert!((t - at).abs() < 1e-6 && (rate - expected).abs() < 1e-6, "{rate} at {t} s");
        }
    }

    /// Away from 3 to 10 s: what is acknowledged after that belongs to the time after it.
    #[test]
    fn a_pause_takes_no_part_of_what_follows() {
        let mut last_second = LastSecond::default();
        let mut rate = |i: u32, bytes: f64| last_second.rate(f64::from(i) * 0.1, bytes);
        for i in 1..=30 {
            rate(i, f64::from(i) * 1e5);
        }
        for (i, mbps) in [(100, 0.8), (101, 1.6), (109, 8.0), (110, 8.0)] {
            let found = rate(i, 3e6 + f64::from(i - 99) * 1e5).unwrap();
            assert!((found - mbps).abs() < 1e-6, "at sample {i}: {found}");
        }
    }
}
