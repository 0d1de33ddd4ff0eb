//! D-AE: managed queues that mark instead of dropping.

use super::managed::{Queue, Under, figure, highest, level_is_lower, queue, rows};
use super::scenario::*;
use crate::Size;
use crate::plan::{Definition, Plan};

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
        "What came out, at the default size: the similarity test survives with none of them, not with RED either, under which dropping \
         met the rule. With RED and \
         CoDel ADW's level is higher on the shared bottleneck than on separate ones (1.5 against 1.4 and 1.3), with PIE it is 1.6 and \
         1.7, with FQ-CoDel 0.1 on both. Nor does its use: it has a sixth to a quarter more than BALIA on separate \
         bottlenecks, and with PIE and CoDel 1.15 to 1.2 fair shares of a shared one.",
        "The delay-based ones: wVegas and Vegas live on what Reno's queue leaves. With RED they have three quarters of their \
         share, with CoDel two fifths and a third, with PIE, whose target is longer than the paths, a seventh and less. \
         Compound and wCompound have nearly all of theirs with each (0.8 with RED), and of a shared bottleneck a share \
         for each subflow.",
        OURS,
    ],
    plan,
};

/// ADW beside LIA and BALIA.
const EACH_ITS_OWN: &str = "Flow queues give every algorithm nearly all of its share, so that there is nothing to gain. With CoDel \
     intervals of ADW and LIA touch.";

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    let all: Vec<Under> =
        QUEUES.iter().map(|queue| Under::of(&mut plan, *queue, &ALGORITHMS, size)).collect();
    for under in &all {
        rows(&mut plan, "D-AE", under, &ALGORITHMS);
        level_is_lower(&mut plan, "D-AE", under, ADW);
        highest(&mut plan, "D-AE", under, ADW).because(EACH_ITS_OWN);
    }
    plan.figure(move |outcomes| {
        figure(outcomes, ("D-AE", "Shares and ADW's level under queues that mark"), &all, &ALGORITHMS)
    });
    plan
}
