//! LIA on two disjoint lossy paths beside Reno on each: the runs behind A-T2 and B-D.

use crate::scenarios;
use anabranch_study::{Setup, Size};

/// Loss and RTT of both paths.
pub(crate) struct Case {
    /// In rows' identifiers.
    pub id: &'static str,
    /// For readers.
    pub name: &'static str,
    /// Loss rates.
    pub loss: [f64; 2],
    /// RTTs, in milliseconds.
    pub rtt_ms: [f64; 2],
}

/// Equal paths, one that is better by loss, one that is better by RTT.
pub(crate) const CASES: [Case; 3] = [
    Case { id: "equal", name: "equal paths (p = 1e-3, 100 ms)", loss: [1e-3, 1e-3], rtt_ms: [100.0, 100.0] },
    Case {
        id: "loss",
        name: "unequal loss (1e-4 and 2e-3, 100 ms)",
        loss: [1e-4, 2e-3],
        rtt_ms: [100.0, 100.0],
    },
    Case {
        id: "rtt",
        name: "unequal RTT (20 and 100 ms, p = 1e-3)",
        loss: [1e-3, 1e-3],
        rtt_ms: [20.0, 100.0],
    },
];

/// The simulation of a case.
pub(crate) fn setup(case: &Case, size: Size) -> Setup {
    let delay = |r: usize| format!("{} ms", case.rtt_ms[r] / 2.0);
    Setup::new(format!("LIA and Reno, {}", case.name), &scenarios::LOSSY_PATHS)
        .bernoulli("path1", case.loss[0])
        .bernoulli("path2", case.loss[1])
        .set("links.path1.delay", delay(0))
        .set("links.path2.delay", delay(1))
        .lasting(60.0 + size.own(1000.0), 60.0)
}
