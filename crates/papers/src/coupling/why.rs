//! E-W: why Linked CUBIC misses goals: losses that are not independent, and means that are noisy.

use super::goals::{GOALS, Goal, Taken};
use super::matrix::{Cell, Network};
use super::{Algorithm, LINKED};
use crate::plan::{Definition, Plan, Quantity};
use crate::{Outcome, Setup, Size};

pub(super) const WHY: Definition = Definition {
    ids: &["E-W"],
    title: "Why goals are missed, at 10 Mbit/s",
    notes: &[
        "Response functions suppose that a path's segments are lost independently, so that a smaller flow meets fewer losses. A full \
         drop-tail queue often makes all its flows lose at once, whatever their rates: a loss costs the slowly growing subflows of a \
         coupled connection as much time as it costs its neighbour. PIE drops independently. The first rows have both in cells \
         without random loss; with PIE goal 1 should be met where with drop-tail it is not.",
        "The best path's rate is estimated as the highest of several noisy means: of eight alike ones, too high. The last rows have \
         means that remember more.",
    ],
    plan: why,
};

const LIA: Algorithm = ("lia", "LIA");

/// The goal's ratio with this connection.
fn ratio(plan: &mut Plan, cell: Cell, goal: Goal, ours: Setup, single: Setup) -> Quantity {
    let setups = vec![plan.simulate(single.repeats(3)), plan.simulate(ours.repeats(3))];
    let value = move |runs: &[&Outcome]| (goal.of)(&Taken::of(&cell, &runs[1..], &runs[..1])?);
    Quantity { setups, value: Box::new(value) }
}

fn why(size: Size) -> Plan {
    let mut plan = Plan::new();
    let [throughput, no_harm, _] = GOALS;
    for subflows in [2, 4] {
        let cell = Cell::equal(Network::Separate, 10, subflows, 4.0, 0.0);
        for cc in [LINKED, LIA] {
            for queue in ["drop-tail", "pie"] {
                let set = |s: Setup, i: usize| s.set(&format!("links.link{}.aqm", i + 1), queue);
                let with = |setup: Setup| (0..cell.links()).fold(setup, set);
                let (ours, single) = (with(cell.connection(cc.0, size)), with(cell.single(size)));
                let quantity = ratio(&mut plan, cell, throughput, ours, single);
                let what = format!("{}, {}, {queue}: {}", cc.1, cell.label(), throughput.ratio);
                plan.row(format!("E-W.{}.{subflows}.{queue}", cc.0), what, "", quantity);
            }
        }
    }
    let cell = Cell::equal(Network::Shared, 10, 8, 4.0, 1e-4);
    for memory in ["0.0", "0.5", "0.9"] {
        let ours = cell.connection(&format!("{{ name = \"{}\", memory = {memory} }}", LINKED.0), size);
        let quantity = ratio(&mut plan, cell, no_harm, ours, cell.single(size));
        let what = format!("{}, memory {memory}, {}: {}", LINKED.1, cell.label(), no_harm.ratio);
        plan.row(format!("E-W.memory.{memory}"), what, "", quantity);
    }
    plan
}
