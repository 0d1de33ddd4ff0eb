//! A scenario for the backends: checked, in SI units, with `count` expanded.

pub use crate::scheduler::Scheduler;
use anabranch_cc::registry::{Entry, ParamValue};
use anabranch_cc_fixed::{registry as kernel, shared::PATHS};
use anabranch_net::{LinkSpec, Time};
use std::sync::Arc;

/// Everything that determines a run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The scenario's name.
    pub name: String,
    /// Its purpose.
    pub description: Option<String>,
    /// Length of a run, the warm-up included.
    pub duration: Time,
    /// Means cover the time from here on.
    pub warmup: Time,
    /// Seed of every random process.
    pub seed: u64,
    /// SHA-256 of the effective scenario, overrides included, in hexadecimal.
    pub hash: String,
    /// The links, in the file's order.
    pub links: Vec<NamedLink>,
    /// The flows, in the file's order, with `count` expanded.
    pub flows: Vec<Flow>,
    /// Time between recorded samples.
    pub record_interval: Time,
    /// Random variation at the hosts.
    pub variation: Variation,
}

/// A link and its name.
#[derive(Clone, Debug)]
pub struct NamedLink {
    /// The name, with `/1`, `/2`, … if the scenario has a count.
    pub name: String,
    /// Its key under `[links]`.
    pub key: String,
    /// Its description.
    pub spec: LinkSpec,
}

/// One connection.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The name, with `/1`, `/2`, … if the scenario has a count.
    pub name: String,
    /// Its name in the file.
    pub key: String,
    /// The algorithm.
    pub cc: CongestionControl,
    /// Which subflow sends next.
    pub scheduler: Scheduler,
    /// Whether a subflow that blocks the receive window has its window halved (Raiciu et al., NSDI 2012).
    pub penalise: bool,
    /// The protocol.
    pub transport: Transport,
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

/// The most paths of a flow: sets of subflows have 32 bits.
pub const MAX_PATHS: usize = 32;
/// The most links of a path in one direction: packets count them in 16 bits.
pub const MAX_HOPS: usize = 65_534;

impl Flow {
    /// Whether the flow uses MPTCP: it has several paths.
    pub fn is_multipath(&self) -> bool {
        self.paths.len() > 1
    }

    /// Whether a path is in use from the flow's start: its first event, if any, is not that it joins.
    pub fn joins_at_start(&self, path: usize) -> bool {
        let first = self.events.iter().find(|event| event.path == path);
        first.is_none_or(|event| event.action != SubflowAction::Add)
    }

    /// Whether it always has data to send, as theory assumes: no pauses, no end.
    pub fn is_greedy(&self) -> bool {
        matches!(self.application, Application::Bulk { bytes: None })
    }
}

/// A registered algorithm and its given parameters, checked against the registry.
#[derive(Clone)]
pub struct CongestionControl {
    /// Its entry in the registry.
    pub entry: &'static Entry,
    /// The given parameters.
    pub params: Vec<(String, ParamValue)>,
}

impl CongestionControl {
    /// Whether it is a controller that a QUIC stack has itself, which its backend alone runs.
    pub fn is_of_stack(&self) -> bool {
        crate::stack::find(self.entry.name).is_some()
    }

    /// The most paths of a flow under it. The kernel implementation has a row for each of the nine subflows that Linux
    /// allows per connection.
    pub fn max_paths(&self) -> usize {
        let is_kernel = kernel::all().iter().any(|known| known.entry.name == self.entry.name);
        if is_kernel { PATHS } else { MAX_PATHS }
    }
}

/// As a scenario has it: `cubic`, or `{ name = "cubic", hystart = false }`.
impl std::fmt::Display for CongestionControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.params.is_empty() {
            return f.write_str(self.entry.name);
        }
        write!(f, "{{ name = {:?}", self.entry.name)?;
        for (name, value) in &self.params {
            match value {
                ParamValue::Number(x) => write!(f, ", {name} = {x:?}"),
                ParamValue::Flag(flag) => write!(f, ", {name} = {flag}"),
                ParamValue::Word(word) => write!(f, ", {name} = {word:?}"),
            }?;
        }
        f.write_str(" }")
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
    /// Alternates between sending and pausing.
    OnOff {
        /// Length of the sending periods.
        on: Draw,
        /// Length of the pauses.
        off: Draw,
        /// Rate of writing in sending periods; `None`: as fast as it can.
        rate_bps: Option<f64>,
    },
    /// The receiver requests, the sender answers, the receiver pauses, and repeats.
    RequestResponse {
        /// Size of an answer, in bytes.
        size: Draw,
        /// Pause between an answer's last byte and the next request, in seconds.
        think: Draw,
        /// Number after which it stops.
        count: Option<u64>,
    },
    /// Transfers arrive independently of earlier ones.
    Arrivals {
        /// Size of a transfer, in bytes.
        size: Draw,
        /// Time between arrivals, and from the opening to the first one, in seconds.
        interval: Draw,
        /// Number after which it stops.
        count: Option<u64>,
        /// The connections that carry them.
        connections: Connections,
    },
}

/// The connections that carry transfers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connections {
    /// Each transfer opens its own connection.
    #[default]
    New,
    /// All transfers share one connection, in order of arrival.
    One,
}

/// A random quantity, in bytes or seconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw {
    /// Always this value.
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
    /// Points of the cumulative distribution function, in order and linear between them; the last is 1. The mass of the first
    /// point lies at its value.
    Empirical(Arc<[CdfPoint]>),
}

/// A point of a cumulative distribution function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CdfPoint {
    /// The value.
    pub value: f64,
    /// The fraction of values up to it.
    pub cdf: f64,
}

/// The path of one subflow.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Links from sender to receiver, as indices into [`Scenario::links`]; not empty.
    pub links: Vec<usize>,
    /// Links from receiver to sender; empty: the forward delay, without queue or loss.
    pub return_links: Vec<usize>,
    /// Used only while no regular subflow is usable.
    pub backup: bool,
}

impl Path {
    /// Its round-trip propagation delay, where links have these.
    pub fn base_rtt(&self, delay: impl Fn(usize) -> Time) -> Time {
        let sum = |links: &[usize]| links.iter().fold(Time::ZERO, |sum, &link| sum + delay(link));
        let back = if self.return_links.is_empty() { &self.links } else { &self.return_links };
        sum(&self.links) + sum(back)
    }
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

/// The protocol of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// The backend's: QUIC on a QUIC stack, TCP elsewhere.
    #[default]
    Backend,
    /// TCP everywhere; beside QUIC, the simulator's.
    Tcp,
}

/// An event of a subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubflowAction {
    /// It joins the connection. A path whose first event is `Add` does not join at the start.
    Add,
    /// It leaves.
    Remove,
    /// It becomes backup (true) or regular (false).
    Backup(bool),
}

/// Parameters of TCP, per flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tcp {
    /// Payload of a full segment of plain TCP, in bytes; the packet has 52 bytes more. MPTCP's DSS option takes 20 bytes of it.
    pub mss: u16,
    /// Initial window, in segments (RFC 6928).
    pub initial_window: u32,
    /// Slow-start threshold of a new subflow, in segments; `None`: slow start ends with a loss.
    pub initial_ssthresh: Option<u32>,
    /// Receive buffer, in bytes: the largest advertised window.
    pub receive_buffer: u64,
    /// Minimum retransmission timeout (1 s in RFC 6298, 200 ms in Linux).
    pub min_rto: Time,
    /// Full-sized segments per ACK; 1: each segment is acknowledged at once.
    pub delayed_ack: u16,
    /// The longest delay of an ACK.
    pub delayed_ack_timeout: Time,
    /// Whether ECN is negotiated (RFC 3168).
    pub ecn: bool,
    /// Whether segments leave in bursts, by Linux's rules of segmentation offload.
    pub tso: bool,
    /// Whether the end of a burst is acknowledged once the application has read all data.
    pub push_acks: bool,
    /// Whether ACKs of segments after a hole wait for further segments.
    pub sack_compression: bool,
    /// Whether MPTCP's DSS has 64-bit data sequence numbers.
    pub long_dss: bool,
    /// Whether loss recovery and its timers follow Linux in the points that the format lists.
    pub linux_recovery: bool,
    /// Whether the window restarts after a pause (RFC 5681 §4.1).
    pub slow_start_after_idle: bool,
}

/// The host model, which sets defaults of flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// Idealised, by the RFCs.
    #[default]
    Plain,
    /// Linux-accurate.
    Linux,
}

impl Hosts {
    /// The scheduler of MPTCP.
    pub fn scheduler(self) -> Scheduler {
        match self {
            Hosts::Plain => Scheduler::MinRtt,
            Hosts::Linux => Scheduler::Linux,
        }
    }

    /// TCP's parameters.
    pub fn tcp(self) -> Tcp {
        let linux = self == Hosts::Linux;
        Tcp {
            tso: linux,
            push_acks: linux,
            sack_compression: linux,
            long_dss: linux,
            linux_recovery: linux,
            ..Tcp::default()
        }
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
            linux_recovery: false,
            slow_start_after_idle: true,
        }
    }
}

/// Random variation at the hosts, so that runs with different seeds differ even without random links, and phase effects vanish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Each connection opens later by a uniform time up to this.
    pub start_offset: RandomDelay,
    /// Each ACK leaves the receiving host later by a uniform time up to this; ACKs keep their order.
    pub host_jitter: RandomDelay,
}

/// The bound of a random delay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RandomDelay {
    /// For the start, the longest base RTT of the flow's paths; for ACKs, the transmission time of a full packet on the
    /// path's slowest link.
    #[default]
    Auto,
    /// Up to this.
    UpTo(Time),
}

/// A flow's name without the number that a count adds, or the `*` for all of these.
pub fn base(name: &str) -> &str {
    match name.rsplit_once('/') {
        Some((base, number)) if number == "*" || number.parse::<u32>().is_ok() => base,
        _ => name,
    }
}
