//! One row of the table that every algorithm sees.

use crate::{Ack, Seconds, Segments};

/// The smallest window a path may have.
pub const MIN_CWND: Segments = 1.0;

/// The smallest slow-start threshold (RFC 5681 §3.1, Eq. 4).
pub const MIN_SSTHRESH: Segments = 2.0;

/// The largest window a path may have: far beyond any network, it keeps the arithmetic finite.
pub const MAX_CWND: Segments = 1e9;

/// A path with nothing in flight counts for this many smoothed round-trip times after its last acknowledgement: an application that
/// pauses between flights for a few round trips has not left the path, and an answer that a delayed acknowledgement holds up is not
/// a pause. Longer than this an idle path never takes part.
pub const COUNTED_RTTS: f64 = 4.0;

/// A connection's knowledge of one of its paths.
///
/// Laid out as it is written: the fields that each acknowledgement needs are two lines of the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
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
    /// From when on the path does not count ([`Path::counts`]) if nothing more is heard of it.
    counts_until: Seconds,
    /// Smallest and largest sample since the last congestion event; infinite and 0 before the first.
    pub min_rtt_since_loss: Seconds,
    /// See [`Path::min_rtt_since_loss`].
    pub max_rtt_since_loss: Seconds,
    /// Segments delivered since the last congestion event.
    pub delivered_since_loss: Segments,
    /// The largest window so far.
    pub largest_cwnd: Segments,
    /// Segments sent and neither acknowledged nor deemed lost.
    pub in_flight: Segments,
    /// The rate at which to send, in segments per second; `None` sends as the window opens.
    pub pacing_rate: Option<f64>,
    /// Counts round trips: it steps when data sent after the last step is acknowledged.
    pub round: u64,
    /// Of the round that is under way the samples' sum, the smallest, and how many.
    sample_sum: Seconds,
    sample_min: Seconds,
    samples: u32,
    /// Whether the path carries the connection's data. Rows of removed paths stay, inactive, so
    /// that indices do not move.
    pub active: bool,
    /// Whether the algorithm keeps the path from carrying new data, though it could.
    pub barred: bool,
    /// Whether the path counts where an algorithm adds up or compares paths: at the connection's last event it
    /// had data in flight, or had been acknowledged within four smoothed round-trip times. Another path's window and
    /// round-trip time are out of date.
    pub counts: bool,
    /// See [`crate::Group::count_whole`].
    pub(crate) whole: bool,
    /// Mean and smallest sample of the last complete round that had one; 0 before there was one.
    pub round_rtt: Seconds,
    /// See [`Path::round_rtt`].
    pub round_min_rtt: Seconds,
    /// How many samples that round had.
    pub round_samples: u32,
    /// Segments delivered between the last two congestion events; until the first, 0.
    pub delivered_between_losses: Segments,
}

/// Lowers a minimum to `x`, a number: `f64::min` takes twice as long, as it also handles NaN.
#[inline]
pub(crate) fn lower(least: &mut f64, x: f64) {
    if x < *least {
        *least = x;
    }
}

/// Raises a maximum to `x`, a number.
#[inline]
pub(crate) fn raise(most: &mut f64, x: f64) {
    if x > *most {
        *most = x;
    }
}

impl Path {
    /// A path that has sent nothing yet.
    pub fn new(cwnd: Segments) -> Self {
        Path {
            cwnd,
            ssthresh: Segments::INFINITY,
            srtt: 0.0,
            min_rtt: Seconds::INFINITY,
            counts_until: Seconds::NEG_INFINITY,
            min_rtt_since_loss: Seconds::INFINITY,
            max_rtt_since_loss: 0.0,
            round_rtt: 0.0,
            round_min_rtt: 0.0,
            round_samples: 0,
            delivered_since_loss: 0.0,
            delivered_between_losses: 0.0,
            largest_cwnd: cwnd,
            in_flight: 0.0,
            round: 0,
            pacing_rate: None,
            active: true,
            barred: false,
            counts: false,
            whole: false,
            sample_sum: 0.0,
            sample_min: Seconds::INFINITY,
            samples: 0,
        }
    }

    /// Takes the measurements of an acknowledgement. Its sample belongs to the round that it ends.
    #[inline]
    pub(crate) fn measure(&mut self, ack: &Ack) {
        self.srtt = ack.srtt;
        self.in_flight = ack.in_flight;
        self.counts_until = match ack.srtt > 0.0 {
            true if ack.in_flight > 0.0 => Seconds::INFINITY,
            true => ack.now + COUNTED_RTTS * ack.srtt,
            false => Seconds::NEG_INFINITY,
        };
        self.delivered_since_loss += ack.delivered;
        if let Some(rtt) = ack.rtt {
            lower(&mut self.min_rtt, rtt);
            lower(&mut self.min_rtt_since_loss, rtt);
            raise(&mut self.max_rtt_since_loss, rtt);
            self.sample_sum += rtt;
            lower(&mut self.sample_min, rtt);
            self.samples += 1;
        }
        if ack.round != self.round {
            self.round = ack.round;
            if self.samples > 0 {
                self.round_rtt = self.sample_sum / f64::from(self.samples);
                self.round_min_rtt = self.sample_min;
                self.round_samples = self.samples;
                (self.sample_sum, self.sample_min, self.samples) = (0.0, Seconds::INFINITY, 0);
            }
        }
    }

    /// Whether the path counts is as of now.
    #[inline]
    pub(crate) fn at(&mut self, now: Seconds) {
        self.counts = now < self.counts_until;
    }

    /// The retransmission timer has expired. All that was in flight is deemed lost, and the path counts again
    /// from its next acknowledgement on.
    pub(crate) fn timed_out(&mut self) {
        self.cwnd = MIN_CWND;
        self.stop_counting();
        self.in_flight = 0.0;
    }

    /// The path carries nothing more.
    pub(crate) fn leave(&mut self) {
        self.active = false;
        self.stop_counting();
    }

    fn stop_counting(&mut self) {
        self.counts = false;
        self.counts_until = Seconds::NEG_INFINITY;
    }

    /// Measurements between congestion events start anew.
    pub(crate) fn lost(&mut self) {
        self.delivered_between_losses = self.delivered_since_loss;
        self.delivered_since_loss = 0.0;
        self.min_rtt_since_loss = Seconds::INFINITY;
        self.max_rtt_since_loss = 0.0;
    }

    /// What was measured since the last congestion event, and between the last two, is as it was then.
    pub(crate) fn measured_as(&mut self, then: &Path) {
        self.min_rtt_since_loss = then.min_rtt_since_loss;
        self.max_rtt_since_loss = then.max_rtt_since_loss;
        self.delivered_since_loss = then.delivered_since_loss;
        self.delivered_between_losses = then.delivered_between_losses;
    }

    /// The last congestion event, before which the path was as in `before`, did not happen.
    pub(crate) fn restore(&mut self, before: &Path) {
        self.cwnd = before.cwnd;
        self.ssthresh = before.ssthresh;
        self.delivered_since_loss += before.delivered_since_loss;
        self.delivered_between_losses = before.delivered_between_losses;
        self.min_rtt_since_loss = self.min_rtt_since_loss.min(before.min_rtt_since_loss);
        self.max_rtt_since_loss = self.max_rtt_since_loss.max(before.max_rtt_since_loss);
        if self.counts_until == Seconds::NEG_INFINITY {
            // A timeout, and nothing was acknowledged since.
            (self.counts_until, self.in_flight) = (before.counts_until, before.in_flight);
        }
    }

    /// Whether the window is below the slow-start threshold.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// The smoothed RTT, or `None` before the first sample.
    pub fn rtt(&self) -> Option<Seconds> {
        (self.srtt > 0.0).then_some(self.srtt)
    }

    /// Sets threshold and window after a congestion signal, to at least two segments (RFC 5681 §3.1, Eq. 4; RFC 9438 §4.6).
    pub fn reduce_to(&mut self, window: Segments) {
        self.reduce_above(MIN_SSTHRESH, window);
    }

    /// The same with another least window than two segments.
    pub(crate) fn reduce_above(&mut self, least: Segments, window: Segments) {
        self.ssthresh = window.max(least);
        self.cwnd = self.ssthresh;
    }
}
