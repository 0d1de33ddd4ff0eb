//! The summary of a run: what `anabranch run --json` prints and `summary.json` holds.
//!
//! Means cover the time from the later of warm-up and the flow's start to its stop. A value that
//! does not exist (the RTT of a subflow that never had one) is null.

use crate::{CaptureRead, Histogram, KernelRun, Transfers};
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Only of a run on a real kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelRun>,
    /// Only of a capture that was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<CaptureRead>,
}

impl Summary {
    /// As JSON, indented, with a final newline.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a summary is plain data");
        text.push('\n');
        text
    }

    /// Reads it back.
    ///
    /// # Errors
    /// Where `json` is not a summary; the error tells line and column.
    pub fn from_json(json: &str) -> Result<Summary, serde_json::Error> {
        serde_json::from_str(json)
    }
}

/// One connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Of these times, whose sum is that in seconds; none of none.
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

/// One subflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubflowSummary {
    /// Names of the links from sender to receiver.
    pub path: Vec<String>,
    /// Payload bytes that arrived here first, bits per second; null if the flow was never measured.
    pub goodput_bps: Option<f64>,
    /// Time-weighted mean congestion window; null if the subflow was never established.
    pub mean_cwnd_segments: Option<f64>,
    /// Time-weighted mean of the round-trip time. An ACK measures that of the segment sent last of those that it newly
    /// acknowledges and that were sent once, so without the wait of a delayed ACK. Null on a kernel, which tells the
    /// smoothed one alone.
    pub mean_rtt_s: Option<f64>,
    /// Percentiles of the round-trip time samples, within 1/64 of their value; null on a kernel.
    pub rtt_p5_s: Option<f64>,
    /// Median.
    pub rtt_p50_s: Option<f64>,
    /// 95th percentile.
    pub rtt_p95_s: Option<f64>,
    /// 99th percentile.
    pub rtt_p99_s: Option<f64>,
    /// Mean of the smoothed round-trip time (RFC 6298) over the sampling instants. It is of the first of these segments, with the wait of
    /// a delayed ACK.
    #[serde(default)]
    pub mean_srtt_s: Option<f64>,
    /// Percentiles of the smoothed round-trip time at the sampling instants, within 1/64 of their value.
    #[serde(default)]
    pub srtt_p5_s: Option<f64>,
    /// Median.
    #[serde(default)]
    pub srtt_p50_s: Option<f64>,
    /// 95th percentile.
    #[serde(default)]
    pub srtt_p95_s: Option<f64>,
    /// 99th percentile.
    #[serde(default)]
    pub srtt_p99_s: Option<f64>,
    /// Segments dropped in the network ÷ segments sent; null if none was sent.
    pub loss_rate: Option<f64>,
    /// Segments with payload sent, retransmissions included; SYN, FIN, DATA_FIN and ACKs alone are not.
    pub sent_segments: u64,
    /// Segments dropped in the network.
    pub lost_segments: u64,
    /// Segments sent again.
    pub retransmitted_segments: u64,
    /// Entries into loss recovery.
    pub recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Congestion responses undone as spurious.
    pub spurious: u64,
    /// Time-weighted means of the algorithm's observables, in the registry's order; an object in JSON.
    #[serde(with = "crate::ordered")]
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, Option<f64>>"))]
    pub mean_observables: Vec<(String, Option<f64>)>,
}

/// One link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkSummary {
    /// Its name.
    pub name: String,
    /// Wire bits transmitted ÷ capacity.
    pub utilisation: f64,
    /// Time-weighted mean of the bytes waiting.
    pub mean_queue_bytes: f64,
    /// Mean time that a byte waits, by Little's law: that integral ÷ bytes delivered; null where none was.
    pub mean_queue_delay_s: Option<f64>,
    /// Packets that the queue dropped.
    pub drops: u64,
    /// Of these, by its management, before it was full.
    pub early_drops: u64,
    /// Packets that the link marked: congestion experienced (RFC 3168).
    pub marks: u64,
    /// Packets that the loss process took, or a link that was down.
    pub losses: u64,
}
