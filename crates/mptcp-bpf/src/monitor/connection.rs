//! A watched connection.

use anabranch_cc_fixed::registry::KernelEntry;
use std::fmt;
use std::net::SocketAddr;

/// A connection whose sockets use an algorithm of ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// The algorithm.
    pub entry: &'static KernelEntry,
    /// The connection's identity.
    pub key: Key,
    /// Its subflows, by their rows.
    pub subflows: Vec<Subflow>,
}

/// The identity of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// The token of an MPTCP connection (RFC 8684, section 3.2), as `ss -M` shows it.
    Token(u32),
    /// The number of a TCP socket without MPTCP.
    Single(u64),
}

impl fmt::Display for Key {
    /// `0f3a21bc`, `tcp-17`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Token(token) => write!(f, "{token:08x}"),
            Key::Single(number) => write!(f, "tcp-{number}"),
        }
    }
}

/// A TCP socket: a separate one, or a subflow of an MPTCP connection. Counters begin at its start.
#[derive(Clone, Debug, PartialEq)]
pub struct Subflow {
    /// The socket's number, unique among the sockets that use the algorithm.
    pub owner: u64,
    /// The inode of its network namespace.
    pub netns: u32,
    /// The local address and port.
    pub local: SocketAddr,
    /// The remote address and port.
    pub remote: SocketAddr,
    /// Maximum segment size, bytes; 0 before the first acknowledgement.
    pub mss: u32,
    /// Congestion window, segments.
    pub cwnd: f64,
    /// Slow-start threshold, segments; infinite until the first congestion.
    pub ssthresh: f64,
    /// Smoothed round-trip time, seconds; `None` before the first sample.
    pub srtt_s: Option<f64>,
    /// Smallest round-trip time, seconds; `None` before the first sample.
    pub min_rtt_s: Option<f64>,
    /// The kernel's latest estimate of the delivery rate, bits of payload per second.
    pub delivery_rate_bps: Option<f64>,
    /// Segments sent and neither acknowledged nor deemed lost.
    pub in_flight_segments: u32,
    /// Payload bytes sent, first transmissions only.
    pub sent_bytes: u64,
    /// Payload bytes acknowledged.
    pub acked_bytes: u64,
    /// Segments sent, retransmissions included.
    pub sent_segments: u32,
    /// Segments delivered.
    pub delivered_segments: u32,
    /// Segments deemed lost.
    pub lost_segments: u32,
    /// Retransmitted segments.
    pub retransmitted_segments: u32,
    /// Entries into loss recovery.
    pub recoveries: u32,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Congestion responses undone as spurious.
    pub spurious: u32,
    /// When the last acknowledgement arrived, microseconds of the monotonic clock; `None` before the first.
    pub acked_at_us: Option<u64>,
    /// The algorithm's observables, in the order of its entry; NaN for undefined values.
    pub observables: Vec<f64>,
}
