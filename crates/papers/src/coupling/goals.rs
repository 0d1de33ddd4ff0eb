//! E-10, E-100, E-1000: which goals each algorithm meets, at each rate.

use super::matrix::{Cell, cells};
use super::{ALGORITHMS, Algorithm, LINKED};
use crate::draw::{axis, bar, series, tiles};
use crate::plan::{Definition, Plan, Quantity, Runs, SetupId};
use crate::{Axis, Figure, Outcome, Rule, Size};
use std::sync::Arc;

const NOTES: &[&str] = &[
    "Rows: the number of cells in which a goal is met, by each seed; goals 1 and 2 are asked of Linked CUBIC in every cell, and goal \
     3 is counted where it applies. Figures: the means over seeds; blue meets the goal, red misses it, white is the limit.",
];

pub(super) const AT_10: Definition = Definition {
    ids: &["E-10"],
    title: "The three goals at 10 Mbit/s",
    notes: NOTES,
    plan: |size| plan("E-10", 10, size),
};

pub(super) const AT_100: Definition = Definition {
    ids: &["E-100"],
    title: "The three goals at 100 Mbit/s",
    notes: NOTES,
    plan: |size| plan("E-100", 100, size),
};

pub(super) const AT_1000: Definition = Definition {
    ids: &["E-1000"],
    title: "The three goals at 1000 Mbit/s",
    notes: NOTES,
    plan: |size| plan("E-1000", 1000, size),
};

/// A goal of RFC 6356 as a ratio and its limit.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    id: &'static str,
    name: &'static str,
    /// What the ratio is.
    pub(super) ratio: &'static str,
    limit: f64,
    /// Whether the ratio is to be at least that, or at most.
    at_least: bool,
    pub(super) of: fn(&Taken) -> Option<f64>,
}

pub(super) const GOALS: [Goal; 3] = [
    Goal {
        id: "goal1",
        name: "goal 1, throughput",
        ratio: "all subflows ÷ a CUBIC flow on its best link",
        limit: 0.95,
        at_least: true,
        of: Taken::total,
    },
    Goal {
        id: "goal2",
        name: "goal 2, no harm",
        ratio: "subflows on a link ÷ a CUBIC flow there, the largest",
        limit: 1.1,
        at_least: false,
        of: Taken::largest,
    },
    Goal {
        id: "goal3",
        name: "goal 3, balance",
        ratio: "part of a CUBIC flow's rate: of the congested link ÷ of the others",
        limit: 0.75,
        at_least: false,
        of: Taken::left,
    },
];

impl Goal {
    fn met(&self, ratio: f64) -> bool {
        if self.at_least { ratio >= self.limit } else { ratio <= self.limit }
    }

    /// By how much it is missed: above 1 where it is.
    fn missed(&self, ratio: f64) -> f64 {
        if self.at_least { self.limit / ratio } else { ratio / self.limit }
    }

    /// The tiles' scale: from a quarter as good as the limit to four times.
    fn axis(&self) -> Axis {
        let (low, high) = (self.limit / 4.0, self.limit * 4.0);
        let domain = if self.at_least { (low, high) } else { (high, low) };
        Axis { domain: Some(domain), log: true, ..axis(self.ratio) }
    }
}

/// What a connection has of each link, and what a CUBIC flow in its place has, in Mbit/s at IP level.
pub(super) struct Taken {
    ours: Vec<f64>,
    single: Vec<f64>,
    /// That flow's loss rates.
    losses: Vec<f64>,
}

/// Payload of a full segment: TCP's, and MPTCP's with its option.
const PAYLOAD: (f64, f64) = (1448.0, 1428.0);
const PACKET: f64 = 1500.0;

impl Taken {
    /// Means over runs of the connection and of the single flows.
    pub(super) fn of(cell: &Cell, ours: &[&Outcome], single: &[&Outcome]) -> Option<Self> {
        let by_link = |r: usize| cell.link_of(r);
        Some(Taken {
            ours: mean(cell.links(), ours, by_link, packets)?,
            single: mean(cell.links(), single, |r| r, packets)?,
            losses: mean(cell.links(), single, |r| r, |run, r| run.loss_rate("tested", r))?,
        })
    }

    fn total(&self) -> Option<f64> {
        Some(self.ours.iter().sum::<f64>() / self.single[self.best()])
    }

    fn largest(&self) -> Option<f64> {
        self.ours.iter().zip(&self.single).map(|(ours, single)| ours / single).reduce(f64::max)
    }

    fn left(&self) -> Option<f64> {
        let congested = self.losses[0] > 0.0 && self.losses[0] >= 2.0 * self.losses[self.best()];
        let others = self.ours[1..].iter().sum::<f64>() / self.single[1..].iter().sum::<f64>();
        (congested && self.best() > 0).then(|| self.ours[0] / self.single[0] / others)
    }

    /// The link on which a single flow has most.
    fn best(&self) -> usize {
        let links = 0..self.single.len();
        links.max_by(|a, b| self.single[*a].total_cmp(&self.single[*b])).unwrap_or(0)
    }
}

/// The sum of `value` over the subflows of each link, and its mean over runs.
fn mean(
    links: usize,
    runs: &[&Outcome],
    link_of: impl Fn(usize) -> usize,
    value: impl Fn(&Outcome, usize) -> Option<f64>,
) -> Option<Vec<f64>> {
    let mut sums = vec![0.0; links];
    for run in runs {
        for r in 0..subflows(run)? {
            sums[link_of(r)] += value(run, r)? / runs.len() as f64;
        }
    }
    Some(sums)
}

fn subflows(run: &Outcome) -> Option<usize> {
    Some(run.summary.flows.iter().find(|flow| flow.name == "tested")?.subflows.len())
}

/// The rate of a subflow's delivered packets, in Mbit/s at IP level.
fn packets(run: &Outcome, r: usize) -> Option<f64> {
    let payload = if subflows(run)? == 1 { PAYLOAD.0 } else { PAYLOAD.1 };
    Some(run.subflow_goodput("tested", r)? * PACKET / payload)
}

/// The cells with their simulations: CUBIC in the connection's place, and each algorithm.
struct Study(Vec<(Cell, SetupId, Vec<SetupId>)>);

impl Study {
    fn of(plan: &mut Plan, mbps: u32, size: Size) -> Self {
        let simulate = |cell: Cell| {
            let single = plan.simulate(cell.single(size));
            let ours = ALGORITHMS.iter().map(|cc| plan.simulate(cell.connection(cc.0, size))).collect();
            (cell, single, ours)
        };
        Study(cells(mbps, size).into_iter().map(simulate).collect())
    }

    /// The number of cells in which algorithm `a` meets the goal, and with `applies` of those where it could.
    fn count(&self, a: usize, goal: Goal, applies: bool) -> Quantity {
        let setups = self.0.iter().flat_map(|(_, single, ours)| [*single, ours[a]]).collect();
        let cells: Vec<Cell> = self.0.iter().map(|(cell, ..)| *cell).collect();
        let value = move |outcomes: &[&Outcome]| {
            let mut count = 0.0;
            for (cell, runs) in cells.iter().zip(outcomes.chunks(2)) {
                let ratio = (goal.of)(&Taken::of(cell, &runs[1..], &runs[..1])?);
                count += f64::from(u8::from(ratio.is_some_and(|ratio| applies || goal.met(ratio))));
            }
            Some(count)
        };
        Quantity { setups, value: Box::new(value) }
    }

    /// The goal's ratio in each cell, over all seeds; without those in which a run failed or it does not apply.
    fn ratios(&self, runs: &Runs<'_>, a: usize, goal: Goal) -> Vec<(String, f64)> {
        let all = |id: &SetupId| runs.all(*id);
        let ratio = |(cell, single, ours): &(Cell, SetupId, Vec<SetupId>)| {
            let taken = Taken::of(cell, &all(&ours[a])?, &all(single)?)?;
            Some((cell.label(), (goal.of)(&taken)?))
        };
        self.0.iter().filter_map(ratio).collect()
    }

    /// A sentence on the cells where algorithm `a` is furthest from each goal.
    fn worst(&self, runs: &Runs<'_>, a: usize) -> String {
        let worst = |goal: &Goal| {
            let ratios = self.ratios(runs, a, *goal);
            let met = ratios.iter().filter(|(_, ratio)| goal.met(*ratio)).count();
            let (cell, ratio) = ratios.iter().max_by(|x, y| goal.missed(x.1).total_cmp(&goal.missed(y.1)))?;
            Some(format!("{}: {met} of {}, worst {ratio:.2} ({cell})", goal.name, ratios.len()))
        };
        let goals: Vec<String> = GOALS.iter().filter_map(worst).collect();
        format!("{}, means over seeds. {}.", ALGORITHMS[a].1, goals.join("; "))
    }
}

fn plan(id: &'static str, mbps: u32, size: Size) -> Plan {
    let mut plan = Plan::new();
    let study = Study::of(&mut plan, mbps, size);
    if study.0.is_empty() {
        plan.note("Not in this size: see the notes of the page for what each takes.");
        return plan;
    }
    for (a, cc) in ALGORITHMS.into_iter().enumerate() {
        for goal in GOALS {
            row(&mut plan, id, &study, (a, cc), goal);
        }
    }
    let applies = study.count(0, GOALS[2], true);
    plan.row(format!("{id}.applies"), "cells in which goal 3 applies", "cells", applies);

    let study = Arc::new(study);
    for goal in GOALS {
        let study = Arc::clone(&study);
        plan.figure(move |runs| {
            let of = |(a, cc): (usize, Algorithm)| {
                let ratios = study.ratios(runs, a, goal);
                series(cc.1, ratios.iter().map(|(cell, ratio)| bar(cell, *ratio)).collect())
            };
            let series = ALGORITHMS.into_iter().enumerate().map(of).collect();
            Figure {
                id: format!("{id}.{}", goal.id),
                title: format!("{} in each cell at {mbps} Mbit/s", capitalised(goal.name)),
                panels: vec![tiles(goal.ratio, goal.axis(), series)],
            }
        });
    }
    plan.conclude(move |runs| (0..ALGORITHMS.len()).map(|a| study.worst(runs, a)).collect());
    plan
}

fn capitalised(name: &str) -> String {
    name.replacen('g', "G", 1)
}

fn row(plan: &mut Plan, id: &str, study: &Study, (a, cc): (usize, Algorithm), goal: Goal) {
    let cells = study.0.len();
    let what = match goal.id {
        "goal3" => format!("{}: {}", cc.1, goal.name),
        _ => format!("{}: {}, of {cells}", cc.1, goal.name),
    };
    let row = plan.row(format!("{id}.{}.{}", cc.0, goal.id), what, "cells", study.count(a, goal, false));
    if cc == LINKED && goal.id != "goal3" {
        row.claim("Linked CUBIC meets it in every cell", Rule::AtLeast(cells as f64)).because(
            "E-W: losses at a full drop-tail queue are not independent (goal 1), and the best of several noisy means is too high \
             (goal 2, many subflows on one link).",
        );
    }
}
