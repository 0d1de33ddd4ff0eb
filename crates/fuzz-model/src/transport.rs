//! The legal calls: the transport's side of the contract.
//!
//! 1. Time never goes back. It may stand still and may jump by hours.
//! 2. Events concern paths in use. (A late one for a path that left changes nothing; the model sends
//!    those to a second group, see [`crate::Rule::Trace`].)
//! 3. One to eight paths are in use; a path joins with a window from 1 to 10⁷ segments, with or without
//!    a smoothed round-trip time.
//! 4. An acknowledgement delivers no more than is in flight, and counts all of it (`acked`) or, during
//!    recovery, nothing. No more is in flight than the largest window allowed since the last time that
//!    nothing was. The sender counts as limited by its window where it used all of it.
//! 5. Round-trip samples are positive, from 1 µs to 100 s. The smoothed one is 0 before the first
//!    sample, unless the path joined with one; then it follows RFC 6298, and stays without a sample.
//! 6. `round` steps by one or not at all, from 0 when the path joins.
//! 7. Losses and marks are known from acknowledgements: at least one lies between two of them. So it
//!    does between two timeouts, which may follow the others at once.
//! 8. An algorithm that models its paths also hears of delivery rates and of each lost segment. A rate's
//!    interval is 0 or not below the smallest round-trip time. A segment is lost once, while it is in
//!    flight, and after the signal that it begins.
//! 9. A spurious signal is reported at any time; only the last signal can be undone, and only once.

use crate::{Acks, Rtt};
use anabranch_cc::{Ack, Congestion, Group, LostSegment, RateSample, Seconds, Segments, Signal};

/// The transport's state of a path.
#[derive(Clone, Copy, Default)]
struct Line {
    srtt: Seconds,
    smallest: Option<Seconds>,
    latest: Option<Seconds>,
    in_flight: Segments,
    round: u64,
    delivered: Segments,
    lost: Segments,
    /// A loss or a mark, or a timeout, since the last acknowledgement.
    signalled: bool,
    timed_out: bool,
}

/// The sender of one connection: the clock and the paths' state.
#[derive(Clone, Default)]
pub(crate) struct Transport {
    pub(crate) now: Seconds,
    lines: Vec<Option<Line>>,
}

/// The most paths in use at once.
pub(crate) const MOST_PATHS: usize = 8;

impl Transport {
    /// The rows in use.
    pub(crate) fn rows(&self) -> impl Iterator<Item = usize> {
        self.lines.iter().enumerate().filter_map(|(r, line)| line.map(|_| r))
    }

    /// The row of the `path`-th path in use.
    pub(crate) fn row(&self, path: usize) -> Option<usize> {
        let count = self.rows().count();
        self.rows().nth(path.checked_rem(count)?)
    }

    pub(crate) fn joined(&mut self, r: usize, srtt: Seconds) {
        if r >= self.lines.len() {
            self.lines.resize(r + 1, None);
        }
        self.lines[r] = Some(Line { srtt, ..Line::default() });
    }

    pub(crate) fn left(&mut self, r: usize) {
        self.lines[r] = None;
    }

    /// The acknowledgement number `i` of a series on row `r`, whose path is `group`'s.
    pub(crate) fn ack(&mut self, group: &Group, r: usize, i: u32, acks: &Acks) -> Ack {
        let path = group.path(r);
        let line = self.lines[r].as_mut().expect("a row in use");
        if !path.barred {
            line.in_flight = line.in_flight.max((path.cwnd * acks.use_of_window).floor());
        }
        let delivered = (line.in_flight * acks.share).ceil().min(line.in_flight);
        let before = line.in_flight;
        line.in_flight -= delivered;
        line.delivered += delivered;
        let rtt = measured(acks, line);
        if let Some(rtt) = rtt {
            line.srtt = if line.srtt > 0.0 { 0.875 * line.srtt + 0.125 * rtt } else { rtt };
            line.latest = Some(rtt);
            line.smallest = Some(line.smallest.map_or(rtt, |least| least.min(rtt)));
        }
        let rate = RateSample {
            total_delivered: line.delivered,
            prior_delivered: (line.delivered - before).max(0.0),
            interval: if acks.interval < line.smallest.unwrap_or(0.0) { 0.0 } else { acks.interval },
            lost: line.lost.min(1e3),
            tx_in_flight: before,
            app_limited: acks.use_of_window < 0.5,
            cwnd_limited: acks.use_of_window >= 1.0,
            in_recovery: !acks.growing,
            resumed: line.in_flight == 0.0,
        };
        line.round += u64::from(i.is_multiple_of(acks.per_round));
        (line.signalled, line.timed_out) = (false, false);
        Ack {
            now: self.now,
            acked: if acks.growing { delivered } else { 0.0 },
            delivered,
            rtt,
            srtt: line.srtt,
            in_flight: line.in_flight,
            round: line.round,
            cwnd_limited: acks.use_of_window >= 1.0 && !path.barred,
            rate: (group.is_model_based() && delivered > 0.0).then_some(rate),
        }
    }

    /// The signal on row `r`, if it can come now.
    pub(crate) fn congestion(&mut self, r: usize, signal: Signal) -> Option<Congestion> {
        let line = self.lines[r].as_mut().expect("a row in use");
        let before = match signal {
            Signal::Timeout => &mut line.timed_out,
            Signal::Loss | Signal::Ecn => &mut line.signalled,
        };
        if std::mem::replace(before, true) {
            return None;
        }
        if signal == Signal::Timeout {
            line.in_flight = 0.0; // all of it is deemed lost
        }
        Some(Congestion { now: self.now, signal })
    }

    /// A segment of row `r` is deemed lost, if one is in flight.
    pub(crate) fn lost(&mut self, r: usize) -> Option<LostSegment> {
        let line = self.lines[r].as_mut().expect("a row in use");
        let tx_in_flight = line.in_flight;
        if tx_in_flight < 1.0 {
            return None;
        }
        line.in_flight -= 1.0;
        line.lost += 1.0;
        Some(LostSegment {
            now: self.now,
            number: (line.delivered + line.lost) as u64,
            total_delivered: line.delivered,
            lost: line.lost.min(1e3),
            tx_in_flight,
            app_limited: false,
        })
    }
}

fn measured(acks: &Acks, line: &Line) -> Option<Seconds> {
    let rtt = match acks.rtt {
        Rtt::None => return None,
        Rtt::Sample(rtt) => rtt,
        Rtt::Scaled(factor) => line.latest.unwrap_or(0.1) * factor,
        Rtt::Smallest => line.smallest.unwrap_or(0.1),
    };
    Some(rtt.clamp(1e-6, 100.0))
}
