//! EWTCP, equally weighted TCP (Honda et al., 2009): Reno on each path, at a fraction of its increase.

use crate::aimd::{self, Aimd, Windows, established};
use crate::entry::{Entry, Kind, Observable, Param, Params};
use crate::{Path, Segments, fill, math};
use alloc::boxed::Box;

/// How the registry presents EWTCP.
pub(crate) static ENTRY: Entry = Entry {
    name: "ewtcp",
    title: "EWTCP, equally weighted",
    kind: Kind::Coupled,
    source: "M. Honda, Y. Nishida, L. Eggert, P. Sarolahti, H. Tokuda: Multipath Congestion Control for Shared Bottleneck (2009); in the form of D. Wischik et al. (NSDI 2011)",
    equations: &["per acknowledged segment: w += weight/w, weight = 1/n^2", "on loss: w = w/2"],
    interpretations: &[
        "The scheme is to take as much as one TCP flow at a shared bottleneck (Honda et al., abstract). A window goes with the square root of its increase, so that is 1/n^2 on each of n paths with the same losses. Wischik et al. print the increase a/w with a = 1/sqrt(n), which takes n^(3/4) of one Reno flow (`weight`), beside the same aim.",
        "Behind a full buffer the losses are not the same: what an overflow drops is one loss event to one large window and several to as many small ones. There 1/n^2 takes 0.6 to 0.9 of a Reno flow with two to eight subflows.",
        aimd::COUNTED,
        aimd::UNMEASURED,
        aimd::LOSS,
        aimd::BYTES,
    ],
    params: &[WEIGHT, aimd::COUNT, aimd::FLOOR, aimd::HYSTART],
    observables: &[Observable::new("share", "the weight, of Reno's increase")],
    build: |params| Box::new(Windows::new(Ewtcp::new(params), params)),
};

const WEIGHT: Param = Param::word(
    "weight",
    "1/n^2",
    &["1/sqrt(n)", "1/n", "1/n^2"],
    "the fraction of Reno's increase that each of n paths gets",
);

#[derive(Clone)]
struct Ewtcp {
    weight: fn(f64) -> f64,
}

impl Ewtcp {
    fn new(params: &Params) -> Self {
        Ewtcp {
            weight: match params.word("weight") {
                "1/sqrt(n)" => |n| 1.0 / math::sqrt(n),
                "1/n" => |n| 1.0 / n,
                _ => |n| 1.0 / (n * n),
            },
        }
    }

    fn weight(&self, paths: &[Path]) -> f64 {
        (self.weight)(established(paths).count().max(1) as f64)
    }
}

impl Aimd for Ewtcp {
    fn increase(&self, paths: &[Path], r: usize) -> Segments {
        let weight = if aimd::rtt(&paths[r]).is_some() { self.weight(paths) } else { 1.0 };
        weight / paths[r].cwnd
    }

    fn observe(&self, paths: &[Path], _: usize, out: &mut [f64]) {
        fill(out, [self.weight(paths)]);
    }
}
