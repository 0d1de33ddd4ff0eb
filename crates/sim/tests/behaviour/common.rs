//! Running scenarios that are written inside the tests.

use anabranch_record::{FlowSummary, LinkSummary, MemorySink, NoSamples, Sink, SubflowSummary, Summary};
use anabranch_scenario::Scenario;
use anabranch_sim::{SimError, run as simulate};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The scenario that `text` describes; name is added, duration and warm-up are in seconds.
pub fn scenario(duration: f64, warmup: f64, text: &str) -> Scenario {
    let head = format!("name = \"test\"\nduration = \"{duration} s\"\nwarmup = \"{warmup} s\"\n");
    let text = head + text;
    text.parse::<Scenario>().unwrap_or_else(|e| panic!("{e}: {:?}\n{text}", e.problems()))
}

/// Runs a scenario into a sink.
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

/// The flow called `name`.
pub fn flow<'a>(summary: &'a Summary, name: &str) -> &'a FlowSummary {
    summary.flows.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no flow {name}"))
}

/// The link called `name`.
pub fn link<'a>(summary: &'a Summary, name: &str) -> &'a LinkSummary {
    summary.links.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("no link {name}"))
}

/// The only subflow of the first flow.
pub fn subflow(summary: &Summary) -> &SubflowSummary {
    &summary.flows[0].subflows[0]
}

/// Mean and its standard error.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// Mean and the half-width of its 95 % interval, by Student's t.
pub fn mean_and_half_width(values: &[f64]) -> (f64, f64) {
    let (mean, error) = mean_and_error(values);
    let t = StudentsT::new(0.0, 1.0, values.len() as f64 - 1.0).expect("two values or more");
    (mean, t.inverse_cdf(0.975) * error)
}
