//! BALIA, balanced linked adaptation (Peng, Walid, Hwang, Low, 2016).

use crate::aimd::{self, Aimd, established};
use crate::registry::{Entry, Kind, Observable};
use crate::{Path, Segments};
use alloc::boxed::Box;

/// How the registry presents BALIA.
pub(crate) static ENTRY: Entry = Entry {
    name: "balia",
    title: "BALIA, balanced linked adaptation",
    kind: Kind::Coupled,
    source: "Q. Peng, A. Walid, J. Hwang, S. H. Low: Multipath TCP: Analysis, Design, and Implementation (2016); draft-walid-mptcp-congestion-control",
    equations: &[INCREASE[0], INCREASE[1], "on loss: w -= w/2 * min(alpha, 3/2)"],
    readings: READINGS,
    params: &[],
    observables: &[ALPHA],
    build: |_| Box::new(Balia),
};

pub(crate) const INCREASE: [&str; 2] = [
    "x = w/T;  alpha = max x / x",
    "per acknowledged segment: w += x/(T (sum x)^2) * (1 + alpha)/2 * (4 + alpha)/5",
];

pub(crate) const READINGS: &[&str] = &[
    "Rates use the smoothed round-trip time, and alpha is a real number, computed for every acknowledgement.",
    aimd::COUNTED,
    aimd::LOSS,
    aimd::BYTES,
];

pub(crate) const ALPHA: Observable =
    Observable { name: "alpha", meaning: "the largest rate of a path over this path's" };

/// BALIA's increase and decrease.
pub(crate) struct Balia;

/// Σx, and α of path `r` if it counts.
#[inline]
fn rate_and_alpha(paths: &[Path], r: usize) -> (f64, Option<f64>) {
    let (sum, max) = established(paths).fold((0.0, 0.0_f64), |(sum, max), (path, rtt)| {
        let x = path.cwnd / rtt;
        (sum + x, max.max(x))
    });
    (sum, aimd::rtt(&paths[r]).map(|rtt| max * rtt / paths[r].cwnd))
}

impl Aimd for Balia {
    fn increase(&self, paths: &[Path], r: usize) -> Segments {
        let Path { cwnd, srtt, .. } = paths[r];
        match rate_and_alpha(paths, r) {
            (rate, Some(alpha)) => {
                cwnd / (srtt * srtt * rate * rate) * (1.0 + alpha) / 2.0 * (4.0 + alpha) / 5.0
            }
            (_, None) => 1.0 / cwnd,
        }
    }

    fn decrease(&self, paths: &[Path], r: usize) -> f64 {
        rate_and_alpha(paths, r).1.unwrap_or(1.0).min(1.5)
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        if let Some(slot) = out.first_mut() {
            *slot = rate_and_alpha(paths, r).1.unwrap_or(f64::NAN);
        }
    }
}
