//! Checks before a run whether runs of a scenario can have a value.

use super::function::Arguments;
use anabranch_scenario::{Application, Flow, Scenario};

/// `Ok` if they can, else the reason.
pub(super) type Check = fn(&Scenario, &Arguments<'_>) -> Result<(), String>;

/// An observable of the flow's algorithm.
pub(super) fn observable(scenario: &Scenario, args: &Arguments<'_>) -> Result<(), String> {
    let name = args.texts.get(1).map_or("", String::as_str);
    scenario.flows.iter().filter(|flow| flow.name == args.text()).try_for_each(|flow| shows(flow, name))
}

/// An observable of every flow's algorithm.
pub(super) fn observables(scenario: &Scenario, args: &Arguments<'_>) -> Result<(), String> {
    let name = args.texts.get(1).map_or("", String::as_str);
    scenario.flows.iter().try_for_each(|flow| shows(flow, name))
}

fn shows(flow: &Flow, name: &str) -> Result<(), String> {
    let (entry, known) = (flow.cc.entry, flow.cc.entry.observables);
    if known.iter().any(|observable| observable.name == name) {
        return Ok(());
    }
    let known = match &known.iter().map(|observable| observable.name).collect::<Vec<_>>()[..] {
        [] => "it has no observables".into(),
        known => format!("its observables: {}", known.join(", ")),
    };
    Err(format!("the algorithm `{}` of flow `{}` has no observable `{name}`; {known}", entry.name, flow.name))
}

pub(super) fn responses(scenario: &Scenario, args: &Arguments<'_>) -> Result<(), String> {
    match scenario.flows.iter().find(|flow| flow.name == args.text()).map(|flow| &flow.application) {
        Some(Application::RequestResponse { .. } | Application::Arrivals { .. }) | None => Ok(()),
        Some(_) => Err(format!("flow `{}` has no requests", args.text())),
    }
}

pub(super) fn transfers(scenario: &Scenario, args: &Arguments<'_>) -> Result<(), String> {
    match scenario.flows.iter().find(|flow| flow.name == args.text()).map(|flow| &flow.application) {
        Some(Application::Arrivals { .. }) | None => Ok(()),
        Some(_) => Err(format!("flow `{}` has no arrivals", args.text())),
    }
}

/// Samples from an instant on.
pub(super) fn instant(scenario: &Scenario, args: &Arguments<'_>) -> Result<(), String> {
    let end = scenario.duration.as_secs_f64();
    match args.number() {
        Some(from) if from > end => Err(format!("the run ends at {end} s, before {from} s")),
        _ => Ok(()),
    }
}
