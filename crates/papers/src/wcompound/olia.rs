//! C-X2: how OLIA approaches its fixed point as windows grow.

use super::{Algorithm, LIA, OLIA};
use crate::paper::Definition;
use crate::scenarios;
use anabranch_study::draw::{lines, log_axis, series};
use anabranch_study::{Figure, Outcome, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, measure};

pub(super) const APPROACH: Definition = Definition {
    ids: &["C-X2"],
    title: "Beyond the paper: OLIA's part on the worse path as windows grow",
    notes: &[
        "Two paths of 20 ms that are never full, of which the second loses four times as much. OLIA's fixed point leaves it empty \
         (Khalili et al., Theorem 1: only the best paths are used), LIA's gives it a fifth. But a window is at least a segment, and \
         OLIA adds to a small one what it takes from the largest, by whole losses. The expectation: the part that stays is that of a few \
         segments, and falls as the other window grows; row C-X2.olia.falls says what came out. Loss on the first path from 1e-2 to 1e-5 makes that window.",
        "12 to 400 loss epochs of the first path, 1 million packets where that lies between (quick: a tenth, full: four times), after \
         six epochs of warm-up; at most three seeds.",
    ],
    plan,
};

const LOSSES: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-5];
const RTT_S: f64 = 0.02;

fn setup(cc: Algorithm, p: f64, size: Size) -> Setup {
    let epoch_s = RTT_S / (p * (1.5 / p).sqrt());
    let measured = (size.own(1e6) * p).clamp(12.0, size.own(400.0));
    let warmup_s = 6.0 * epoch_s;
    Setup::new(format!("{}, losses of {p:e} and {:e}", cc.1, 4.0 * p), &scenarios::LOSSY_PATHS)
        .cc(cc.0)
        .bernoulli("path1", p)
        .bernoulli("path2", 4.0 * p)
        .set("links.path1.delay", "10 ms")
        .set("links.path2.delay", "10 ms")
        .lasting(warmup_s + measured * epoch_s, warmup_s)
        .at_most(3)
}

fn window(run: SetupId, r: usize) -> Quantity {
    measure(run, move |run| run.cwnd("mptcp", r))
}

/// The second window's part of both.
fn part(run: &Outcome) -> Option<f64> {
    let (first, second) = (run.cwnd("mptcp", 0)?, run.cwnd("mptcp", 1)?);
    Some(second / (first + second))
}

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    let mut all = Vec::new();
    for cc in [OLIA, LIA] {
        let runs = LOSSES.map(|p| plan.simulate(setup(cc, p, size)));
        for (p, run) in LOSSES.into_iter().zip(runs) {
            let id = |row: &str| format!("C-X2.{}.{p:e}.{row}", cc.0);
            let what = |what: &str| format!("{}, losses of {p:e} and {:e}: {what}", cc.1, 4.0 * p);
            plan.row(id("window1"), what("mean window of the good path"), "segments", window(run, 0));
            plan.row(
                id("window2"),
                what("mean window of the path that loses more"),
                "segments",
                window(run, 1),
            );
            let fixed_point = if cc == OLIA { 0.0 } else { 0.2 };
            plan.row(id("part"), what("its part of both windows"), "", measure(run, part))
                .beside(fixed_point, "the fixed point");
        }
        all.push((cc, runs));
    }
    let falls = LOSSES.iter().zip(all[0].1).rev();
    const NAMES: [&str; 4] = ["1e-5", "1e-4", "1e-3", "1e-2"];
    plan.ordering(
        "C-X2.olia.falls",
        "the part that OLIA leaves on the worse path falls as windows grow",
        "",
        NAMES.into_iter().zip(falls).map(|(name, (_, run))| (name, measure(run, part))).collect(),
    );
    plan.figure(move |runs| {
        let points = |setups: &[SetupId]| {
            let point = |run: &SetupId| {
                let first = runs.estimate(&window(*run, 0))?.mean;
                runs.point(first, &measure(*run, part))
            };
            setups.iter().filter_map(point).collect()
        };
        let drawn = all.iter().map(|(cc, setups)| series(cc.1, points(setups))).collect();
        let y = log_axis("part of both windows on the worse path");
        Figure {
            id: "C-X2".into(),
            title: "What stays on a path that loses four times as much, by the good path's window".into(),
            panels: vec![lines("", log_axis("mean window of the good path (segments)"), y, drawn)],
        }
    });
    plan
}
