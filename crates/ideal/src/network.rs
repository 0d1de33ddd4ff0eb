//! The theory's view of a scenario: its links and connections when the measurement begins.

use crate::queue_delay::QueueDelay;
use anabranch_net::{Discipline, LinkSpec, LossAt, Time};
use anabranch_scenario::{Application, Flow, Scenario, Scheduler, SubflowAction, base};
use std::collections::BTreeSet;

/// Bytes of headers of a data packet: IPv4, TCP and its timestamps option.
pub const HEADERS: f64 = 52.0;

/// Bytes of MPTCP's DSS option in a flow's segments: 20, or 24 with 64-bit data sequence numbers; 0 for TCP.
pub fn dss(flow: &Flow) -> f64 {
    match (flow.is_multipath(), flow.tcp.long_dss) {
        (false, _) => 0.0,
        (true, false) => 20.0,
        (true, true) => 24.0,
    }
}

/// Links, and connections over them.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// As many as the scenario has.
    pub links: Vec<Link>,
    /// Those of the scenario's flows that are measured.
    pub connections: Vec<Connection>,
    /// Assumptions, and aspects of the scenario that are left out; some more than once.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub rate_bps: f64,
    /// Random loss rate.
    pub loss: f64,
    /// Its queueing delay as a bottleneck.
    pub wait: QueueDelay,
}

#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// Its index among the scenario's flows.
    pub flow: usize,
    /// Bits of a full packet.
    pub packet_bits: f64,
    /// Bits of payload in it.
    pub payload_bits: f64,
    /// One for each path in use.
    pub routes: Vec<Route>,
}

/// A path in use.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// Its index among the flow's paths.
    pub path: usize,
    /// Links from the sender to the receiver.
    pub links: Vec<usize>,
    /// Links back, where they are others.
    pub back: Vec<usize>,
    /// Round-trip time with empty queues, in seconds: propagation, mean jitter, transmission of a full packet.
    pub base_rtt_s: f64,
}

impl Network {
    /// The scenario's network when means begin; `queue` is the mean fill level of a bottleneck's buffer.
    pub fn of(scenario: &Scenario, queue: f64) -> Self {
        let mut notes = Vec::new();
        let specs: Vec<LinkSpec> =
            scenario.links.iter().map(|link| at(&link.spec, scenario.warmup)).collect();
        let up: Vec<bool> = scenario.links.iter().map(|link| is_up(&link.spec, scenario.warmup)).collect();
        let connections: Vec<Connection> = scenario
            .flows
            .iter()
            .enumerate()
            .filter_map(|(f, flow)| connection(f, flow, scenario, &specs, &up, &mut notes))
            .collect();
        let used: BTreeSet<usize> =
            connections.iter().flat_map(|c| &c.routes).flat_map(|r| &r.links).copied().collect();
        for (i, link) in scenario.links.iter().enumerate().filter(|(i, _)| used.contains(i)) {
            note_link(&mut notes, &link.name, &link.spec, &specs[i], scenario);
        }
        let packet = connections.iter().map(|c| c.packet_bits / 8.0).fold(0.0, f64::max);
        let link = |spec: &LinkSpec| Link {
            rate_bps: spec.rate_bps,
            loss: spec.loss.mean_rate(),
            wait: QueueDelay::of(spec, packet, queue),
        };
        let links = specs.iter().map(link).collect();
        Network { links, connections, notes }
    }
}

/// A link after its changes up to `time`.
fn at(spec: &LinkSpec, time: Time) -> LinkSpec {
    let mut spec = spec.clone();
    for change in std::mem::take(&mut spec.changes).into_iter().filter(|change| change.at <= time) {
        spec.rate_bps = change.rate_bps.unwrap_or(spec.rate_bps);
        spec.delay = change.delay.unwrap_or(spec.delay);
        spec.loss = change.loss.unwrap_or(spec.loss);
    }
    spec
}

fn is_up(spec: &LinkSpec, time: Time) -> bool {
    spec.changes.iter().filter(|change| change.at <= time).filter_map(|change| change.up).next_back()
        != Some(false)
}

fn connection(
    f: usize,
    flow: &Flow,
    scenario: &Scenario,
    specs: &[LinkSpec],
    up: &[bool],
    notes: &mut Vec<String>,
) -> Option<Connection> {
    let name = &flow.name;
    if flow.stop <= scenario.warmup || flow.start >= scenario.duration {
        notes.push(format!("{name} does not send during the measurement: left out."));
        return None;
    }
    let works = |p: &usize| {
        let path = &flow.paths[*p];
        path.links.iter().chain(&path.return_links).all(|link| up[*link])
    };
    let there: Vec<usize> =
        (0..flow.paths.len()).filter(|p| joined(flow, *p, scenario.warmup)).filter(works).collect();
    let regular: Vec<usize> =
        there.iter().copied().filter(|p| !is_backup(flow, *p, scenario.warmup)).collect();
    let used = if regular.is_empty() { there } else { regular };
    if used.is_empty() {
        notes.push(format!("{name} has no path at the end of the warm-up: left out."));
        return None;
    }
    note_flow(notes, flow, used.len(), scenario);
    let packet_bits = 8.0 * (f64::from(flow.tcp.mss) + HEADERS);
    let route = |p: usize| {
        let path = &flow.paths[p];
        let propagation = |link: &usize| specs[*link].delay.as_secs_f64();
        let delay = |link: &usize| propagation(link) + specs[*link].jitter.up_to.as_secs_f64() / 2.0;
        let there = path.links.iter().map(|link| delay(link) + packet_bits / specs[*link].rate_bps);
        // A return path without links of its own has the same propagation delay, no jitter and no queue.
        let back_s: f64 = match path.return_links.is_empty() {
            true => path.links.iter().map(propagation).sum(),
            false => path.return_links.iter().map(delay).sum(),
        };
        Route {
            path: p,
            links: path.links.clone(),
            back: path.return_links.clone(),
            base_rtt_s: there.sum::<f64>() + back_s,
        }
    };
    Some(Connection {
        flow: f,
        packet_bits,
        payload_bits: 8.0 * (f64::from(flow.tcp.mss) - dss(flow)),
        routes: used.into_iter().map(route).collect(),
    })
}

/// Whether a path belongs to its connection at that time.
fn joined(flow: &Flow, path: usize, time: Time) -> bool {
    let events = flow.events.iter().filter(|event| event.path == path && event.at <= time);
    events.fold(flow.joins_at_start(path), |joined, event| match event.action {
        SubflowAction::Add => true,
        SubflowAction::Remove => false,
        SubflowAction::Backup(_) => joined,
    })
}

fn is_backup(flow: &Flow, path: usize, time: Time) -> bool {
    let events = flow.events.iter().filter(|event| event.path == path && event.at <= time);
    events.fold(flow.paths[path].backup, |backup, event| match event.action {
        SubflowAction::Backup(backup) => backup,
        _ => backup,
    })
}

/// Notes what is left out of a flow and assumed of it.
fn note_flow(notes: &mut Vec<String>, flow: &Flow, used: usize, scenario: &Scenario) {
    // Flows of a group share their notes.
    let name = base(&flow.name);
    let begin = scenario.warmup;
    if used < flow.paths.len() {
        notes.push(format!(
            "{name}: {used} of {} paths count, those in use at the end of the warm-up, {begin}.",
            flow.paths.len()
        ));
    }
    if flow.events.iter().any(|event| event.at > begin) {
        notes.push(format!("{name}: changes of its subflows after {begin} are ignored."));
    }
    if flow.start > begin || flow.stop < scenario.duration {
        notes.push(format!(
            "{name} sends only from {} to {}; treated as sending throughout the measurement.",
            flow.start, flow.stop
        ));
    }
    if flow.application != (Application::Bulk { bytes: None }) {
        notes.push(format!("{name} does not always send; treated as if it did."));
    }
    if flow.is_multipath() && flow.scheduler == Scheduler::Redundant {
        notes
            .push(format!("{name} sends everything on every subflow: its goodput is not the sum over them."));
    }
}

/// The least rate of losses at a link's entry whose share of a goodput is noted.
const NOTED_LOSS: f64 = 0.01;

/// Notes what is left out of a link and assumed of it.
fn note_link(notes: &mut Vec<String>, name: &str, spec: &LinkSpec, begin: &LinkSpec, scenario: &Scenario) {
    let at = scenario.warmup;
    if let Some(trace) = &spec.trace {
        let mbps = trace.mean_rate_bps() / 1e6;
        let delay = if trace.max_delay().is_some() { " and shortest delay" } else { "" };
        let loss = if trace.sets_loss() { " and mean loss" } else { "" };
        notes.push(format!(
            "{name} follows a trace: treated as a link with its mean rate, {mbps:.3} Mbit/s{delay}{loss}, at all times."
        ));
    }
    if spec.changes.iter().any(|change| change.at > at) {
        notes.push(format!(
            "{name} changes after {at}: only its state at that time, the end of the warm-up, counts."
        ));
    }
    match spec.discipline {
        Discipline::DropTail { .. } => {}
        fair if fair.flow_queues() > 0 => notes.push(format!(
            "{name} has a queue for each flow: each subflow gets a fair share, independent of congestion control. The equilibria assume a common queue with CoDel's target as delay."
        )),
        managed => {
            let wait = match (managed, managed.target()) {
                (Discipline::Red(_), _) => "the delay that its thresholds imply at the loss rate",
                (_, Some(_)) => "its target",
                (_, None) => "a drop-tail queue's",
            };
            notes.push(format!("{name} has an AQM: the queueing delay is {wait}, and each packet is equally likely to be lost."));
        }
    }
    match begin.loss_at {
        LossAt::Exit if begin.loss.mean_rate() > 0.0 => notes.push(format!(
            "{name} loses packets at its exit: the goodputs here include what it loses. The page on `ideal` in the book compares them with runs."
        )),
        LossAt::Entry if begin.loss.mean_rate() >= NOTED_LOSS => notes.push(format!(
            "{name} loses packets at its entry: the goodput of a flow that no full link limits includes them here. The page on `ideal` in the book compares it with runs."
        )),
        _ => {}
    }
    if begin.loss.comes_in_bursts() {
        notes.push(format!(
            "{name} loses packets in bursts: each loss counts, although a window is reduced once per burst."
        ));
    }
    if let Discipline::DropTail { ecn_threshold_bytes: Some(_) } = begin.discipline {
        notes.push(format!(
            "{name} marks packets (ECN): the loss rate is the marking rate, and its queue is shorter than assumed."
        ));
    }
}
