//! What theory gives beside what runs gave: the goodputs of connections and their subflows.

use crate::{Outcome, Setup, estimate};
use anabranch_ideal::{Allocation, FlowIdeal, Ideals, QUEUE};
use anabranch_record::FlowSummary;
use anabranch_scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A run's goodputs, and what theory gives for its scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// Each connection, or the mean of those alike, and below it its subflows where it has several.
    pub rows: Vec<ShareRow>,
    /// What theory leaves out or assumes here; why there is no equilibrium.
    pub notes: Vec<String>,
}

/// A connection, the mean of several alike, or a subflow. Goodputs are payload in Mbit/s.
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
    /// The mean over seeds.
    pub measured: Option<f64>,
    /// Half the width of its 95 % interval.
    pub half_width: Option<f64>,
    /// Max–min fairness; connections only, for parts are not unique.
    pub max_min: Option<f64>,
    /// The resource-pooling ideal; connections only.
    pub pooled: Option<f64>,
    /// Where the algorithms that the flows run settle.
    pub equilibrium: Option<f64>,
}

/// The shares of a setup's runs; none where its network changes while means are taken, or a run failed.
pub(crate) fn shares(setup: &Setup, outcomes: &[Result<Outcome, String>]) -> Option<Shares> {
    let scenario = setup.scenario().ok()?;
    if changes(&scenario) {
        return None;
    }
    let runs: Vec<&[FlowSummary]> =
        outcomes.iter().map(|run| Some(&run.as_ref().ok()?.summary.flows[..])).collect::<Option<_>>()?;
    let ideals = Ideals::of(&scenario, &[], QUEUE);
    let rows = groups(&scenario).into_iter().flat_map(|group| rows(&scenario, &ideals, &runs, group));
    let missing = ideals.missing.iter().map(|missing| format!("No {}: {}.", missing.id, missing.why));
    Some(Shares { rows: rows.collect(), notes: missing.chain(ideals.notes.iter().cloned()).collect() })
}

/// Whether links or subflows change while means are taken.
fn changes(scenario: &Scenario) -> bool {
    let links = scenario.links.iter().flat_map(|link| &link.spec.changes).map(|change| change.at);
    let flows = scenario.flows.iter().flat_map(|flow| &flow.events).map(|event| event.at);
    links.chain(flows).any(|at| at > scenario.warmup)
}

/// A flow's name without its number among those alike.
fn base(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(base, _)| base)
}

/// Flows in a row that share an entry of the file.
fn groups(scenario: &Scenario) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (f, flow) in scenario.flows.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if base(&scenario.flows[group.start].name) == base(&flow.name) => group.end = f + 1,
            _ => groups.push(f..f + 1),
        }
    }
    groups
}

fn rows(scenario: &Scenario, ideals: &Ideals, runs: &[&[FlowSummary]], group: Range<usize>) -> Vec<ShareRow> {
    let flow = &scenario.flows[group.start];
    let name = match group.len() {
        1 => flow.name.clone(),
        n => format!("{} (mean of {n})", base(&flow.name)),
    };
    let own = ideals.own.as_deref().and_then(|id| ideals.allocation(id));
    let row = |part: Option<usize>| {
        let measured = |flow: &FlowSummary| match part {
            None => flow.goodput_bps,
            Some(r) => flow.subflows.get(r)?.goodput_bps,
        };
        let ideal = |flow: &FlowIdeal| match part {
            None => flow.goodput_bps,
            Some(r) => flow.subflows[r].goodput_bps,
        };
        let over = |allocation: Option<&Allocation>| mean(allocation?.flows[group.clone()].iter().map(ideal));
        let unique = |id: &str| ideals.allocation(id).filter(|_| part.is_none());
        let of_runs: Option<Vec<f64>> =
            runs.iter().map(|flows| mean(flows.get(group.clone())?.iter().map(measured))).collect();
        let estimate = of_runs.and_then(|values| estimate(values).ok());
        let links = |r: usize| {
            let names = flow.paths[r].links.iter().map(|link| &*scenario.links[*link].name);
            names.collect::<Vec<_>>().join(", ")
        };
        let single = (flow.paths.len() == 1).then_some(0);
        ShareRow {
            flow: name.clone(),
            cc: flow.cc.entry.name.into(),
            path: part.or(single).map(links),
            part: part.is_some(),
            measured: estimate.as_ref().map(|e| e.mean),
            half_width: estimate.and_then(|e| e.half_width),
            max_min: over(unique("max-min")),
            pooled: over(unique("pooled")),
            equilibrium: over(own),
        }
    };
    let parts = if flow.paths.len() > 1 { 0..flow.paths.len() } else { 0..0 };
    std::iter::once(None).chain(parts.map(Some)).map(row).collect()
}

/// The mean in Mbit/s; none where one is missing.
fn mean(values: impl ExactSizeIterator<Item = Option<f64>>) -> Option<f64> {
    let n = values.len() as f64;
    Some(values.sum::<Option<f64>>()? / n / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios;
    use anabranch_record::NoSamples;

    fn of(setup: &Setup) -> Option<Shares> {
        let scenario = setup.scenario().unwrap();
        let run = |seed| {
            let summary = anabranch_sim::run(&scenario, seed, &mut NoSamples, &mut |_| true).unwrap();
            Ok(Outcome { summary, samples: Default::default() })
        };
        shares(setup, &[run(1), run(2)])
    }

    /// Three connections on two links of 20 Mbit/s: 13.3 of packets each, of which 1428 or 1448 of 1500 bytes are payload.
    #[test]
    fn separate_bottlenecks() {
        let setup = Setup::new("", &scenarios::SEPARATE).cc("lia").lasting(30.0, 10.0);
        let shares = of(&setup).unwrap();
        assert_eq!(shares.notes, Vec::<String>::new());
        let paths: Vec<_> = shares.rows.iter().map(|row| (row.path.as_deref(), row.part)).collect();
        assert_eq!(
            paths,
            [
                (None, false),
                (Some("path1"), true),
                (Some("path2"), true),
                (Some("path1"), false),
                (Some("path2"), false)
            ]
        );
        for (row, payload) in shares.rows.iter().zip([1428.0, 714.0, 714.0, 1448.0, 1448.0]) {
            let expected = 40.0 / 3.0 * payload / 1500.0;
            for ideal in [row.equilibrium].into_iter().chain((!row.part).then_some(row.max_min)) {
                assert!((ideal.unwrap() / expected - 1.0).abs() < 1e-3, "{row:?}");
            }
            assert!((row.measured.unwrap() / expected - 1.0).abs() < 0.4 && row.half_width.is_some());
        }
    }

    #[test]
    fn flows_alike_are_one_row() {
        let setup = Setup::new("", &scenarios::WCOMPOUND_TWO_LINKS).cc("wvegas").lasting(2.0, 1.0);
        let shares = of(&setup).unwrap();
        let names: Vec<_> = shares.rows.iter().filter(|row| !row.part).map(|row| &*row.flow).collect();
        assert!(names.contains(&"mptcp (mean of 5)") && names.len() == 2, "{names:?}");
        assert!(
            shares.notes[0].contains("wvegas") && shares.rows.iter().all(|row| row.equilibrium.is_none())
        );
    }

    #[test]
    fn nothing_for_a_network_that_changes() {
        assert_eq!(of(&Setup::new("", &scenarios::FAILURE)), None);
    }
}
