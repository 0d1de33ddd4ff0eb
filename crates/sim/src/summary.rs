//! The summary of a run.

use crate::connection::Connection;
use crate::simulator::Simulator;
use anabranch_net::Time;
use anabranch_record::{Completion, FlowLayout, FlowSummary, LinkSummary, Measured, Summary};
use anabranch_scenario::Application;

/// The summary of a run that ended at `end`, early if cancelled. It frees the connections one by one, so that a run of many does not
/// hold them and their summaries.
pub(crate) fn summarise(simulator: &mut Simulator<'_>, end: Time) -> Summary {
    let scenario = simulator.scenario.clone();
    let connections = std::mem::take(&mut simulator.connections).into_iter().take(scenario.flows.len());
    let flows = connections.enumerate().map(|(f, connection)| flow(simulator, f, &connection, end)).collect();
    let seconds = end.since(scenario.warmup).as_secs_f64();
    let link = |(i, link): (usize, &anabranch_scenario::NamedLink)| {
        LinkSummary::of(&link.name, &simulator.net.link(i).totals.since(&simulator.warm[i]), seconds)
    };
    let links = scenario.links.iter().enumerate().map(link).collect();
    Summary::of_run(&scenario, simulator.seed, end, flows, links)
}

fn flow(simulator: &Simulator<'_>, f: usize, connection: &Connection, end: Time) -> FlowSummary {
    let (scenario, measured) = (&*simulator.scenario, &simulator.measured[f]);
    let spec = &scenario.flows[f];
    let layout = FlowLayout::of(spec, scenario);
    let seconds = measured.to.since(measured.from).as_secs_f64();
    let (completion, transfers) = match spec.application {
        Application::Arrivals { .. } => {
            // Also if the connection closes before.
            let window = spec.stop.min(end).since(measured.from).as_secs_f64();
            let (completion, transfers) = measured.transfers.summary(window);
            (completion, Some(transfers))
        }
        _ => (Completion::of(&measured.completions, measured.completion_seconds), None),
    };
    let subflows = &connection.subflows;
    let hosted = simulator.hosted.as_ref().and_then(|hosted| hosted.get(f));
    let of_paths: Vec<Measured<'_>> = match hosted {
        Some(endpoints) => {
            let lost: Vec<_> = subflows.iter().map(|subflow| subflow.meter.dropped).collect();
            endpoints.measured(f, seconds, &lost)
        }
        None => subflows.iter().map(|subflow| subflow.meter.measured(seconds)).collect(),
    };
    FlowSummary {
        reinjected_segments: measured.reinjected,
        completion,
        transfers,
        ..FlowSummary::of(&layout, measured.bytes, seconds, of_paths)
    }
}
