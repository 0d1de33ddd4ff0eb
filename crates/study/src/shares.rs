//! Runs compared with theory: goodputs, windows and loss rates of connections and their subflows.

use crate::outcome::{Outcome, base};
use crate::setup::Setup;
use crate::stats::estimate;
use anabranch_ideal::{Allocation, COUPLED, FlowIdeal, Ideals, QUEUE, SubflowIdeal};
use anabranch_record::{FlowSummary, SubflowSummary};
use anabranch_scenario::{Flow, Scenario};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The results of runs and of theory for their scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// The equilibria, first the one of the flows' own algorithms.
    pub equilibria: Vec<EquilibriumName>,
    /// Each connection, or the mean of a group, followed by its subflows if it has several.
    pub rows: Vec<ShareRow>,
    /// Assumptions and limits of the theory; reasons for missing equilibria.
    pub notes: Vec<String>,
}

/// An equilibrium of algorithms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EquilibriumName {
    /// "own" if every flow runs its own algorithm, or the algorithm of the multipath flows: "olia".
    pub id: String,
    /// For people.
    pub title: String,
}

/// A connection, the mean of a group, or a subflow. Goodputs are payload in Mbit/s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareRow {
    /// The flow's name in the scenario: "tcp", "mptcp (mean of 5)".
    pub flow: String,
    /// Its algorithm.
    pub cc: String,
    /// The links of its only path or of this subflow; `None` for a connection of several subflows as a whole.
    pub path: Option<String>,
    /// A subflow of the connection above it?
    pub part: bool,
    /// Max–min fairness; connections only, as subflows' shares are not unique.
    pub max_min: Option<f64>,
    /// The resource-pooling ideal; connections only.
    pub pooled: Option<f64>,
    /// In Mbit/s.
    pub goodput: Comparison,
    /// Mean congestion window in segments; `None` for a connection of several subflows.
    pub cwnd: Option<Comparison>,
    /// Lost segments in percent of those sent; `None` for a connection of several subflows.
    pub loss: Option<Comparison>,
}

/// A measured value, and the value in each equilibrium.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The mean over seeds.
    pub measured: Option<f64>,
    /// Half the width of its 95 % interval.
    pub half_width: Option<f64>,
    /// In the order of [`Shares::equilibria`].
    pub equilibria: Vec<Option<f64>>,
}

impl ShareRow {
    /// The goodput in the equilibrium of the flows' own algorithms, if it exists.
    pub fn own(&self, equilibria: &[EquilibriumName]) -> Option<f64> {
        let own = equilibria.iter().position(|equilibrium| equilibrium.id == "own")?;
        *self.goodput.equilibria.get(own)?
    }
}

/// The shares of a setup's runs; `None` if its network changes while means are taken, or a run failed.
pub fn shares(setup: &Setup, outcomes: &[Result<Outcome, String>]) -> Option<Shares> {
    let scenario = setup.scenario().ok()?;
    if changes(&scenario) {
        return None;
    }
    let runs: Vec<&[FlowSummary]> =
        outcomes.iter().map(|run| Some(&run.as_ref().ok()?.summary.flows[..])).collect::<Option<_>>()?;
    let ideals = Ideals::of(&scenario, &COUPLED.map(|(id, _)| id), QUEUE);
    let own = ideals.own.as_deref().and_then(|id| ideals.allocation(id));
    let coupled = COUPLED.iter().filter_map(|(id, _)| ideals.allocation(id));
    let named = |id: &str, title: &str| EquilibriumName { id: id.into(), title: title.into() };
    let own = own.map(|own| (named("own", "The algorithms of the flows"), own));
    let coupled = coupled.map(|allocation| (named(&allocation.id, &allocation.title), allocation));
    let (equilibria, beside): (Vec<_>, Vec<&Allocation>) = own.into_iter().chain(coupled).unzip();
    let rows =
        groups(&scenario).into_iter().flat_map(|group| rows(&scenario, &ideals, &beside, &runs, group));
    let missing = ideals.missing.iter().map(|missing| format!("No {}: {}.", missing.id, missing.why));
    Some(Shares {
        rows: rows.collect(),
        notes: missing.chain(ideals.notes.iter().cloned()).collect(),
        equilibria,
    })
}

/// Whether links, subflows or the flows that are there change while means are taken.
pub fn changes(scenario: &Scenario) -> bool {
    let links = scenario.links.iter().flat_map(|link| &link.spec.changes).map(|change| change.at);
    let subflows = scenario.flows.iter().flat_map(|flow| &flow.events).map(|event| event.at);
    let flows = scenario.flows.iter().flat_map(|flow| [flow.start, flow.stop]);
    let traced = scenario.links.iter().any(|link| link.spec.trace.is_some());
    let flows = flows.filter(|at| *at < scenario.duration);
    traced || links.chain(subflows).chain(flows).any(|at| at > scenario.warmup)
}

/// Flows in a row that share an entry of the file.
fn groups(scenario: &Scenario) -> Vec<Range<usize>> {
    let alike = scenario.flows.chunk_by(|one, next| base(&one.name) == base(&next.name));
    let mut end = 0;
    let range = |group: &[Flow]| {
        end += group.len();
        end - group.len()..end
    };
    alike.map(range).collect()
}

fn rows(
    scenario: &Scenario,
    ideals: &Ideals,
    equilibria: &[&Allocation],
    runs: &[&[FlowSummary]],
    group: Range<usize>,
) -> Vec<ShareRow> {
    let flow = &scenario.flows[group.start];
    let name = match group.len() {
        1 => flow.name.clone(),
        n => format!("{} (mean of {n})", base(&flow.name)),
    };
    let single = (flow.paths.len() == 1).then_some(0);
    // Means over the group, measured and in equilibrium.
    let beside = |run: &dyn Fn(&FlowSummary) -> Option<f64>, ideal: &dyn Fn(&FlowIdeal) -> Option<f64>| {
        let of_run = |flows: &&[FlowSummary]| mean(flows.get(group.clone())?.iter().map(run));
        let measured = runs.iter().map(of_run).collect::<Option<Vec<f64>>>();
        let estimate = measured.and_then(estimate);
        Comparison {
            measured: estimate.as_ref().map(|e| e.mean),
            half_width: estimate.and_then(|e| e.half_width),
            equilibria: equilibria.iter().map(|a| mean(a.flows[group.clone()].iter().map(ideal))).collect(),
        }
    };
    let row = |part: Option<usize>| {
        let of_subflow = |run: fn(&SubflowSummary) -> Option<f64>,
                          ideal: fn(&SubflowIdeal) -> Option<f64>| {
            let r = part.or(single)?;
            Some(beside(&|flow| run(flow.subflows.get(r)?), &|flow| ideal(flow.subflows.get(r)?)))
        };
        let fair = |id: &str| {
            let allocation = ideals.allocation(id).filter(|_| part.is_none())?;
            mean(allocation.flows[group.clone()].iter().map(|flow| Some(flow.goodput_bps? / 1e6)))
        };
        let links = |r: usize| {
            let names = flow.paths[r].links.iter().map(|link| &*scenario.links[*link].name);
            names.collect::<Vec<_>>().join(", ")
        };
        ShareRow {
            flow: name.clone(),
            cc: flow.cc.entry.name.into(),
            path: part.or(single).map(links),
            part: part.is_some(),
            max_min: fair("max-min"),
            pooled: fair("pooled"),
            goodput: match part {
                None => beside(&|f| Some(f.goodput_bps? / 1e6), &|f| Some(f.goodput_bps? / 1e6)),
                Some(_) => of_subflow(|s| Some(s.goodput_bps? / 1e6), |s| Some(s.goodput_bps? / 1e6))
                    .unwrap_or_default(),
            },
            cwnd: of_subflow(|s| s.mean_cwnd_segments, |s| s.cwnd_segments),
            loss: of_subflow(|s| Some(s.loss_rate? * 100.0), |s| Some(s.loss_rate? * 100.0)),
        }
    };
    let parts = if flow.paths.len() > 1 { 0..flow.paths.len() } else { 0..0 };
    std::iter::once(None).chain(parts.map(Some)).map(row).collect()
}

/// The mean; `None` if one is missing.
fn mean(values: impl ExactSizeIterator<Item = Option<f64>>) -> Option<f64> {
    let n = values.len() as f64;
    Some(values.sum::<Option<f64>>()? / n)
}
