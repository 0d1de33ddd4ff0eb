//! How a run ends.

use anabranch_net::Time;
use anabranch_record::Summary;

/// Where a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where the scenario ends.
    Reached,
    /// The one transfer that the run was about is complete, after that time.
    Completed(Time),
    /// There `keep_going` said no.
    Cancelled(Time),
}

/// A run that was simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What was measured, up to its end.
    pub summary: Summary,
    /// Where it ended.
    pub end: End,
}
