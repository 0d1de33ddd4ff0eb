//! Scenarios as text, and values of their ideals.

use anabranch_ideal::{Allocation, COUPLED, FlowIdeal, Ideals};
use anabranch_scenario::Scenario;

pub fn scenario(text: &str) -> Scenario {
    lasting("60 s", text)
}

/// With a warm-up of 10 s.
pub fn lasting(duration: &str, text: &str) -> Scenario {
    let text = format!("name = \"test\"\nduration = \"{duration}\"\nwarmup = \"10 s\"\n{text}");
    text.parse().unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// With every equilibrium, and queues that wait for the fraction `queue` of their buffer.
pub fn ideals_of(scenario: &Scenario, queue: f64) -> Ideals {
    Ideals::of(scenario, &COUPLED.map(|(name, _)| name), queue)
}

pub fn ideals_with(text: &str, queue: f64) -> Ideals {
    ideals_of(&scenario(text), queue)
}

/// Without queueing delay.
pub fn ideals(text: &str) -> Ideals {
    ideals_with(text, 0.0)
}

pub fn link(name: &str, mbps: f64, delay_ms: f64) -> String {
    format!("links.{name} = {{ rate = \"{mbps} Mbit/s\", delay = \"{delay_ms} ms\" }}\n")
}

/// A flow; `paths` as TOML.
pub fn flow(name: &str, cc: &str, paths: &str) -> String {
    format!("[[flows]]\nname = \"{name}\"\ncc = \"{cc}\"\npaths = {paths}\n")
}

pub fn allocation<'a>(ideals: &'a Ideals, id: &str) -> &'a Allocation {
    ideals.allocation(id).unwrap_or_else(|| panic!("no {id}: {:?}", ideals.missing))
}

pub fn flow_of<'a>(ideals: &'a Ideals, id: &str, name: &str) -> &'a FlowIdeal {
    let found = allocation(ideals, id).flows.iter().find(|f| f.name == name);
    found.unwrap_or_else(|| panic!("no flow {name}"))
}

/// A connection's rate at IP level, in Mbit/s: packets of 1500 bytes carry 1448, or 1428 with MPTCP.
pub fn rate(ideals: &Ideals, id: &str, name: &str) -> f64 {
    (0..flow_of(ideals, id, name).subflows.len()).map(|s| subflow_rate(ideals, id, name, s)).sum()
}

pub fn subflow_rate(ideals: &Ideals, id: &str, name: &str, s: usize) -> f64 {
    let flow = flow_of(ideals, id, name);
    let payload = if flow.subflows.len() > 1 { 1428.0 } else { 1448.0 };
    flow.subflows[s].goodput_bps.unwrap_or(0.0) / 1e6 * 1500.0 / payload
}

pub fn close(ours: f64, expected: f64, within: f64) {
    assert!((ours / expected - 1.0).abs() <= within, "{ours}, expected {expected}");
}

/// Where an increasing function is zero.
pub fn root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    low
}
