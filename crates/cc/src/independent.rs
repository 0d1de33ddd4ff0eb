//! One path only: a connection of several paths that uses one of them.

use crate::entry::{Allowed, Entry, Kind, Param, Value};
use crate::{Ack, Algorithm, Congestion, LostSegment, Path, Seconds};
use alloc::boxed::Box;

/// How the registry presents it.
pub(crate) static ENTRY: Entry = Entry {
    name: "independent",
    title: "Independent: one path only, Reno by default",
    kind: Kind::Coupled,
    source: "the single-path baseline of RFC 6356 §1 and of the coupled algorithms' papers",
    equations: &["the path in use: the algorithm `over`, as if it were alone", "other paths carry nothing"],
    interpretations: &[
        "The algorithm `over` has its default parameters.",
        "While the chosen path is absent, the first present path is used.",
        "A path that is no longer used still repairs its losses.",
    ],
    params: &[
        Param {
            name: "over",
            default: Value::Word("reno"),
            allowed: Allowed::SinglePath,
            meaning: "the single-path algorithm that the path runs",
        },
        Param::whole(
            "path",
            1.0,
            (1.0, 64.0),
            "the path to use, counted from 1 in the order of joining; one that joins after another left takes its number",
        ),
    ],
    observables: &[],
    build: |params| {
        Box::new(Independent { each: params.algorithm("over"), wanted: params.number("path") as usize - 1 })
    },
};

struct Independent {
    each: Box<dyn Algorithm>,
    wanted: usize,
}

impl Independent {
    /// Bars every path but one.
    fn choose(&self, paths: &mut [Path]) {
        let wanted = paths.get(self.wanted).is_some_and(|p| p.active).then_some(self.wanted);
        let used = wanted.or(paths.iter().position(|p| p.active));
        for (r, path) in paths.iter_mut().enumerate() {
            path.barred = Some(r) != used;
        }
    }
}

impl Algorithm for Independent {
    fn path_added(&mut self, paths: &mut [Path], r: usize) {
        self.each.path_added(paths, r);
        self.choose(paths);
    }

    fn path_removed(&mut self, paths: &mut [Path], r: usize) {
        self.each.path_removed(paths, r);
        self.choose(paths);
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        self.each.acked(paths, r, ack);
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        self.each.congestion(paths, r, event);
    }

    fn spurious(&mut self, paths: &mut [Path], r: usize) {
        self.each.spurious(paths, r);
    }

    fn app_limited(&mut self, paths: &mut [Path], r: usize, now: Seconds) {
        self.each.app_limited(paths, r, now);
    }

    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(Independent { each: self.each.copy()?, wanted: self.wanted }))
    }

    fn is_model_based(&self) -> bool {
        self.each.is_model_based()
    }

    fn lost(&mut self, paths: &mut [Path], r: usize, lost: &LostSegment) {
        self.each.lost(paths, r, lost);
    }
}
