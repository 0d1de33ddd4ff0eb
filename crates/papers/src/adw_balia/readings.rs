//! D-X2: every reading of ADW's rule.

use super::scenario::*;
use crate::paper::Definition;
use anabranch_study::Size;
use anabranch_study::{Plan, compare};

pub(super) const ALL_READINGS: Definition = Definition {
    ids: &["D-X2"],
    title: "Beyond the paper's text: all four readings of ADW",
    notes: &[
        "Two questions of the text with two answers each. What a level is taken off: a halving (fixed) or BALIA's own factor \
         (additive). The time over which a path's fluctuation is taken: between its last two losses (complete) or since its last \
         one (running). \"ADW\" alone is fixed and complete, which the text's words fit best: \"a decreasing constant of 0.75\", and \"between the \
         previous packet loss event and the most recent\". Rules are those of D-F7 to D-F12.",
    ],
    plan,
};

static SCENARIOS: [&Scenario; 6] = [&S1, &S2, &S3, &S4, &S5, &S5_CROSSING];

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    for scenario in SCENARIOS {
        let all =
            Runs::of(&mut plan, &[&EXISTING[..], &ALL_OF_ADW[..]].concat(), |cc| scenario.setup(cc, size));
        for adw in ALL_OF_ADW {
            let run = all.get(adw);
            let id = |row: &str| format!("D-X2.{}.{}.{row}", scenario.id, adw.id);
            let what = |what: &str| format!("{}, {}: {what}", scenario.name, adw.name);
            plan.row(id("share"), what("MPTCP throughput ÷ fair share"), "", scenario.share(run));
            plan.row(
                id("tcp"),
                what("TCP throughput ÷ fair share, mean of h3 and h5"),
                "",
                scenario.tcp_shares(run),
            );
            plan.row(id("jain"), what("Jain's index"), "", scenario.jain(run));
            let claim = what("higher throughput than LIA, OLIA and BALIA");
            all.highest(&mut plan, (id("highest"), claim), "", (&EXISTING, adw), |run| scenario.share(run));
            if scenario.id == S2.id {
                let gain = compare(run, all.get(BALIA), |adw, balia| {
                    Some(adw.goodput("mptcp")? / balia.goodput("mptcp")?)
                });
                plan.row(id("gain"), what("MPTCP throughput ÷ that of BALIA"), "", gain).published(1.2);
            }
        }
    }
    plan
}
