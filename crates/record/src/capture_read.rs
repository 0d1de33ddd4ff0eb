//! What a record that was read from a capture tells of it.

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
    /// Those of them that are no TCP segments, or whose headers are cut off.
    pub others: u64,
    /// Time of the first segment, seconds since 1970: the record's time 0.
    pub begins_s: f64,
    /// Subflows that join a connection whose beginning is not in the capture.
    pub joins_of_strangers: u64,
    /// Connections whose SYN asked for MPTCP, and whose answer was TCP's.
    #[serde(default)]
    pub refused: u64,
    /// The file ends in the middle of a packet, which is left out.
    #[serde(default)]
    pub cut_off: bool,
    /// MPTCP connections that fell back to TCP.
    #[serde(default)]
    pub fallbacks: Vec<Fallback>,
    /// Each subflow's packets, in the summary's order.
    pub paths: Vec<PathTraffic>,
}

/// A connection that began as MPTCP and went on as TCP (RFC 8684 §3.7).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fallback {
    /// The flow's name.
    pub flow: String,
    /// When the first packet told of it, in seconds of the record.
    pub at_s: f64,
    /// What told of it.
    pub sign: FallbackSign,
}

/// What tells of a fallback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FallbackSign {
    /// Data or acknowledgements without MPTCP's options, up to the end.
    NoOptions,
    /// MP_FAIL: a checksum showed data that was changed on its way.
    Fail,
    /// A mapping for all that follows.
    InfiniteMapping,
}
