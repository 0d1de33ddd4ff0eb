//! Lines over time from samples, and how soon a change is made up for.

use super::case::Change;
use super::result::{Observed, Trace};
use anabranch_cc::registry::Entry;
use anabranch_record::{FlowSeries, SubflowSeries};
use anabranch_study::Outcome;

/// The share of the capacity at which a change counts as made up for.
const RECOVERED: f64 = 0.8;
/// Payload of a full segment of a multipath connection (MSS 1448 less the DSS option's 20) in its packet.
const PAYLOAD: f64 = 1428.0 / 1500.0;
/// The span over which goodput is averaged, in seconds.
const SPAN_S: f64 = 1.0;
/// Sampling instants are multiples of the interval, but for rounding.
const ROUNDING_S: f64 = 1e-6;

/// The name of a flow in legends: the algorithm for the tested one.
pub(super) fn flow_name(flow: &str, cc: &str) -> String {
    match flow {
        "tested" => cc.to_owned(),
        _ => format!("{flow} ({cc})"),
    }
}

/// The congestion windows of every subflow.
pub(super) fn windows(run: &Outcome) -> Vec<Trace> {
    each_subflow(run, |name, s| trace(name, s.time_s.iter().zip(&s.cwnd_segments)))
}

/// The goodput of every subflow, and of each connection that has several.
pub(super) fn rates(run: &Outcome) -> Vec<Trace> {
    let rate = |name, subflows: &[SubflowSeries]| {
        let points: Vec<_> = instants(subflows)
            .into_iter()
            .filter(|t| *t >= SPAN_S)
            .map(|t| (t, rate_mbps(subflows, t - SPAN_S)))
            .collect();
        trace(name, points.iter().map(|(t, rate)| (t, rate)))
    };
    let mut traces = each_subflow(run, |name, s| rate(name, std::slice::from_ref(s)));
    let several = run.samples.flows.iter().filter(|f| f.subflows.len() > 1);
    traces.extend(several.map(|f| rate(format!("{}, all", flow_name(&f.name, &f.cc)), &f.subflows)));
    traces
}

/// The tested algorithm's observables.
pub(super) fn observables(run: &Outcome, algorithm: &Entry) -> Vec<Observed> {
    let Some(tested) = tested(run) else { return vec![] };
    let one = |name: &'static str| {
        let traces = tested.subflows.iter().enumerate().filter_map(|(r, s)| {
            Some(trace(subflow_name(tested, r), s.time_s.iter().zip(s.observable(name)?)))
        });
        Observed { name: name.into(), traces: traces.collect() }
    };
    algorithm.observables.iter().map(|o| one(o.name)).collect()
}

/// Seconds until the change is made up for, or `Err` with the seconds there were.
pub(crate) fn recovery(run: &Outcome, change: &Change) -> Option<Result<f64, f64>> {
    let tested = tested(run)?;
    let watched = match change.subflow {
        Some(r) => std::slice::from_ref(tested.subflows.get(r)?),
        None => &tested.subflows[..],
    };
    let enough = RECOVERED * PAYLOAD * change.capacity_mbps;
    let begins = |t: &f64| *t >= change.at_s - ROUNDING_S && t + SPAN_S <= change.until_s + ROUNDING_S;
    let found = instants(watched).into_iter().filter(begins).find(|t| rate_mbps(watched, *t) >= enough);
    Some(found.map(|t| (t - change.at_s).max(0.0)).ok_or(change.until_s - change.at_s))
}

fn tested(run: &Outcome) -> Option<&FlowSeries> {
    run.samples.flows.iter().find(|f| f.name == "tested")
}

fn subflow_name(flow: &FlowSeries, r: usize) -> String {
    let name = flow_name(&flow.name, &flow.cc);
    if flow.subflows.len() == 1 { name } else { format!("{name}, subflow {}", r + 1) }
}

fn each_subflow(run: &Outcome, draw: impl Fn(String, &SubflowSeries) -> Trace) -> Vec<Trace> {
    let flows = run.samples.flows.iter();
    flows.flat_map(|f| f.subflows.iter().enumerate().map(|(r, s)| draw(subflow_name(f, r), s))).collect()
}

/// The points that have a value, in milliseconds and five digits: what a drawing shows.
fn trace<'a>(name: String, points: impl Iterator<Item = (&'a f64, &'a f64)>) -> Trace {
    let (time_s, values) = points
        .filter(|(_, y)| y.is_finite())
        .map(|(t, y)| ((t * 1e3).round() / 1e3, five_digits(*y)))
        .unzip();
    Trace { name, time_s, values }
}

fn five_digits(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let unit = 10f64.powi(4 - x.abs().log10().floor() as i32);
    (x * unit).round() / unit
}

/// When any of the subflows was sampled.
fn instants(subflows: &[SubflowSeries]) -> Vec<f64> {
    let mut times: Vec<f64> = subflows.iter().flat_map(|s| &s.time_s).copied().collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// The payload acknowledged in the [`SPAN_S`] from `from_s` on, in Mbit/s.
fn rate_mbps(subflows: &[SubflowSeries], from_s: f64) -> f64 {
    let until = |t: f64| subflows.iter().map(|s| delivered(s, t)).sum::<f64>();
    (until(from_s + SPAN_S) - until(from_s)) * 8.0 / SPAN_S / 1e6
}

/// Bytes acknowledged by `t`; what the last sample before says.
fn delivered(series: &SubflowSeries, t: f64) -> f64 {
    match series.time_s.partition_point(|at| *at <= t + ROUNDING_S) {
        0 => 0.0,
        n => series.delivered_bytes[n - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_record::{LinkSummary, MemorySink, Summary};

    /// A run of 60 s whose only subflow has `rate(t)` Mbit/s acknowledged, sampled every 200 ms.
    fn run(rate: impl Fn(f64) -> f64) -> Outcome {
        let mut subflow = SubflowSeries::default();
        let mut bytes = 0.0;
        for i in 1..=300 {
            let t = f64::from(i) * 0.2;
            bytes += rate(t - 0.1) * 1e6 / 8.0 * 0.2;
            subflow.time_s.push(t);
            subflow.delivered_bytes.push(bytes);
        }
        let flow = FlowSeries { name: "tested".into(), cc: "reno".into(), subflows: vec![subflow] };
        let summary = Summary {
            scenario: String::new(),
            scenario_hash: String::new(),
            seed: 1,
            version: String::new(),
            duration_s: 60.0,
            warmup_s: 0.0,
            partial_until_s: None,
            flows: vec![],
            links: Vec::<LinkSummary>::new(),
            jain: None,
        };
        let samples = MemorySink { flows: vec![flow], ..MemorySink::new() };
        let setup = anabranch_study::Setup::new("", &crate::scenarios::ONE_PATH);
        Outcome { summary, samples, scenario: setup.scenario().unwrap().into() }
    }

    fn change(at_s: f64, until_s: f64, subflow: Option<usize>) -> Change {
        Change { what: "", at_s, until_s, subflow, capacity_mbps: 20.0 }
    }

    /// 80 % of 20 Mbit/s is 15.23 Mbit/s of payload. Nothing until 28 s, then growth by 2 Mbit/s each second: the second that
    /// begins u later has 2u + 1 on average, so that of samples each 200 ms the first with enough is at u = 7.2 s.
    #[test]
    fn recovery_of_a_ramp() {
        let ramp = run(|t| if t < 20.0 { 19.0 } else { (2.0 * (t - 28.0)).clamp(0.0, 19.0) });
        for subflow in [None, Some(0)] {
            let time = recovery(&ramp, &change(20.0, 60.0, subflow)).unwrap().unwrap();
            assert!((time - 15.2).abs() < 1e-6, "{time}");
        }
        assert_eq!(recovery(&ramp, &change(20.0, 30.0, None)), Some(Err(10.0)));
        assert_eq!(recovery(&ramp, &change(50.0, 60.0, None)), Some(Ok(0.0)));
        assert_eq!(recovery(&ramp, &change(20.0, 60.0, Some(1))), None);
    }

    #[test]
    fn rates_are_means_over_the_second_before() {
        let rates = rates(&run(|t| if t < 10.0 { 8.0 } else { 4.0 }));
        let [only] = &rates[..] else { panic!("one subflow, no sum") };
        assert_eq!(only.name, "reno");
        let at = |t: f64| only.values[only.time_s.iter().position(|x| *x == t).unwrap()];
        assert_eq!((at(5.0), at(10.0), at(10.4), at(11.0), at(59.0)), (8.0, 8.0, 6.4, 4.0, 4.0));
    }

    #[test]
    fn drawn_values_have_five_digits() {
        for (x, y) in [(0.0, 0.0), (123_456.7, 123_460.0), (0.123_456_7, 0.12346), (-9.999_96, -10.0)] {
            assert_eq!(five_digits(x), y);
        }
    }
}
