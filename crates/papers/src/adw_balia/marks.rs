//! D-AE: managed queues that mark instead of dropping.

use super::managed::{Queue, Under, figure, highest, level_is_lower, link, outcome, queue, rows};
use super::scenario::*;
use crate::paper::Definition;
use anabranch_study::Plan;
use anabranch_study::Size;
use std::sync::Arc;

const QUEUES: [Queue; 4] = [
    queue("red", "RED, marking", "10 BDP", "red").marking(),
    queue("pie", "PIE, marking", "10 BDP", "pie").marking(),
    queue("codel", "CoDel, marking", "10 BDP", "codel").marking(),
    queue("fq-codel", "FQ-CoDel, marking", "10 BDP", "fq-codel").marking(),
];

const ALGORITHMS: [Algorithm; 8] = [LIA, BALIA, ADW, WVEGAS, VEGAS, WCOMPOUND, COMPOUND, LINKED];

pub(super) const MARKS: Definition = Definition {
    ids: &["D-AE"],
    title: "Scenarios 1 and 2 with managed queues that mark (ECN)",
    notes: &[
        "As D-A, but all flows negotiate ECN (RFC 3168) and the queues mark where they would drop. One mark reduces a window as \
         one loss does. The rules are those of D-A: the similarity test survives where the level is lower on a shared \
         bottleneck, its use where ADW has more than LIA and BALIA on separate ones and no more than 1.1 fair shares of a \
         shared one.",
        OURS,
    ],
    plan,
};

/// ADW beside LIA and BALIA.
const EACH_ITS_OWN: &str =
    "Rows D-AE.fq-codel.lia.S2 and .balia.S2 have what these get where each subflow has a queue of its own.";

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    let all: Vec<Under> =
        QUEUES.iter().map(|queue| Under::of(&mut plan, *queue, &ALGORITHMS, size)).collect();
    for under in &all {
        rows(&mut plan, "D-AE", under, &ALGORITHMS);
        level_is_lower(&mut plan, "D-AE", under, ADW);
        let row = highest(&mut plan, "D-AE", under, ADW);
        if under.queue.id == "fq-codel" {
            row.because(EACH_ITS_OWN);
        }
        link(&mut plan, "D-AE", under);
    }
    let all = Arc::new(all);
    let concluded = Arc::clone(&all);
    plan.conclude(move |outcomes| concluded.iter().filter_map(|under| outcome(outcomes, under)).collect());
    plan.figure(move |outcomes| {
        figure(outcomes, ("D-AE", "Shares and ADW's level under queues that mark"), &all, &ALGORITHMS)
    });
    plan
}
