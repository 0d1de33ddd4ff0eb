//! The summary of a run, from what was measured.

use crate::sampler::link_names;
use crate::simulator::Simulator;
use crate::subflow::Subflow;
use anabranch_net::{Time, Totals};
use anabranch_record::{Completion, FlowSummary, LinkSummary, SubflowSummary, Summary, jain};
use anabranch_scenario::{Application, Flow};

/// Of a run that ended at `end`: early, if it was cancelled.
pub(crate) fn summarise(simulator: &mut Simulator<'_>, end: Time) -> Summary {
    let scenario = simulator.scenario;
    let flows: Vec<FlowSummary> = (0..scenario.flows.len()).map(|f| flow(simulator, f, end)).collect();
    let links = (0..scenario.links.len()).map(|i| link(simulator, i, end)).collect();
    let goodputs: Vec<f64> = flows.iter().filter_map(|f| f.goodput_bps).collect();
    Summary {
        scenario: scenario.name.clone(),
        scenario_hash: scenario.hash.clone(),
        seed: simulator.seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        duration_s: scenario.duration.as_secs_f64(),
        warmup_s: scenario.warmup.as_secs_f64(),
        partial_until_s: (end < scenario.duration).then(|| end.as_secs_f64()),
        flows,
        links,
        jain: jain(&goodputs),
        kernel: None,
        capture: None,
    }
}

/// Bits per second; none over no time at all: a flow that was over before the warm-up, or starts after the end, has no
/// share to compare.
fn rate_bps(bytes: u64, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| bytes as f64 * 8.0 / seconds)
}

fn flow(simulator: &Simulator<'_>, f: usize, end: Time) -> FlowSummary {
    let spec = &simulator.scenario.flows[f];
    let (measured, connection) = (&simulator.measured[f], &simulator.connections[f]);
    let seconds = measured.to.since(measured.from).as_secs_f64();
    let subflows = connection.subflows.iter().enumerate();
    let subflows: Vec<_> = subflows.map(|(p, s)| subflow(simulator, spec, p, s, seconds)).collect();
    let (completion, transfers) = match spec.application {
        Application::Arrivals { .. } => {
            // Whether or not the connection is over before.
            let window = spec.stop.min(end).since(measured.from).as_secs_f64();
            let (completion, transfers) = measured.transfers.summary(window);
            (completion, Some(transfers))
        }
        _ => (Completion::of(&measured.completions, measured.completion_seconds), None),
    };
    FlowSummary {
        name: spec.name.clone(),
        cc: spec.cc.entry.name.to_owned(),
        goodput_bps: rate_bps(measured.bytes, seconds),
        delivered_bytes: measured.bytes,
        retransmitted_segments: subflows.iter().map(|s| s.retransmitted_segments).sum(),
        reinjected_segments: measured.reinjected,
        completion,
        transfers,
        subflows,
    }
}

fn subflow(
    simulator: &Simulator<'_>,
    flow: &Flow,
    p: usize,
    subflow: &Subflow,
    seconds: f64,
) -> SubflowSummary {
    let meter = &subflow.meter;
    let observables = flow.cc.entry.observables.iter().zip(&meter.observables);
    SubflowSummary {
        path: link_names(simulator.scenario, &flow.paths[p].links),
        goodput_bps: rate_bps(meter.first_bytes, seconds),
        mean_cwnd_segments: meter.mean_cwnd(),
        mean_rtt_s: meter.mean_rtt(),
        rtt_p5_s: meter.rtts.quantile(0.05),
        rtt_p50_s: meter.rtts.quantile(0.5),
        rtt_p95_s: meter.rtts.quantile(0.95),
        rtt_p99_s: meter.rtts.quantile(0.99),
        mean_srtt_s: meter.mean_srtt(),
        srtt_p5_s: meter.srtts.quantile(0.05),
        srtt_p50_s: meter.srtts.quantile(0.5),
        srtt_p95_s: meter.srtts.quantile(0.95),
        srtt_p99_s: meter.srtts.quantile(0.99),
        loss_rate: (meter.counters.sent > 0).then(|| meter.dropped as f64 / meter.counters.sent as f64),
        sent_segments: meter.counters.sent,
        lost_segments: meter.dropped,
        retransmitted_segments: meter.counters.resent,
        recoveries: meter.counters.recoveries,
        timeouts: meter.counters.timeouts,
        spurious: meter.counters.spurious,
        mean_observables: observables
            .map(|(o, (sum, n))| (o.name.to_owned(), (*n > 0).then(|| sum / *n as f64)))
            .collect(),
    }
}

fn link(simulator: &mut Simulator<'_>, i: usize, end: Time) -> LinkSummary {
    let scenario = simulator.scenario;
    let seconds = end.since(scenario.warmup).as_secs_f64();
    let of_run: Totals = simulator.net.totals(i).since(&simulator.warm[i]);
    LinkSummary {
        name: scenario.links[i].name.clone(),
        utilisation: of_run.utilisation(),
        mean_queue_bytes: if seconds > 0.0 { of_run.queue_byte_seconds / seconds } else { 0.0 },
        mean_queue_delay_s: of_run.mean_wait_s(),
        drops: of_run.drops,
        early_drops: of_run.early_drops,
        marks: of_run.marked,
        losses: of_run.losses,
    }
}
