//! The summary of a run.

use crate::simulator::Simulator;
use anabranch_net::Time;
use anabranch_record::{Completion, FlowLayout, FlowSummary, Layout, LinkSummary, Summary};
use anabranch_scenario::Application;

/// The summary of a run that ended at `end`, early if cancelled.
pub(crate) fn summarise(simulator: &mut Simulator<'_>, end: Time) -> Summary {
    let scenario = simulator.scenario.clone();
    let layouts = Layout::of(&scenario).flows;
    let flows = layouts.iter().enumerate().map(|(f, layout)| flow(simulator, f, layout, end)).collect();
    let seconds = end.since(scenario.warmup).as_secs_f64();
    let link = |(i, link): (usize, &anabranch_scenario::NamedLink)| {
        LinkSummary::of(&link.name, &simulator.net.totals(i).since(&simulator.warm[i]), seconds)
    };
    let links = scenario.links.iter().enumerate().map(link).collect();
    Summary::of_run(&scenario, simulator.seed, end, flows, links)
}

fn flow(simulator: &Simulator<'_>, f: usize, layout: &FlowLayout, end: Time) -> FlowSummary {
    let spec = &simulator.scenario.flows[f];
    let (measured, connection) = (&simulator.measured[f], &simulator.connections[f]);
    let seconds = measured.to.since(measured.from).as_secs_f64();
    let subflows = connection.subflows.iter().map(|subflow| subflow.meter.measured(seconds));
    let (completion, transfers) = match spec.application {
        Application::Arrivals { .. } => {
            // Also if the connection closes before.
            let window = spec.stop.min(end).since(measured.from).as_secs_f64();
            let (completion, transfers) = measured.transfers.summary(window);
            (completion, Some(transfers))
        }
        _ => (Completion::of(&measured.completions, measured.completion_seconds), None),
    };
    FlowSummary {
        reinjected_segments: measured.reinjected,
        completion,
        transfers,
        ..FlowSummary::of(layout, measured.bytes, seconds, subflows)
    }
}
