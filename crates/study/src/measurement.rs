//! A run that was measured on Linux.

use anabranch_record::Summary;
use serde::{Deserialize, Serialize};

/// A measured run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The command of its simulation, with seed 1.
    pub command: String,
    /// The day, in UTC.
    pub date: String,
    /// The arithmetic of its algorithms: see [`Measurements`](crate::Measurements).
    pub algorithms: String,
    /// Means and totals, with the scenario's hash, the kernel's release, the machine and the testbed's health.
    pub summary: Summary,
}
