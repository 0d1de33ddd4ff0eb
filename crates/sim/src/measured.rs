//! What is measured of a connection between the beginning and the end of its window of measurement.

use anabranch_net::Time;
use anabranch_record::{Histogram, TransferMeter};

/// What a connection measures beside its subflows.
pub(crate) struct Measured {
    pub(crate) from: Time,
    pub(crate) to: Time,
    pub(crate) running: bool,
    /// Bytes delivered and chunks reinjected: at the beginning, then the difference.
    pub(crate) bytes: u64,
    pub(crate) reinjected: u64,
    pub(crate) completions: Histogram,
    pub(crate) completion_seconds: f64,
    pub(crate) transfers: TransferMeter,
}

impl Measured {
    pub(crate) fn new(from: Time, to: Time) -> Measured {
        Measured {
            from,
            to,
            running: false,
            bytes: 0,
            reinjected: 0,
            completions: Histogram::default(),
            completion_seconds: 0.0,
            transfers: TransferMeter::default(),
        }
    }
}
