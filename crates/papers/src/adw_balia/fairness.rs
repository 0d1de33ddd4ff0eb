//! D-F12: Jain's index in every scenario.

use super::scenario::*;
use crate::paper::Definition;
use anabranch_study::draw::{axis, boxes, series};
use anabranch_study::{Axis, Figure, Quantity, Rule, SetupId, Size};
use anabranch_study::{Plan, measure};

static SCENARIOS: [&Scenario; 6] = [&S1, &S2, &S3, &S4, &S5, &S5_CROSSING];

pub(super) const JAIN: Definition = Definition {
    ids: &["D-F12"],
    title: "Jain's fairness index in every scenario",
    notes: &[
        "Scenarios 1 and 3: over the connection, h3 and h5. Scenarios 2 and 4: over subflow and TCP flow of each \
         bottleneck, mean of both. Scenario 5, where the paper does not say: over all five connections, each \
         relative to its ideal throughput.",
        OURS,
        "Unfairness is 1 − Jain's index.",
    ],
    plan,
};

/// 1 − Jain's index.
fn unfairness(scenario: &'static Scenario, run: SetupId) -> Quantity {
    scenario.jain(run).map(|jain| 1.0 - jain)
}

/// Why a higher throughput need not be a higher index.
const EACH_BOTTLENECK: &str = "The index is taken on each bottleneck, so that unequal subflows count against it (rows .slower and .faster). At j = 2 the \
     faster one keeps 3/4 of its window, the slower one, with BALIA's factor of up to 3/2 less 1/2, only 1/2. ADW's own halving keeps \
     3/4 of both.";

/// The slower or the faster of the subflows.
fn subflow(run: SetupId, faster: bool) -> Quantity {
    measure(run, move |run| {
        let [first, second] = [run.subflow_goodput("mptcp", 0)?, run.subflow_goodput("mptcp", 1)?];
        Some(if faster { first.max(second) } else { first.min(second) })
    })
}

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    let all = SCENARIOS.map(|s| (s, Runs::of(&mut plan, &ALL, |cc| s.setup(cc, size))));
    let linked = SCENARIOS.map(|s| (s, plan.simulate(s.setup(LINKED, size))));
    for (scenario, run) in linked {
        let (id, what) =
            (format!("D-F12.{}.{}", scenario.id, LINKED.id), format!("{}, {}", scenario.name, LINKED.name));
        plan.row(id, format!("{what}: Jain's index"), "", scenario.jain(run));
    }
    for (scenario, runs) in &all {
        let id = |cc: Algorithm, row: &str| format!("D-F12.{}.{}{row}", scenario.id, cc.id);
        for (cc, run) in runs.iter() {
            let what = format!("{}, {}: Jain's index", scenario.name, cc.name);
            let row = plan.row(id(cc, ""), what, "", scenario.jain(run));
            if cc == UNCOUPLED {
                match scenario.id {
                    "S2" | "S4" => row.claim("a sufficient index of 0.9", Rule::AtLeast(0.9)),
                    "S1" | "S3" => row.published(0.9),
                    _ => row,
                };
            }
        }
        let unfair = |run| unfairness(scenario, run);
        match scenario.id {
            "S1" | "S3" => {
                let claim = format!("{}: all but uncoupled Reno are fair; unfairness", scenario.name);
                runs.highest(&mut plan, (id(UNCOUPLED, ".unfair"), claim), "", (&COUPLED, UNCOUPLED), unfair);
            }
            _ => {
                for adw in READINGS {
                    let claim = format!("{}, {}: fairer than LIA, OLIA and BALIA", scenario.name, adw.name);
                    let of = |run| scenario.jain(run);
                    let row = runs.highest(&mut plan, (id(adw, ".highest"), claim), "", (&EXISTING, adw), of);
                    if matches!(scenario.id, "S2" | "S4") && adw == ADDITIVE {
                        row.because(EACH_BOTTLENECK);
                    }
                }
            }
        }
        if matches!(scenario.id, "S2" | "S4") {
            for (cc, run) in runs.iter().filter(|(cc, _)| [LIA, ADW, ADDITIVE].contains(cc)) {
                for (row, faster) in [("slower", false), ("faster", true)] {
                    let what = format!("{}, {}: the {row} subflow's throughput", scenario.name, cc.name);
                    plan.row(id(cc, &format!(".{row}")), what, "Mbit/s", subflow(run, faster));
                }
            }
            let claim = format!("{}: OLIA's index decreases most; unfairness", scenario.name);
            let others = [LIA, BALIA, ADW];
            runs.highest(&mut plan, (id(OLIA, ".lowest"), claim), "", (&others, OLIA), unfair);
        }
    }
    plan.figure(move |runs| {
        let of = |cc: Algorithm| {
            let points = all.iter().flat_map(|(s, of)| runs.spread(s.id, &s.jain(of.get(cc))));
            series(cc.name, points.collect())
        };
        let linked = linked.iter().flat_map(|(s, run)| runs.spread(s.id, &s.jain(*run)));
        let linked = series(LINKED.name, linked.collect());
        let y = Axis { domain: Some((0.5, 1.0)), ..axis("Jain's fairness index") };
        Figure {
            id: "D-F12".into(),
            title: "Comparison of Jain's fairness index for all scenarios".into(),
            panels: vec![boxes("", y, ALL.map(of).into_iter().chain([linked]).collect())],
        }
    });
    plan
}
