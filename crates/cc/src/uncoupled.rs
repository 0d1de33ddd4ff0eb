//! A single-path algorithm on each path of a connection.

use crate::registry::{Allowed, Entry, Kind, Param, Value};
use crate::{Ack, Algorithm, Congestion, LostSegment, Path, Seconds, SinglePath};
use alloc::vec::Vec;

/// How the registry presents it. A single-path algorithm that is named directly does the same, with
/// its own parameters and observables.
pub(crate) static ENTRY: Entry = Entry {
    name: "uncoupled",
    title: "Uncoupled: a single-path algorithm on each path",
    kind: Kind::SinglePath,
    source: "the baseline of RFC 6356 §1 and of the coupled algorithms' papers",
    equations: &["each path: the algorithm `over`, as if it were alone"],
    readings: &["The algorithm `over` has its default parameters; name it directly to set them."],
    params: &[Param {
        name: "over",
        default: Value::Word("cubic"),
        allowed: Allowed::SinglePath,
        meaning: "the single-path algorithm that each path runs",
    }],
    observables: &[],
    build: |params| params.algorithm("over"),
};

/// A single-path algorithm on each path: rows that ignore each other.
pub struct Uncoupled<A> {
    fresh: A,
    each: Vec<A>,
}

impl<A: SinglePath> Uncoupled<A> {
    /// Gives every path a copy of `fresh`.
    pub fn new(fresh: A) -> Self {
        Uncoupled { fresh, each: Vec::new() }
    }
}

impl<A: SinglePath> Algorithm for Uncoupled<A> {
    fn path_added(&mut self, paths: &mut [Path], r: usize) {
        if r == self.each.len() {
            self.each.reserve_exact(1);
            self.each.push(self.fresh.clone());
        }
        self.each[r] = self.fresh.clone();
        self.each[r].added(&mut paths[r]);
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        self.each[r].acked(&mut paths[r], ack);
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        self.each[r].congestion(&mut paths[r], event);
    }

    fn spurious(&mut self, paths: &mut [Path], r: usize) {
        self.each[r].spurious(&mut paths[r]);
    }

    fn app_limited(&mut self, paths: &mut [Path], r: usize, now: Seconds) {
        self.each[r].app_limited(&mut paths[r], now);
    }

    fn is_model_based(&self) -> bool {
        self.fresh.is_model_based()
    }

    fn lost(&mut self, paths: &mut [Path], r: usize, lost: &LostSegment) {
        self.each[r].lost(&mut paths[r], lost);
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        self.each[r].observe(&paths[r], out);
    }
}
