//! Facts about a run on a real kernel that show whether its result is valid.

use serde::{Deserialize, Serialize};

/// A run on a kernel: which one, how the testbed kept up, how hosts sent and acknowledged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelRun {
    /// The kernel's release, as `uname -r` has it.
    pub release: String,
    /// The machine: processor, number of cores, memory.
    #[serde(default)]
    pub machine: String,
    /// Reasons why the result is invalid; empty if it is valid.
    pub invalid: Vec<String>,
    /// The number of invalid attempts before this one.
    pub invalid_attempts: u32,
    /// Who sent and received: "own", threads that check every byte, or "iperf3".
    pub traffic: String,
    /// The largest delay of a sample of the sockets, in seconds. The traffic's threads have the same priority.
    pub samples_late_max_s: f64,
    /// Dropped samples of subflows, with a window larger than all data sent.
    #[serde(default)]
    pub impossible_samples: u64,
    /// How the links' emulator kept up.
    pub emulator: EmulatorHealth,
    /// Whether the kernel skips calls of eBPF programs; null if no such program ran.
    pub skips_programs: Option<bool>,
    /// Each subflow's packets as the emulator saw them, in the summary's order.
    pub paths: Vec<PathTraffic>,
}

/// How the emulator kept up with real time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EmulatorHealth {
    /// Median delay of a packet's delivery after its scheduled time, in seconds; null without packets.
    pub lateness_p50_s: Option<f64>,
    /// 99th percentile.
    pub lateness_p99_s: Option<f64>,
    /// The largest.
    pub lateness_max_s: Option<f64>,
    /// Total stall time in the measured time, in seconds: all times longer than 1 ms in which it had to run and did not. Packets
    /// wait before it meanwhile, which does not count as delay.
    #[serde(default)]
    pub standstill_s: f64,
    /// Stalls followed by a queue drop within a round-trip time, counted for each subflow.
    #[serde(default)]
    pub standstill_losses: u64,
    /// The fraction of goodput that stalls may have cost.
    #[serde(default)]
    pub standstill_effect: f64,
    /// The time within which the emulator may move packets together, in seconds; null in records of version 0.2.0.
    #[serde(default)]
    pub quantum_s: Option<f64>,
    /// Processor time of the emulator ÷ time: the fraction of one core that it used.
    pub cpu: f64,
    /// Packets that a device dropped before the emulator could take them.
    pub device_drops: u64,
    /// Whether it ran with real-time priority (SCHED_FIFO).
    pub real_time_priority: bool,
}

/// How the hosts of a subflow sent data and acknowledged it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathTraffic {
    /// The flow's name.
    pub flow: String,
    /// The subflow's index in its flow.
    pub subflow: usize,
    /// Data segments that the sending host gave to the network.
    pub segments: u64,
    /// Segments per burst that the host gave at once (segmentation offload): the mean.
    pub mean_burst_segments: Option<f64>,
    /// Pure acknowledgements that the receiving host gave to the network.
    pub acknowledgements: u64,
    /// Segments that an acknowledgement newly covers, duplicates left out: the mean.
    pub mean_segments_per_ack: Option<f64>,
    /// The 95th percentile of these.
    pub p95_segments_per_ack: Option<f64>,
}
