//! The result of an algorithm's run through the standard cases. Written as JSON, read by the report.

use super::case;
use anabranch_study::{Estimate, Run, Size, size};
use serde::{Deserialize, Serialize};

/// An algorithm in the standard cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlgorithmResult {
    /// Its name in the registry.
    pub algorithm: String,
    /// Which size was run: "quick", "default" or "full".
    pub size: String,
    /// Seeds of each case.
    pub seeds: u32,
    /// The version that ran it.
    pub version: String,
    /// Each case, in the order of [`crate::standard::CASES`].
    pub cases: Vec<CaseResult>,
}

impl AlgorithmResult {
    /// A case by its identifier.
    pub fn case(&self, id: &str) -> Option<&CaseResult> {
        self.cases.iter().find(|case| case.id == id)
    }

    /// Whether both were made with the same size, seeds and version, so that their values may stand side by side.
    pub fn is_made_like(&self, other: &AlgorithmResult) -> bool {
        (&self.size, self.seeds, &self.version) == (&other.size, other.seeds, &other.version)
    }

    /// Whether this version's result of that size, and seeds where they are given, replaces it without a loss: it has no more seeds.
    pub fn yields_to(&self, size: Size, seeds: Option<u32>) -> bool {
        let seeds = seeds.unwrap_or_else(|| case::study(&self.algorithm).seeds(size)).max(1);
        (&*self.size, &*self.version) == (size.name(), env!("CARGO_PKG_VERSION")) && self.seeds <= seeds
    }

    /// The command that repeats it.
    pub fn command(&self) -> String {
        format!("anabranch cc report {}{}", self.algorithm, self.options())
    }

    /// The command that runs every algorithm as this one was.
    pub fn command_for_all(&self) -> String {
        format!("anabranch cc report{}", self.options())
    }

    fn options(&self) -> String {
        let size = size::named(&self.size);
        size::options(size, self.seeds, size.seeds())
    }
}

/// An algorithm in one case. A value is missing where a run failed, or a flow has no such value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The case's identifier.
    pub id: String,
    /// The key figure, in the unit of the case's goal.
    pub key: Option<Key>,
    /// Bytes waiting before the links, in packets of 1500 bytes: mean over time and links.
    pub queue_packets: Option<Estimate>,
    /// Jain's index of the connections' goodputs; missing with a single one.
    pub jain: Option<Estimate>,
    /// Each connection, and below it its subflows where it has several.
    pub flows: Vec<FlowRow>,
    /// Each link.
    pub links: Vec<LinkRow>,
    /// How soon each change was made up for.
    pub recoveries: Vec<Recovery>,
    /// Congestion windows in the first seed's run, in segments.
    pub windows: Vec<Trace>,
    /// Payload acknowledged in the second before, in the first seed's run, in Mbit/s.
    pub rates: Vec<Trace>,
    /// The algorithm's inner values in the first seed's run.
    pub observables: Vec<Observed>,
    /// How to run it again.
    pub run: Run,
    /// The error, if a run failed.
    pub failures: Vec<String>,
}

/// A case's key figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// Mean and interval.
    pub value: Estimate,
    /// It is a lower bound: see [`Recovery::unrecovered`].
    pub at_least: bool,
}

/// The measured values of a connection or of one of several subflows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowRow {
    /// The flow's name in the scenario.
    pub flow: String,
    /// Its algorithm.
    pub cc: String,
    /// The links of its only path or of this subflow; `None` for a connection of several subflows as a whole.
    pub path: Option<String>,
    /// A subflow of the connection above it?
    pub part: bool,
    /// Payload, in Mbit/s.
    pub goodput_mbps: Option<Estimate>,
    /// Goodput ÷ the mean of all connections' goodputs; connections only, where there are several.
    pub share: Option<Estimate>,
    /// Mean congestion window, in segments.
    pub cwnd_segments: Option<Estimate>,
    /// Mean round-trip time, in milliseconds.
    pub rtt_ms: Option<Estimate>,
    /// Segments dropped ÷ segments sent, in percent.
    pub loss_percent: Option<Estimate>,
    /// Retransmission timeouts in a run.
    pub timeouts: Option<Estimate>,
}

/// The measured values of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkRow {
    /// Its name.
    pub name: String,
    /// In percent.
    pub utilisation_percent: Option<Estimate>,
    /// Mean queue, in packets of 1500 bytes.
    pub queue_packets: Option<Estimate>,
    /// Packets in a run that found the queue full.
    pub drops: Option<Estimate>,
}

/// How soon a change was made up for: the time from the change until the start of the first second in which the watched
/// subflows have 80 % of what their paths now carry acknowledged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recovery {
    /// After which change, of which subflows.
    pub what: String,
    /// In seconds.
    pub time_s: Option<Estimate>,
    /// Seeds in which it did not happen before the next change or the end. They count with the time they had, so that
    /// the mean is then a lower bound.
    pub unrecovered: u32,
}

/// A line over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Legend entry.
    pub name: String,
    /// Simulated times, in seconds.
    pub time_s: Vec<f64>,
    /// The value at each.
    pub values: Vec<f64>,
}

/// One of the algorithm's observables over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// Its name in the registry.
    pub name: String,
    /// For each subflow.
    pub traces: Vec<Trace>,
}
