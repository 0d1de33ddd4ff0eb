//! Coupled additive increase, multiplicative decrease: what the algorithms that link Reno's windows
//! have in common.

use crate::entry::{Param, Params, Value};
use crate::hystart::HyStart;
use crate::{Ack, Algorithm, Congestion, MIN_CWND, MIN_SSTHRESH, Path, Seconds, Segments, cubic, renew};
use alloc::{boxed::Box, vec::Vec};

/// An algorithm that is two functions of the table, without a memory of its own.
#[allow(unused_variables)] // of what does nothing unless an algorithm overrides it
pub(crate) trait Aimd: Clone + Send + 'static {
    /// The growth of window `r` per acknowledged segment in congestion avoidance; it may be negative.
    fn increase(&self, paths: &[Path], r: usize) -> Segments;

    /// The decrease of window `r` at a loss, in halves of the window.
    fn decrease(&self, paths: &[Path], r: usize) -> f64 {
        1.0
    }

    /// See [`Algorithm::observe`].
    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {}
}

/// Windows that grow and shrink by such an algorithm, with what can be set of all of them.
#[derive(Clone)]
pub(crate) struct Windows<A> {
    pub(crate) algorithm: A,
    count: Count,
    floor: Segments,
    fresh: HyStart,
    starts: Vec<HyStart>,
}

impl<A: Aimd> Windows<A> {
    pub(crate) fn new(algorithm: A, params: &Params) -> Self {
        Windows {
            algorithm,
            count: Count::new(params),
            floor: params.number("floor"),
            fresh: HyStart::new(params.flag("hystart")),
            starts: Vec::new(),
        }
    }

    /// Row `r` has a slow start of its own before it.
    pub(crate) fn add(&mut self, r: usize) {
        renew(&mut self.starts, r, &self.fresh);
    }

    /// Slow start and then the algorithm's increase, at most a segment per counted segment.
    #[inline]
    pub(crate) fn grow(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        let acked = self.starts[r].grow(&mut paths[r], ack);
        if acked > 0.0 {
            let increase = self.algorithm.increase(paths, r).min(1.0);
            let path = &mut paths[r];
            path.cwnd += self.count.of(acked) * increase;
            if increase < 0.0 {
                // Below the threshold slow start would take back what the algorithm gave away.
                path.ssthresh = path.ssthresh.min(path.cwnd).max(self.floor);
            }
        }
    }

    /// Takes `halves` halves off the window, down to the floor.
    pub(crate) fn reduce(&self, path: &mut Path, halves: f64) {
        path.reduce_above(self.floor, path.cwnd - halves * path.cwnd / 2.0);
    }
}

impl<A: Aimd> Algorithm for Windows<A> {
    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(self.clone()))
    }

    fn path_added(&mut self, _: &mut [Path], r: usize) {
        self.add(r);
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        self.grow(paths, r, ack);
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, _: &Congestion) {
        let halves = self.algorithm.decrease(paths, r);
        self.reduce(&mut paths[r], halves);
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        self.algorithm.observe(paths, r, out);
    }
}

/// The unit of counting in congestion avoidance.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Count {
    Segments,
    Acks,
}

impl Count {
    pub(crate) fn new(params: &Params) -> Self {
        if params.word("count") == "acks" { Count::Acks } else { Count::Segments }
    }

    /// The count of an acknowledgement of `acked` segments.
    #[inline]
    pub(crate) fn of(self, acked: Segments) -> Segments {
        match self {
            Count::Segments => acked,
            Count::Acks => acked.min(1.0),
        }
    }
}

/// The unit of counting in congestion avoidance.
pub(crate) const COUNT: Param = Param::word(
    "count",
    "segments",
    &["segments", "acks"],
    "the unit of counting in congestion avoidance: each acknowledged segment, or each acknowledgement as one segment",
);

/// The least window after a loss.
pub(crate) const FLOOR: Param = Param::number(
    "floor",
    MIN_SSTHRESH,
    (MIN_CWND, MIN_SSTHRESH),
    "the lower bound of the window after a loss and of the threshold, in segments",
);

/// HyStart++, which these algorithms' sources do not contain.
pub(crate) const HYSTART: Param = Param { default: Value::Flag(false), ..cubic::HYSTART };

/// The parameters that all of them have.
pub(crate) const PARAMS: &[Param] = &[COUNT, FLOOR, HYSTART];

/// The smoothed round-trip time of a path that counts.
#[inline]
pub(crate) fn rtt(path: &Path) -> Option<Seconds> {
    path.counts.then_some(path.srtt)
}

/// The paths that count, with their smoothed round-trip times.
#[inline]
pub(crate) fn established(paths: &[Path]) -> impl Iterator<Item = (&Path, Seconds)> {
    paths.iter().filter_map(|path| Some((path, rtt(path)?)))
}

/// The interpretation that all of them share.
pub(crate) const COUNTED: &str = "A path counts while it has data in flight or was acknowledged within four smoothed round-trip times; a timeout ends that at once, and so does its removal. An idle path, such as a backup, keeps its window but takes no part.";

/// The interpretation of a new path.
pub(crate) const UNMEASURED: &str = "A path without a round-trip time does not count; it grows and halves as Reno. Paths in slow start, each its own, count.";

/// The interpretation of marks, timeouts and the floor.
pub(crate) const LOSS: &str = "An ECN mark counts as a loss, and a timeout too, after which the window is one segment. The threshold is at least two segments (RFC 5681), and so is the window after a loss (`floor`).";

/// The interpretation of delayed acknowledgements.
pub(crate) const BYTES: &str = "Segments are counted as acknowledged (RFC 3465): an ACK for two segments adds as much as two ACKs (`count = \"acks\"`: an acknowledgement is one segment after slow start).";
