//! What a record that was read from a capture tells of it.

use crate::PathTraffic;
use serde::{Deserialize, Serialize};

/// A capture of packets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaptureRead {
    /// Packets in it.
    pub packets: u64,
    /// Those of them that are no TCP segments, or whose headers are cut off.
    pub others: u64,
    /// Time of the first segment, seconds since 1970: the record's time 0.
    pub begins_s: f64,
    /// Subflows that join a connection whose beginning is not in the capture.
    pub joins_of_strangers: u64,
    /// Each subflow's packets, in the summary's order.
    pub paths: Vec<PathTraffic>,
}
