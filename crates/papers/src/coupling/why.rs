//! E-W: why Linked CUBIC misses goals: losses that are not independent, long queues, and means that are noisy.

use super::matrix::{Cell, Network};
use super::taken::{GOALS, Goal, Taken};
use super::{Algorithm, LINKED};
use crate::paper::Definition;
use anabranch_study::{Outcome, Setup, SetupId, Size};
use anabranch_study::{Plan, Quantity, compare_all, measure};

pub(super) const WHY: Definition = Definition {
    ids: &["E-W"],
    title: "Why goals are missed, at 10 Mbit/s",
    notes: &[
        "Response functions suppose that a path's segments are lost independently, so that a smaller flow meets fewer losses. A full \
         drop-tail queue often makes all its flows lose at once, whatever their rates: a loss costs the slowly growing subflows of a \
         coupled connection as much time as it costs its neighbour. Is that why goal 1 is missed? The first rows have other queues in cells \
         without random loss, where the drop-tail queue holds 0.21 s on average.",
        "PIE with its own target drops early, but it also makes the round-trip time three times shorter. Two queues \
         hold 0.21 s as well: PIE with that target, and RED with thresholds around that length and a low probability; rows .recoveries have \
         how far each is from independent drops. Thresholds and target were set by runs of CUBIC \
         flows alone.",
        "The rule, stated before the first run with RED (but after two runs with PIE at 0.21 s): the explanation is confirmed where \
         independent drops at the same round-trip time leave the connection clearly more (intervals apart), and refuted where they do \
         not leave it more. It supposes that a subflow then has as many recoveries per segment as its neighbour. Beside each ratio is \
         the model's, whose losses are independent, with that wait.",
        "Verdicts of rows .independent say what came out; rows .rtt and .recoveries whether the set-up is what the rule supposes.",
        "The best path's rate is estimated as the highest of several noisy means, whose expectation is higher than each mean's. The last rows have \
         means that remember more.",
    ],
    plan: why,
};

const LIA: Algorithm = ("lia", "LIA");

/// A queue at each link, beside a drop-tail one of 4 BDP.
struct Queue {
    id: &'static str,
    name: &'static str,
    /// Limit and discipline, where they are others.
    set: &'static [(&'static str, &'static str)],
}

const DROP_TAIL: Queue = Queue { id: "drop-tail", name: "drop-tail", set: &[] };
/// One packet at a time, at the drop-tail queue's length: 0.21 s are 175 packets.
const RED: Queue = Queue {
    id: "red-same-rtt",
    name: "RED, 0.21 s",
    set: &[
        ("queue", "10 BDP"),
        ("aqm", "{ kind = \"red\", min = \"165 packets\", max = \"265 packets\", max_probability = 0.004 }"),
    ],
};
const QUEUES: [Queue; 4] = [
    DROP_TAIL,
    Queue { id: "pie", name: "PIE", set: &[("aqm", "pie")] },
    Queue {
        id: "pie-same-rtt",
        name: "PIE, 0.21 s",
        set: &[("queue", "10 BDP"), ("aqm", "{ kind = \"pie\", target = \"210 ms\" }")],
    },
    RED,
];
/// The part of the drop-tail queue's 0.24 s that is full on average.
const FULL: f64 = 0.86;

/// A cell with a queue: the connection's runs, and those of single flows.
struct Pair {
    cell: Cell,
    setups: [Setup; 2],
    runs: [SetupId; 2],
}

impl Pair {
    fn of(plan: &mut Plan, cell: Cell, [ours, single]: [Setup; 2], repeats: u32) -> Self {
        let setups = [ours.repeats(repeats), single.repeats(repeats)];
        let runs = setups.clone().map(|setup| plan.simulate(setup));
        Pair { cell, setups, runs }
    }

    fn with(plan: &mut Plan, cell: Cell, cc: Algorithm, queue: &Queue, size: Size) -> Self {
        let keys = (1..=cell.links()).flat_map(|link| queue.set.iter().map(move |set| (link, set)));
        let set = |setup: Setup, (link, (key, value)): (usize, &(&str, &str))| {
            setup.set(&format!("links.link{link}.{key}"), *value)
        };
        let mut setups = [cell.connection(cc.0, size), cell.single(size)];
        setups = setups.map(|setup| keys.clone().fold(setup, set));
        for setup in &mut setups {
            setup.title += &format!(", {}", queue.name);
        }
        Pair::of(plan, cell, setups, 6)
    }

    /// The goal's ratio.
    fn ratio(&self, goal: Goal) -> Quantity {
        let cell = self.cell;
        let value = move |runs: &[&Outcome]| (goal.of)(&Taken::of(&cell, &runs[..1], &runs[1..])?);
        compare_all(self.runs.into(), value)
    }

    /// The same in the model's equilibria.
    fn modelled(&self, goal: Goal) -> Option<f64> {
        let [ours, single] = &self.setups;
        (goal.of)(&Taken::modelled(&self.cell, ours, single, FULL)?)
    }

    /// The connection's mean RTT on its last link.
    fn rtt(&self) -> Quantity {
        let last = self.cell.links() - 1;
        measure(self.runs[0], move |run| Some(run.rtt("tested", last)? * 1e3))
    }

    /// Recoveries per segment on the last link: the connection's ÷ its only neighbour's.
    fn recoveries(&self) -> Quantity {
        let (links, neighbour) = (self.cell.links(), format!("cubic{}", self.cell.links()));
        measure(self.runs[0], move |run| {
            Some(run.recoveries("tested", links - 1)? / run.recoveries(&neighbour, 0)?)
        })
    }
}

fn why(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    let [_, no_harm, _] = GOALS;
    for subflows in [2, 4] {
        let cell = Cell::equal(Network::Separate, 10, subflows, 4.0, 0.0);
        for cc in [LINKED, LIA] {
            let pairs = QUEUES.map(|queue| (Pair::with(&mut plan, cell, cc, &queue, size), queue));
            queues(&mut plan, cell, cc, &pairs);
        }
    }
    let cell = Cell::equal(Network::Shared, 10, 8, 4.0, 1e-4);
    for memory in ["0.0", "0.5", "0.9"] {
        let ours = cell.connection(&format!("{{ name = \"{}\", memory = {memory} }}", LINKED.0), size);
        let pair = Pair::of(&mut plan, cell, [ours, cell.single(size)], 6);
        let what = format!("{}, memory {memory}, {}: {}", LINKED.1, cell.label(), no_harm.ratio);
        plan.row(format!("E-W.memory.{memory}"), what, "", pair.ratio(no_harm));
    }
    plan
}

fn queues(plan: &mut Plan, cell: Cell, cc: Algorithm, pairs: &[(Pair, Queue); 4]) {
    let [throughput, ..] = GOALS;
    let id = |row: &str| format!("E-W.{}.{}.{row}", cc.0, cell.links());
    let what = |what: &str| format!("{}, {}, {what}", cc.1, cell.label());
    for (pair, queue) in pairs {
        let ratio = format!("{}: {}", queue.name, throughput.ratio);
        let row = plan.row(id(queue.id), what(&ratio), "", pair.ratio(throughput));
        if let Some(model) = pair.modelled(throughput) {
            row.beside(model, "the model's equilibrium with this wait, independent losses");
        }
    }
    let [(tail, _), .., (red, _)] = pairs;
    plan.ordering(
        id("independent"),
        what("more with independent drops at the same RTT"),
        "",
        vec![(DROP_TAIL.name, tail.ratio(throughput)), (RED.name, red.ratio(throughput))],
    );
    for (pair, queue) in pairs {
        let name = queue.name;
        plan.row(
            id(&format!("{}.rtt", queue.id)),
            what(&format!("{name}: RTT of the last subflow")),
            "ms",
            pair.rtt(),
        );
        let ratio = format!("{name}: recoveries per segment of the last subflow ÷ its neighbour's");
        plan.row(id(&format!("{}.recoveries", queue.id)), what(&ratio), "", pair.recoveries());
    }
}
