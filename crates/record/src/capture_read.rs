//! Facts about a capture from which a record was read.

use crate::PathTraffic;
use serde::{Deserialize, Serialize};

/// A capture of packets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaptureRead {
    /// Time between samples, in seconds.
    #[serde(default)]
    pub interval_s: f64,
    /// TCP connections without MPTCP are in the record, too.
    #[serde(default)]
    pub tcp: bool,
    /// Packets in it.
    pub packets: u64,
    /// Packets among these that are not TCP segments, or have truncated headers.
    pub others: u64,
    /// Time of the first segment, seconds since 1970: the record's time 0.
    pub begins_s: f64,
    /// Subflows that join a connection whose beginning is not in the capture.
    pub unmatched_joins: u64,
    /// Connections whose SYN asked for MPTCP, and whose answer was TCP's.
    #[serde(default)]
    pub refused: u64,
    /// The file ends in the middle of a packet, which is left out.
    #[serde(default)]
    pub cut_off: bool,
    /// MPTCP connections that fell back to TCP.
    #[serde(default)]
    pub fallbacks: Vec<Fallback>,
    /// The tokens of each MPTCP connection, where its beginning shows both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<Tokens>,
    /// Each subflow's packets, in the summary's order.
    pub paths: Vec<PathTraffic>,
}

/// The tokens of an MPTCP connection, by which each end knows it: `ss -M` and `anabranch kernel monitor` show them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tokens {
    /// The flow's name.
    pub flow: String,
    /// The client's, in hexadecimal.
    pub client: String,
    /// The server's.
    pub server: String,
}

/// A connection that began as MPTCP and continued as TCP (RFC 8684 §3.7).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fallback {
    /// The flow's name.
    pub flow: String,
    /// The time of the first packet that shows it, in seconds of the record.
    pub at_s: f64,
    /// The sign of the fallback.
    pub sign: FallbackSign,
}

/// A sign of a fallback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FallbackSign {
    /// Data or acknowledgements without MPTCP's options, up to the end.
    NoOptions,
    /// MP_FAIL: a checksum shows that data was changed in transit.
    Fail,
    /// A mapping for all that follows.
    InfiniteMapping,
}
