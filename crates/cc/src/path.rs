//! One row of the table that every algorithm sees.

use crate::{Seconds, Segments};

/// The smallest window a path may have.
pub const MIN_CWND: Segments = 1.0;

/// The smallest slow-start threshold (RFC 5681 §3.1, Eq. 4).
pub const MIN_SSTHRESH: Segments = 2.0;

/// The largest window a path may have: far beyond any network, it keeps the arithmetic finite.
pub const MAX_CWND: Segments = 1e9;

/// What the connection knows of one of its paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Congestion window. Algorithms write it; [`crate::Group`] keeps it within
    /// [`MIN_CWND`] and [`MAX_CWND`].
    pub cwnd: Segments,
    /// Slow-start threshold; infinite until the first congestion.
    pub ssthresh: Segments,
    /// Smoothed round-trip time (RFC 6298); 0 before the first sample.
    pub srtt: Seconds,
    /// Smallest round-trip time seen; infinite before the first sample.
    pub min_rtt: Seconds,
    /// Latest round-trip time sample; 0 before the first.
    pub latest_rtt: Seconds,
    /// Segments sent and neither acknowledged nor deemed lost.
    pub in_flight: Segments,
    /// Counts round trips: it steps when data sent after the last step is acknowledged.
    pub round: u64,
    /// The rate at which to send, in segments per second; `None` sends as the window opens.
    pub pacing_rate: Option<f64>,
    /// Whether the path carries the connection's data. Rows of removed paths stay, inactive, so
    /// that indices do not move.
    pub active: bool,
}

impl Path {
    /// A path that has sent nothing yet.
    pub(crate) fn new(cwnd: Segments) -> Self {
        Path {
            cwnd,
            ssthresh: Segments::INFINITY,
            srtt: 0.0,
            min_rtt: Seconds::INFINITY,
            latest_rtt: 0.0,
            in_flight: 0.0,
            round: 0,
            pacing_rate: None,
            active: true,
        }
    }

    /// Whether the window is below the slow-start threshold.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// The smoothed RTT, or `None` before the first sample.
    pub fn rtt(&self) -> Option<Seconds> {
        (self.srtt > 0.0).then_some(self.srtt)
    }

    /// Sets threshold and window after a congestion signal: `kept` of the window, at least two
    /// segments (RFC 5681 §3.1, Eq. 4; RFC 9438 §4.6).
    pub fn reduce_to(&mut self, window: Segments) {
        self.ssthresh = window.max(MIN_SSTHRESH);
        self.cwnd = self.ssthresh;
    }
}
