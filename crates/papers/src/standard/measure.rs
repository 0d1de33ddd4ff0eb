//! From the runs of a case to its table.

use super::case::{Case, key_row};
use super::over_time;
use super::result::{CaseResult, FlowRow, Key, LinkRow, Recovery};
use anabranch_cc::registry::Entry;
use anabranch_record::{FlowSummary, SubflowSummary, Summary};
use anabranch_study::{Estimate, Experiment, Outcomes, estimate};

/// Bytes of a full packet.
const PACKET: f64 = 1500.0;

/// The result of a case from its experiment and the algorithm's runs, one for each seed.
pub(super) fn case(
    case: &Case,
    algorithm: &Entry,
    experiment: &Experiment,
    outcomes: &Outcomes,
) -> CaseResult {
    let first = outcomes.first().and_then(|run| run.as_ref().ok());
    let key = key_row(&case.id, algorithm.name);
    let find = |id: String| experiment.rows.iter().find(|row| row.id == id);
    let row = |name: &str| find(format!("{key}{name}"))?.measured.clone();
    // How many of the runs did not recover.
    let missed = |recovers: Estimate| recovers.values.iter().filter(|value| **value == 0.0).count() as u32;
    let recovery = |(change, what): &(&str, String)| Recovery {
        what: what.clone(),
        time_s: row(change),
        unrecovered: row(&format!("{change}.recovers")).map_or(0, missed),
    };
    let recoveries: Vec<Recovery> = case.changes.iter().map(recovery).collect();
    let at_least = recoveries.last().is_some_and(|r| r.unrecovered > 0);
    CaseResult {
        id: case.id.clone(),
        key: row("").map(|value| Key { value, at_least }),
        queue_packets: row(".queue"),
        jain: mean(outcomes, |s| s.jain.filter(|_| s.flows.len() > 1)),
        flows: flows(outcomes),
        links: links(outcomes),
        recoveries,
        windows: first.map(over_time::windows).unwrap_or_default(),
        rates: first.map(over_time::rates).unwrap_or_default(),
        observables: first.map(|run| over_time::observables(run, algorithm)).unwrap_or_default(),
        run: experiment.runs[0].clone(),
        failures: outcomes.iter().filter_map(|run| run.as_ref().err().cloned()).collect(),
    }
}

/// The mean of what each run gives; nothing where one failed or has no such value.
fn mean(runs: &Outcomes, value: impl Fn(&Summary) -> Option<f64>) -> Option<Estimate> {
    let values: Option<Vec<f64>> = runs.iter().map(|run| value(&run.as_ref().ok()?.summary)).collect();
    estimate(values?)
}

/// A connection's share of the goodput; `None` if no other was measured.
fn share(summary: &Summary, flow: &FlowSummary) -> Option<f64> {
    let measured = summary.flows.iter().filter(|flow| flow.goodput_bps.is_some()).count();
    (measured > 1).then(|| summary.share(flow))?
}

fn flows(runs: &Outcomes) -> Vec<FlowRow> {
    let Some(Ok(first)) = runs.first() else { return vec![] };
    let mut rows = Vec::new();
    for (f, flow) in first.summary.flows.iter().enumerate() {
        let of = |value: fn(&FlowSummary) -> Option<f64>| mean(runs, |s| value(&s.flows[f]));
        let connection = FlowRow {
            flow: flow.name.clone(),
            cc: flow.cc.clone(),
            goodput_mbps: of(|f| Some(f.goodput_bps? / 1e6)),
            share: mean(runs, |s| share(s, &s.flows[f])),
            timeouts: of(|f| Some(f.subflows.iter().map(|s| s.timeouts as f64).sum())),
            ..FlowRow::default()
        };
        let subflows = flow.subflows.iter().enumerate().map(|(r, subflow)| {
            let of =
                |value: fn(&SubflowSummary) -> Option<f64>| mean(runs, |s| value(&s.flows[f].subflows[r]));
            FlowRow {
                path: Some(subflow.path.join(", ")),
                part: true,
                goodput_mbps: of(|s| Some(s.goodput_bps? / 1e6)),
                share: None,
                cwnd_segments: of(|s| s.mean_cwnd_segments),
                rtt_ms: of(|s| Some(s.mean_rtt_s? * 1e3)),
                loss_percent: of(|s| Some(s.loss_rate? * 100.0)),
                timeouts: of(|s| Some(s.timeouts as f64)),
                ..connection.clone()
            }
        });
        let mut subflows: Vec<FlowRow> = subflows.collect();
        match &mut subflows[..] {
            // A connection of one subflow is one row.
            [only] => {
                (only.part, only.goodput_mbps, only.share) =
                    (false, connection.goodput_mbps, connection.share);
            }
            _ => rows.push(connection),
        }
        rows.extend(subflows);
    }
    rows
}

fn links(runs: &Outcomes) -> Vec<LinkRow> {
    let Some(Ok(first)) = runs.first() else { return vec![] };
    let link = |i: usize| LinkRow {
        name: first.summary.links[i].name.clone(),
        utilisation_percent: mean(runs, |s| Some(s.links[i].utilisation * 100.0)),
        queue_packets: mean(runs, |s| Some(s.links[i].mean_queue_bytes / PACKET)),
        drops: mean(runs, |s| Some(s.links[i].drops as f64)),
    };
    (0..first.summary.links.len()).map(link).collect()
}
