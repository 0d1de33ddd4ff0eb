//! What of a scenario a kernel can do.

use crate::pair::MOST_PATHS;
use crate::{TestbedError, algorithm, capacity};
use anabranch_net::Time;
use anabranch_scenario::{Application, Flow, Scenario, Scheduler, Tcp};

/// A tick of the slowest usual timer, and the longest timeout (TCP_RTO_MAX).
const LEAST_RTO: Time = Time::from_millis(4);
const MOST_RTO: Time = Time::from_millis(120_000);

/// What a user cannot set from outside: TCP's own constants in Linux.
const DELAYED_ACK: u32 = 2;
const DELAYED_ACK_TIMEOUT: Time = Time::from_millis(40);

/// Whether the running kernel can do what the scenario asks for, and this machine carry it.
///
/// # Errors
/// [`TestbedError::Inexpressible`] with the key that it cannot express.
pub fn check(scenario: &Scenario) -> Result<(), TestbedError> {
    scenario.flows.iter().try_for_each(flow)?;
    algorithm::check(&scenario.flows)?;
    // Where nothing can be measured nothing can be run: `ready` tells why.
    match capacity::check(scenario) {
        Err(refused @ TestbedError::Inexpressible { .. }) => Err(refused),
        _ => Ok(()),
    }
}

/// Whether a guest's kernel can: its image has what the kernel's own algorithms need.
///
/// # Errors
/// As [`check`].
pub fn check_for_guest(scenario: &Scenario) -> Result<(), TestbedError> {
    scenario.flows.iter().try_for_each(flow)?;
    algorithm::check_for_guest(&scenario.flows)
}

/// Whether iperf3 can send what the scenario's flows send.
pub(crate) fn check_for_iperf3(scenario: &Scenario) -> Result<(), TestbedError> {
    let other = scenario.flows.iter().find(|flow| flow.application != (Application::Bulk { bytes: None }));
    other.map_or(Ok(()), |flow| {
        let key = format!("flows.{}.application", flow.name);
        Err(TestbedError::Inexpressible { key, why: "iperf3 sends in bulk without end only".into() })
    })
}

fn flow(flow: &Flow) -> Result<(), TestbedError> {
    let Tcp { initial_ssthresh, min_rto, delayed_ack, delayed_ack_timeout, .. } = flow.tcp;
    let refused = |key: &str, why: String| {
        let key = format!("flows.{}.{key}", flow.name);
        Err(TestbedError::Inexpressible { key, why })
    };
    if flow.paths.len() > MOST_PATHS {
        let paths = flow.paths.len();
        return refused(
            "paths",
            format!("Linux has at most {MOST_PATHS} subflows in a connection; these are {paths}"),
        );
    }
    if matches!(flow.application, Application::Arrivals { .. }) {
        return refused("application.kind", "arrivals are simulated only".into());
    }
    if !matches!(flow.scheduler, Scheduler::MinRtt | Scheduler::Linux) {
        return refused("scheduler", "Linux has one scheduler: leave the key out, or say \"linux\"".into());
    }
    let whole_ms = min_rto.as_nanos() % 1_000_000 == 0;
    if !whole_ms || min_rto < LEAST_RTO || min_rto > MOST_RTO {
        let range = format!("Linux takes whole milliseconds from {LEAST_RTO} to {MOST_RTO}");
        return refused("tcp.min_rto", range);
    }
    if initial_ssthresh.is_some() {
        return refused("tcp.initial_ssthresh", "Linux has no such setting: leave it out".into());
    }
    if delayed_ack > DELAYED_ACK {
        return refused(
            "tcp.delayed_ack",
            format!("Linux acknowledges every segment or every second: 1 or {DELAYED_ACK}"),
        );
    }
    if delayed_ack == DELAYED_ACK && delayed_ack_timeout != DELAYED_ACK_TIMEOUT {
        return refused(
            "tcp.delayed_ack_timeout",
            format!("Linux waits {DELAYED_ACK_TIMEOUT} at least: leave it out"),
        );
    }
    Ok(())
}
