//! What a flow's full segment takes, as payload and as a packet.

use anabranch_ideal::{DSS, HEADERS};
use anabranch_scenario::Flow;

/// A full segment of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    /// Bytes that the application gets; MPTCP's option takes some of them.
    pub payload: f64,
    /// Bytes at IP level.
    pub packet: f64,
}

impl Segment {
    /// Of that flow.
    pub fn of(flow: &Flow) -> Self {
        let mss = f64::from(flow.tcp.mss);
        let option = if flow.is_multipath() { DSS } else { 0.0 };
        Segment { payload: mss - option, packet: mss + HEADERS }
    }
}
