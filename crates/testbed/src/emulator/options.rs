//! The options of the emulator, and the bottlenecks of a scenario, which determine its quantum.

use crate::virtual_time::is_virtual_time;
use anabranch_net::{LinkSpec, Time};
use anabranch_scenario::Scenario;
use std::collections::BTreeSet;

/// The limits of the quantum. A packet takes the emulator and its receiver some 10 µs in a guest.
const LEAST_QUANTUM: Time = Time::from_nanos(10_000);
const MOST_QUANTUM: Time = Time::from_nanos(100_000);
const FULL_PACKET_BITS: f64 = 12_000.0;
/// The total rate of bottlenecks up to which short quanta leave enough of the processor in real time. 300 Mbit/s take 60 % of a
/// core.
const REAL_TIME_BPS: f64 = 300e6;

/// Options of the emulator.
#[derive(Clone, Debug)]
pub struct EmulatorOptions {
    /// Packets that are due within this time of each other may be delivered together, as a network card with interrupt
    /// moderation does. A packet after a pause is not delayed.
    ///
    /// A wake-up of the thread costs 10 µs in a virtual machine, so in real time wake-ups would dominate the cost of fast links
    /// without this option.
    pub quantum: Time,
    /// Whether to keep the headers of all packets at the senders' hosts.
    pub capture: bool,
}

impl Default for EmulatorOptions {
    fn default() -> Self {
        EmulatorOptions { quantum: MOST_QUANTUM, capture: false }
    }
}

impl EmulatorOptions {
    pub(crate) fn of_run(scenario: &Scenario, capture: bool) -> Self {
        EmulatorOptions { quantum: quantum_of(scenario, is_virtual_time()), capture }
    }
}

/// The quantum of a run of this scenario, in virtual time or in real time.
pub fn quantum_of(scenario: &Scenario, is_virtual: bool) -> Time {
    quantum(&bottlenecks_bps(scenario, LinkSpec::highest_rate_bps, |_| true), is_virtual)
}

/// A tenth of the time of 1500 bytes on the fastest bottleneck, within the limits, because steps longer than a packet change
/// how flows share a link.
fn quantum(bottlenecks_bps: &[f64], is_virtual: bool) -> Time {
    if !is_virtual && bottlenecks_bps.iter().sum::<f64>() > REAL_TIME_BPS {
        return MOST_QUANTUM;
    }
    let fastest = bottlenecks_bps.iter().copied().fold(0.0, f64::max);
    Time::from_secs_f64(FULL_PACKET_BITS / fastest / 10.0).clamp(LEAST_QUANTUM, MOST_QUANTUM)
}

/// The rate of each path's slowest link; links of several paths count once, and paths over links for which `counts` is false do
/// not count.
pub(crate) fn bottlenecks_bps(
    scenario: &Scenario,
    rate: impl Fn(&LinkSpec) -> f64,
    counts: impl Fn(&LinkSpec) -> bool,
) -> Vec<f64> {
    let spec = |link: &usize| &scenario.links[*link].spec;
    let rate = |link: &usize| rate(spec(link));
    let paths = scenario.flows.iter().flat_map(|flow| &flow.paths);
    let counting = paths.filter(|path| path.links.iter().all(|link| counts(spec(link))));
    let slowest = counting.filter_map(|path| path.links.iter().min_by(|a, b| rate(a).total_cmp(&rate(b))));
    slowest.collect::<BTreeSet<_>>().into_iter().map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantum_is_a_tenth_of_a_packet() {
        let of = |megabits: f64| quantum(&[megabits * 1e6, 5e6], true).as_nanos();
        assert_eq!([0.0, 10.0, 60.0, 150.0, 1e12].map(of), [100_000, 100_000, 20_000, 10_000, 10_000]);
        let in_real_time = |megabits: f64| quantum(&[60e6, megabits * 1e6], false).as_nanos();
        assert_eq!([10.0, 240.0, 241.0].map(in_real_time), [20_000, 10_000, 100_000]);
    }

    /// Neither the widest link nor the narrowest path counts, and of a link the highest rate.
    #[test]
    fn bottlenecks_count_once() {
        let text = "name = \"t\"\nduration = \"1 s\"\n\
                    links.slow = { rate = \"5 Mbit/s\", delay = \"1 ms\" }\n\
                    links.fast = { rate = \"5 Mbit/s\", delay = \"1 ms\", changes = [{ at = \"0.5 s\", rate = \"50 Mbit/s\" }] }\n\
                    links.wide = { rate = \"1 Gbit/s\", delay = \"1 ms\" }\n\
                    flows = [{ name = \"f\", cc = \"lia\", paths = [[\"slow\"], [\"wide\", \"fast\"], [\"fast\"]] }]";
        let bottlenecks = bottlenecks_bps(&text.parse().unwrap(), LinkSpec::highest_rate_bps, |_| true);
        assert_eq!(bottlenecks, [5e6, 50e6]);
    }
}
