//! A scenario as the simulator and other backends see it: checked, in SI units, flows counted out.

pub use crate::scheduler::Scheduler;
use anabranch_cc::registry::{Entry, Given};
use anabranch_cc_fixed::{registry as kernel, shared::PATHS};
use anabranch_net::{LinkSpec, Time};
use std::sync::Arc;

/// Everything that determines a run, but for the seed's replacement on the command line.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The scenario's name.
    pub name: String,
    /// Its purpose.
    pub description: Option<String>,
    /// Length of a run, the warm-up included.
    pub duration: Time,
    /// Means are taken from here on.
    pub warmup: Time,
    /// Seed of every random process.
    pub seed: u64,
    /// SHA-256 of the effective scenario, overrides included, in hexadecimal.
    pub hash: String,
    /// The links, in the file's order.
    pub links: Vec<NamedLink>,
    /// The flows, in the file's order, each `count` spelled out.
    pub flows: Vec<Flow>,
    /// The recording.
    pub record: Record,
    /// The seed's variation beside the links' random processes.
    pub variation: Variation,
}

/// A link and its name.
#[derive(Clone, Debug)]
pub struct NamedLink {
    /// The name, with `/1`, `/2`, … where the scenario gives a count.
    pub name: String,
    /// Its key under `[links]`.
    pub key: String,
    /// Its description.
    pub spec: LinkSpec,
}

/// One connection.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The name, with `/1`, `/2`, … where the scenario gives a count.
    pub name: String,
    /// The algorithm.
    pub cc: CongestionControl,
    /// Which subflow sends next.
    pub scheduler: Scheduler,
    /// Whether a subflow that holds the receive window up has its window halved (Raiciu et al., NSDI 2012).
    pub penalise: bool,
    /// When the connection is opened.
    pub start: Time,
    /// When the application stops sending; at the latest the end of the run.
    pub stop: Time,
    /// The application that sends.
    pub application: Application,
    /// One subflow each. One path is plain TCP, several are MPTCP.
    pub paths: Vec<Path>,
    /// Subflows added, removed or made backup while it runs, in order of time.
    pub events: Vec<SubflowEvent>,
    /// TCP's parameters.
    pub tcp: Tcp,
}

/// The most paths of a flow: subflows of a connection are members of 32-bit sets.
pub const MAX_PATHS: usize = 32;
/// The most links of a path in one direction: packets count them in 16 bits.
pub const MAX_HOPS: usize = 65_534;

impl Flow {
    /// Whether the flow uses MPTCP: it has several paths.
    pub fn is_multipath(&self) -> bool {
        self.paths.len() > 1
    }

    /// Whether it has something to send at all times, as theory takes it: neither pauses nor an end of its own.
    pub fn is_greedy(&self) -> bool {
        matches!(self.application, Application::Bulk { bytes: None })
    }
}

/// A registered algorithm and its given parameters, already checked against the registry.
#[derive(Clone)]
pub struct CongestionControl {
    /// Its entry in the registry.
    pub entry: &'static Entry,
    /// Parameters that differ from the defaults.
    pub params: Vec<(String, Given)>,
}

impl CongestionControl {
    /// The most paths of a flow under it. The kernel's arithmetic has a row for each of the nine subflows that Linux
    /// allows a connection.
    pub fn max_paths(&self) -> usize {
        let of_the_kernel = kernel::all().iter().any(|known| known.entry.name == self.entry.name);
        if of_the_kernel { PATHS } else { MAX_PATHS }
    }
}

impl std::fmt::Debug for CongestionControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.entry.name, self.params)
    }
}

/// The sending application.
#[derive(Clone, Debug, PartialEq)]
pub enum Application {
    /// Sends as fast as it can, until it has sent this many bytes or the flow stops.
    Bulk {
        /// `None`: until the flow stops.
        bytes: Option<u64>,
    },
    /// Sends and pauses in turn.
    OnOff {
        /// Length of the sending periods.
        on: Draw,
        /// Length of the pauses.
        off: Draw,
        /// Rate of writing while on; `None`: as fast as it can.
        rate_bps: Option<f64>,
    },
    /// The receiver asks, the sender answers, the receiver thinks, and so on.
    RequestResponse {
        /// Size of the answers, in bytes.
        size: Draw,
        /// Pause between an answer's last byte and the next request, in seconds.
        think: Draw,
        /// Stop after that many.
        count: Option<u64>,
    },
    /// Transfers arrive, whatever has become of those before.
    Arrivals {
        /// Size of each, in bytes.
        size: Draw,
        /// Time from one arrival to the next, and from the opening to the first, in seconds.
        interval: Draw,
        /// Stop after that many.
        count: Option<u64>,
        /// What carries them.
        connections: Connections,
    },
}

/// What carries transfers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connections {
    /// Each opens a connection of its own.
    #[default]
    New,
    /// All share one, in order of arrival.
    One,
}

/// A random quantity. Its unit is the place's: bytes, or seconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw {
    /// Always this.
    Constant(f64),
    /// Uniform between the two.
    Uniform(f64, f64),
    /// Exponential with this mean.
    Exponential(f64),
    /// Pareto with this mean and shape (> 1).
    Pareto {
        /// Its mean.
        mean: f64,
        /// Tail index.
        shape: f64,
    },
    /// Log-normal with this median and the standard deviation of the logarithm.
    LogNormal {
        /// Its median.
        median: f64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// By points of its cumulative distribution function, in order, and linear between them; the last has 1. What share the
    /// first has, it has at its value.
    Empirical(Arc<[CdfPoint]>),
}

/// A point of a cumulative distribution function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CdfPoint {
    /// The value.
    pub value: f64,
    /// The share of values up to it.
    pub cdf: f64,
}

/// The way of one subflow.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Links from sender to receiver, as indices into [`Scenario::links`]; not empty.
    pub links: Vec<usize>,
    /// Links from receiver to sender; empty: the same delay as forward, no queue, no loss.
    pub return_links: Vec<usize>,
    /// Used only while no regular subflow can be.
    pub backup: bool,
}

/// A change to a connection's subflows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubflowEvent {
    /// When.
    pub at: Time,
    /// Index into [`Flow::paths`].
    pub path: usize,
    /// The event.
    pub action: SubflowAction,
}

/// An event of a subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubflowAction {
    /// It joins the connection. A path whose first event is this one does not join at the start.
    Add,
    /// It leaves.
    Remove,
    /// It becomes backup (true) or regular (false).
    Backup(bool),
}

/// Parameters of TCP, per flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tcp {
    /// Payload of a full segment of plain TCP, in bytes; its packet is 52 bytes larger. MPTCP's DSS option takes
    /// 20 bytes of it.
    pub mss: u16,
    /// Initial window, in segments (RFC 6928).
    pub initial_window: u32,
    /// Slow-start threshold of a new subflow, in segments; none lets slow start go on until it ends itself.
    pub initial_ssthresh: Option<u32>,
    /// Receive buffer, in bytes: the largest window that the receiver offers.
    pub receive_buffer: u64,
    /// Smallest retransmission timeout (RFC 6298 has 1 s, Linux 200 ms).
    pub min_rto: Time,
    /// Full-sized segments per ACK; 1: every segment is acknowledged at once.
    pub delayed_ack: u32,
    /// How long an ACK may be delayed.
    pub delayed_ack_timeout: Time,
    /// Whether ECN is negotiated (RFC 3168).
    pub ecn: bool,
    /// Whether segments leave in bursts, by Linux' rules of segmentation offload.
    pub tso: bool,
    /// Whether the end of a burst is acknowledged once the application has read all that came.
    pub push_acks: bool,
    /// Whether ACKs of what arrives behind a hole wait for more.
    pub sack_compression: bool,
    /// Whether MPTCP's DSS has data sequence numbers of 64 bits.
    pub long_dss: bool,
    /// Whether the window starts again after a pause (RFC 5681 §4.1).
    pub slow_start_after_idle: bool,
}

/// What the hosts are like: defaults of flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// As RFCs have them.
    #[default]
    Plain,
    /// As upstream Linux.
    Linux,
}

impl Hosts {
    /// The scheduler of MPTCP.
    pub fn scheduler(self) -> Scheduler {
        match self {
            Hosts::Plain => Scheduler::default(),
            Hosts::Linux => Scheduler::Linux,
        }
    }

    /// TCP's parameters.
    pub fn tcp(self) -> Tcp {
        let linux = self == Hosts::Linux;
        Tcp { tso: linux, push_acks: linux, sack_compression: linux, long_dss: linux, ..Tcp::default() }
    }
}

impl Default for Tcp {
    fn default() -> Self {
        Tcp {
            mss: 1448,
            initial_window: 10,
            initial_ssthresh: None,
            receive_buffer: 1 << 30,
            min_rto: Time::from_millis(200),
            delayed_ack: 2,
            delayed_ack_timeout: Time::from_millis(40),
            ecn: false,
            tso: false,
            push_acks: false,
            sack_compression: false,
            long_dss: false,
            slow_start_after_idle: true,
        }
    }
}

/// The recording of a run beside its summary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Time between samples.
    pub interval: Time,
}

/// The seed's variation beside the links' random processes, so that runs differ however rare these are, and phase
/// effects vanish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Each connection opens later by a time drawn uniformly up to this.
    pub start_offset: Vary,
    /// Each ACK leaves the receiving host later by a time drawn uniformly up to this, order kept.
    pub host_jitter: Vary,
}

/// How much to vary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Vary {
    /// The longest base RTT of the flow's paths for the start, the transmission time of one full packet on the path's
    /// slowest link for the jitter.
    #[default]
    Auto,
    /// Up to this.
    UpTo(Time),
}
