//! D-AE: managed queues that mark instead of dropping.

use super::managed::{Queue, Under, figure, level, queue};
use super::queues::{ALIKE, AS_RENO, FOUR_QUEUES, ONE_AT_A_TIME, STANDING, UNUSED};
use super::scenario::*;
use crate::plan::{Definition, Plan};
use crate::{Rule, Size};

const QUEUES: [Queue; 4] = [
    queue("red", "RED, marking", "10 BDP", "red").marking(),
    queue("pie", "PIE, marking", "10 BDP", "pie").marking(),
    queue("codel", "CoDel, marking", "10 BDP", "codel").marking(),
    queue("fq-codel", "FQ-CoDel, marking", "10 BDP", "fq-codel").marking(),
];

const ALGORITHMS: [Algorithm; 7] = [LIA, BALIA, ADW, WVEGAS, VEGAS, WCOMPOUND, COMPOUND];

pub(super) const MARKS: Definition = Definition {
    ids: &["D-AE"],
    title: "Scenarios 1 and 2 with managed queues that mark (ECN)",
    notes: &[
        "As D-A, but all flows negotiate ECN (RFC 3168) and the queues mark where they would drop. One mark reduces a window as \
         one loss does. The rules are those of D-A: the similarity test survives where the level is lower on a shared \
         bottleneck, its use where ADW has more than LIA and BALIA on separate ones and no more than 1.1 fair shares of a \
         shared one.",
        "What came out, at the default size: marks change nothing of it. The similarity test does not survive: with RED and \
         CoDel ADW's level is higher on the shared bottleneck than on separate ones (1.5 against 1.4 and 1.3), with PIE it is 1.6 and \
         1.7, with FQ-CoDel 0.1 on both. Nor does its use: it has a sixth to a quarter more than BALIA on separate \
         bottlenecks, and with PIE and CoDel 1.15 to 1.2 fair shares of a shared one.",
        "The delay-based ones: wVegas and Vegas live on what Reno's queue leaves. With RED they have three quarters of their \
         share, with CoDel two fifths and a third, with PIE, whose target is longer than the paths, a seventh and less. \
         Compound and wCompound have nearly all of theirs with each (0.8 with RED), and of a shared bottleneck a share \
         for each subflow.",
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
        rows(&mut plan, under);
    }
    plan.figure(move |outcomes| {
        figure(outcomes, ("D-AE", "Shares and ADW's level under queues that mark"), &all, &ALGORITHMS)
    });
    plan
}

fn rows(plan: &mut Plan, under: &Under) {
    let Queue { id, name, .. } = under.queue;
    for cc in ALGORITHMS {
        let what = |scenario: &str| format!("{scenario}, {name}, {}: MPTCP throughput ÷ fair share", cc.name);
        plan.row(format!("D-AE.{id}.{}.S1", cc.id), what("Scenario 1"), "", S1.share(under.first.get(cc)))
            .claim("no more than a TCP flow on a shared bottleneck", Rule::AtMost(1.1))
            .because(match (id, cc) {
                ("fq-codel", _) => FOUR_QUEUES,
                ("red", WVEGAS | VEGAS) => UNUSED,
                (_, WVEGAS | VEGAS) => STANDING,
                (_, WCOMPOUND | COMPOUND) => AS_RENO,
                _ => ONE_AT_A_TIME,
            });
        plan.row(format!("D-AE.{id}.{}.S2", cc.id), what("Scenario 2"), "", S2.share(under.second.get(cc)));
    }
    plan.ordering(
        format!("D-AE.{id}.adw.level"),
        format!("{name}, ADW: the level j is lower on a shared bottleneck"),
        "",
        vec![("shared", level(under.first.get(ADW))), ("separate", level(under.second.get(ADW)))],
    )
    .because(if id == "fq-codel" { ALIKE } else { ONE_AT_A_TIME });
    let claim = format!("Scenario 2, {name}, ADW: higher throughput than LIA and BALIA");
    let id = format!("D-AE.{id}.adw.highest");
    under
        .second
        .highest(plan, (id, claim), "", (&[LIA, BALIA], ADW), |run| S2.share(run))
        .because(EACH_ITS_OWN);
}
