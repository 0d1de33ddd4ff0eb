//! Running scenarios that are written inside the tests.

use anabranch_record::{
    FlowSummary, LinkSummary, MemorySink, NoSamples, Sink, SubflowSummary, Summary, estimate,
};
use anabranch_scenario::Scenario;
use anabranch_sim::{SimError, run as simulate};
use std::fmt::Display;

/// Without the variation that seeds make.
pub const EXACT: &str = "variation = { start_offset = \"0 s\", host_jitter = \"0 s\" }\n";

/// A link of this rate in Mbit/s and one-way delay in ms; `more` has further keys.
pub fn link_of(name: &str, mbit: impl Display, delay_ms: impl Display, more: &str) -> String {
    format!("[links.{name}]\nrate = \"{mbit} Mbit/s\"\ndelay = \"{delay_ms} ms\"\n{more}\n")
}

/// A flow with a path over each of these links; `cc` is a name or a table, and `more` has further keys.
pub fn flow_of(name: &str, cc: &str, links: &[impl Display], more: &str) -> String {
    let cc = if cc.starts_with('{') { cc.to_owned() } else { format!("\"{cc}\"") };
    let paths: Vec<String> = links.iter().map(|link| format!("[\"{link}\"]")).collect();
    format!("[[flows]]\nname = \"{name}\"\ncc = {cc}\npaths = [{}]\n{more}\n", paths.join(", "))
}

/// The scenario that `text` describes; name is added, duration and warm-up are in seconds.
pub fn scenario(duration: f64, warmup: f64, text: &str) -> Scenario {
    let head = format!("name = \"test\"\nduration = \"{duration} s\"\nwarmup = \"{warmup} s\"\n");
    let text = head + text;
    text.parse::<Scenario>().unwrap_or_else(|e| panic!("{e}: {:?}\n{text}", e.problems()))
}

pub fn into_sink(scenario: &Scenario, seed: u64, sink: &mut dyn Sink) -> Result<Summary, SimError> {
    simulate(scenario, seed, sink, &mut |_| true).map(|run| run.summary)
}

/// Runs a scenario's text with a seed.
pub fn run_seed(duration: f64, warmup: f64, text: &str, seed: u64) -> Summary {
    into_sink(&scenario(duration, warmup, text), seed, &mut NoSamples).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a scenario's text.
pub fn run(duration: f64, warmup: f64, text: &str) -> Summary {
    run_seed(duration, warmup, text, 1)
}

/// Runs a scenario's text and keeps its samples.
pub fn record(duration: f64, warmup: f64, text: &str) -> (Summary, MemorySink) {
    let mut sink = MemorySink::new();
    let summary = into_sink(&scenario(duration, warmup, text), 1, &mut sink);
    (summary.unwrap_or_else(|e| panic!("{e}")), sink)
}

pub fn flow<'a>(summary: &'a Summary, name: &str) -> &'a FlowSummary {
    summary.flows.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no flow {name}"))
}

/// The goodput of a flow, in bit/s.
pub fn goodput(flow: &FlowSummary) -> f64 {
    flow.goodput_bps.unwrap()
}

pub fn link<'a>(summary: &'a Summary, name: &str) -> &'a LinkSummary {
    summary.links.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("no link {name}"))
}

/// The only subflow of the first flow.
pub fn subflow(summary: &Summary) -> &SubflowSummary {
    &summary.flows[0].subflows[0]
}

/// One flow with this number of subflows, and Reno flows, on one bottleneck: its rate over a Reno flow's, from 30 s on.
pub fn share_of_a_flow(cc: &str, rate_mbit: u32, subflows: usize, reno: u32, seconds: f64, seed: u64) -> f64 {
    let text = link_of("path", rate_mbit, 20, "")
        + &flow_of("multipath", cc, &vec!["path"; subflows], "")
        + &flow_of("reno", "reno", &["path"], &format!("count = {reno}"));
    let flows = run_seed(30.0 + seconds, 30.0, &text, seed).flows;
    goodput(&flows[0]) / (flows[1..].iter().map(goodput).sum::<f64>() / f64::from(reno))
}

/// Two equal links, with one Reno flow on the first and four on the second, and one flow over both.
pub fn unevenly_congested(cc: &str) -> String {
    link_of("a", 10, 20, "")
        + &link_of("b", 10, 20, "")
        + &flow_of("multipath", cc, &["a", "b"], "")
        + &flow_of("on a", "reno", &["a"], "")
        + &flow_of("on b", "reno", &["b"], "count = 4")
}

pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// Mean and the half-width of its 95 % interval, by Student's t.
pub fn mean_and_half_width(values: &[f64]) -> (f64, f64) {
    let estimate = estimate(values.to_vec()).expect("finite values");
    assert!(values.len() > 1);
    (estimate.mean, estimate.half_width.unwrap_or(0.0)) // equal values have no interval
}
