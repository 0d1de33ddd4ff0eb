//! The goals of RFC 6356 as ratios of what a connection has to what a CUBIC flow in its place has.

use super::matrix::Cell;
use anabranch_ideal::{DSS, FlowIdeal, HEADERS, Ideals};
use anabranch_study::draw::axis;
use anabranch_study::{Axis, Outcome, Setup};

/// A goal of RFC 6356 as a ratio and its limit.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
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
    pub(super) fn met(&self, ratio: f64) -> bool {
        if self.at_least { ratio >= self.limit } else { ratio <= self.limit }
    }

    /// By how much it is missed: above 1 where it is.
    pub(super) fn missed(&self, ratio: f64) -> f64 {
        if self.at_least { self.limit / ratio } else { ratio / self.limit }
    }

    /// The tiles' scale: from a quarter as good as the limit to four times.
    pub(super) fn axis(&self) -> Axis {
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

/// Bytes of a full segment: the scenarios'.
const MSS: f64 = 1448.0;
/// And of its packet.
const PACKET: f64 = MSS + HEADERS;

/// Payload in it: TCP's, and MPTCP's with its option.
fn payload(subflows: usize) -> f64 {
    if subflows == 1 { MSS } else { MSS - DSS }
}

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

    /// In the equilibria of the models, `queue` being the part of a drop-tail buffer that is full.
    pub(super) fn modelled(cell: &Cell, ours: &Setup, single: &Setup, queue: f64) -> Option<Self> {
        let equilibrium = |setup: &Setup| {
            let ideals = Ideals::of(&setup.scenario().ok()?, &[], queue);
            let flows = &ideals.allocation(ideals.own.as_deref()?)?.flows;
            flows.iter().find(|flow| flow.name == "tested").cloned()
        };
        let (connection, flow) = (equilibrium(ours)?, equilibrium(single)?);
        let rate = |flow: &FlowIdeal, r: usize| {
            Some(flow.subflows[r].goodput_bps? / 1e6 * PACKET / payload(flow.subflows.len()))
        };
        let mut ours = vec![0.0; cell.links()];
        for r in 0..connection.subflows.len() {
            ours[cell.link_of(r)] += rate(&connection, r)?;
        }
        let single = (0..cell.links()).map(|link| rate(&flow, link)).collect::<Option<_>>()?;
        let losses = flow.subflows.iter().map(|subflow| subflow.loss_rate).collect::<Option<_>>()?;
        Some(Taken { ours, single, losses })
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
    Some(run.subflow_goodput("tested", r)? * PACKET / payload(subflows(run)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(ours: &[f64], single: &[f64], losses: &[f64]) -> Taken {
        Taken { ours: ours.into(), single: single.into(), losses: losses.into() }
    }

    fn near(value: Option<f64>, expected: f64) {
        assert!((value.unwrap() - expected).abs() < 1e-12, "{value:?}, not {expected}");
    }

    /// By hand: of links 1, 2 and 3 a flow has 2, 5 and 4 Mbit/s and the connection 1, 4 and 6.
    #[test]
    fn ratios_by_hand() {
        let all = taken(&[1.0, 4.0, 6.0], &[2.0, 5.0, 4.0], &[4e-3, 2e-3, 3e-3]);
        assert_eq!(all.best(), 1);
        near(all.total(), 11.0 / 5.0);
        near(all.largest(), 6.0 / 4.0);
        // (1 ÷ 2) ÷ ((4 + 6) ÷ (5 + 4)), and the loss rate on the first is twice that on the best.
        near(all.left(), 0.5 / (10.0 / 9.0));
    }

    #[test]
    fn balance_is_asked_where_the_first_link_is_congested() {
        let left = |single: &[f64], losses: &[f64]| taken(&[1.0, 1.0], single, losses).left();
        assert_eq!(left(&[1.0, 2.0], &[1.9e-3, 1e-3]), None, "less than twice the loss rate");
        assert_eq!(left(&[1.0, 2.0], &[0.0, 0.0]), None, "no losses");
        assert_eq!(left(&[2.0, 1.0], &[4e-3, 1e-3]), None, "the best link is the first");
        near(left(&[1.0, 2.0], &[1e-6, 0.0]), 2.0);
        assert_eq!(taken(&[3.0], &[2.0], &[1e-2]).left(), None, "one link");
    }

    #[test]
    fn of_one_link_total_and_largest_agree() {
        let one = taken(&[3.0], &[4.0], &[1e-2]);
        near(one.total(), 0.75);
        near(one.largest(), 0.75);
    }

    /// Goal 1 is to have much, goals 2 and 3 to have little: a half of the limit, or twice it, misses by 2.
    #[test]
    fn missing_by_a_factor() {
        let [throughput, no_harm, balance] = GOALS;
        near(Some(throughput.missed(0.95 / 2.0)), 2.0);
        near(Some(no_harm.missed(2.2)), 2.0);
        near(Some(balance.missed(1.5)), 2.0);
        for goal in GOALS {
            near(Some(goal.missed(goal.limit)), 1.0);
            assert!(goal.met(goal.limit));
        }
        assert!(throughput.met(3.0) && !throughput.met(0.9));
        assert!(no_harm.met(0.1) && !no_harm.met(1.2));
    }
}
