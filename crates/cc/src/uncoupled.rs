//! A single-path algorithm on each path of a connection.

use crate::entry::{Allowed, Entry, Kind, Param, Value};
use crate::{Ack, Algorithm, Congestion, LostSegment, Path, Seconds, SinglePath};
use alloc::{boxed::Box, sync::Arc, vec::Vec};

/// How the registry presents it. A single-path algorithm that is named directly does the same, with
/// its own parameters and observables.
pub(crate) static ENTRY: Entry = Entry {
    name: "uncoupled",
    title: "Uncoupled: a single-path algorithm on each path, CUBIC by default",
    kind: Kind::SinglePath,
    source: "the baseline of RFC 6356 §1 and of the coupled algorithms' papers",
    equations: &["each path: the algorithm `over`, as if it were alone"],
    interpretations: &["The algorithm `over` has its default parameters; name it directly to set them."],
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
#[derive(Clone)]
pub struct Uncoupled<A> {
    /// Of row 0, which most connections have alone: in place, where it is found at once.
    first: A,
    /// Of the rows from 1 on.
    others: Vec<A>,
    /// Shared by all connections that copy a group.
    fresh: Arc<A>,
}

impl<A: SinglePath> Uncoupled<A> {
    /// Gives every path a copy of `fresh`.
    pub fn new(fresh: A) -> Self {
        Uncoupled { first: fresh.clone(), others: Vec::new(), fresh: fresh.into() }
    }

    #[inline]
    fn of(&mut self, r: usize) -> &mut A {
        if r == 0 { &mut self.first } else { &mut self.others[r - 1] }
    }
}

impl<A: SinglePath> Algorithm for Uncoupled<A> {
    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(self.clone()))
    }

    fn path_added(&mut self, paths: &mut [Path], r: usize) {
        if r > self.others.len() {
            self.others.reserve_exact(1);
            self.others.push(A::clone(&self.fresh));
        }
        *self.of(r) = A::clone(&self.fresh);
        self.of(r).added(&mut paths[r]);
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        self.of(r).acked(&mut paths[r], ack);
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        self.of(r).congestion(&mut paths[r], event);
    }

    fn spurious(&mut self, paths: &mut [Path], r: usize) {
        self.of(r).spurious(&mut paths[r]);
    }

    fn app_limited(&mut self, paths: &mut [Path], r: usize, now: Seconds) {
        self.of(r).app_limited(&mut paths[r], now);
    }

    fn is_model_based(&self) -> bool {
        self.fresh.is_model_based()
    }

    fn lost(&mut self, paths: &mut [Path], r: usize, lost: &LostSegment) {
        self.of(r).lost(&mut paths[r], lost);
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        let state = if r == 0 { &self.first } else { &self.others[r - 1] };
        state.observe(&paths[r], out);
    }
}
