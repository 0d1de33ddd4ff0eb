//! The summary of a run: what `anabranch run --json` prints and `summary.json` holds.
//!
//! Means cover the time from the later of warm-up and the flow's start to its stop. Missing values (the RTT of a subflow that
//! never had one) are null.

use crate::{
    CaptureRead, FlowLayout, Histogram, KernelRun, LinkSummary, Measured, SubflowSummary, Transfers, jain,
    rate_bps,
};
use anabranch_net::Time;
use anabranch_scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// The scenario's name.
    pub scenario: String,
    /// SHA-256 of the effective scenario.
    pub scenario_hash: String,
    /// The seed; text, since JSON's numbers do not hold 64 bits everywhere.
    #[serde(with = "crate::seed")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub seed: u64,
    /// The version that ran it.
    pub version: String,
    /// Simulated length, warm-up included.
    pub duration_s: f64,
    /// Where means begin.
    pub warmup_s: f64,
    /// Only in a partial record: the simulated time at which the run was interrupted, where means and counters end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_until_s: Option<f64>,
    /// Every connection.
    pub flows: Vec<FlowSummary>,
    /// Every link.
    pub links: Vec<LinkSummary>,
    /// Jain's index of the connections' goodputs; null without flows or where all are zero.
    pub jain: Option<f64>,
    /// Only where a Python program measured the run: its own values, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, Option<f64>>,
    /// Only of a run on a real kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelRun>,
    /// Only of a capture that was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<CaptureRead>,
}

impl Summary {
    /// From these connections and links; the run's facts are still missing.
    pub fn of(flows: Vec<FlowSummary>, links: Vec<LinkSummary>) -> Summary {
        let goodputs: Vec<f64> = flows.iter().filter_map(|flow| flow.goodput_bps).collect();
        Summary {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            flows,
            links,
            jain: jain(&goodputs),
            ..Summary::default()
        }
    }

    /// Of a run of a scenario that ended at `end`: early, if it was interrupted.
    pub fn of_run(
        scenario: &Scenario,
        seed: u64,
        end: Time,
        flows: Vec<FlowSummary>,
        links: Vec<LinkSummary>,
    ) -> Summary {
        Summary {
            scenario: scenario.name.clone(),
            scenario_hash: scenario.hash.clone(),
            seed,
            duration_s: scenario.duration.as_secs_f64(),
            warmup_s: scenario.warmup.as_secs_f64(),
            partial_until_s: (end < scenario.duration).then(|| end.as_secs_f64()),
            ..Summary::of(flows, links)
        }
    }

    /// A connection's goodput ÷ the mean over the connections.
    pub fn share(&self, flow: &FlowSummary) -> Option<f64> {
        let all: Vec<f64> = self.flows.iter().filter_map(|flow| flow.goodput_bps).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        (mean > 0.0).then_some(flow.goodput_bps? / mean)
    }

    /// As JSON, indented, with a final newline.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a summary is plain data");
        text.push('\n');
        text
    }

    /// Reads it back.
    ///
    /// # Errors
    /// If `json` is not a summary; the error has line and column.
    pub fn from_json(json: &str) -> Result<Summary, serde_json::Error> {
        serde_json::from_str(json)
    }
}

/// One connection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowSummary {
    /// The flow's name.
    pub name: String,
    /// Its algorithm.
    pub cc: String,
    /// Payload delivered to the application in order, bits per second; null if the flow was never measured: over before
    /// the warm-up ended, or to start after the run.
    pub goodput_bps: Option<f64>,
    /// The same, as bytes.
    pub delivered_bytes: u64,
    /// Segments with payload retransmitted, each on the subflow that had sent it before.
    pub retransmitted_segments: u64,
    /// Segments with payload that repeat, at connection level, data sent before (RFC 8684 §3.3.6), counted when they are sent. Not those
    /// that the `redundant` scheduler sends on every subflow by design.
    pub reinjected_segments: u64,
    /// Times of the responses (request/response applications) or transfers (arrivals); null for others.
    pub completion: Option<Completion>,
    /// Only of transfers (arrivals).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfers: Option<Transfers>,
    /// Each of its paths.
    pub subflows: Vec<SubflowSummary>,
}

impl FlowSummary {
    /// The summary of a connection, from the bytes that it delivered and its subflows.
    pub fn of<'m>(
        layout: &FlowLayout,
        bytes: u64,
        seconds: f64,
        measured: impl IntoIterator<Item = Measured<'m>>,
    ) -> FlowSummary {
        let subflow = |(path, measured): (&Vec<String>, _)| {
            SubflowSummary::of(path.clone(), &layout.observables, &measured)
        };
        let subflows: Vec<SubflowSummary> = layout.paths.iter().zip(measured).map(subflow).collect();
        FlowSummary {
            name: layout.name.clone(),
            cc: layout.cc.clone(),
            goodput_bps: rate_bps(bytes, seconds),
            delivered_bytes: bytes,
            retransmitted_segments: subflows.iter().map(|s| s.retransmitted_segments).sum(),
            subflows,
            ..FlowSummary::default()
        }
    }

    /// Segments that the network dropped ÷ segments sent, of all subflows together.
    pub fn loss_rate(&self) -> Option<f64> {
        let sum = |count: fn(&SubflowSummary) -> u64| self.subflows.iter().map(count).sum::<u64>() as f64;
        let sent = sum(|subflow| subflow.sent_segments);
        (sent > 0.0).then(|| sum(|subflow| subflow.lost_segments) / sent)
    }
}

/// Completion times of responses, from the request to the last byte, or of transfers, from their arrival to the last byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Completion {
    /// The number of those that completed.
    pub count: u64,
    /// Mean, in seconds.
    pub mean_s: f64,
    /// Percentiles, in seconds, within 1/64 of their value.
    pub p50_s: f64,
    /// 95th percentile.
    pub p95_s: f64,
    /// 99th percentile.
    pub p99_s: f64,
}

impl Completion {
    /// Of these times, with their sum in seconds; `None` without times.
    pub fn of(times: &Histogram, sum_s: f64) -> Option<Self> {
        Some(Completion {
            count: times.count(),
            mean_s: sum_s / times.count() as f64,
            p50_s: times.quantile(0.5)?,
            p95_s: times.quantile(0.95)?,
            p99_s: times.quantile(0.99)?,
        })
    }
}
