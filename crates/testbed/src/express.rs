//! Checks whether a kernel supports a scenario.

use crate::pair::MOST_PATHS;
use crate::{TestbedError, algorithm, capacity};
use anabranch_net::Time;
use anabranch_scenario::{Application, Flow, Scenario, Scheduler, Tcp};

/// A tick of the slowest usual timer, and the longest timeout (TCP_RTO_MAX).
const LEAST_RTO: Time = Time::from_millis(4);
const MOST_RTO: Time = Time::from_millis(120_000);

/// Constants of Linux's TCP that users cannot set.
const DELAYED_ACK: u16 = 2;
const DELAYED_ACK_TIMEOUT: Time = Time::from_millis(40);

/// Checks whether the running kernel supports the scenario, and this machine its load.
///
/// # Errors
/// [`TestbedError::Inexpressible`] with the unsupported key.
pub fn check(scenario: &Scenario) -> Result<(), TestbedError> {
    scenario.flows.iter().try_for_each(flow)?;
    algorithm::check(&scenario.flows)?;
    // If the measurement fails, `ready` reports the reason.
    match capacity::check(scenario) {
        Err(refused @ TestbedError::Inexpressible { .. }) => Err(refused),
        _ => Ok(()),
    }
}

/// The same for a guest's kernel, whose image has the kernel's own algorithms.
pub fn check_for_guest(scenario: &Scenario) -> Result<(), TestbedError> {
    scenario.flows.iter().try_for_each(flow)?;
    algorithm::check_for_guest(&scenario.flows)
}

/// Checks whether iperf3 supports the scenario's applications.
pub(crate) fn check_for_iperf3(scenario: &Scenario) -> Result<(), TestbedError> {
    let other = scenario.flows.iter().find(|flow| flow.application != (Application::Bulk { bytes: None }));
    other.map_or(Ok(()), |flow| {
        refused(flow, "application", "iperf3 supports only bulk without a size".into())
    })
}

fn refused(flow: &Flow, key: &str, why: String) -> Result<(), TestbedError> {
    Err(TestbedError::Inexpressible { key: format!("flows.{}.{key}", flow.name), why })
}

fn flow(flow: &Flow) -> Result<(), TestbedError> {
    let Tcp { initial_ssthresh, min_rto, delayed_ack, delayed_ack_timeout, .. } = flow.tcp;
    let refused = |key, why| refused(flow, key, why);
    if flow.paths.len() > MOST_PATHS {
        let paths = flow.paths.len();
        let why = format!("{paths} paths, the limit of Linux is {MOST_PATHS} subflows per connection");
        return refused("paths", why);
    }
    if matches!(flow.application, Application::Arrivals { .. }) {
        return refused("application.kind", "only the simulator supports arrivals".into());
    }
    if !matches!(flow.scheduler, Scheduler::MinRtt | Scheduler::Linux) {
        return refused("scheduler", "Linux has one scheduler: remove the key, or use \"linux\"".into());
    }
    let whole_ms = min_rto.as_nanos() % 1_000_000 == 0;
    if !whole_ms || min_rto < LEAST_RTO || min_rto > MOST_RTO {
        let range = format!("Linux takes whole milliseconds from {LEAST_RTO} to {MOST_RTO}");
        return refused("tcp.min_rto", range);
    }
    if initial_ssthresh.is_some() {
        return refused("tcp.initial_ssthresh", "Linux has no such setting: remove it".into());
    }
    if delayed_ack > DELAYED_ACK {
        let why = format!("must be 1 or {DELAYED_ACK}: Linux acknowledges every or every other segment");
        return refused("tcp.delayed_ack", why);
    }
    if delayed_ack == DELAYED_ACK && delayed_ack_timeout != DELAYED_ACK_TIMEOUT {
        let why = format!("Linux waits at least {DELAYED_ACK_TIMEOUT}: remove it");
        return refused("tcp.delayed_ack_timeout", why);
    }
    Ok(())
}
