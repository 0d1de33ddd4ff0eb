//! Measurements of a connection in its measurement window.

use anabranch_net::Time;
use anabranch_record::{Histogram, TransferMeter};

/// Measurements of a connection as a whole.
#[derive(Clone, Default)]
pub(crate) struct ConnectionMeter {
    pub(crate) from: Time,
    pub(crate) to: Time,
    pub(crate) running: bool,
    /// Bytes delivered and chunks reinjected: the values at the start, at the end the differences.
    pub(crate) bytes: u64,
    pub(crate) reinjected: u64,
    pub(crate) completions: Histogram,
    pub(crate) completion_seconds: f64,
    pub(crate) transfers: TransferMeter,
}
