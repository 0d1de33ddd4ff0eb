//! Lines over time from samples.

use super::result::{Observed, Trace};
use anabranch_cc::registry::Entry;
use anabranch_record::{FlowSeries, SubflowSeries};
use anabranch_study::Outcome;
use anabranch_study::functions::recovery;

/// The name of a flow in legends: the algorithm for the tested one.
pub(super) fn flow_name(flow: &str, cc: &str) -> String {
    match flow {
        "tested" => cc.to_owned(),
        _ => format!("{flow} ({cc})"),
    }
}

pub(super) fn windows(run: &Outcome) -> Vec<Trace> {
    each_subflow(run, |name, s| trace(name, s.time_s.iter().zip(&s.cwnd_segments)))
}

/// The goodput of every subflow, and of each connection that has several.
pub(super) fn rates(run: &Outcome) -> Vec<Trace> {
    let rate = |name, subflows: &[SubflowSeries]| {
        let points = recovery::rates(subflows);
        trace(name, points.iter().map(|(t, rate)| (t, rate)))
    };
    let mut traces = each_subflow(run, |name, s| rate(name, std::slice::from_ref(s)));
    let several = run.samples.flows.iter().filter(|f| f.subflows.len() > 1);
    traces.extend(several.map(|f| rate(format!("{}, all", flow_name(&f.name, &f.cc)), &f.subflows)));
    traces
}

pub(super) fn observables(run: &Outcome, algorithm: &Entry) -> Vec<Observed> {
    let Some(tested) = run.samples.flows.iter().find(|f| f.name == "tested") else { return vec![] };
    let one = |name: &'static str| {
        let traces = tested.subflows.iter().enumerate().filter_map(|(r, s)| {
            Some(trace(subflow_name(tested, r), s.time_s.iter().zip(s.observable(name)?)))
        });
        Observed { name: name.into(), traces: traces.collect() }
    };
    algorithm.observables.iter().map(|o| one(o.name)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_values_have_five_digits() {
        for (x, y) in [(0.0, 0.0), (123_456.7, 123_460.0), (0.123_456_7, 0.12346), (-9.999_96, -10.0)] {
            assert_eq!(five_digits(x), y);
        }
    }
}
