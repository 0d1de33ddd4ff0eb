//! D-A: managed queues at the bottlenecks, which the paper leaves to future work.

use super::managed::{
    Queue, STANDING, UNUSED, Under, figure, highest, level_is_lower, link, outcome, queue, rows,
};
use super::scenario::*;
use crate::paper::Definition;
use anabranch_study::Plan;
use anabranch_study::Size;
use std::sync::Arc;

/// The paper's.
const DROP_TAIL: Queue = queue("drop-tail", "drop-tail", "1 BDP", "drop-tail");
/// Managed ones have room for ten BDP, and so has a drop-tail one for comparison.
const OTHERS: [Queue; 5] = [
    queue("drop-tail-10", "drop-tail, 10 BDP", "10 BDP", "drop-tail"),
    queue("red", "RED", "10 BDP", "red"),
    queue("pie", "PIE", "10 BDP", "pie"),
    queue("codel", "CoDel", "10 BDP", "codel"),
    queue("fq-codel", "FQ-CoDel", "10 BDP", "fq-codel"),
];

const ALGORITHMS: [Algorithm; 9] = [LIA, BALIA, ADW, RUNNING, WVEGAS, VEGAS, WCOMPOUND, COMPOUND, LINKED];

/// Those that answer to the queueing delay, alone or beside losses.
const DELAY_BASED: [Algorithm; 4] = [WVEGAS, VEGAS, WCOMPOUND, COMPOUND];

pub(super) const QUEUES: Definition = Definition {
    ids: &["D-A"],
    title: "Scenarios 1 and 2 with managed queues",
    notes: &[
        "The paper's future work: nothing is published, and each row's rule was stated before its first run. RED, PIE, CoDel \
         and FQ-CoDel have the parameters of the book's page on queues (the RFCs'), and 10 BDP of buffer (500 packets, 100 \
         ms), so that they and not the end of the buffer decide (but in slow start). Beside them drop-tail with 1 BDP, as in the paper, and with \
         10.",
        "The similarity test survives where the level j is lower on a shared bottleneck than on separate ones, and its use \
         where ADW has more than LIA and BALIA on separate bottlenecks while it takes no more than 1.1 fair shares of a \
         shared one (goal 2 of RFC 6356, with the tenth that the rules of this report allow).",
        "Of the delay-based algorithms wVegas survives where a managed queue gives it more than the paper's drop-tail queue \
         does, beside Reno flows that fill either.",
        OURS,
    ],
    plan,
};

/// Compound and wCompound where nothing manages the queue.
const RENO_ALREADY: &str = "Headers leave 0.965 of the ideal, so that there is little to gain where its share of the paper's queue is near that.";

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    let all: Vec<Under> = std::iter::once(DROP_TAIL)
        .chain(OTHERS)
        .map(|queue| Under::of(&mut plan, queue, &ALGORITHMS, size))
        .collect();
    for under in &all {
        rows(&mut plan, "D-A", under, &ALGORITHMS);
        for adw in [ADW, RUNNING] {
            level_is_lower(&mut plan, "D-A", under, adw);
            highest(&mut plan, "D-A", under, adw);
        }
        link(&mut plan, "D-A", under);
    }
    for under in &all[1..] {
        let Queue { id, name, .. } = under.queue;
        for cc in DELAY_BASED {
            plan.ordering(
                format!("D-A.{id}.{}.more", cc.id),
                format!("Scenario 2, {}: more with {name} than with the paper's drop-tail queue", cc.name),
                "",
                vec![
                    (DROP_TAIL.name, S2.share(all[0].second.get(cc))),
                    (name, S2.share(under.second.get(cc))),
                ],
            )
            .because(match (cc, id) {
                (WVEGAS | VEGAS, _) => STANDING,
                (_, "red" | "drop-tail-10") => UNUSED,
                _ => RENO_ALREADY,
            });
        }
    }
    let all = Arc::new(all);
    let concluded = Arc::clone(&all);
    plan.conclude(move |outcomes| concluded.iter().filter_map(|under| outcome(outcomes, under)).collect());
    plan.figure(move |outcomes| {
        figure(outcomes, ("D-A", "Shares and ADW's level under managed queues"), &all, &ALGORITHMS)
    });
    plan
}
