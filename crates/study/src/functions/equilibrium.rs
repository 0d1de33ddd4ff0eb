//! Equilibria of the models of congestion control.

use super::function::{Arguments, FROM, Function, Read, named};
use crate::run::lock::lock;
use crate::segment::Segment;
use anabranch_ideal::Ideals;
use anabranch_scenario::Scenario;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

pub(super) const EQUILIBRIUM: Function = Function {
    takes: FROM,
    read: Read::Scenario(rate),
    ..named(
        "equilibrium",
        "Mbit/s",
        "a subflow's rate in the equilibrium of the models (`anabranch ideal`), with headers; the number is the mean fill level of drop-tail buffers, from 0 to 1; needs no run",
    )
};

fn rate(scenario: &Scenario, args: &Arguments<'_>) -> Result<f64, String> {
    let part = args.number().unwrap_or(f64::NAN);
    if !(0.0..=1.0).contains(&part) {
        return Err(format!("the fill level of the buffer must be from 0 to 1, not {part:?}"));
    }
    at(scenario, part, args).ok_or_else(|| "the models have no equilibrium for this subflow".to_owned())
}

fn at(scenario: &Scenario, part: f64, args: &Arguments<'_>) -> Option<f64> {
    let ideals = ideals(scenario, part);
    let flows = &ideals.allocation(ideals.own.as_deref()?)?.flows;
    let subflows = &flows.iter().find(|flow| flow.name == args.text())?.subflows;
    let Segment { packet, payload } =
        Segment::of(scenario.flows.iter().find(|flow| flow.name == args.text())?);
    Some(subflows.get(args.subflow?)?.goodput_bps? / 1e6 * packet / payload)
}

/// Keyed by the scenario's hash and the bits of the buffer's fill level.
type Known = HashMap<(String, u64), Arc<Ideals>>;

/// Cached: expressions ask for each subflow, in each size.
fn ideals(scenario: &Scenario, queue: f64) -> Arc<Ideals> {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let mut known = lock(&KNOWN);
    let entry = known.get_or_insert_default().entry((scenario.hash.clone(), queue.to_bits()));
    entry.or_insert_with(|| Ideals::of(scenario, &[], queue).into()).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;

    /// A CUBIC flow alone on a link uses all of it, headers included, for any segment size.
    #[test]
    fn alone_it_has_the_link() {
        let text = r#"
            name = "alone"
            duration = "10 s"
            links.a = { rate = "10 Mbit/s", delay = "30 ms" }
            flows = [{ name = "tested", cc = "cubic", paths = [["a"]] }]
        "#;
        for mss in [1448, 500] {
            let task = Task::new(text).set(format!("flows.tested.tcp.mss={mss}"));
            let scenario = task.scenario("alone").unwrap();
            let of = |subflow, numbers: &[f64]| {
                rate(&scenario, &Arguments { texts: &["tested".into()], subflow: Some(subflow), numbers })
            };
            assert!((of(0, &[0.75]).unwrap() / 10.0 - 1.0).abs() < 1e-3, "{mss}: {:?}", of(0, &[0.75]));
            assert!(of(1, &[0.75]).unwrap_err().contains("no equilibrium"));
            assert!(of(0, &[1.5]).unwrap_err().contains("0 to 1"));
        }
    }
}
