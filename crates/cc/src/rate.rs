//! Measurements of each acknowledgement and each loss, for algorithms that model their path.

use crate::{Seconds, Segments};

/// A delivery-rate sample (draft-ietf-ccwg-bbr-06 §4.1.2.3). Of the segments that an acknowledgement newly
/// reported as delivered, P is the one sent last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// Segments delivered on the path so far, with those of this acknowledgement (C.delivered).
    pub total_delivered: Segments,
    /// Segments that had been delivered when P was sent (P.delivered).
    pub prior_delivered: Segments,
    /// The longer of the times over which the segments since then were sent and acknowledged; 0 if the rate is unknown, as where
    /// the time is below the smallest round-trip time.
    pub interval: Seconds,
    /// Segments deemed lost since P was sent.
    pub lost: Segments,
    /// Segments in flight just after P was sent, P included.
    pub tx_in_flight: Segments,
    /// P was sent while the application, not the network, limited the sender (§4.1.2.4).
    pub app_limited: bool,
    /// The window stopped the sender in the last window of data.
    pub cwnd_limited: bool,
    /// Losses are being repaired, after fast retransmit or a timeout.
    pub in_recovery: bool,
    /// Sending had begun anew, with nothing in flight, since the last acknowledgement.
    pub resumed: bool,
}

impl RateSample {
    /// Segments delivered since P was sent.
    pub fn delivered(&self) -> Segments {
        self.total_delivered - self.prior_delivered
    }

    /// Segments per second; 0 if unknown.
    pub fn delivery_rate(&self) -> f64 {
        if self.interval > 0.0 { self.delivered() / self.interval } else { 0.0 }
    }
}

/// A segment that was deemed lost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LostSegment {
    /// When that was.
    pub now: Seconds,
    /// Its place among the path's segments: neighbours differ by one.
    pub number: u64,
    /// Segments delivered on the path so far.
    pub total_delivered: Segments,
    /// Segments deemed lost since it was sent, itself included.
    pub lost: Segments,
    /// Segments in flight just after it was sent, itself included.
    pub tx_in_flight: Segments,
    /// It was sent while the application limited the sender.
    pub app_limited: bool,
}
