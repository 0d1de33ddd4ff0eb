//! Fully coupled congestion control (Kelly and Voice, 2005; COUPLED of Wischik et al., NSDI 2011): the
//! windows of all paths are one.

use crate::aimd::{self, Aimd, Windows, established};
use crate::entry::{Entry, Kind, Observable};
use crate::{Path, Segments, fill};
use alloc::boxed::Box;

/// How the registry presents it.
pub(crate) static ENTRY: Entry = Entry {
    name: "coupled",
    title: "Coupled, fully",
    kind: Kind::Coupled,
    source: "F. Kelly, T. Voice: Stability of End-to-End Algorithms for Joint Routing and Rate Control (2005); in the form of D. Wischik et al. (NSDI 2011)",
    equations: &["per acknowledged segment: w += 1/sum w", "on loss: w -= sum w / 2"],
    interpretations: &[
        "The source keeps windows at one segment at least (`floor = 1`); after a loss it is two by default, see below.",
        aimd::COUNTED,
        aimd::UNMEASURED,
        aimd::LOSS,
        aimd::BYTES,
    ],
    params: aimd::PARAMS,
    observables: &[Observable::new("total", "the sum of the windows, in segments")],
    build: |params| Box::new(Windows::new(Coupled, params)),
};

#[derive(Clone)]
struct Coupled;

/// Σw.
fn total(paths: &[Path]) -> Segments {
    established(paths).map(|(p, _)| p.cwnd).sum()
}

/// Σw on a path that counts, its own window on one that does not.
fn linked(paths: &[Path], r: usize) -> Segments {
    if aimd::rtt(&paths[r]).is_some() { total(paths) } else { paths[r].cwnd }
}

impl Aimd for Coupled {
    fn increase(&self, paths: &[Path], r: usize) -> Segments {
        1.0 / linked(paths, r)
    }

    fn decrease(&self, paths: &[Path], r: usize) -> f64 {
        linked(paths, r) / paths[r].cwnd
    }

    fn observe(&self, paths: &[Path], _: usize, out: &mut [f64]) {
        fill(out, [total(paths)]);
    }
}
