//! The contract between a transport and an algorithm.

use crate::{LostSegment, Path, RateSample, Seconds, Segments};
use alloc::{boxed::Box, vec::Vec};

/// An acknowledgement that arrived on a path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ack {
    /// When it arrived.
    pub now: Seconds,
    /// Segments it newly acknowledged that may grow the window: 0 during loss recovery and in the round that a mark reduces.
    pub acked: Segments,
    /// Segments it newly reported as delivered, selectively acknowledged ones and those of loss
    /// recovery included.
    pub delivered: Segments,
    /// The round-trip time it measured, if it did.
    pub rtt: Option<Seconds>,
    /// The smoothed round-trip time (RFC 6298) including this sample; 0 before the first.
    pub srtt: Seconds,
    /// Segments in flight after it.
    pub in_flight: Segments,
    /// The path's round count ([`Path::round`]) after it.
    pub round: u64,
    /// Whether the window, not the application or the receiver, limited the sender since the last
    /// acknowledgement. Where it did not, the window does not grow (RFC 7661).
    pub cwnd_limited: bool,
    /// The delivery rate that it measured: for algorithms that model the path
    /// ([`Algorithm::is_model_based`]), where it delivered something.
    pub rate: Option<RateSample>,
}

impl Ack {
    /// Of segments that were sent once, with a sample of the round-trip time. One more is in flight, and the window limits the sender.
    pub fn of(now: Seconds, segments: Segments, rtt: Seconds) -> Ack {
        let (acked, delivered, srtt, in_flight) = (segments, segments, rtt, 1.0);
        Ack { now, acked, delivered, rtt: Some(rtt), srtt, in_flight, cwnd_limited: true, ..Ack::default() }
    }
}

/// Why the network is thought to be congested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A segment was lost; once per recovery episode.
    Loss,
    /// The receiver echoed an ECN mark (RFC 3168); once per round trip.
    Ecn,
    /// The retransmission timer expired (RFC 6298); once for the same data, however often it backs
    /// off (RFC 5681 §3.1). [`crate::Group`] then sets the window to one segment.
    Timeout,
}

/// A congestion signal on a path.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// When it was detected.
    pub now: Seconds,
    /// Its kind.
    pub signal: Signal,
}

/// A congestion-control algorithm over all the paths of one connection.
///
/// `paths` is the whole table and `r` the row that the event concerns; an algorithm writes the
/// window, threshold and pacing rate of row `r` only. It may bar any row ([`Path::barred`]). Only
/// rows that count ([`Path::counts`]) may enter a sum, a mean, a maximum or a number of paths; the row of
/// the event itself does once it has a round-trip time. State of an algorithm's own is kept per
/// row, indexed like `paths`.
#[allow(unused_variables)] // of what does nothing unless an algorithm overrides it
pub trait Algorithm: Send {
    /// Row `r` is new, or is in use again after it was removed.
    fn path_added(&mut self, paths: &mut [Path], r: usize) {}

    /// Row `r` will carry nothing more: forget its state.
    fn path_removed(&mut self, paths: &mut [Path], r: usize) {}

    /// Segments were acknowledged on `r`; grow its window. The row's measurements are already
    /// current, and `ack.acked` is 0 where growth is not allowed.
    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack);

    /// Congestion on `r`: set its threshold and its window.
    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion);

    /// The last congestion event on `r` was spurious. Its window and threshold have been
    /// restored; restore all other state that it changed.
    fn spurious(&mut self, paths: &mut [Path], r: usize) {}

    /// A timeout takes the place of the last congestion event on `r`: see [`Group::on_timeout_again`](crate::Group::on_timeout_again).
    /// Returns whether that is done; else the event is undone, and the timeout is congestion.
    fn timed_out_again(&mut self, paths: &mut [Path], r: usize, now: Seconds) -> bool {
        false
    }

    /// Data was acknowledged on `r` while the sender was not limited by its window.
    fn app_limited(&mut self, paths: &mut [Path], r: usize, now: Seconds) {}

    /// A copy with the same state, which is then independent; `None` if it cannot be copied.
    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        None
    }

    /// Whether it controls by a model of the path. Such an algorithm wants delivery rates ([`Ack::rate`]) and word of each lost
    /// segment, sets pacing rates of its own, and rules its window in recovery too, where a transport limits other algorithms'
    /// windows (RFC 9937).
    fn is_model_based(&self) -> bool {
        false
    }

    /// A segment of `r` was marked as lost. Only model-based algorithms are called, after the
    /// [`Algorithm::congestion`] that it begins.
    fn lost(&mut self, paths: &mut [Path], r: usize, lost: &LostSegment) {}

    /// Writes the observables that the registry lists for this algorithm, in that order; NaN where
    /// one has no value now.
    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {}
}

/// Gives row `r`, which may be the next new one, a fresh state.
pub(crate) fn renew<T: Clone>(rows: &mut Vec<T>, r: usize, fresh: &T) {
    if r == rows.len() {
        rows.push(fresh.clone());
    }
    rows[r] = fresh.clone();
}

/// Writes these values of observables.
pub(crate) fn fill(out: &mut [f64], values: impl IntoIterator<Item = f64>) {
    out.iter_mut().zip(values).for_each(|(slot, value)| *slot = value);
}

/// An algorithm that knows one path only: the same events, about that path. See [`Algorithm`].
#[allow(unused_variables)] // as above
pub trait SinglePath: Clone + Send + Sync + 'static {
    /// See [`Algorithm::path_added`].
    fn added(&mut self, path: &mut Path) {}
    /// See [`Algorithm::acked`].
    fn acked(&mut self, path: &mut Path, ack: &Ack);
    /// See [`Algorithm::congestion`].
    fn congestion(&mut self, path: &mut Path, event: &Congestion);
    /// See [`Algorithm::spurious`].
    fn spurious(&mut self, path: &mut Path) {}
    /// See [`Algorithm::app_limited`].
    fn app_limited(&mut self, path: &mut Path, now: Seconds) {}
    /// See [`Algorithm::is_model_based`].
    fn is_model_based(&self) -> bool {
        false
    }
    /// See [`Algorithm::lost`].
    fn lost(&mut self, path: &mut Path, lost: &LostSegment) {}
    /// See [`Algorithm::observe`].
    fn observe(&self, path: &Path, out: &mut [f64]) {}
}
